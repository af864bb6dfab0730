"""Action systems in Python: reads a file in the notation of [2] and makes its steps, for the programs beside.

It shares nothing with the front end. Commands are the relations of [2, Fig. 3]; there is no priority here.
"""

import itertools
import re

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
        self.compiled = {label: self.compile(*action) for label, action in self.actions.items()}

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
