#!/usr/bin/env python3
"""Linear temporal logic about SMV models: `hyperkill verify --specs` beside NuSMV's `check_ltlspec`.

usage: ltlspec.py HYPERKILL NUSMV FOLDER [SEED]

Each model below FOLDER is asked for the LTLSPECs that it states, and for some drawn at random (with a fixed seed, printed) over the
variables of its main module; its fairness constraints stay. Prints a table: model, property, both answers and times.
"""

import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

LIMIT = 20
DRAWN = 4


def atoms(text):
    """Comparisons of the variables of the main module, as far as lines show them."""
    found = []
    main = re.search(r"^MODULE\s+main\b(.*?)(?=^MODULE\b|\Z)", text, re.S | re.M)
    if not main:
        return found
    body = re.sub(r"--.*", "", main.group(1))
    for section in re.findall(r"\b(?:VAR|IVAR)\b(.*?)(?=\b(?:[A-Z]{3,})\b|\Z)", body, re.S):
        for name, kind in re.findall(r"([A-Za-z_][\w$#-]*)\s*:\s*([^;]+);", section):
            kind = kind.strip()
            if kind == "boolean":
                found.append(name)
            elif re.fullmatch(r"\{[\w\s,-]+\}", kind):
                values = [v.strip() for v in kind.strip("{}").split(",")]
                found += [f"{name} = {v}" for v in values[:3]]
            elif re.fullmatch(r"\d+\s*\.\.\s*\d+", kind):
                low, high = re.split(r"\s*\.\.\s*", kind)
                found += [f"{name} = {low}", f"{name} < {high}"]
    return found


def formula(rng, known, size):
    if size == 0:
        return f"({rng.choice(known)})"
    if rng.random() < 0.5:
        op = rng.choice(["!", "X", "F", "G", "G F", "F G", "Y", "Z", "O", "H"])
        return f"({op} {formula(rng, known, size - 1)})"
    op = rng.choice(["&", "|", "->", "U", "V", "S", "T"])
    left = rng.randrange(size)
    return f"({formula(rng, known, left)} {op} {formula(rng, known, size - 1 - left)})"


def nusmv(program, path, name):
    """True, False, or why there is no answer."""
    script = f"read_model -i {path}\nflatten_hierarchy\nencode_variables\nbuild_model\n"
    script += f'check_ltlspec -P "{name}"\nquit\n' if name else "check_ltlspec\nquit\n"
    with tempfile.NamedTemporaryFile("w", suffix=".cmd") as commands:
        commands.write(script)
        commands.flush()
        try:
            ran = subprocess.run(
                [program, "-source", commands.name],
                capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return ["time"]
    answers = re.findall(r"^-- specification .* is (true|false)\s*$", ran.stdout, re.M)
    return answers or ["no answer"]


def ours(program, path):
    try:
        ran = subprocess.run(
            [program, "verify", "--specs", path, "--format", "json", "--timeout", f"{LIMIT}s", "--jobs", "1"],
            capture_output=True, text=True, timeout=LIMIT * (DRAWN + 4),
        )
    except subprocess.TimeoutExpired:
        return None, "time"
    if not ran.stdout.startswith("{"):
        lines = ran.stderr.strip().splitlines() or ["nothing said"]
        return None, next((line for line in lines if line.startswith("error")), lines[0])
    words = {"holds": "true", "fails": "false", "unknown": "unknown"}
    results = json.loads(ran.stdout)["results"]
    return {r.get("name", ""): words[r["verdict"]] for r in results if r["property"] == "LTLSPEC"}, ""


def main():
    hyperkill, other, folder = sys.argv[1:4]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    print(f"# seed {seed}, {LIMIT} s for each property")
    print("model\tproperty\tNuSMV\tseconds\thyperkill\tseconds of all\tsame")
    for path in sorted(pathlib.Path(folder).rglob("*.smv")):
        text = path.read_text(errors="replace")
        name = path.relative_to(folder)
        rng = random.Random(f"{seed} {name}")
        asked = {}
        known = atoms(text)
        if known:
            asked = {f"drawn_{i}": formula(rng, known, rng.randrange(1, 5)) for i in range(DRAWN)}
        if not asked and "LTLSPEC" not in text:
            print(f"{name}\t-\t-\t-\tnothing to draw from\t-\t-", flush=True)
            continue
        drawn = "".join(f"LTLSPEC NAME {n} := {f};\n" for n, f in asked.items())
        with tempfile.TemporaryDirectory() as place:
            copy = pathlib.Path(place) / "model.smv"
            copy.write_text(re.sub(r"^(MODULE\s+main\b[^\n]*\n)", lambda m: m.group(1) + drawn, text, count=1, flags=re.M))
            began = time.time()
            found, why = ours(hyperkill, str(copy))
            took = time.time() - began
            if found is None:
                print(f"{name}\t-\t-\t-\t{why}\t{took:.1f}\t-", flush=True)
                continue
            stated = [n for n in found if n not in asked]
            for property_name, answer in found.items():
                began = time.time()
                if property_name in asked:
                    theirs = nusmv(other, copy, property_name)[0]
                    shown = asked[property_name]
                else:
                    # Stated without a name: all are asked, in their order.
                    answers = nusmv(other, path, None)
                    at = stated.index(property_name)
                    theirs = answers[at] if at < len(answers) else answers[0]
                    shown = property_name
                seconds = time.time() - began
                both = {answer, theirs} <= {"true", "false"}
                same = ("yes" if answer == theirs else "NO") if both else "-"
                print(f"{name}\t{shown}\t{theirs}\t{seconds:.1f}\t{answer}\t{took:.1f}\t{same}", flush=True)


main()
