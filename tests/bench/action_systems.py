#!/usr/bin/env python3
"""Table 1 of [2] again: the mutants of the car alarm, with its times as they are, and times 10, 100 and 1000.

    python3 tests/bench/action_systems.py target/release/hyperkill

Prints processor time, memory and verdicts of each reading at each scale, and checks that verdicts and lengths of tests do not depend on
the scale.
"""

import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "models" / "action-system" / "car-alarm"
READINGS = [
    ("refinement", "model.as", []),
    ("refinement, outputs", "model.as", ["--observe", "outputs"]),
    ("refinement, complete", "model.as", ["--complete"]),
    ("inputs and outputs", "inputs.as", []),
]
SCALES = [1, 10, 100, 1000]


def scaled(text, factor):
    """The system with its three times, and the range of times, so many times as long."""
    text = text.replace("X in 0..270", f"X in 0..{270 * factor}")
    return re.sub(r"Wait_time #= (\d+)", lambda found: f"Wait_time #= {int(found[1]) * factor}", text)


def spent(command):
    """Runs a command: its seconds of processor time, and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def answers(folder):
    """The verdict of each mutant, with its strength and the steps of its test, in the order of the text."""
    results = json.loads((folder / "outcomes.json").read_text())["results"]
    of = lambda result: (result["verdict"], result.get("strength"), result.get("steps"))
    return [of(result) for result in results]


def main():
    hyperkill = sys.argv[1]
    print(f"{'reading':22} {'scale':>6} {'run':>8} {'certify':>8}  verdicts")
    with tempfile.TemporaryDirectory() as place:
        for name, file, options in READINGS:
            first = None
            for factor in SCALES:
                model = Path(place) / f"{factor}-{file}"
                model.write_text(scaled((FOLDER / file).read_text(), factor))
                out = Path(place) / f"{name}-{factor}"
                command = [hyperkill, "run", model, *options, "-o", out, "--timeout", "120s"]
                time, status = spent([str(word) for word in command])
                certified, sound = spent([hyperkill, "certify", str(out)])
                if status not in (0, 3) or sound != 0:
                    sys.exit(f"{name}, {factor}: exit statuses {status} and {sound}")
                found = answers(out)
                words = Counter(f"{verdict} {strength or ''}".strip() for verdict, strength, _ in found)
                counts = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
                print(f"{name:22} {factor:6} {time:7.2f}s {certified:7.2f}s  {counts}", flush=True)
                first = first or found
                if found != first:
                    print(f"  differs from scale 1 in {sum(a != b for a, b in zip(found, first))} mutants")


main()
