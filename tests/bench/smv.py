#!/usr/bin/env python3
"""Verdicts of a sample of mutants of every public SMV model that NuSMV loads, with the engines that decided.

  tests/bench/smv.py HYPERKILL FOLDER [--only TEXT] [--mutants 60] [--timeout 20] [--total 100] [--every 1]

`--every 9` takes each ninth of them. FOLDER holds the models and `NUSMV_LOAD.tsv`, a line for each with NuSMV's answers. One run for each model that NuSMV loads
(`--sample 60 --seed 1 --timeout 20s --total-timeout 100s --jobs 1`); the time is processor time of the whole command. Invalid mutants and
duplicates are set aside: the share of undecided mutants is among the others. Prints a row as soon as it is known, then sums, and the models
of which more than a fifth is undecided. Fetches nothing.
"""

import argparse
import collections
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

reader = argparse.ArgumentParser()
reader.add_argument("hyperkill")
reader.add_argument("folder", type=pathlib.Path)
reader.add_argument("--only", default="")
reader.add_argument("--mutants", type=int, default=60)
reader.add_argument("--timeout", type=int, default=20)
reader.add_argument("--total", type=int, default=100)
reader.add_argument("--every", type=int, default=1)
options = reader.parse_args()

DECIDED = ["killed", "equivalent", "not-definitely-killable", "refuses-input"]


def run(model, folder):
    """The documents of one run and its processor time, or what the command said."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.hyperkill, "run", model, "--sample", str(options.mutants), "--seed", "1", "--jobs", "1", "-o", folder]
    command += ["--timeout", f"{options.timeout}s", "--total-timeout", f"{options.total}s"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcomes = folder / "outcomes.json"
    if not outcomes.is_file():
        return None, (done.stderr.strip() or "no outcomes").splitlines()[0]
    return json.loads(outcomes.read_text()), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cells(outcomes):
    """Numbers of one run: verdicts, then the engines that decided."""
    verdicts = collections.Counter(result["verdict"] for result in outcomes["results"])
    engines = collections.Counter(result.get("engine", "-") for result in outcomes["results"] if result["verdict"] in DECIDED)
    decided, undecided = sum(verdicts[name] for name in DECIDED), verdicts["unknown"]
    names = ", ".join(f"{name} {count}" for name, count in engines.most_common())
    aside = sum(verdicts.values()) - decided - undecided
    return [aside, verdicts["killed"], decided - verdicts["killed"], undecided], names


models = []
for line in (options.folder / "NUSMV_LOAD.tsv").read_text().splitlines()[1:]:
    path, loads, *_ = line.split("\t")
    if loads == "yes" and options.only in path:
        models.append(path)
models = models[:: options.every]
print("| model | set aside | killed | proved | undecided | seconds | decided by |")
print("| --- |" + " ---: |" * 5 + " --- |")
sums, seconds, worse = [0] * 4, 0.0, []
with tempfile.TemporaryDirectory() as scratch:
    for path in models:
        outcomes, spent = run(options.folder / path, pathlib.Path(scratch) / "run")
        if outcomes is None:
            print(f"| {path} | | | | | | {spent} |", flush=True)
            continue
        numbers, names = cells(outcomes)
        sums = [a + b for a, b in zip(sums, numbers)]
        seconds += spent
        if numbers[3] * 5 > sum(numbers[1:]):
            worse.append(path)
        print("| " + " | ".join([path, *map(str, numbers), f"{spent:.1f}", names]) + " |", flush=True)
open_share = 100 * sums[3] / max(1, sum(sums[1:]))
print("| **all** | " + " | ".join(map(str, sums)) + f" | {seconds:.0f} | |")
print(f"\nUndecided: {open_share:.1f} % of {sum(sums[1:])}; over a fifth in {len(worse)} models: {', '.join(worse) or 'none'}.", file=sys.stdout)
