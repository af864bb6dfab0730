#!/usr/bin/env python3
"""Stuck-at faults of sequential circuits from an unknown first state: killed for certain, perhaps, proved untestable, undecided.

  tests/bench/stuck_at.py HYPERKILL [--seconds 60] CIRCUIT.bench …

All mutants by `const0` and `const1` of each circuit (`--reset none --jobs 1`, so many seconds of the clock for a circuit). Faults are counted
once for each circuit that they make: of those that are the same circuit one. `definite` is a detection whatever the first states of both are,
as simulators with three values count it, and more; `potential` one for some first state of the faulty circuit. The time is processor time of
the whole command. Fetches nothing.
"""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import tempfile

reader = argparse.ArgumentParser()
reader.add_argument("hyperkill")
reader.add_argument("--seconds", type=int, default=60)
reader.add_argument("circuits", nargs="+", type=pathlib.Path)
options = reader.parse_args()

KINDS = ["definite", "potential", "untestable", "undecided"]


def kind(result):
    """Which column a result counts in; `None` if in none."""
    match result["verdict"]:
        case "killed":
            return "definite" if result["strength"] == "definite" else "potential"
        case "equivalent" | "not-definitely-killable":
            return "untestable"
        case "unknown":
            return "undecided"


def row(circuit, folder):
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.hyperkill, "run", circuit, "--operator", "const*", "--reset", "none", "--jobs", "1"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command + ["--total-timeout", f"{options.seconds}s", "-o", folder], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcomes = folder / "outcomes.json"
    if not outcomes.is_file():
        return f"| {circuit.stem} | {done.stderr.strip().splitlines()[0]} |" + " |" * 7
    kinds = [kind(result) for result in json.loads(outcomes.read_text())["results"]]
    counts = [kinds.count(name) for name in KINDS]
    tests = json.loads((folder / "suite.json").read_text())["tests"]
    steps = sum(len(test["steps"]) for test in tests)
    time = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cells = [circuit.stem, sum(counts), *counts, len(tests), steps, f"{time:.1f}"]
    return "| " + " | ".join(map(str, cells)) + " |"


print("| circuit | faults | " + " | ".join(KINDS) + " | tests | steps | seconds |")
print("| --- |" + " ---: |" * 8)
with tempfile.TemporaryDirectory() as folder:
    for circuit in options.circuits:
        print(row(circuit, pathlib.Path(folder) / "out"), flush=True)
