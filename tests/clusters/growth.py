#!/usr/bin/env python3
"""Plans, decides and merges samples of growing size of a model's mutants of second order: time, memory and size of each step.

    tests/clusters/growth.py HYPERKILL MODEL SHARDS SIZE [SIZE ...] [-- OPTIONS OF PLAN ...]

Prints a row of a table for each size. Memory is the peak of one process. The shards run one after another on this machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(*words, codes=(0,)):
    """Seconds and the peak of memory in MB of a command."""
    began = time.monotonic()
    with open(os.devnull, "w") as quiet, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(list(map(str, words)), stdout=quiet, stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        child.returncode = code
        if code not in codes:
            errors.seek(0)
            sys.exit(f"{' '.join(map(str, words))}: {code}\n{errors.read()}")
    return time.monotonic() - began, used.ru_maxrss / 1024


def size(folder):
    """Megabytes and number of the files of a folder."""
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6, len(files)


def main():
    words = sys.argv[1:]
    options = []
    if "--" in words:
        at = words.index("--")
        words, options = words[:at], words[at + 1 :]
    if len(words) < 4:
        sys.exit(__doc__)
    binary, model, shards = Path(words[0]).resolve(), words[1], words[2]
    print("| mutants | plan | left to shards | shards: sum, longest / mean | merge | certify | merged folder |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for count in words[3:]:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as at:
            plan, merged = Path(at) / "plan", Path(at) / "merged"
            accept = ["--accept", "unknown"]
            made = timed(binary, "plan", model, "--order", f"2:{count}", "--shards", shards, "-o", plan, *options, *accept)
            document = json.loads((plan / "plan.json").read_text())
            parts = []
            for number in range(len(document["shards"])):
                parts.append(timed(binary, "run", "--plan", plan, "--shard", number))
            joined = timed(binary, "merge", plan, "-o", merged)
            checked = timed(binary, "certify", merged)
            times = [seconds for seconds, _ in parts] or [0.0]
            mean = sum(times) / len(times)
            most = max([memory for _, memory in parts] or [0.0])
            megabytes, files = size(merged)
            left = document["mutants"] - document["decided"]
            print(
                f"| {document['mutants']:,} | {made[0]:.1f} s, {made[1]:.0f} MB | {left:,} in {len(parts)} "
                f"| {sum(times):.1f} s, {max(times) / mean if mean else 0:.2f}; {most:.0f} MB | {joined[0]:.1f} s, {joined[1]:.0f} MB "
                f"| {checked[0]:.1f} s, {checked[1]:.0f} MB | {megabytes:.1f} MB, {files} files |",
                flush=True,
            )


main()
