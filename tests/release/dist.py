#!/usr/bin/env python3
"""Makes the archive of a release from a built program: `tests/release/dist.py --binary target/release/hyperkill OUT`.

The archive has the stripped program, manual pages, completions, the licences of all linked packages, and a list of them (CycloneDX).
The same program gives the same bytes. `--check` makes the archive twice and looks at its content. It needs Python 3.11.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHELLS = {"bash": "hyperkill.bash", "zsh": "_hyperkill", "fish": "hyperkill.fish"}
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "CITATION.cff", "SECURITY.md"]
LICENCE = re.compile(r"(?i)^(un)?licen[cs]e|^copying|^copyright|^notice")
# Folders of packages with sources of others; their licences are below.
DEPTH = 4


def said(*command, **options):
    """Returns what a command prints."""
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, **options).stdout


def host():
    """Returns the target triple of the compiler."""
    return re.search(r"^host: (.*)$", said("rustc", "-vV").decode(), re.MULTILINE).group(1)


class Packages:
    """The packages that are linked into the program for a target, in the order of names."""

    def __init__(self, target):
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
        metadata = json.loads(said(*command, cwd=ROOT))
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        (self.root,) = [key for key, package in packages.items() if package["name"] == "hyperkill"]
        self.needs, todo = {}, [self.root]
        while todo:
            key = todo.pop()
            if key in self.needs:
                continue
            linked = [dep["pkg"] for dep in nodes[key]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
            self.needs[key] = sorted(linked)
            todo += linked
        self.all = sorted((packages[key] for key in self.needs), key=lambda package: (package["name"], package["version"]))
        lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
        self.checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock}

    def version(self):
        """Returns the version of hyperkill."""
        return next(package["version"] for package in self.all if package["id"] == self.root)


def licence_files(package):
    """Returns the licences in the sources of a package, also those of sources of others in it, by their paths."""
    folder = pathlib.Path(package["manifest_path"]).parent
    found = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if len(inside.parts) <= DEPTH and LICENCE.search(path.name) and path.suffix not in [".rs", ".html"] and path.is_file():
            found[str(inside)] = path.read_text(encoding="utf-8", errors="replace").strip()
    return found


def third_parties(packages):
    """Returns the text with the licences of all packages of others. A text that several packages have stands once."""
    by_text = {}
    lines = ["The program contains these packages. Texts of licences that are in them follow.", ""]
    for package in packages.all:
        name = f"{package['name']} {package['version']}"
        if not package["license"]:
            raise SystemExit(f"{name} names no licence")
        found = licence_files(package)
        # Packages of this repository may have files of others, such as the view of the report.
        if package["source"]:
            authors = ", ".join(package["authors"]) or "no authors named"
            lines.append(f"{name}: {package['license']}, {authors}{'' if found else ' (the package has no text of the licence)'}")
        for path, text in found.items():
            by_text.setdefault(text, []).append(f"{name} ({path})")
    for text, names in sorted(by_text.items(), key=lambda item: item[1]):
        lines += ["", "=" * 80, *names, "", text]
    return "\n".join(lines) + "\n"


def reference(package):
    """Returns the package URL of a package."""
    return f"pkg:cargo/{package['name']}@{package['version']}"


def bill_of_materials(packages, binary):
    """Returns the list of all linked packages in the form of CycloneDX 1.5. It has no time, so that it is reproducible."""

    def component(package, kind):
        described = {
            "type": kind,
            "bom-ref": reference(package),
            "name": package["name"],
            "version": package["version"],
            "description": package["description"],
            "licenses": [{"expression": package["license"].replace("/", " OR ")}],
            "purl": reference(package),
        }
        checksum = packages.checksums.get((package["name"], package["version"]))
        if checksum:
            described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return {name: value for name, value in described.items() if value}

    by_key = {package["id"]: package for package in packages.all}
    program = component(by_key[packages.root], "application")
    program["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(binary).hexdigest()}]
    components = [component(package, "library") for package in packages.all if package["id"] != packages.root]
    needs = [
        {"ref": reference(by_key[key]), "dependsOn": sorted(reference(by_key[other]) for other in others)}
        for key, others in packages.needs.items()
    ]
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": program},
        "components": components,
        "dependencies": sorted(needs, key=lambda need: need["ref"]),
    }
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))}"
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def content(binary, target):
    """Returns the files of the archive by their names, each with its mode, and the version."""
    packages = Packages(target)
    files = {}
    with tempfile.TemporaryDirectory() as place:
        program = pathlib.Path(place) / "hyperkill"
        said("strip", "-o", program, binary)
        files["hyperkill"] = (program.read_bytes(), 0o755)
        said(program, "man", "-o", f"{place}/man", stderr=subprocess.DEVNULL)
        for page in sorted(pathlib.Path(place, "man").rglob("*.1")):
            files[f"man/man1/{page.name}"] = (page.read_bytes(), 0o644)
        for shell, name in SHELLS.items():
            files[f"completions/{name}"] = (said(program, "completions", shell), 0o644)
    for name in DOCUMENTS:
        files[name] = ((ROOT / name).read_bytes(), 0o644)
    files["THIRD-PARTY-LICENSES.txt"] = (third_parties(packages).encode(), 0o644)
    files["hyperkill.cdx.json"] = (bill_of_materials(packages, files["hyperkill"][0]).encode(), 0o644)
    return files, packages.version()


def needs(binary):
    """Returns what a program for Linux needs: the newest version of the C library, and the other libraries."""
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", said("readelf", "--version-info", "--wide", binary).decode())
    libraries = re.findall(r"NEEDED.*\[(.*)\]", said("readelf", "--dynamic", "--wide", binary).decode())
    newest = max(((int(major), int(minor)) for major, minor in versions), default=None)
    return newest, sorted(library for library in libraries if not library.startswith(("libc.so", "ld-linux")))


def pack(files, folder):
    """Returns a compressed archive without times, users, or an order of the disk."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            data, mode = files[name]
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mode, member.mtime = len(data), mode, int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)


def make(binary, target, out):
    """Makes the archive, its list of packages and the checksums, and returns the archive's path and its files."""
    files, version = content(binary, target)
    folder = f"hyperkill-{version}-{target}"
    out.mkdir(parents=True, exist_ok=True)
    archive = out / f"{folder}.tar.gz"
    archive.write_bytes(pack(files, folder))
    (out / f"{folder}.cdx.json").write_bytes(files["hyperkill.cdx.json"][0])
    made = sorted(path for path in out.iterdir() if path.name.startswith("hyperkill-") and not path.name.endswith(".sha256"))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
    (out / "SHA256SUMS").write_text("".join(sums))
    return archive, files


def faults(archive, files, again, target):
    """Returns the faults of an archive as sentences."""
    if archive.read_bytes() != again.read_bytes():
        yield "two archives of one program differ"
    metadata = tomllib.loads((ROOT / "checker/cli/Cargo.toml").read_text())["package"]["metadata"]["binstall"]
    version = Packages(target).version()
    values = {"name": "hyperkill", "version": version, "target": target, "bin": "hyperkill", "binary-ext": "", "archive-suffix": ".tar.gz"}

    def filled(template):
        return re.sub(r"\{ ([a-z-]+) \}", lambda found: values.get(found.group(1), "…"), template)

    if not filled(metadata["pkg-url"]).endswith(f"/v{version}/{archive.name}"):
        yield f"cargo binstall would look for {filled(metadata['pkg-url'])}"
    with tempfile.TemporaryDirectory() as place, tarfile.open(archive) as packed:
        packed.extractall(place, filter="data")
        program = pathlib.Path(place) / filled(metadata["bin-dir"])
        if not program.is_file():
            yield f"cargo binstall would look for {program.name}"
        elif said(program, "--version").decode() != f"hyperkill {version}\n":
            yield "the program has another version"
        for shell, name in SHELLS.items():
            if shutil.which(shell):
                said(shell, "-n", program.parent / "completions" / name)
    pages = [name for name in files if name.startswith("man/")]
    if len(pages) < 15 or not all(b".TH" in files[name][0] for name in pages):
        yield f"{len(pages)} manual pages"
    notices = files["THIRD-PARTY-LICENSES.txt"][0].decode()
    for name in ["cadical-sys", "batsat", "libmimalloc-sys", "clap"]:
        if f"\n{name} " not in notices:
            yield f"no licence of {name}"
    for text in ["cadical-sys", "libmimalloc-sys", "hyperkill-report"]:
        if not re.search(rf"^{text} [0-9.]+ \(", notices, re.MULTILINE):
            yield f"no text of the licence of {text}"
    bill = json.loads(files["hyperkill.cdx.json"][0])
    known = {component["bom-ref"] for component in [*bill["components"], bill["metadata"]["component"]]}
    if len(known) != len(bill["components"]) + 1:
        yield "a package is twice in the list of packages"
    for need in bill["dependencies"]:
        yield from (f"{ref} is not in the list of packages" for ref in [need["ref"], *need["dependsOn"]] if ref not in known)
    for component in bill["components"]:
        if "hashes" not in component and not component["name"].startswith("hyperkill-"):
            yield f"no checksum of {component['name']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/hyperkill")
    parser.add_argument("--target", default=None, help="target triple of the program [default: the host]")
    parser.add_argument("--check", action="store_true", help="make the archive twice and look at it")
    parser.add_argument("out", type=pathlib.Path)
    settings = parser.parse_args()
    target = settings.target or host()
    archive, files = make(settings.binary, target, settings.out)
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB, program {len(files['hyperkill'][0]) / 1e6:.1f} MB, {len(files)} files")
    if "linux" in target:
        newest, libraries = needs(settings.binary)
        library = f"glibc {newest[0]}.{newest[1]} or newer" if newest else "no C library"
        print(f"needs {library}{''.join(f', {name}' for name in libraries)}")
    if not settings.check:
        return 0
    with tempfile.TemporaryDirectory() as place:
        again, _ = make(settings.binary, target, pathlib.Path(place))
        found = list(faults(archive, files, again, target))
    for fault in found:
        print(fault, file=sys.stderr)
    print(f"{len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
