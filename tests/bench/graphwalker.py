#!/usr/bin/env python3
"""Random walks through GraphWalker's models, as its generator `random(edge_coverage(100))` makes them.

    python3 tests/bench/graphwalker.py MODEL.json --seed 1 -o WALK.json

Each step is one that the guards allow, all equally likely; at a vertex with a shared state the walk stays, or goes on at one of that state
in another model. It ends when it has taken every edge, at a vertex. Guards and actions are JavaScript as far as our models have it:
truth values, strings, integers, `&& || !`, comparisons, sums, assignments. It shares no code with hyperkill.
"""

import argparse
import json
import random
import re
import sys
from pathlib import Path

OPERATORS = {"&&": " and ", "||": " or ", "===": "==", "!==": "!="}
TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[A-Za-z_][\w.]*|\d+|===|!==|&&|\|\||[!=<>]=|\S")


class Walker:
    """All models of a file, and where a walk is."""

    def __init__(self, text):
        document = json.loads(text)
        self.models = document.get("models", [document])
        self.variables = {}
        for index, model in enumerate(self.models):
            self.act(model, index)
        self.start = next(
            (index, model["startElementId"]) for index, model in enumerate(self.models) if model.get("startElementId")
        )
        self.place = None

    def edges(self, model):
        return [edge for edge in self.models[model].get("edges", []) if not is_blocked(edge)]

    def vertex(self, model, identity):
        return next(vertex for vertex in self.models[model]["vertices"] if vertex["id"] == identity)

    def value(self, expression, script, model):
        """The value of an expression of a script: JavaScript as Python, over the variables of all models."""
        scope = "" if "global." in script else f"{model}."
        words = []
        for token in TOKEN.findall(expression):
            if token in ("true", "false"):
                words.append(token.capitalize())
            elif re.match(r"[A-Za-z_]", token):
                words.append(f"variables[{scope + token!r}]")
            else:
                words.append(" not " if token == "!" else OPERATORS.get(token, token))
        return eval("".join(words).strip(), {"variables": self.variables})  # our own models

    def act(self, element, model):
        """Does the actions of an element."""
        for script in element.get("actions") or []:
            scope = "" if "global." in script else f"{model}."
            for statement in filter(None, map(str.strip, script.split(";"))):
                step = re.fullmatch(r"([\w.]+)\s*(\+\+|--)", statement)
                change = re.fullmatch(r"([\w.]+)\s*([+*-]?)=\s*(.*)", statement)
                if step:
                    target, value = step[1], f"{step[1]} {step[2][0]} 1"
                elif change[2]:
                    target, value = change[1], f"{change[1]} {change[2]} ({change[3]})"
                else:
                    target, value = change[1], change[3]
                self.variables[scope + target] = self.value(value, script, model)

    def moves(self):
        """All steps: the model, the edge or None, and the vertex that is reached."""
        if self.place is None:
            model, start = self.start
            for edge in self.edges(model):
                if edge["id"] == start:
                    yield model, edge, edge["targetVertexId"]
                    return
            yield model, None, start
            return
        model, here = self.place
        for edge in self.edges(model):
            if edge.get("sourceVertexId") == here and self.allows(edge, model):
                yield model, edge, edge["targetVertexId"]
        shared = self.vertex(model, here).get("sharedState")
        for other in range(len(self.models)):
            for vertex in self.models[other].get("vertices", []) if shared and other != model else []:
                if vertex.get("sharedState") == shared:
                    yield other, None, vertex["id"]

    def allows(self, edge, model):
        guard = (edge.get("guard") or "").strip().rstrip(";")
        return not guard or bool(self.value(guard, guard, model))

    def take(self, move):
        """Makes a step; the elements that it goes through."""
        model, edge, reached = move
        elements = []
        if edge is not None:
            self.act(edge, model)
            elements.append(edge)
        vertex = self.vertex(model, reached)
        self.act(vertex, model)
        elements.append(vertex)
        self.place = (model, reached)
        name = self.models[model]["name"]
        return [{"id": e["id"], "modelName": name, "name": e.get("name") or ""} for e in elements]


def is_blocked(element):
    return str((element.get("properties") or {}).get("blocked", False)).lower() == "true"


def edge_coverage(text, seed, longest=100_000):
    """A random walk that takes every edge, if it comes to that within so many steps."""
    walker, choose, walk = Walker(text), random.Random(seed), []
    wanted = {(model, edge["id"]) for model in range(len(walker.models)) for edge in walker.edges(model)}
    for _ in range(longest):
        moves = list(walker.moves())
        if not wanted or not moves:
            break
        move = choose.choice(moves)
        walk += walker.take(move)
        if move[1] is not None:
            wanted.discard((move[0], move[1]["id"]))
    return walk, not wanted


def written(walk):
    """As AltWalker has it, a step a line."""
    return "[\n" + ",\n".join("  " + json.dumps(step) for step in walk) + "\n]\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--out", type=Path)
    args = parser.parse_args()
    walk, covered = edge_coverage(args.model.read_text(), args.seed)
    text = written(walk)
    args.out.write_text(text) if args.out else print(text, end="")
    print(f"{len(walk)} elements, {'every' if covered else 'not every'} edge", file=sys.stderr)


if __name__ == "__main__":
    main()
