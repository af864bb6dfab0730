#!/usr/bin/env python3
"""Compares planned, divided and merged runs with undivided ones.

    tests/clusters/compare.py HYPERKILL MODEL... [-- OPTIONS OF RUN]

Each model is run, planned in three shards, decided shard by shard, merged and certified. Prints a line for each model and the numbers of
all, and ends with 1 if a verdict or a strength differs or evidence does not check. Models that cannot be run are named and counted.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

USUAL = ["--sample", "40", "--timeout", "5s"]


def ran(*words, good=(0,)):
    """Whether a command ended well, else its first line of standard error."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "not within 300 s"
    lines = done.stderr.strip().splitlines() or ["status %d" % done.returncode]
    return None if done.returncode in good else lines[0]


def results(folder):
    document = json.loads((folder / "outcomes.json").read_text())
    return {r["mutant"]: (r["verdict"], r.get("strength")) for r in document["results"]}


def compare(binary, model, options, at):
    """The numbers of a model, or the reason why there are none, and the faults."""
    whole, plan, merged = at / "whole", at / "plan", at / "merged"
    options = [*options, "--accept", "unknown", "-q"]
    why = ran(binary, "run", model, "-o", whole, *options)
    if why:
        return why, []
    faults = [ran(binary, "plan", model, "-o", plan, "--shards", "3", *options)]
    shards = json.loads((plan / "plan.json").read_text())["shards"]
    faults += [ran(binary, "run", "--plan", plan, "--shard", str(k), "-q") for k in range(len(shards))]
    faults.append(ran(binary, "merge", plan, "-o", merged, "-q", good=(0, 3)))
    faults.append(ran(binary, "certify", merged, good=(0, 3)))
    one, other = results(whole), results(merged)
    if one.keys() != other.keys():
        faults.append("the mutants are others")
    both = [m for m in one if "unknown" not in (one[m][0], other[m][0])]
    faults += [f"{m}: {one[m]}, {other[m]}" for m in both if one[m] != other[m]]
    left = sum(shard["mutants"] for shard in shards)
    return (len(both), left, len(shards)), [fault for fault in faults if fault]


def main():
    words = sys.argv[1:]
    options = USUAL
    if "--" in words:
        at = words.index("--")
        words, options = words[:at], words[at + 1 :]
    if len(words) < 2:
        sys.exit(__doc__)
    binary, *models = words
    sums, skipped, wrong = [0, 0, 0], 0, 0
    for model in models:
        with tempfile.TemporaryDirectory(prefix="hk-plan-") as at:
            found, faults = compare(pathlib.Path(binary).resolve(), model, options, pathlib.Path(at))
        if isinstance(found, str):
            skipped += 1
            print(f"{model}: not run: {found}", flush=True)
            continue
        sums = [a + b for a, b in zip(sums, found)]
        wrong += len(faults)
        print(f"{model}: {found[0]} decided by both, {found[1]} in {found[2]} shards", *faults, sep="\n  ", flush=True)
    print(f"{len(models) - skipped} models, {skipped} not run: {sums[0]} mutants decided by both, {sums[1]} in {sums[2]} shards, {wrong} faults")
    sys.exit(wrong > 0)


main()
