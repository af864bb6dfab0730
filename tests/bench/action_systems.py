#!/usr/bin/env python3
"""Table 1 of [2] again: the mutants of the car alarm, with its times as they are, and times 10, 100 and 1000.

    python3 tests/bench/action_systems.py target/release/hyperkill [-o TABLE.md] [--scales 1,10] [--timeout 120s] [--without-prolog]

Writes a table of processor time, memory and verdicts for each reading at each scale, and checks that verdicts and tests are the same at
each scale but for the times in them. Beside it: every value tried one by one, by the interpreter of `action_system.py`; the answers of
Algorithms 1 and 2 of [2], by that interpreter and by constraints of SWI-Prolog (`action_systems.pl`); unsafe states by Definition 4.1
beside those that common runs reach; and how many kills need that quiescence is seen. Exit status 1 says that something contradicts
something else.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from action_system import System, Unsafe, classes, every_value, reachable, successors  # noqa: E402

FOLDER = Path(__file__).parent.parent / "models" / "action-system" / "car-alarm"
READINGS = [
    ("refinement", "model.as", []),
    ("refinement, outputs", "model.as", ["--observe", "outputs"]),
    ("refinement, complete", "model.as", ["--complete"]),
    ("refinement, outputs, complete", "model.as", ["--observe", "outputs", "--complete"]),
    ("inputs and outputs", "inputs.as", []),
    ("inputs and outputs, state", "inputs.as", ["--observe", "state"]),
    ("inputs and outputs, complete", "inputs.as", ["--complete"]),
]
# The readings of Table 1; of the others verdicts are shown at the first scale.
AT_ALL_SCALES = ("refinement", "refinement, outputs", "inputs and outputs")
TIMES = (20, 30, 270)
PARAMETER = "after.Wait_time"

problems = []


def must(condition, message):
    if not condition:
        problems.append(message)
        print(f"PROBLEM: {message}", file=sys.stderr)


def scaled(text, factor):
    """The system with its three times, and the range of times, so many times as long."""
    text = text.replace("X in 0..270", f"X in 0..{270 * factor}")
    return re.sub(r"Wait_time #= (\d+)", lambda found: f"Wait_time #= {int(found[1]) * factor}", text)


def spent(command, given=None):
    """Runs a command: seconds of processor time, megabytes at most, its exit status, and what it writes."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as source:
        source.write((given or "").encode())
        source.seek(0)
        child = subprocess.Popen([str(word) for word in command], stdin=source, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode, output.read().decode()


def shape(value, factor):
    """A time as it is to those of the model: before it, the same, one more, or after it."""
    return tuple((value > limit * factor) + (value == limit * factor + 1) - (value < limit * factor) for limit in TIMES)


def step_shape(values, factor):
    """Values of ports without those that mean nothing, times by their shape."""
    is_time = "after" in (values.get("event"), values.get("output"))
    kept = {name: value for name, value in values.items() if name != PARAMETER}
    return tuple(kept.items()) + ((shape(values[PARAMETER], factor),) if is_time and PARAMETER in values else ())


class Outcomes:
    """What a run says of each mutant, by the order of the text."""

    def __init__(self, folder, factor):
        run = json.loads((folder / "outcomes.json").read_text())
        self.results = run["results"]
        of = lambda result: (result["verdict"], result.get("strength"), result.get("steps"))
        self.verdicts = [of(result) for result in self.results]
        suite = json.loads((folder / "suite.json").read_text())
        tests = [
            tuple((step_shape(s["inputs"], factor), step_shape(s["outputs"], factor)) for s in test["steps"])
            for test in suite["tests"]
        ]
        self.suite = sorted(map(repr, tests))
        self.tests, self.steps = len(tests), sum(map(len, tests))

    def words(self):
        words = Counter(f"{verdict} {strength or ''}".strip() for verdict, strength, _ in self.verdicts)
        return ", ".join(f"{count} {word}" for word, count in sorted(words.items()))


def runs(asked, place, write):
    """Decides and certifies each reading at each scale. Returns the outcomes at the first scale, by the name of the reading."""
    write("| reading | scale | run, s | MB | a mutant, s: mean | certify, s | MB | tests, steps | verdicts |")
    write("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    at_first = {}
    for name, file, options in READINGS:
        for factor in asked.scales:
            if factor != asked.scales[0] and name not in AT_ALL_SCALES:
                continue
            model = place / f"{factor}-{file}"
            model.write_text(scaled((FOLDER / file).read_text(), factor))
            out = place / f"{name}-{factor}"
            command = [asked.hyperkill, "-q", "run", model, *options, "-o", out, "--timeout", asked.timeout]
            seconds, memory, status, _ = spent(command)
            must(status in (0, 3), f"{name}, ×{factor}: exit status {status} of run")
            if status not in (0, 3):
                continue
            certified, held, sound, _ = spent([asked.hyperkill, "-q", "certify", out])
            must(sound == 0, f"{name}, ×{factor}: exit status {sound} of certify")
            found = Outcomes(out, factor)
            mean = seconds / len(found.verdicts)
            write(
                f"| {name} | ×{factor} | {seconds:.2f} | {memory:.0f} | {mean:.4f} | {certified:.2f} | {held:.0f} "
                f"| {found.tests}, {found.steps} | {found.words()} |"
            )
            first = at_first.setdefault(name, found)
            different = sum(a != b for a, b in zip(found.verdicts, first.verdicts))
            must(different == 0, f"{name}, ×{factor}: {different} verdicts differ from the first scale")
            must(found.suite == first.suite, f"{name}, ×{factor}: tests differ from the first scale by more than times")
    return at_first


def mutants(asked, place, file, factor):
    """The ids of the mutants in the order of the text, and their sources."""
    model, folder = place / f"{factor}-{file}", place / f"mutants-{factor}-{file}"
    model.write_text(scaled((FOLDER / file).read_text(), factor))
    subprocess.run([asked.hyperkill, "-q", "list", model, "--emit", folder], check=True, stdout=subprocess.DEVNULL)
    listed = subprocess.run([asked.hyperkill, "--format", "json", "list", model], check=True, stdout=subprocess.PIPE)
    ids = [mutant["id"] for mutant in json.loads(listed.stdout)["mutants"]]
    files = {path.stem.split(".")[0]: path for path in sorted(folder.rglob("*.as"))}
    return model, [(name, files[name]) for name in ids]


def changes_of(asked, model):
    """What each mutant changes, by its id."""
    listed = subprocess.run([asked.hyperkill, "--format", "json", "list", model], check=True, stdout=subprocess.PIPE)
    one_line = lambda text: " ".join(text.split()).replace("|", "\\|")
    return {
        m["id"]: f"{m['operator']}, line {m['place']['line']}: `{one_line(m['original'])}` ⇒ `{one_line(m['replacement'])}`"
        for m in json.loads(listed.stdout)["mutants"]
    }


def answers_of_paper(asked, place, found, write):
    """Algorithms 1 and 2 by the interpreter, and what that says of our verdicts."""
    model, files = mutants(asked, place, "model.as", asked.scales[0])
    changes = changes_of(asked, model)
    original = System(model.read_text())
    began = time.process_time()
    all_found = {}
    for name, file in files:
        mutant = System(file.read_text())
        values = {label: classes([original, mutant], label) for label in original.actions}
        all_found[name] = Unsafe(original, mutant, reachable(original, values), values)
    seconds = time.process_time() - began
    none = sum(not u.exists for u in all_found.values())
    unreached = sum(u.exists and not u.reached for u in all_found.values())
    depths = Counter(u.depth for u in all_found.values() if u.reached)
    write(f"Of {len(files)} mutants {none} have no unsafe state at all (Algorithm 1), of {unreached} none is reached, and "
          f"{sum(depths.values())} have a nearest one (Algorithm 2), after so many events: "
          f"{', '.join(f'{depth}: {count}' for depth, count in sorted(depths.items()))}. "
          f"By the interpreter beside, values by classes, this takes {seconds:.1f} s.")
    write("")
    states = sum(u.reached for u in all_found.values())
    common = sum(u.common for u in all_found.values())
    write(f"Unsafe states that the model reaches (Definition 4.1): {states}; of these {common} are reached by common runs too.")
    apart = {name: u for name, u in all_found.items() if u.reached != u.common or u.depth != u.common_depth}
    if apart:
        write("They differ in these mutants. Where common runs pass, the mutant has lost steps of the model, so that model and mutant "
              "do not come to the other unsafe states together. No test looks there, and none has to: each of these mutants "
              "shows itself before. The nearest states are the same.")
        must(all(u.depth == u.common_depth for u in apart.values()), "a nearest unsafe state is not reached by common runs")
        write("")
        write("| mutant | change | model reaches | common runs reach | events of steps that are lost | verdict |")
        write("| --- | --- | --- | --- | --- | --- |")
    verdict = {result["mutant"]: result for result in found.results} if found else {}
    for name, u in apart.items():
        said = verdict.get(name, {}).get("verdict", "?")
        write(f"| {name} | {changes[name]} | {u.reached} | {u.common} | {', '.join(u.lost)} | {said} |")
    for name, u in all_found.items():
        result = verdict.get(name)
        if result is None or result["verdict"] in ("unknown", "duplicate-of"):
            continue
        must((result["verdict"] == "killed") == (u.common > 0), f"{name}: {result['verdict']}, and {u.common} common unsafe states")
        if u.common and result.get("shortest"):
            # A test that kills for certain may have to be longer than one that the mutant can fail.
            enough = result["steps"] == u.common_depth + 1 or result["strength"] == "definite" and result["steps"] > u.common_depth + 1
            must(enough, f"{name}: {result['steps']} steps, unsafe after {u.common_depth}")
    return all_found


def by_prolog(asked, place, all_found, write):
    """The same by constraints of SWI-Prolog."""
    if asked.without_prolog or shutil.which("swipl") is None:
        print("SKIPPED: Algorithms 1 and 2 by constraints (swipl is not installed)", file=sys.stderr)
        write("Algorithms 1 and 2 by constraints were skipped: `swipl` is not installed.")
        return
    write("| Algorithms 1 and 2 by clpfd | find mutated action, s | reach, s | a mutant: mean, most | gave up | differs |")
    write("| --- | --- | --- | --- | --- | --- |")
    program = Path(__file__).with_suffix(".pl")
    for factor in asked.scales:
        model, files = mutants(asked, place, "model.as", factor)
        questions = [f"original('{model}').\n"] + [f"mutant('{name}', '{file}').\n" for name, file in files]
        _, _, status, said = spent(["swipl", "-q", "-g", "main", "-t", "halt", program], "".join(questions))
        rows = [line.split() for line in said.splitlines()]
        must(status == 0, f"Prolog, ×{factor}: exit status {status}")
        must(len(rows) == len(files), f"Prolog, ×{factor}: {len(rows)} answers")
        if status != 0 or len(rows) != len(files):
            write(f"| ×{factor} | failed | | | | |")
            continue
        first, second = sum(float(row[2]) for row in rows), sum(float(row[3]) for row in rows)
        each = [float(row[2]) + float(row[3]) for row in rows]
        gave_up = sum(row[1] == "gave_up" for row in rows)
        differs = 0
        for (name, _), (_, result, _, _) in zip(files, rows):
            u = list(all_found.values())[files.index((name, dict(files)[name]))]
            differs += result not in (u.answer(), "gave_up")
        must(differs == 0, f"Prolog, ×{factor}: {differs} other answers")
        write(f"| ×{factor} | {first:.1f} | {second:.1f} | {sum(each) / len(each):.3f}, {max(each):.2f} | {gave_up} | {differs} |")


def value_by_value(asked, place, write):
    """All unsafe states that common runs reach, every value of the parameters tried one by one."""
    write("| every value, by the interpreter beside | s |")
    write("| --- | --- |")
    first = None
    for factor in [factor for factor in asked.scales if factor <= 10]:
        model, files = mutants(asked, place, "model.as", factor)
        original = System(model.read_text())
        values = {label: every_value(original, label) for label in original.actions}
        began = time.process_time()
        model_depths = reachable(original, values)
        for _, file in files:
            mutant = System(file.read_text())
            for state in model_depths:
                steps = set(successors(original, state, values))
                any(step not in steps for step in successors(mutant, state, values))
        seconds = time.process_time() - began
        first = first or seconds
        write(f"| ×{factor}, {len(files)} mutants, {len(model_depths)} states | {seconds:.1f} ({seconds / first:.1f} times the first) |")


def can_be_seen(original, mutant, inputs, values, quiescence):
    """Whether a run of the mutant, seen by inputs and outputs, is none of the model. Quiescence is seen or not."""
    outputs = [label for label in original.actions if label not in inputs]

    def steps(system, state, labels):
        return [((label, given), after) for label in labels for given in values[label] for after in system.compiled[label](*state, *given)]

    def quiet(system, state):
        return not steps(system, state, outputs)

    start = (mutant.initial, frozenset([original.initial]))
    seen, queue = {start}, [start]
    for state, possible in queue:
        following = []
        for event, after in steps(mutant, state, inputs):
            then = {s for p in possible for e, s in steps(original, p, inputs) if e == event}
            if then:  # Else the model does not accept the input.
                following.append((after, frozenset(then)))
        for event, after in steps(mutant, state, outputs):
            then = {s for p in possible for e, s in steps(original, p, outputs) if e == event}
            if not then:
                return True
            following.append((after, frozenset(then)))
        if quiescence and quiet(mutant, state):
            then = {p for p in possible if quiet(original, p)}
            if not then:
                return True
            following.append((state, frozenset(then)))
        for position in following:
            if position not in seen:
                seen.add(position)
                queue.append(position)
    return False


def quiescent_kills(asked, place, found, write):
    """How many mutants are killed by inputs and outputs only because quiescence is seen."""
    model, files = mutants(asked, place, "inputs.as", asked.scales[0])
    original = System(model.read_text())
    inputs = [label for label in original.actions if label in original.inputs]
    with_it, without = set(), set()
    for name, file in files:
        mutant = System(file.read_text())
        values = {label: classes([original, mutant], label) for label in original.actions}
        if can_be_seen(original, mutant, inputs, values, True):
            with_it.add(name)
            if can_be_seen(original, mutant, inputs, values, False):
                without.add(name)
    write(f"Inputs and outputs: by the interpreter {len(with_it)} mutants show a run that the model does not have, {len(without)} "
          f"of them also where quiescence is not seen: {len(with_it - without)} only because it is.")
    for result in found.results if found else []:
        if result["verdict"] not in ("unknown", "duplicate-of"):
            agree = (result["verdict"] == "killed") == (result["mutant"] in with_it)
            must(agree, f"inputs and outputs, {result['mutant']}: {result['verdict']}, which the interpreter contradicts")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hyperkill")
    parser.add_argument("-o", "--out")
    parser.add_argument("--scales", default="1,10,100,1000", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--timeout", default="120s")
    parser.add_argument("--without-prolog", action="store_true")
    asked = parser.parse_args()
    lines = []

    def write(line):
        lines.append(line)
        print(line, flush=True)

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    options = " ".join(word for word in sys.argv[2:] if word != asked.out and word not in ("-o", "--out"))
    load = os.getloadavg()[0]
    write("# The car alarm of [2]")
    write("")
    write(f"Commit {commit}, {datetime.date.today()}: `python3 tests/bench/action_systems.py HYPERKILL {options}`".rstrip() + ".")
    write(f"{os.cpu_count()} processors, load {load:.1f} at the start. Seconds are processor time.")
    write("")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        found = runs(asked, place, write)
        write("")
        all_found = answers_of_paper(asked, place, found.get("refinement"), write)
        write("")
        by_prolog(asked, place, all_found, write)
        write("")
        value_by_value(asked, place, write)
        write("")
        quiescent_kills(asked, place, found.get("inputs and outputs"), write)
    if asked.out:
        Path(asked.out).write_text("\n".join(lines) + "\n")
    sys.exit(1 if problems else 0)


main()
