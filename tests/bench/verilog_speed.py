#!/usr/bin/env python3
"""Verilog mutants decided by hyperkill, and by yosys with ABC (`scorr; pdr` on a miter), on the same mutants.

Of each design of verilog_speed.tsv so many mutants are drawn by a seed from those that are models; those that hyperkill then sets
aside as duplicates of others among them are compared on neither side. Each side gets all of them at once: hyperkill in one process
with one thread, from the text to the files of the run; yosys in one process that reads the original once and makes a miter of each
mutant, and ABC in one process that decides one miter after the other. Registers without an initial value start at 0 on both sides,
resets are inputs and nothing else: both answer the same question, and must not contradict each other. Both have the same limit for
each mutant. Gates are those of the and-inverter graph that yosys makes of the original.
"""

import argparse
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PREPARE = (
    "proc; flatten; opt_clean; memory_collect; memory_map; setundef -undriven -zero; setundef -init -zero; opt"
)
MITER = (
    "miter -equiv -flatten -make_outputs gold gate miter; hierarchy -top miter; setundef -undriven -zero; setundef -zero; "
    "setundef -init -zero; async2sync; dffunmap; techmap; opt_clean; setundef -init -zero; zinit -all; aigmap; opt_clean; "
    "delete -output miter/gold_* miter/gate_*"
)
COUNT = "async2sync; dffunmap; techmap; opt_clean; setundef -zero; zinit -all; aigmap; opt_clean"


def spent(command, output, seconds):
    """Processor seconds of a command and its children; it is ended after so many."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    with open(output, "w") as file:
        subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Design:
    def __init__(self, row, publics):
        repository, self.name, top, options, question, files = row.split("\t")
        self.public = repository != "-"
        folder = HERE.parent.parent
        if self.public:
            folder = (publics or pathlib.Path("nowhere")) / repository.replace("/", "+")
        self.files = [str((folder / file).resolve()) for file in files.split(" ")]
        self.top = top
        self.options, self.question = options.split(), question.split()
        self.is_there = all(pathlib.Path(file).is_file() for file in self.files)
        self.folders = sorted({str(pathlib.Path(file).parent) for file in self.files})

    def arguments(self):
        includes = [word for folder in self.folders for word in ("-I", folder)]
        return [*self.files, "--top", self.top, *includes, "--zero-init", "--reset", "none", *self.options]

    def read(self, files):
        includes = " ".join(f"-I{folder}" for folder in self.folders)
        return f"read_verilog -sv -noassert -noassume {includes} {' '.join(files)}; hierarchy -top {self.top}; {PREPARE}"


def sample(hyperkill, design, work, count, seed):
    """Ids of mutants that are models, each with the files of its design."""
    emitted = work / "mutants"
    command = [hyperkill, "-q", "list", *design.arguments(), "--format", "json", "--emit", str(emitted)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{design.name}: {done.stderr}")
    table = json.loads(done.stdout)["mutants"]
    valid = [mutant for mutant in table if mutant["status"] != "invalid"]
    chosen = {}
    for mutant in random.Random(f"{seed} {design.name}").sample(valid, len(valid)):
        # Names are said from the folder that all files share.
        named = [file for file in design.files if f"/{file}".endswith("/" + mutant["place"]["file"])]
        # Of a file that is included there is no other to give to yosys.
        if len(named) == 1 and len(chosen) < count:
            source = named[0]
            text = emitted / f"{mutant['id']}{pathlib.Path(source).suffix}"
            chosen[mutant["id"]] = [str(text) if file == source else file for file in design.files]
    if not chosen:
        sys.exit(f"{design.name}: no mutants")
    return len(valid), chosen


def ours(hyperkill, design, work, ids, timeout):
    """Verdicts by mutant, and processor seconds."""
    out = work / "run"
    asked = [word for name in ids for word in ("--mutant", name)]
    command = [hyperkill, "-q", "run", *design.arguments(), *design.question, *asked, "--jobs", "1", "--timeout", f"{timeout}s"]
    seconds = spent([*command, "-o", str(out)], work / "run.txt", 3 * timeout * len(ids) + 60)
    try:
        results = json.loads((out / "outcomes.json").read_text())["results"]
    except OSError:
        sys.exit(f"{design.name}: {(work / 'run.txt').read_text()}")
    return {result["mutant"]: result["verdict"] for result in results}, seconds


def miters(design, work, chosen):
    """Makes a miter of each mutant; processor seconds."""
    miter = lambda name: work / f"{name}.aig"
    script = [f"{design.read(design.files)}; rename -top gold; design -stash gold"]
    for name, files in chosen.items():
        script.append(f"design -reset; {design.read(files)}; rename -top gate; design -stash gate; design -reset")
        script.append("design -copy-from gold -as gold gold; design -copy-from gate -as gate gate")
        script.append(f"{MITER}; write_aiger {miter(name)}")
    (work / "miters.ys").write_text("\n".join(";\n".join(script).split(";")) + "\n")
    seconds = spent(["yosys", "-q", "-s", str(work / "miters.ys")], work / "yosys.txt", 3600)
    missing = [name for name in chosen if not miter(name).exists()]
    if missing:
        sys.exit(f"{design.name}: yosys makes no miter of {missing[0]}: {(work / 'yosys.txt').read_text()[-2000:]}")
    return seconds


def theirs(work, ids, timeout):
    """What ABC says of each miter, and processor seconds."""
    script = [f"echo BEGIN {name}; read_aiger {work / name}.aig; scorr; pdr -T {timeout}" for name in ids]
    (work / "abc.txt").write_text("\n".join("\n".join(script).split("; ")) + "\n")
    seconds = spent(["berkeley-abc", "-q", f"source {work / 'abc.txt'}"], work / "said.txt", 3 * timeout * len(ids) + 60)
    said = {name: "unknown" for name in ids}
    for part in (work / "said.txt").read_text().split("BEGIN ")[1:]:
        name = part.split()[0]
        if re.search("Property proved|Networks are equivalent", part):
            said[name] = "equivalent"
        elif "was asserted" in part:
            said[name] = "killed"
    return said, seconds


def gates(design, work):
    """Gates of the original as yosys makes them."""
    file = work / "original.aig"
    script = f"{design.read(design.files)}; {COUNT}; write_aiger {file}"
    spent(["yosys", "-q", "-p", script], work / "gates.txt", 600)
    try:
        return int(file.read_bytes().split(b"\n")[0].split()[5])
    except OSError:
        sys.exit(f"{design.name}: {(work / 'gates.txt').read_text()[-2000:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("hyperkill")
    parser.add_argument("--mutants", type=int, default=12)
    parser.add_argument("--timeout", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.hyperkill = str(pathlib.Path(args.hyperkill).resolve())
    publics = os.environ.get("HYPERKILL_DESIGNS")
    publics = publics and pathlib.Path(publics).resolve()
    rows = (HERE / "verilog_speed.tsv").read_text().splitlines()[1:]
    designs = [Design(row, publics) for row in rows]
    designs = [design for design in designs if not args.only or design.name in args.only.split(",")]
    print(f"{args.mutants} mutants of each design, {args.timeout} s for each on either side, seed {args.seed}\n")
    heads = ["design", "gates", "valid mutants", "compared", "hyperkill", "yosys + ABC", "ratio, whole"]
    print("| " + " | ".join([*heads, "ratio, ABC alone", "undecided: hyperkill", "undecided: ABC"]) + " |")
    print("| --- |" + " ---: |" * 9)
    contradictions, whole = [], [0.0, 0.0, 0.0, 0, 0, 0]
    for design in designs:
        if not design.is_there:
            print(f"SKIPPED: the files of {design.name} are not there", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            size = gates(design, work)
            valid, chosen = sample(args.hyperkill, design, work, args.mutants, args.seed)
            verdicts, own = ours(args.hyperkill, design, work, chosen, args.timeout)
            chosen = {name: files for name, files in chosen.items() if verdicts[name] != "duplicate-of"}
            made = miters(design, work, chosen)
            said, solved = theirs(work, chosen, args.timeout)
        for name in chosen:
            ends = verdicts[name], said[name]
            if "unknown" not in ends and ends[0] != ends[1]:
                contradictions.append(f"{design.name} {name}: {ends[0]} here, {ends[1]} for ABC")
        open_here = sum(verdicts[name] == "unknown" for name in chosen)
        open_there = sum(said[name] == "unknown" for name in chosen)
        title = f"{design.name} (public)" if design.public else design.name
        row = [own, made + solved, solved, len(chosen), open_here, open_there]
        whole = [sum(pair) for pair in zip(whole, row)]
        show(title, size, valid, row)
    show("all", "", "", whole)
    if contradictions:
        print("\n" + "\n".join(contradictions))
        sys.exit(1)


def show(title, size, valid, row):
    own, both, abc, compared, open_here, open_there = row
    ratio = lambda seconds: f"{seconds / max(own, 1e-3):.1f}"
    cells = [title, size, valid, compared, f"{own:.1f} s", f"{both:.1f} s", ratio(both), ratio(abc), open_here, open_there]
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


main()
