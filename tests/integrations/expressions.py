"""Evaluates the expressions of GitHub's workflow files that this repository uses."""

import re

TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<sign>==|!=|&&|\|\||[!(),])|(?P<name>[A-Za-z_][A-Za-z0-9_.-]*))")


class Expression:
    """A recursive descent over the tokens of one expression."""

    def __init__(self, text, context, functions):
        self.tokens, place = [], 0
        text = text.rstrip()
        while place < len(text):
            found = TOKEN.match(text, place)
            if not found:
                raise ValueError(f"no expression: {text[place:]}")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            place = found.end()
        self.context, self.functions = context, functions

    def next_is(self, *signs):
        return bool(self.tokens) and self.tokens[0][0] == "sign" and self.tokens[0][1] in signs

    def take(self):
        return self.tokens.pop(0)[1]

    def either(self):
        value = self.both()
        while self.next_is("||"):
            self.take()
            other = self.both()
            value = value if value else other
        return value

    def both(self):
        value = self.comparison()
        while self.next_is("&&"):
            self.take()
            other = self.comparison()
            value = other if value else value
        return value

    def comparison(self):
        value = self.single()
        while self.next_is("==", "!="):
            sign, other = self.take(), self.single()
            # GitHub compares texts without regard to case; an absent value equals the empty text.
            is_same = str(value or "").lower() == str(other or "").lower()
            value = is_same == (sign == "==")
        return value

    def single(self):
        kind, text = self.tokens.pop(0)
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if text == "!":
            return not self.single()
        if text == "(":
            value = self.either()
            assert self.take() == ")"
            return value
        if self.next_is("("):
            self.take()
            arguments = []
            while not self.next_is(")"):
                arguments.append(self.either())
                if self.next_is(","):
                    self.take()
            self.take()
            return self.functions[text](*arguments)
        value = self.context
        for part in text.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value


def evaluate(text, context, functions=None):
    """Returns the value of an expression."""
    expression = Expression(text, context, functions or {})
    value = expression.either()
    assert not expression.tokens, expression.tokens
    return value


def fill(text, context, functions=None):
    """Returns a text with the values of its `${{ … }}`."""

    def value(found):
        value = evaluate(found.group(1), context, functions)
        return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text), flags=re.DOTALL)
