#!/usr/bin/env python3
"""Extended finite state machines: how long they take, and what walks of today find beside our suites.

    python3 tests/bench/efsm.py target/release/hyperkill [-o TABLE.md] [--small]

Writes a markdown table for each part: example 5 of [4] by its size, with its search alone; machines of many locations in one super-mutated
model beside a run for each mutant (a sample of them); GraphWalker models of up to 10^5 edges, listed; random walks until all edges are
covered beside our suite; and the tests of [4]'s search beside as many random ones. `--small` is for trying the script. Exit status 1 says
that a run failed.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from graphwalker import edge_coverage, written  # noqa: E402

MODELS = Path(__file__).parent.parent / "models"
problems = []


def spent(command, statuses=(0, 2, 3)):
    """Runs a command: seconds of processor time, megabytes at most, and what it prints."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if child.returncode not in statuses:
        problems.append(" ".join(map(str, command)))
        print(f"PROBLEM: exit status {child.returncode}: {problems[-1]}", file=sys.stderr)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text


def table(title, head, rows):
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def example_5(count):
    """Fig. 6 of [4]: A is put out nowhere."""
    zero = "".join(f" X{i} := 0;" for i in range(1, count + 1))
    lines = [
        "location L1, L2, L3, P3, " + ", ".join(f"T{i}, O{i}, Q{i}" for i in range(1, count + 1)) + ", End;",
        "var A: 0..1 = 0;",
        *(f"var X{i}: 0..1 = 0;" for i in range(1, count + 1)),
        "event step(c: bool);",
        "output out(x: 0..1);",
        f"from L1 on step {{ A := 0;{zero} }} to L2",
        "from L2 on step if c to L3",
        "from L2 on step else to P3",
        "from L3 on step { A := 1; } to T1",
        "from P3 on step to T1",
    ]
    for i in range(1, count + 1):
        after = f"T{i + 1}" if i < count else "End"
        lines += [
            f"from T{i} on step if c to O{i}",
            f"from T{i} on step else to Q{i}",
            f"from O{i} on step {{ emit out(X{i}); }} to {after}",
            f"from Q{i} on step to {after}",
        ]
    return "\n".join(lines) + "\n"


def counts(text):
    """What `--explain` counts, by what it counts."""
    found = {}
    for line in text.splitlines():
        words = line.split(maxsplit=1)
        if len(words) == 2 and words[0].isdigit() and "—" not in line:
            found.setdefault(words[1], int(words[0]))
        if line.startswith("Tests that the language proposes"):
            found["tests"] = int(line.rsplit(" ", 1)[1])
    return found


def search_time(folder):
    """Seconds that the run in a folder has spent on the language's own search."""
    parts = json.loads((folder / "timings.json").read_text())["parts"]
    return f"{sum(part['seconds'] for part in parts if part.get('engine') == 'proposed'):.3f}"


def of_example_5(tool, place, sizes):
    rows = []
    for count in sizes:
        model, out = place / f"example-5-{count}.efsm", place / f"example-5-{count}.out"
        model.write_text(example_5(count))
        only = [model, "--operator", "GFL", "--jobs", "1"]
        listed = json.loads(spent([tool, "list", "--format", "json", model, "--operator", "GFL"])[2])
        mutant = next(m["id"] for m in listed["mutants"] if m["path"] == "L2.step/guard")
        seconds, memory, text = spent([tool, "run", *only, "--mutant", mutant, "-o", out])
        verdict = next((w for w in ("equivalent", "killed", "unknown") if f"  {w} " in text), "?")
        certified, _, _ = spent([tool, "certify", out], (0,))
        found = counts(spent([tool, "run", *only, "--mutant", mutant, "--explain", "-o", out])[2])
        rows.append(
            [count, verdict, f"{seconds:.2f} s", f"{memory:.0f} MB", f"{certified:.2f} s", search_time(out)]
            + [found.get(name, "") for name in ("states taken behind differences", "visited", "resumed")]
        )
    head = ["n", "verdict", "run", "memory", "certify", "search of [4], s", "taken", "visited", "resumed"]
    return table("Example 5 of [4]: the mutant of line 2", head, rows)


def large(locations, deep, seed=1):
    """A machine with a counter and a flag, whose locations are left by two events: a ring in which the last location is far away if it is deep,
    and else a tree in which all are near."""
    choose = random.Random(seed)
    lines = ["location " + ", ".join(f"S{i}" for i in range(locations)) + ";"]
    lines += ["var n: 0..7 = 0;", "var b: bool = false;", "event go(c: bool);", "event back;", "output shown(n: 0..7);"]
    for i in range(locations):
        ahead = (i + 1 if deep else 2 * i + 1) % locations
        other = choose.randrange(max(0, i - 20), i + 1) if deep else (2 * i + 2) % locations
        limit = choose.randrange(1, 7)
        lines += [
            f"from S{i} on go if c {{ n := {limit}; emit shown(n); }} to S{ahead}",
            f"from S{i} on back if b {{ b := !b; }} to S{other}",
        ]
        if i % 8 == 0:
            lines += [f"from S{i} on go else {{ b := true; }} to S{i}"]
    return "\n".join(lines) + "\n"


def of_many_mutants(tool, place, locations, wanted, sample, deep):
    model, out = place / "large.efsm", place / f"large-{locations}-{deep}.out"
    model.write_text(large(locations, deep))
    taken = [model, "--sample", str(wanted), "--jobs", "1"]
    seconds, memory, text = spent([tool, "run", *taken, "-o", out])
    certified, _, _ = spent([tool, "certify", out], (0,))
    results = json.loads((out / "outcomes.json").read_text())["results"]
    ids = [result["mutant"] for result in results]
    step = max(1, len(ids) // sample)
    alone = [spent([tool, "run", model, "--mutant", one, "--jobs", "1", "-o", place / "one.out"])[0] for one in ids[::step]]
    each = statistics.mean(alone)
    verdicts = {word: sum(1 for r in results if r["verdict"] == word) for word in {r["verdict"] for r in results}}
    said = ", ".join(f"{count} {word}" for word, count in sorted(verdicts.items()))
    row = [f"{locations}, {'deep' if deep else 'wide'}", len(ids), f"{seconds:.1f} s", f"{memory:.0f} MB", f"{certified:.1f} s", f"{each:.2f} s",
           f"{each * len(ids) / seconds:.0f}", said]
    head = ["locations", "mutants", "one run", "memory", "certify", f"one alone (of {len(alone)})", "times as long one by one", "verdicts"]
    return head, row


def of_all_mutants(tool, place, shapes):
    rows = [of_many_mutants(tool, place, *shape) for shape in shapes]
    return table("Many mutants at once", rows[0][0], [row for _, row in rows])


def graph(edges):
    """A GraphWalker model of a ring with chords."""
    vertices = max(2, edges // 2)
    model = {
        "name": "Ring",
        "generator": "random(edge_coverage(100))",
        "startElementId": "v0",
        "actions": ["n = 0;"],
        "vertices": [{"id": f"v{i}", "name": f"v_{i}"} for i in range(vertices)],
        "edges": [
            {
                "id": f"e{i}",
                "name": f"e_{i}",
                "sourceVertexId": f"v{i % vertices}",
                "targetVertexId": f"v{(i + 1 + i // vertices * 7) % vertices}",
                **({"guard": "n < 5", "actions": ["n++;"]} if i % 3 == 0 else {"actions": ["n = 0;"]}),
            }
            for i in range(edges)
        ],
    }
    return json.dumps({"models": [model]}, indent=1)


def of_many_edges(tool, place, sizes):
    rows = []
    for size in sizes:
        model = place / f"ring-{size}.json"
        model.write_text(graph(size))
        seconds, memory, text = spent([tool, "list", "--format", "json", "--operator", "GFL", model])
        mutants = len(json.loads(text)["mutants"]) if text else "?"
        rows.append([size, mutants, f"{seconds:.2f} s", f"{memory:.0f} MB"])
    return table("GraphWalker models, read and listed", ["edges", "mutants", "time", "memory"], rows)


def killed(tool, run, suite):
    """How many mutants the tests of a file kill, and of how many."""
    report = json.loads(spent([tool, "--format", "json", "score", run, "--suite", suite])[2])
    return report["counts"]["killed"], len(report["mutants"])


def of_walks(tool, place, seeds):
    model, out = MODELS / "graphwalker" / "shop" / "model.json", place / "shop.out"
    spent([tool, "-q", "run", model, "-o", out])
    suite = json.loads((out / "suite.json").read_text())["tests"]
    own, all_of_them = killed(tool, out, out)
    steps = sum(len(test["steps"]) for test in suite)
    rows = [[f"our suite, {len(suite)} tests", steps, f"{own} of {all_of_them}"]]
    lengths, kills = [], []
    for seed in range(1, seeds + 1):
        walk, _ = edge_coverage(model.read_text(), seed)
        file = place / f"walk-{seed}.json"
        file.write_text(written(walk))
        lengths.append(sum(1 for step in walk if step["id"].startswith("e")))
        kills.append(killed(tool, out, file)[0])
    rows += [
        [f"`random(edge_coverage(100))`, {name} of {seeds} seeds", f"{of(lengths):.0f}", f"{of(kills):.0f} of {all_of_them}"]
        for name, of in [("least", min), ("median", statistics.median), ("most", max)]
    ]
    return table("Random walks through the shop", ["walks", "edges", "killed"], rows)


def random_inputs(signature, tests, steps, seed):
    """As many tests of random inputs, as CSV."""
    choose = random.Random(seed)
    inputs = signature["inputs"]
    lines = [",".join(port["name"] for port in inputs)]
    for test in range(tests):
        for _ in range(steps):
            lines.append(",".join(str(choose.choice(values(port))) for port in inputs))
        lines.append("")
    return "\n".join(lines) + "\n"


def values(port):
    """All values of a port, as tables have them."""
    low, dots, high = port["domain"].partition("..")
    return list(range(int(low), int(high) + 1)) if dots else [value.strip() for value in port["domain"].split(",")]


def with_verdict(run, word):
    results = json.loads((run / "outcomes.json").read_text())["results"]
    return [result for result in results if result["verdict"] == word]


def of_stimuli(tool, place):
    rows = []
    for model in sorted((MODELS / "efsm").glob("*.efsm")):
        out = place / f"{model.stem}.out"
        spent([tool, "-q", "run", model, "-o", out])
        explained = counts(spent([tool, "run", model, "--explain", "-o", out])[2])
        all_killed = with_verdict(out, "killed")
        suite = json.loads((out / "suite.json").read_text())
        tests = explained.get("tests", 0)
        longest = max((len(test["steps"]) for test in suite["tests"]), default=1)
        shares = []
        # Without inputs there is one run only.
        for seed in range(5 if suite["signature"]["inputs"] else 0):
            file = place / "random.csv"
            file.write_text(random_inputs(suite["signature"], max(1, tests), longest, seed))
            shares.append(killed(tool, out, file)[0])
        # Without pairs of states the tests of the search come first, and what they kill is not killed again.
        spent([tool, "-q", "run", model, "--engine", "simulation", "-o", out])
        by_search = [r for r in with_verdict(out, "killed") if r["engine"] == "dropping"]
        by_chance = f"{statistics.median(shares):.0f}" if shares else "no inputs"
        rows.append([model.stem, len(all_killed), tests, len(by_search), by_chance])
    head = ["model", "killed by our suite", "tests of the search", "killed by them", "by as many random ones, as long as our longest (median of 5)"]
    return table("Tests of the search of [4] beside random ones", head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", type=lambda name: str(Path(name).resolve()))
    parser.add_argument("-o", "--out", type=Path)
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, small = Path(folder), args.small
        tables = [
            of_example_5(args.tool, place, [10, 30] if small else [10, 100, 1000]),
            of_all_mutants(
                args.tool,
                place,
                [(30, 60, 5, False), (20, 40, 5, True)] if small else [(1000, 2000, 10, False), (400, 800, 10, True)],
            ),
            of_many_edges(args.tool, place, [500, 1000] if small else [25_000, 50_000, 100_000]),
            of_walks(args.tool, place, 3 if small else 20),
            of_stimuli(args.tool, place),
        ]
    text = "\n".join(tables)
    args.out.write_text(text) if args.out else print(text)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
