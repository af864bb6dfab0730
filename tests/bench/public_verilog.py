#!/usr/bin/env python3
"""Which designs of `public_verilog.tsv` load: natively, else through yosys, else with one clock for all.

  tests/bench/public_verilog.py HYPERKILL FOLDER

FOLDER holds the sources under the paths that the table names; designs whose files are not there are left out and counted. Installs
and fetches nothing. Prints two tables: how many of each repository load, and what is refused where.
"""

import collections
import pathlib
import re
import subprocess
import sys

hyperkill, folder = sys.argv[1], pathlib.Path(sys.argv[2])
table = pathlib.Path(__file__).with_name("public_verilog.tsv").read_text().splitlines()[1:]


def load(files, top, *options):
    """Whether it loads, else the first error: what and where."""
    folders = sorted({str(pathlib.Path(file).parent) for file in files})
    includes = [word for name in folders for word in ("-I", name)]
    command = [hyperkill, "list", *files, *includes, *options] + (["--top", top] if top else [])
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "not within 300 s"
    if done.returncode == 0:
        return None
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)
    what = re.search(r"^[Ee]rror: (.*)$", said, re.M)
    where = re.search(r"\[ (\S+?):(\d+):\d+ \]", said)
    place = f" ({pathlib.Path(where[1]).name}:{where[2]})" if where else ""
    return (what[1] if what else "no word") + place


counts, refused, missing = collections.defaultdict(collections.Counter), [], 0
for row in table:
    repository, design, top, files = row.split("\t")
    files = files.split(" ")
    if not all((folder / file).is_file() for file in files):
        missing += 1
        continue
    counts[repository]["all"] += 1
    native = load(files, top)
    if native is None:
        counts[repository]["native"] += 1
        continue
    yosys = load(files, top, "--via", "yosys")
    one = load(files, top, "--one-clock")
    both = load(files, top, "--via", "yosys", "--one-clock")
    refused.append((repository, design, native, yosys is None, one is None, both is None))
    counts[repository]["yosys"] += yosys is None
    counts[repository]["one"] += yosys is not None and one is None
    counts[repository]["both"] += both is None

print("| repository | designs | natively | else `--via yosys` | else `--one-clock` | not natively, but with both |")
print("| --- | ---: | ---: | ---: | ---: | ---: |")
whole = collections.Counter()
for repository, count in sorted(counts.items()):
    whole.update(count)
    print(f"| {repository} | {count['all']} | {count['native']} | {count['yosys']} | {count['one']} | {count['both']} |")
print(f"| all | {whole['all']} | {whole['native']} | {whole['yosys']} | {whole['one']} | {whole['both']} |")
if missing:
    print(f"\n{missing} designs have no files here.")
print("\n| refused natively | construct and line | `--via yosys` | `--one-clock` | both |")
print("| --- | --- | --- | --- | --- |")
yes = {True: "loads", False: "no"}
for repository, design, native, yosys, one, both in refused:
    print(f"| {repository}: {design} | {native} | {yes[yosys]} | {yes[one]} | {yes[both]} |")
