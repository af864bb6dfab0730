#!/usr/bin/env python3
"""Which modules of public repositories load, and what is said of the others.

usage: public_sv.py HYPERKILL FOLDER [--only WORD] [--seconds N] [--jobs N]

FOLDER has each repository as OWNER/NAME (a checkout) or as OWNER+NAME/repo (a git directory, which is unpacked into a folder that is
removed in the end). Fetches nothing. Prints the table `public_sv.tsv` and, behind `#`, counts; no text of the sources is in it.

Two sets:

- `named`: all modules of the folders of 13 repositories.
- `drawn`: ten modules of each of ten other repositories, by a rule written down before any of them was read: of the folders below, all
  modules that the files define, but those whose head has `BSG_INV_PARAM` (a parameter that must be set from outside) and those with
  `nonsynth` in their names; of these the ten with the least SHA-256 of "OWNER/NAME MODULE". Repositories were
  chosen by their fame and by files, not by their text: at least ten modules, SystemVerilog, no generator to run before one can read them.

Files for a module: the file that defines it and, again and again, those that define a module, package, interface or class that one of
them uses. Definitions are looked for in the folders of the set, then in the repositories that its build files name, then in the rest
of the repository. Folders of `include`d files follow from the names of the includes. `SYNTHESIS` is defined, as build scripts do.

A module that is refused is asked again, and its outcome says so:

- `loads without`: the help says to leave out the file of a cell that is known.
- `loads with values`: parameters that have no default, or 0, get the values that the first instance in the repository gives them, or else
  those that the repository gives most often to parameters of these names. Only numbers are taken.
- `loads inside`: a module of the repository that has an instance of it loads, perhaps in one of these ways. That is the way of a module whose
  parameters are types that only its users know.
- `loads with boxes`: modules that neither the repository nor those of its build files define are black boxes (`--blackbox`).
"""

import argparse
import collections
import concurrent.futures
import hashlib
import pathlib
import re
import subprocess
import tempfile
import time

PULP = ["pulp-platform/common_cells", "pulp-platform/tech_cells_generic", "pulp-platform/common_verification"]
# Repository, folders of its sources, repositories that its build files name.
NAMED = [
    ("pulp-platform/common_cells", ["src"], PULP[1:]),
    ("lowRISC/ibex", ["rtl"], []),
    ("alexforencich/verilog-axis", ["rtl"], []),
    ("olofk/serv", ["rtl", "servant", "serving", "servile"], []),
    ("ZipCPU/wbuart32", ["rtl"], []),
    ("secworks/aes", ["src/rtl"], []),
    ("secworks/sha256", ["src/rtl"], []),
    ("alexforencich/verilog-i2c", ["rtl"], []),
    ("ZipCPU/qspiflash", ["rtl"], []),
    ("alexforencich/verilog-uart", ["rtl"], []),
    ("YosysHQ/picorv32", ["picorv32.v", "picosoc"], []),
    ("pulp-platform/tech_cells_generic", ["src"], PULP[2:]),
    (
        "dawsonjon/fpu",
        ["adder/adder.v", "divider/divider.v", "multiplier/multiplier.v"]
        + ["double_adder/double_adder.v", "double_divider/double_divider.v", "double_multiplier/double_multiplier.v"]
        + ["double_to_float/double_to_float.v", "double_to_long/double_to_long.v", "float_to_double/float_to_double.v"]
        + ["float_to_int/float_to_int.v", "int_to_float/int_to_float.v", "long_to_double/long_to_double.v"],
        [],
    ),
]
DRAWN = [
    ("pulp-platform/axi", ["src"], PULP),
    ("openhwgroup/cvfpu", ["src"], ["pulp-platform/common_cells", "pulp-platform/fpu_div_sqrt_mvp"]),
    ("openhwgroup/cv32e40p", ["rtl"], []),
    ("pulp-platform/register_interface", ["src"], ["pulp-platform/axi", "pulp-platform/apb", *PULP]),
    ("pulp-platform/cluster_interconnect", ["rtl"], PULP),
    ("bespoke-silicon-group/basejump_stl", ["bsg_misc", "bsg_mem", "bsg_dataflow", "bsg_cache", "bsg_noc", "bsg_async"], []),
    ("pulp-platform/hwpe-stream", ["rtl"], PULP),
    ("fpganinja/taxi", ["src/axi/rtl", "src/axis/rtl", "src/eth/rtl", "src/io/rtl", "src/lss/rtl", "src/dma/rtl"], []),
    ("taichi-ishitani/tnoc", ["rtl"], ["taichi-ishitani/tbcm"]),
    ("pulp-platform/obi", ["src"], ["pulp-platform/apb", *PULP]),
]
EACH = 10
# Outcomes of modules that are asked again.
OTHERWISE = ["loads without", "loads with values", "loads with boxes", "loads inside"]
# Most modules that are asked for in the place of one that they have instances of, and how far up.
USERS = 4
INSIDE = 2
# Folders of tests; with copies of other repositories and what is out of use.
TESTS = {"test", "tests", "tb", "dv", "bench", "verif", "formal", "sim", "example"}
OTHERS = TESTS | {"vendor", "deprecated"}
# Folders whose definitions count only where no other file has the name.
LAST = OTHERS | {"fpga", "xilinx", "altera", "lattice", "hard", "bhv"}
# `p::name`; `m #(`; `m name (`, with dimensions; `i.modport name`.
USES = [
    re.compile(r"\b([A-Za-z_]\w*)\s*::"),
    re.compile(r"\b([A-Za-z_]\w*)\s*#\s*\("),
    re.compile(r"\b([A-Za-z_]\w*)\s+[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*[(;,)]"),
    re.compile(r"\b([A-Za-z_]\w*)\s*\.\s*[A-Za-z_]\w*\s+[A-Za-z_]\w*"),
]
DEFINITION = re.compile(r"^[ \t]*(module|interface|package|primitive|class)[ \t]+(?:automatic[ \t]+|static[ \t]+)?(\w+)", re.M)


def without_comments(text):
    """The text without comments and bodies of macros."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"`define\b(?:[^\n]*\\\s*\n)*[^\n]*", " ", text)


class Repository:
    """Where a repository stands, and what its files define."""

    def __init__(self, folder, name, unpacked):
        self.name = name
        self.path = folder / name
        kept = folder / name.replace("/", "+") / "repo"
        if not self.path.is_dir() and kept.is_dir():
            self.path = unpacked / name
            if not self.path.is_dir():
                self.path.mkdir(parents=True)
                git = kept / ".git" if (kept / ".git").is_dir() else kept
                tar = subprocess.Popen(["git", "-C", git, "archive", "HEAD"], stdout=subprocess.PIPE)
                subprocess.run(["tar", "-x", "-C", self.path], stdin=tar.stdout, check=True)
                tar.wait()
        self.files = sorted(p for p in self.path.rglob("*") if p.suffix in (".v", ".sv", ".vh", ".svh", ".h") and p.is_file())
        self.by_name = collections.defaultdict(list)
        for file in self.files:
            self.by_name[file.name].append(file)

    def under(self, folders):
        """Files of these folders that are no tests."""
        found = []
        for file in self.files:
            inside = str(file.relative_to(self.path))
            parts = set(pathlib.Path(inside).parts[:-1])
            is_test = parts & OTHERS or re.search(r"(^|/)tb_|_tb\.|testbench", inside)
            if any(inside == f or inside.startswith(f + "/") for f in folders) and not is_test:
                found.append(file)
        return found


NUMBER = re.compile(r"(?:\d*'s?[bdhoBDHO])?[0-9a-fA-F_]+")
# A default that says nothing.
NOTHING = re.compile(r"(?:\d*'[bdh])?0|'0|-1|\"inv\"")


def balanced(text, at):
    """What stands between a parenthesis and the one that ends it."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[at + 1 : end]
    return ""


def parts(text):
    """A list at its commas."""
    depth, found = 0, [""]
    for c in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            found.append("")
        else:
            found[-1] += c
    return [part.strip() for part in found]


def number_of(value, text):
    """A number, also by the name of a parameter of the file."""
    value = re.sub(r"^(?:unsigned|int|int unsigned)'\s*\((.*)\)$", r"\1", value.strip())
    if NUMBER.fullmatch(value) and value[0].isdigit():
        return None if NOTHING.fullmatch(value) else value
    if re.fullmatch(r"[A-Za-z_]\w*", value):
        given = re.search(rf"\b(?:local)?param(?:eter)?\b[^;,=()]*\b{value}\s*=\s*([^,;)]+)", text)
        return number_of(given[1], "") if given else None
    return None


def uses(use, name, file):
    """Whether the text of a module has a match."""
    text = text_of(file)
    body = re.search(rf"\bmodule\s+(?:automatic\s+|static\s+)?{name}\b.*?\bendmodule\b", text, re.S)
    return bool(body and use.search(body[0]))


TEXTS = {}


def text_of(file):
    if file not in TEXTS:
        TEXTS[file] = without_comments(file.read_text(errors="replace"))
    return TEXTS[file]


def definitions(files):
    """Names that files define, each with its kind and its first file, shorter paths first."""
    found = {}
    for file in sorted(files, key=lambda f: (bool(set(f.parts) & LAST), len(f.parts), str(f))):
        # `dv/formal/rtl` is of tests, `vendor/ip/dv` too.
        if file.suffix in (".v", ".sv") and not set(file.parts) & TESTS:
            for kind, name in DEFINITION.findall(text_of(file)):
                found.setdefault(name, (kind, file))
    return found


class Project:
    """A repository with those that its build files name."""

    def __init__(self, folder, row, unpacked):
        name, folders, needs = row
        self.name = name
        self.repositories = [Repository(folder, other, unpacked) for other in [name, *needs]]
        own = self.repositories[0]
        self.own = definitions(own.under(folders))
        self.all = dict(self.own)
        for other in self.repositories[1:]:
            for key, value in definitions(other.files).items():
                self.all.setdefault(key, value)
        for key, value in definitions(own.files).items():
            self.all.setdefault(key, value)

    def modules(self):
        return sorted(name for name, (kind, _) in self.own.items() if kind == "module")

    def open_parameters(self, kind, name):
        """Parameters of a module or an interface that have no default, or 0."""
        text = text_of(self.all[name][1])
        head = re.search(rf"\b{kind}\s+(?:automatic\s+|static\s+)?{name}\b[^;(]*?(?:import[^;]*;\s*)*#\s*\(", text, re.S)
        wanted = []
        for part in parts(balanced(text, head.end() - 1)) if head else []:
            name, _, default = part.partition("=")
            says_nothing = "BSG_INV_PARAM" in part or not default or NOTHING.fullmatch(default.strip())
            if re.search(r"\btype\b|\blocalparam\b", name) or not says_nothing:
                continue
            name = re.search(r"BSG_INV_PARAM\s*\(\s*(\w+)", part) or re.search(r"(\w+)\s*$", name)
            wanted += [name[1]] if name else []
        return wanted

    def interface_ports(self, module):
        """Ports of a module that are interfaces, each with its interface."""
        text = text_of(self.own[module][1])
        found = []
        for name, (kind, _) in self.all.items():
            if kind == "interface" and re.search(rf"\b{name}\b", text):
                head = re.search(rf"\bmodule\s+(?:automatic\s+|static\s+)?{module}\b(.*?)\)\s*;", text, re.S)
                ports = re.findall(rf"\b{name}\s*(?:\.\s*\w+)?\s+(\w+)\s*(?:\[[^\]]*\]\s*)*[,)]", head[1] + ")" if head else "")
                found += [(port, name) for port in ports]
        return found

    def values(self, module):
        """Values that the repository gives to parameters that have no default, or 0: those of a module, and of interfaces of its ports."""
        own = self.open_parameters("module", module)
        ports = [(port, self.open_parameters("interface", name)) for port, name in self.interface_ports(module)]
        wanted = own + [name for _, names in ports for name in names]
        found, often = {}, collections.defaultdict(collections.Counter)
        for file in self.repositories[0].files:
            text = text_of(file)
            for name in set(wanted):
                for given in re.finditer(rf"\.{name}\s*\(", text):
                    value = number_of(balanced(text, given.end() - 1), text)
                    if value is not None:
                        often[name][value] += 1
            for instance in re.finditer(rf"\b{module}\s*#\s*\(", text):
                here = {}
                for given in re.finditer(r"\.(\w+)\s*\(", balanced(text, instance.end() - 1)):
                    start = instance.end() + given.end() - 1
                    value = number_of(balanced(text, start), text)
                    if given[1] in wanted and value is not None:
                        here[given[1]] = value
                found = found or here
        usual = {name: counts.most_common(1)[0][0] for name, counts in often.items()}
        value = {name: found.get(name, usual.get(name)) for name in wanted}
        given = {name: value[name] for name in own}
        given |= {f"{port}.{name}": value[name] for port, names in ports for name in names}
        return {name: value for name, value in given.items() if value}

    def users(self, module):
        """Modules that have instances of a module, tests left out."""
        use = re.compile(rf"\b{module}\s*(?:#\s*\(|\w+\s*\()")
        own = self.own[module][1]
        users = (name for name, (kind, file) in self.own.items() if kind == "module" and name != module and uses(use, name, file))
        return sorted(name for name in users if own in self.sources(name)[0])

    def included(self, name):
        """The file of an `include`, and the folder that holds it by this name."""
        for repository in self.repositories:
            at = [f for f in repository.by_name[pathlib.Path(name).name] if str(f).endswith("/" + name)]
            if at:
                file = min(at, key=lambda f: (bool(set(f.parts) & OTHERS), len(f.parts), str(f)))
                return file, str(file)[: -len(name) - 1]
        return None

    def sources(self, module):
        """Files and folders of includes that a module needs."""
        files, folders, todo = [], [], [self.own[module][1]]
        read = set()
        while todo:
            file = todo.pop()
            if file in read:
                continue
            read.add(file)
            text = text_of(file)
            for name in re.findall(r'`include\s+"([^"]+)"', text):
                found = self.included(name)
                if found:
                    if found[1] not in folders:
                        folders.append(found[1])
                    todo.append(found[0])
            # Contents of memories.
            for name in re.findall(r'"([\w./-]+\.(?:hex|mem|vmem|dat))"', text):
                found = sorted(self.repositories[0].path.rglob(pathlib.Path(name).name))
                folders += [str(f)[: -len(name) - 1] for f in found[:1] if str(f).endswith("/" + name)]
            if file.suffix in (".v", ".sv") and DEFINITION.search(text):
                files.append(file)
            for word in {word for use in USES for word in use.findall(text)}:
                if word in self.all:
                    todo.append(self.all[word][1])
        packages = [f for f in files if not re.search(r"^\s*(module|interface)\b", text_of(f), re.M)]
        return packages + [f for f in files if f not in packages], folders


def load(hyperkill, project, module, seconds, inside=0):
    """Outcome, message and seconds: asked again as often as there is something that may help."""
    files, folders = project.sources(module)
    command = [hyperkill, "list", "--top", module, "-D", "SYNTHESIS"]
    for folder in folders:
        command += ["-I", folder]
    first = ask(command, files, seconds)
    outcome, message, took, said = first
    how, notes, boxes, valued = "loads", [], [], False
    while outcome == "refused":
        where = re.search(r"\[ ?(\S+?):(\d+):\d+ ?\]", said)
        missing = re.search(r"there is no module `(\w+)`", message)
        if "leave this file out" in said and where and how != "loads without":
            files = [file for file in files if str(file) != where[1]]
            how = "loads without"
            notes.append(f"{pathlib.Path(where[1]).name} is left out, as the help says")
        elif missing and missing[1] not in project.all and missing[1] not in boxes and not message.startswith("--top"):
            boxes.append(missing[1])
            command += ["--blackbox", missing[1]]
            how = "loads with boxes"
        elif not valued and (values := project.values(module)):
            valued = True
            for name, value in values.items():
                command += ["-P", f"{name}={value}"]
            how = "loads with values" if how == "loads" else how
            notes.append(" ".join(f"{name}={value}" for name, value in values.items()))
        else:
            break
        outcome, message, took, said = ask(command, files, seconds)
    if outcome == "refused" and inside:
        for user in project.users(module)[:USERS]:
            how, notes, took = load(hyperkill, project, user, seconds, inside - 1)
            if how != "refused":
                return "loads inside", f"{first[1]}; inside {user}: {how} {notes}".rstrip(), took
    if outcome == "refused":
        return outcome, first[1] if first[1] == message else f"{first[1]}; then {message}", took
    if boxes:
        notes.append("boxes: " + ", ".join(boxes))
    return how, "; ".join(notes), took


def ask(command, files, seconds):
    """Outcome, message, seconds, and all that is said."""
    start = time.monotonic()
    command = command[:2] + [str(file) for file in files] + command[2:]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return "refused", f"not within {seconds} s", seconds, ""
    took = time.monotonic() - start
    if done.returncode == 0:
        return "loads", "", took, ""
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stderr)
    what = re.search(r"^[Ee]rror: (.*)$", said, re.M)
    where = re.search(r"\[ ?(\S+?):(\d+):\d+ ?\]", said)
    place = f" ({pathlib.Path(where[1]).name}:{where[2]})" if where else ""
    return "refused", (what[1] if what else f"no word, status {done.returncode}") + place, took, said


def drawn(project):
    """The modules of a repository that the rule takes."""
    can = []
    for module in project.modules():
        file = project.own[module][1]
        head = re.search(rf"\bmodule\s+(?:automatic\s+|static\s+)?{module}\b(.*?);", text_of(file), re.S)
        if not head or "BSG_INV_PARAM" not in head[1] and "nonsynth" not in module:
            can.append(module)
    can.sort(key=lambda m: hashlib.sha256(f"{project.name} {m}".encode()).hexdigest())
    return sorted(can[:EACH])


def cause(message):
    """A message without names and places, to be counted."""
    message = re.sub(r" \(\S+:\d+\)$", "", message)
    return re.sub(r"`[^`]*`", "`…`", message)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("hyperkill")
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--jobs", type=int, default=1)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as unpacked:
        work = []
        for kind, rows in (("named", NAMED), ("drawn", DRAWN)):
            for row in rows:
                project = Project(options.folder, row, pathlib.Path(unpacked))
                modules = project.modules() if kind == "named" else drawn(project)
                work += [(kind, project, m) for m in modules if options.only in f"{kind} {project.name} {m}"]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            asked = pool.map(lambda w: load(options.hyperkill, w[1], w[2], options.seconds, INSIDE), work)
            print("set\trepository\tmodule\toutcome\tseconds\trefusal", flush=True)
            counts, causes = collections.defaultdict(collections.Counter), collections.Counter()
            for (kind, project, module), (outcome, message, took) in zip(work, asked):
                message = message.replace(unpacked + "/", "").replace(str(options.folder) + "/", "")
                print(f"{kind}\t{project.name}\t{module}\t{outcome}\t{took:.1f}\t{message}", flush=True)
                for key in ((kind, project.name), (kind, "all")):
                    counts[key][outcome] += 1
                if outcome == "refused":
                    causes[kind, cause(message)] += 1
    for (kind, name), count in counts.items():
        others = "".join(f", {count[how]} more {how.removeprefix('loads ')}" for how in OTHERWISE if count[how])
        print(f"# {kind} {name}: {count['loads']} of {sum(count.values())}{others}")
    for (kind, why), count in causes.most_common():
        print(f"# {count} {kind}: {why}")


if __name__ == "__main__":
    main()
