#!/usr/bin/env python3
"""Checks what a registry wants of every package, without building: `tests/release/packages.py`.

With `--make DIR` it also makes the packages and looks at their files. With `--release VERSION` it names what that release still lacks.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Packages with a promised interface; all others say that they are internal.
PROMISED = {"hyperkill", "hyperkill-core", "hyperkill-formulas", "hyperkill-run"}
TESTS = {"hyperkill-tests"}
LONGEST = 10 * 1024 * 1024  # The registry takes packages of 10 MiB at most.


def metadata():
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(said)["packages"]


def faults(package, names):
    """Returns the faults of one package as sentences."""
    name = package["name"]
    if name in TESTS:
        if package["publish"] != []:
            yield f"{name}: the package of the tests can be published"
        return
    if package["publish"] is not None:
        yield f"{name}: `publish` restricts the registries"
    for field in ["description", "license", "rust_version", "readme"]:
        if not package[field]:
            yield f"{name}: the field {field} is missing"
    if package["license"] != "MIT OR Apache-2.0":
        yield f"{name}: the licence is {package['license']}"
    if not 1 <= len(package["keywords"]) <= 5 or any(len(word) > 20 for word in package["keywords"]):
        yield f"{name}: a registry takes one to five keywords of at most 20 letters"
    if not 1 <= len(package["categories"]) <= 5:
        yield f"{name}: a registry takes one to five categories"
    folder = pathlib.Path(package["manifest_path"]).parent
    if package["readme"] and not (folder / package["readme"]).is_file():
        yield f"{name}: there is no {package['readme']}"
    is_internal = package["description"].endswith("(internal to hyperkill)")
    if is_internal == (name in PROMISED):
        yield f"{name}: the description does not say whether the interface is promised"
    for dependency in package["dependencies"]:
        if dependency["req"] == "*":
            yield f"{name}: no version of {dependency['name']}"
        if dependency["name"] in TESTS:
            yield f"{name}: depends on {dependency['name']}, which no registry has"
        if dependency.get("path") and not dependency["req"].startswith("="):
            yield f"{name}: another version of {dependency['name']} would do"
        if dependency.get("path") and dependency["name"] not in names:
            yield f"{name}: {dependency['name']} is outside of the workspace"


def made(place, names):
    """Makes all packages and returns the faults of their files."""
    command = ["cargo", "package", "--workspace", "--no-verify", "--allow-dirty", "--quiet", "--target-dir", str(place)]
    for name in TESTS:
        command += ["--exclude", name]
    subprocess.run(command, cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
    wanted = {name for name in names if name not in TESTS}
    archives = sorted((place / "package").glob("*.crate"))
    if len(archives) != len(wanted):
        yield f"{len(archives)} packages were made, of {len(wanted)}"
    for path in archives:
        with tarfile.open(path) as archive:
            inside = {member.split("/", 1)[1] for member in archive.getnames() if "/" in member}
        if path.stat().st_size > LONGEST:
            yield f"{path.name}: {path.stat().st_size} bytes"
        if "Cargo.toml" not in inside or not inside & {"README.md", "internal.md"}:
            yield f"{path.name}: no manifest or no readme"
        if not any(file in inside for file in ["src/lib.rs", "src/main.rs"]):
            yield f"{path.name}: no sources"
        if any(file.startswith(("tests/", "benches/")) for file in inside):
            yield f"{path.name}: it has tests, which read files outside of the package"


def lacks(version, packages):
    """Returns what the release of a version lacks, as sentences."""
    for package in packages:
        if package["name"] not in TESTS:
            if package["version"] != version:
                yield f"{package['name']}: the version is {package['version']}"
            if not package["repository"]:
                yield f"{package['name']}: the field repository is missing"
            for dependency in package["dependencies"]:
                if dependency.get("path") and dependency["req"] != f"={version}":
                    yield f"{package['name']}: {dependency['name']} is wanted as {dependency['req']}"
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text():
        yield "CITATION.cff: another version"
    if f"\n## [{version}]" not in (ROOT / "CHANGELOG.md").read_text():
        yield f"CHANGELOG.md: no section [{version}]"
    series = ".".join(version.split(".")[:2])
    named = ["action.yml", "integrations/github/workflow.yml", "integrations/gitlab/hyperkill.yml", "docs/src/guide/pipelines.md"]
    for path in named:
        text = (ROOT / path).read_text()
        if "OWNER" in text:
            yield f"{path}: OWNER stands for the owner of the repository"
        tags = set(re.findall(r"(?:hyperkill==|(?:@|/|rev: )v)([0-9]+\.[0-9]+)\b", text))
        if tags - {series}:
            yield f"{path}: it names the versions {', '.join(sorted(tags))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--make", type=pathlib.Path, help="folder for packages")
    parser.add_argument("--release", metavar="VERSION", help="name what the release of this version lacks")
    settings = parser.parse_args()
    packages = metadata()
    names = {package["name"] for package in packages}
    found = [fault for package in packages for fault in faults(package, names)]
    if settings.make:
        found += made(settings.make.resolve(), names)
    if settings.release:
        found += lacks(settings.release, packages)
    for fault in found:
        print(fault, file=sys.stderr)
    print(f"{len(packages)} packages, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
