"""Action systems in Python: reads a file in the notation of [2] and makes its steps, for the programs beside.

It shares nothing with the front end. Commands are the relations of [2, Fig. 3]; there is no priority here.

    python3 tests/bench/action_system.py < questions

answers the questions of `action_systems.pl`, every value tried one by one. For each mutant a line is written: its name; `none` (no unsafe
state at all), `unreached` (none is reached), or the number of events to the nearest; how many unsafe states the model reaches; how many of
these common runs reach, and the number of events to the nearest of them, or `-`.
"""

import itertools
import re
import sys
from pathlib import Path

TOKEN = re.compile(
    r"\s+|%[^\n]*|/\*.*?\*/|(?P<quoted>'[^'\n]+')|(?P<number>\d+)|(?P<name>\w+)"
    r"|(?P<sign>\#\\/|\#/\\|\#\\=|\#=<|\#>=|\#=|\#<|\#>|\#\\|:-|:=|::|=>|\.\.|//|\[\]|[][(),;.:+*-])",
    re.DOTALL,
)
COMPARISONS = {"#=": "==", r"#\=": "!=", "#<": "<", "#=<": "<=", "#>": ">", "#>=": ">="}


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise SyntaxError(f"byte {at}: {text[at : at + 20]!r}")
        if match.lastgroup:
            found.append(match[match.lastgroup])
        at = match.end()
    return found + [""]


class System:
    """Ranges of variables, the initial state, and for each label its alternatives as functions of a state and the parameters."""

    def __init__(self, text):
        self.tokens, self.at = tokens(text), 0
        self.types, self.ranges, self.actions, self.bound = {}, {}, {}, {}
        while self.next():
            self.clause()
        self.initial = tuple(self.initial)
        # An action that is not offered makes no step.
        never = lambda *_: set()
        self.compiled = {label: self.compile(*action) if label in self.bound else never for label, action in self.actions.items()}

    def next(self):
        return self.tokens[self.at]

    def take(self, *expected):
        token = self.tokens[self.at]
        if expected and token not in expected:
            raise SyntaxError(f"{token!r} in place of {expected}: {self.tokens[self.at - 5 : self.at + 5]}")
        self.at += 1
        return token

    def ate(self, token):
        if self.next() == token:
            self.at += 1
            return True
        return False

    def sequence(self, read, separator=","):
        items = [read()]
        while self.ate(separator):
            items.append(read())
        return items

    def name(self):
        return self.take().strip("'")

    def number(self):
        sign = -1 if self.ate("-") else 1
        return sign * int(self.take())

    def clause(self):
        word = self.take()
        if word == "type":
            self.take("(")
            name = self.name()
            self.take(","), self.take(), self.take(")"), self.take(":-"), self.take(), self.take("in")
            low = self.number()
            self.take("..")
            self.types[name] = (low, self.number())
        elif word == "var":
            self.take("("), self.take("[")
            names = self.sequence(self.name)
            self.take("]"), self.take(",")
            of = self.types[self.name()]
            self.ranges.update((name, of) for name in names)
            self.take(")")
        elif word in ("state_def", "init", "input"):
            self.take("(")
            items = []
            if not self.ate("[]"):
                self.take("[")
                items = self.sequence(self.number if word == "init" else self.name)
                self.take("]")
            self.take(")")
            setattr(self, {"state_def": "state", "init": "initial", "input": "inputs"}[word], items)
        elif word == "as":
            self.take(":-"), self.take("actions"), self.take("(")
            for label, parameters, guard, body in self.sequence(self.action):
                self.actions[label] = (parameters, guard, body)
            self.take(")"), self.take(","), self.take("dood"), self.take("(")
            self.sequence(self.offer, "[]")
            self.take(")")
        else:
            raise SyntaxError(word)
        self.take(".")

    def offer(self):
        if self.ate("("):
            self.sequence(self.offer, "[]"), self.take(")")
            return
        types = []
        if self.ate("["):
            types = self.sequence(lambda: (self.name(), self.take(":"), self.types[self.name()])[2])
            self.take("]"), self.ate(":")
        label = self.name()
        if self.ate("("):
            self.sequence(self.name), self.take(")")
        self.bound[label] = types

    def action(self):
        label, parameters = self.name(), []
        if self.ate("("):
            parameters = self.sequence(self.name)
            self.take(")")
        self.take("::")
        guard = self.condition()
        self.take("=>")
        return label, parameters, guard, self.command()

    def command(self):
        if self.next() == "(" and not self.is_condition():
            self.take("(")
            parts, sign = [self.command()], self.next()
            while sign in (";", "[]") and self.ate(sign):
                parts.append(self.command())
            self.take(")")
            return parts[0] if len(parts) == 1 else (sign, parts)
        if self.ate("skip"):
            return (";", [])
        if self.tokens[self.at + 1] == ":=":
            name = self.name()
            self.take(":=")
            return (":=", name, self.condition())
        condition = self.condition()
        self.take("=>")
        return ("=>", condition, self.command())

    def is_condition(self):
        depth, at = 0, self.at
        while True:
            depth += {"(": 1, ")": -1}.get(self.tokens[at], 0)
            at += 1
            if depth == 0:
                return self.tokens[at] == "=>" or self.tokens[at].startswith("#") or self.tokens[at] in "+-*"

    def condition(self, level=0):
        """An expression, as one of Python."""
        if level == 0:
            return " or ".join(self.sequence(lambda: self.condition(1), r"#\/"))
        if level == 1:
            return " and ".join(self.sequence(lambda: self.condition(2), r"#/\\"[:3]))
        if level == 2:
            if self.ate("#\\"):
                return f"(not {self.condition(2)})"
            left = self.condition(3)
            if self.next() in COMPARISONS:
                return f"({left} {COMPARISONS[self.take()]} {self.condition(3)})"
            return left
        if level in (3, 4):
            text = self.condition(level + 1)
            while self.next() in ("+-", "*")[level - 3] and self.next():
                text = f"({text} {self.take()} {self.condition(level + 1)})"
            return text
        if self.ate("("):
            inside = self.condition()
            self.take(")")
            return f"({inside})"
        if self.ate("-"):
            return f"(-{self.condition(5)})"
        token = self.take().strip("'")
        return {"true": "True", "false": "False"}.get(token, token)

    def paths(self, command, values):
        """The alternatives of a command: conditions, and the values afterwards, as expressions over the values before."""
        kind = command[0]
        if kind == ":=":
            _, name, value = command
            value = self.replaced(value, values)
            low, high = self.ranges[name]
            yield [f"{low} <= {value} <= {high}"], {**values, name: value}
        elif kind == "=>":
            _, condition, body = command
            condition = self.replaced(condition, values)
            for conditions, after in self.paths(body, values):
                yield [condition, *conditions], after
        elif kind == "[]":
            for part in command[1]:
                yield from self.paths(part, values)
        else:
            alternatives = [([], values)]
            for part in command[1]:
                alternatives = [
                    (before + conditions, after)
                    for before, between in alternatives
                    for conditions, after in self.paths(part, between)
                ]
            yield from alternatives

    @staticmethod
    def replaced(expression, values):
        return re.sub(r"[A-Za-z_]\w*", lambda word: f"({values[word[0]]})" if word[0] in values else word[0], expression)

    def compile(self, parameters, guard, body):
        """A function from the values of the state and the parameters to the set of states afterwards."""
        values = {name: name for name in self.state}
        lines = []
        for conditions, after in self.paths(body, values):
            ends = ", ".join(after[name] for name in self.state)
            lines.append(f"    if {' and '.join(['(' + c + ')' for c in conditions] or ['True'])}: found.add(({ends},))")
        arguments = ", ".join([*self.state, *parameters])
        text = f"def f({arguments}):\n  found = set()\n  if {guard}:\n" + "\n".join(lines) + "\n  return found\n"
        place = {}
        exec(text, place)
        return place["f"]

    def numbers(self, label):
        """The numbers in an action."""
        found = re.findall(r"\d+", repr(self.actions[label]))
        return sorted(set(map(int, found)))


def classes(systems, label):
    """Values of the parameters of an action, one for each answer that comparisons with its numbers give.

    Right for systems that compare parameters with numbers only, as the car alarm does.
    """
    numbers = {number for system in systems for number in system.numbers(label)}
    near = {number + d for number in numbers for d in (-1, 0, 1)}
    ranges = systems[0].bound[label]
    return [
        values
        for values in itertools.product(*[sorted({low, high} | {n for n in near if low <= n <= high}) for low, high in ranges])
    ]


def every_value(system, label):
    """All values of the parameters of an action."""
    return list(itertools.product(*[range(low, high + 1) for low, high in system.bound[label]]))


def all_states(system):
    return itertools.product(*[range(low, high + 1) for low, high in (system.ranges[name] for name in system.state)])


def successors(system, state, values):
    """Steps of a state: label and values, and the state afterwards."""
    for label, run in system.compiled.items():
        for given in values[label]:
            for after in run(*state, *given):
                yield (label, given), after


def reachable(system, values):
    """All states with their depths, in the order in which breadth-first search meets them."""
    depths = {system.initial: 0}
    for state in (queue := [system.initial]):
        for _, after in successors(system, state, values):
            if after not in depths:
                depths[after] = depths[state] + 1
                queue.append(after)
    return depths


class Unsafe:
    """Unsafe states of a mutant (Def. 3.2): all, those that the model reaches (Def. 4.1), and those that common runs reach."""

    def __init__(self, original, mutant, model_depths, values):
        labels = [label for label in original.actions if original.actions[label] != mutant.actions[label]]
        is_unsafe = lambda state: any(
            mutant.compiled[label](*state, *given) - original.compiled[label](*state, *given)
            for label in labels
            for given in values[label]
        )
        # Algorithm 1: any state of the right types.
        self.exists = any(is_unsafe(state) for state in all_states(original))
        # Algorithm 2.
        reached = [state for state in model_depths if is_unsafe(state)] if self.exists else []
        self.reached = len(reached)
        self.depth = min((model_depths[state] for state in reached), default=None)
        # Common runs: model and mutant both make the step.
        depths = {original.initial: 0}
        for state in (queue := [original.initial]) if reached else ():
            for (label, given), after in successors(original, state, values):
                if after not in depths and after in mutant.compiled[label](*state, *given):
                    depths[after] = depths[state] + 1
                    queue.append(after)
        self.lost = sorted({
            label
            for state in depths
            for (label, given), after in successors(original, state, values)
            if after not in mutant.compiled[label](*state, *given)
        })
        by_common = [state for state in reached if state in depths]
        self.common = len(by_common)
        self.common_depth = min((depths[state] for state in by_common), default=None)

    def answer(self):
        """What Algorithms 1 and 2 say."""
        return "none" if not self.exists else "unreached" if not self.reached else str(self.depth)


def main():
    """Answers questions."""
    original = values = depths = None
    for kind, *names in re.findall(r"(original|mutant)\('([^']*)'(?:, '([^']*)')?\)\.", sys.stdin.read()):
        if kind == "original":
            original = System(Path(names[0]).read_text())
            values = {label: every_value(original, label) if label in original.bound else [] for label in original.actions}
            depths = reachable(original, values)
        else:
            found = Unsafe(original, System(Path(names[1]).read_text()), depths, values)
            nearest = "-" if found.common_depth is None else found.common_depth
            print(names[0], found.answer(), found.reached, found.common, nearest)


if __name__ == "__main__":
    main()
