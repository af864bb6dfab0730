#!/usr/bin/env python3
"""The exchange of suites of [3, §6.1]: a car alarm in SMV and the car alarm of [2] as an action system, each with its own mutants.

    python3 tests/bench/car_alarms.py target/release/hyperkill [-o TABLE.md] [--timeout 20s]

Decides the mutants of both, translates each suite into inputs of the other model, and scores each suite on both sets of mutants. Then a
greedy choice of tests of both suites kills all that any of them kills. The tables below relate the ports.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from action_system import System, classes  # noqa: E402

MODELS = Path(__file__).parent.parent / "models"
SMV = MODELS / "smv" / "car-alarm-timed" / "model.smv"
AS = MODELS / "action-system" / "car-alarm" / "inputs.as"

# Inputs of the action system, and values of `event` in SMV. A tick of SMV without an event is `none`; an event takes a tick, too.
EVENTS = {"Close": "close", "Open": "open", "Lock": "lock", "Unlock": "unlock"}
# Outputs of the action system that time brings, with the ticks that they take. Others come at once, and SMV shows them as levels.
TIMED = "after"


class Follower:
    """The action system along a run of SMV: which inputs it is given, and how often one waits for it."""

    def __init__(self, system):
        self.system, self.state, self.given, self.ticks = system, system.initial, [], 0
        self.values = {label: classes([system], label) for label in system.actions}
        self.drain()

    def outputs(self):
        labels = [label for label in self.system.actions if label not in EVENTS]
        return [
            (label, values, after)
            for label in labels
            for values in self.values[label]
            for after in self.system.compiled[label](*self.state, *values)
        ]

    def drain(self):
        """Waits for what comes at once."""
        while now := [found for found in self.outputs() if found[0] != TIMED]:
            self.wait(now[0])

    def wait(self, found):
        self.given.append("wait")
        self.state = found[2]

    def tick(self):
        """Time passes. What is due then comes."""
        self.ticks += 1
        for found in self.outputs():
            if found[0] == TIMED and found[1] == (self.ticks,):
                self.wait(found)
                self.ticks = 0
                return self.drain()

    def event(self, label):
        """An event of SMV, which nothing may take note of."""
        after = self.system.compiled[label](*self.state)
        if after:
            self.given.append(label)
            (self.state,) = after
            self.ticks = 0
            self.drain()
        else:
            self.tick()


def of_smv(system, steps):
    """Inputs of SMV as inputs of the action system. Once more it is waited: for what should not come."""
    follower = Follower(system)
    labels = {event: label for label, event in EVENTS.items()}
    for event in steps:
        if event == "none":
            follower.tick()
        else:
            follower.event(labels[event])
    return [*follower.given, "wait"]


def of_actions(test):
    """A test of the action system as inputs of SMV. Answers to the last input are seen one tick later."""
    events = []
    for step in test["steps"]:
        label, seen = step["inputs"]["event"], step["outputs"]["output"]
        if label in EVENTS:
            events.append(EVENTS[label])
        elif seen == TIMED:
            events += ["none"] * step["outputs"]["after.Wait_time"]
    return [*events, "none"]


def hyperkill(asked, *words):
    done = subprocess.run([asked.hyperkill, "-q", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 2, 3):
        sys.exit(f"{words}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def scored(asked, run, tests, place):
    """Which mutants of a run each of these tests kills, and how many mutants can be killed at all."""
    table = place / "tests.csv"
    table.write_text("event\n" + "\n\n".join("\n".join(test) for test in tests) + "\n")
    report = json.loads(hyperkill(asked, "--format", "json", "score", run, "--suite", table))
    kills = [set() for _ in tests]
    for mutant in report["mutants"]:
        for test in mutant.get("killed_by", []):
            kills[int(test.removeprefix("csv-")) - 1].add(mutant["mutant"])
    return kills, len(report["mutants"])


def without_prefixes(tests):
    """The tests, translated or not, that no other one begins with."""
    kept = []
    for test in sorted(set(map(tuple, tests))):
        kept = [other for other in kept if test[: len(other)] != other]
        kept.append(test)
    return [list(test) for test in kept]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hyperkill")
    parser.add_argument("-o", "--out")
    parser.add_argument("--timeout", default="20s")
    asked = parser.parse_args()
    lines = []

    def write(line):
        lines.append(line)
        print(line, flush=True)

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    write("# Two car alarms")
    write("")
    write(f"Commit {commit}, {datetime.date.today()}: `python3 tests/bench/car_alarms.py HYPERKILL --timeout {asked.timeout}`; "
          f"{os.cpu_count()} processors.")
    write("")
    system = System(AS.read_text())
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        runs, found = {}, {}
        for language, model in (("SMV", SMV), ("action system", AS)):
            runs[language] = place / language
            hyperkill(asked, "run", model, "-o", runs[language], "--timeout", asked.timeout)
            found[language] = json.loads((runs[language] / "outcomes.json").read_text())["results"]
        suites = {language: json.loads((runs[language] / "suite.json").read_text())["tests"] for language in runs}
        # Every test in both forms; of a tree the inputs of the run of the model that the suite shows.
        given = lambda test: [step["inputs"]["event"] for step in test["steps"]]
        pairs = {
            "SMV": [(given(test), of_smv(system, given(test))) for test in suites["SMV"]],
            "action system": [(of_actions(test), given(test)) for test in suites["action system"]],
        }
        write("| mutants of | mutants | killed | equivalent | refuse inputs | undecided | tests of its suite, steps |")
        write("| --- | --- | --- | --- | --- | --- | --- |")
        for language, results in found.items():
            count = lambda *words: sum(result["verdict"] in words for result in results)
            steps = sum(len(test["steps"]) for test in suites[language])
            write(f"| {language} | {len(results)} | {count('killed')} | {count('equivalent', 'duplicate-of')} | {count('refuses-input')} "
                  f"| {count('unknown')} | {len(suites[language])}, {steps} |")
        write("")
        write("| suite | tests, steps after translation | kills of SMV mutants | kills of action system mutants |")
        write("| --- | --- | --- | --- |")
        kills, tests = {}, {}
        for origin, both in pairs.items():
            tests[origin] = both
            per_test = [set() for _ in both]
            row = []
            for side, language in enumerate(runs):
                of_tests, of = scored(asked, runs[language], [pair[side] for pair in both], place)
                killed = set().union(*of_tests)
                row.append(f"{len(killed)} of {of} ({100 * len(killed) / max(of, 1):.0f} %)")
                for one, more in zip(per_test, of_tests):
                    one |= {(language, mutant) for mutant in more}
            kills[origin] = per_test
            other = 1 if origin == "SMV" else 0
            translated = without_prefixes([pair[other] for pair in both])
            write(f"| of {origin} | {len(translated)}, {sum(map(len, translated))} | {row[0]} | {row[1]} |")
        # One suite for both: greedily, a test that kills most of what is left.
        left = set().union(*(killed for per_test in kills.values() for killed in per_test))
        all_killed, chosen = len(left), []
        candidates = [(origin, number) for origin in kills for number in range(len(kills[origin]))]
        while left:
            origin, number = max(candidates, key=lambda which: len(kills[which[0]][which[1]] & left))
            chosen.append((origin, number))
            left -= kills[origin][number]
        of_smv_suite = sum(origin == "SMV" for origin, _ in chosen)
        steps = [sum(len(tests[origin][number][side]) for origin, number in chosen) for side in (0, 1)]
        write("")
        write(f"One suite for both: {len(chosen)} tests, {of_smv_suite} of them from the suite of SMV, {steps[0]} steps in SMV and "
              f"{steps[1]} in the action system. It kills all {all_killed} mutants that any of the tests kills.")
    if asked.out:
        Path(asked.out).write_text("\n".join(lines) + "\n")


main()
