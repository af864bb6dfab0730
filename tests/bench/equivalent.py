#!/usr/bin/env python3
"""Equivalent mutants that berkeley-abc proves in a second and hyperkill does not, of designs given on the command line.

  tests/bench/equivalent.py HYPERKILL [--draw 300] [--seconds 5] [--seed 0] DESIGN.v …

All mutants of each design are asked about with φ1 (`--timeout SECONDS` each, ten times that for a design, one job). Of those that hyperkill
proves equivalent or leaves undecided, as many as `--draw` says are drawn, the same ones for the same seed; abc is asked about the product of
each, as `hyperkill translate --product` writes it: `scorr` and `pdr`, one second of processor time each. What abc proves and the time of a design
left undecided is asked about once more, alone. Designs that do not load, or are not deterministic, are left out and counted. Prints a table
and the exceptions: what abc proves and hyperkill does not. Fetches nothing.
"""

import argparse
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

reader = argparse.ArgumentParser()
reader.add_argument("hyperkill")
reader.add_argument("--draw", type=int, default=300)
reader.add_argument("--seconds", type=int, default=5)
reader.add_argument("--seed", type=int, default=0)
reader.add_argument("designs", nargs="+")
options = reader.parse_args()
if not shutil.which("berkeley-abc"):
    sys.exit("SKIPPED: berkeley-abc is not installed")


def run(command, seconds):
    """What it prints; nothing if it takes too much processor time."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20 * seconds, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout


def verdicts(design, folder, *mutant):
    """Of each mutant its verdict by φ1; `None` if the design does not load or is not deterministic."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [options.hyperkill, "run", design, "--property", "phi1", "--jobs", "1", "--timeout", f"{options.seconds}s"]
    run(command + ["--total-timeout", f"{10 * options.seconds}s", "-o", folder, *mutant], 20 * options.seconds)
    outcomes = pathlib.Path(folder, "outcomes.json")
    if not outcomes.is_file():
        return None
    document = json.loads(outcomes.read_text())
    if document["original"] != "deterministic":
        return None
    return {result["mutant"]: result["verdict"] for result in document["results"]}


def abc_proves(file, route):
    said = run(["berkeley-abc", "-c", f"read_aiger {file}; fold; orpos; {route}"], 1)
    return re.search("Property proved|Networks are equivalent", said) is not None


with tempfile.TemporaryDirectory() as work:
    drawn, left_out = [], []
    for number, design in enumerate(options.designs):
        found = verdicts(design, f"{work}/{number}")
        if found is None:
            left_out.append(design)
            continue
        drawn += [(design, mutant, verdict) for mutant, verdict in found.items() if verdict in ("equivalent", "unknown")]
        print(f"{design}: {len(found)} mutants", file=sys.stderr, flush=True)
    random.Random(options.seed).shuffle(drawn)
    exceptions, both, ours, neither = [], 0, 0, 0
    for design, mutant, verdict in drawn[: options.draw]:
        file = f"{work}/product.aig"
        pathlib.Path(file).unlink(missing_ok=True)
        run([options.hyperkill, "translate", design, "--mutant", mutant, "--product", "--binary", "-o", file], 60)
        routes = [route for route in ("scorr; pdr", "pdr") if abc_proves(file, route)]
        if verdict == "equivalent":
            both, ours = both + bool(routes), ours + (not routes)
        elif routes and (verdicts(design, f"{work}/alone", "--mutant", mutant) or {}).get(mutant) == "equivalent":
            both += 1
        elif routes:
            exceptions.append((design, mutant, routes))
        else:
            neither += 1

print("| drawn | both prove | hyperkill only | abc only | neither |")
print("| ---: | ---: | ---: | ---: | ---: |")
print(f"| {min(len(drawn), options.draw)} | {both} | {ours} | {len(exceptions)} | {neither} |")
for design, mutant, routes in exceptions:
    print(f"\n{design} {mutant}: abc proves it by `{'` and by `'.join(routes)}`")
if left_out:
    print(f"\n{len(left_out)} designs do not load or are not deterministic: {', '.join(left_out)}")
