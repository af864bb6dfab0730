#!/usr/bin/env python3
"""The calls of MCHyper's own scripts, without their strategy files and with them: `hyperkill verify --dialect mchyper`.

usage: mchyper.py HYPERKILL FOLDER [SECONDS]

FOLDER has `formulas.json`: for each call the folder, the circuit, the formula and, where it is known, what MCHyper and ABC's pdr said.
Prints a table: number, circuit, prefix, strategy file (`-` is none), recorded answer, ours, what shows it, seconds.
"""

import json
import pathlib
import re
import subprocess
import sys
import time


def main():
    hyperkill, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else 25
    print(f"# {limit} s for each call")
    print("call\tcircuit\tprefix\tstrategy\trecorded\thyperkill\tshown by\tseconds")
    for call in json.loads((folder / "formulas.json").read_text()):
        circuit = folder / call["dir"] / (call.get("system") or "")
        prefix = " ".join(re.findall(r"Forall|Exists", call["formula"]))
        recorded = call.get("abc_pdr_verdict") or "-"
        if not circuit.is_file():
            print(f"{call['index']}\t{call.get('system')}\t{prefix}\t-\t{recorded}\tno file\t-\t-", flush=True)
            continue
        strategies = [None]
        strategy = folder / call["dir"] / (call.get("strategy") or "-")
        if strategy.is_file():
            strategies.append(strategy)
        for strategy in strategies:
            answer, shown, took = ask(hyperkill, circuit, call["formula"], strategy, limit)
            name = strategy.name if strategy else "-"
            print(
                f"{call['index']}\t{circuit.name}\t{prefix}\t{name}\t{recorded}\t{answer}\t{shown}\t{took:.1f}",
                flush=True,
            )


def ask(hyperkill, circuit, formula, strategy, limit):
    """The answer, what shows it, and how long that took."""
    began = time.time()
    ran = subprocess.run(
        [hyperkill, "verify", str(circuit), "--dialect", "mchyper", "--formula", formula,
         "--format", "json", "--timeout", f"{limit}s", "--jobs", "1"]
        + (["--strategy", str(strategy)] if strategy else []),
        capture_output=True, text=True,
    )
    took = time.time() - began
    if not ran.stdout.startswith("{"):
        return "error", (ran.stderr.strip().splitlines() or [""])[0][:80], took
    result = json.loads(ran.stdout)["results"][0]
    evidence = result.get("evidence") or {}
    traces = "traces" if result.get("traces") else result.get("reason", "")
    return result["verdict"], evidence.get("kind") or traces, took


main()
