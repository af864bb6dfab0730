#!/usr/bin/env python3
"""The cases of HyperQB 2 that are about one system: each formula of a folder asked of each SMV model beside it.

usage: hyperqb.py HYPERKILL FOLDER [SECONDS]

Prints a table: folder, formula, model, answer, what shows it, seconds. Folders whose formulas are about several systems, one for each
quantifier, are asked of each of these alone, which is another question: signals that a model does not have are named as errors.
"""

import json
import pathlib
import subprocess
import sys
import time


def main():
    hyperkill, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    print(f"# {limit} s for each case")
    print("folder\tformula\tmodel\tanswer\tshown by\tseconds")
    for formula in sorted(folder.rglob("*.hq")):
        for model in sorted(formula.parent.glob("*.smv")):
            began = time.time()
            ran = subprocess.run(
                [hyperkill, "verify", str(model), "--dialect", "hyperqb2", "--formula-file", str(formula),
                 "--format", "json", "--timeout", f"{limit}s", "--jobs", "1"],
                capture_output=True, text=True,
            )
            took = time.time() - began
            if ran.stdout.startswith("{"):
                result = json.loads(ran.stdout)["results"][0]
                answer = result["verdict"]
                evidence = result.get("evidence") or {}
                shown = evidence.get("kind") or ("traces" if result.get("traces") else result.get("reason", ""))
            else:
                lines = ran.stderr.strip().splitlines() or ["nothing said"]
                line = next((l for l in lines if "rror" in l), lines[0])
                answer, shown = "error", line.split(": ")[-1][:80]
            print(f"{formula.parent.name}\t{formula.name}\t{model.name}\t{answer}\t{shown}\t{took:.1f}", flush=True)


main()
