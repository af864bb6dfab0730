#!/usr/bin/env python3
"""Processor time per decided mutant as models grow: a table, and a plot with the slope of each family.

  tests/bench/growth.py HYPERKILL [--seconds 60] [--plot FILE.svg]

Three families, written here: counters of 4 to 64 bits, queues of four words of 4 to 64 bits, and chains of 1 to 32 copies of a cell. Each
model is asked about once, all its mutants (of the chain: of one cell, and of what connects it), `--zero-init --jobs 1`, with so many seconds in
all. The time is that of the whole command. A slope of 1 on the doubly logarithmic plot is time proportional to the size.
"""

import argparse
import json
import math
import pathlib
import resource
import shutil
import subprocess
import tempfile

reader = argparse.ArgumentParser()
reader.add_argument("hyperkill")
reader.add_argument("--seconds", type=int, default=60)
reader.add_argument("--plot", type=pathlib.Path)
options = reader.parse_args()

COUNTER = """module counter(input clk, input rst, input en, input load, input [{top}:0] value, output [{top}:0] q, output full);
  reg [{top}:0] count;
  assign q = count;
  assign full = &count;
  always @(posedge clk)
    if (rst) count <= 0;
    else if (load) count <= value;
    else if (en & !full) count <= count + 1;
endmodule
"""

QUEUE = """module queue(input clk, input rst, input push, input pop, input [{top}:0] data, output [{top}:0] front, output empty, output full);
  reg [{top}:0] words [0:3];
  reg [2:0] head, tail;
  assign empty = head == tail;
  assign full = head[1:0] == tail[1:0] & head[2] != tail[2];
  assign front = empty ? 0 : words[head[1:0]];
  always @(posedge clk)
    if (rst) begin head <= 0; tail <= 0; end
    else begin
      if (push & !full) begin words[tail[1:0]] <= data; tail <= tail + 1; end
      if (pop & !empty) head <= head + 1;
    end
endmodule
"""

CELL = """module cell(input clk, input go, input [3:0] data, output [3:0] shown, output gone);
  reg [3:0] largest;
  reg ready;
  assign shown = ready ? largest : 0;
  assign gone = ready;
  always @(posedge clk)
    if (go) begin if (data > largest) largest <= data; ready <= 1; end
    else ready <= 0;
endmodule
"""


def chain(size):
    links = "\n".join(f"  cell c{i}(clk, go[{i}], shown[{i}], shown[{i + 1}], go[{i + 1}]);" for i in range(size))
    # A vector of words: Verilog has no ports of arrays.
    wires = "\n".join(f"  wire [3:0] shown{i};" for i in range(size + 1))
    for i in range(size + 1):
        links = links.replace(f"shown[{i}]", f"shown{i}")
    return CELL + (
        f"module chain(input clk, input start, input [3:0] first, output [3:0] last, output done);\n  wire [{size}:0] go;\n{wires}\n"
        f"  assign go[0] = start;\n  assign shown0 = first;\n  assign last = shown{size};\n  assign done = go[{size}];\n{links}\nendmodule\n"
    )


FAMILIES = {
    "counter, bits": ([4, 8, 16, 32, 64], lambda size: COUNTER.format(top=size - 1)),
    "queue of four words, bits": ([4, 8, 16, 32, 64], lambda size: QUEUE.format(top=size - 1)),
    "chain, cells": ([1, 2, 4, 8, 16, 32], chain),
}


def measured(text, folder):
    """Mutants that are models and no duplicates, those of them that stay undecided, and the processor time of the command."""
    model = folder / "model.v"
    model.write_text(text)
    shutil.rmtree(folder / "out", ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [options.hyperkill, "run", model, "--zero-init", "--jobs", "1", "--total-timeout", f"{options.seconds}s", "-o", folder / "out"]
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcomes = folder / "out" / "outcomes.json"
    if not outcomes.is_file():
        raise SystemExit(done.stderr)
    verdicts = [result["verdict"] for result in json.loads(outcomes.read_text())["results"]]
    asked = [verdict for verdict in verdicts if verdict not in ("invalid", "duplicate-of")]
    time = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return len(asked), asked.count("unknown"), time


def slope(points):
    """Of the straight line through the logarithms, by least squares."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


COLOURS = ["#1b6ca8", "#c05a1c", "#2f7d4f"]
WIDTH, HEIGHT, MARGIN = 640, 400, 56


def plot(curves):
    """The curves as SVG, with lines at whole powers of ten."""
    points = [point for curve in curves.values() for point in curve]
    low, high = math.floor(math.log10(min(y for _, y in points))), math.ceil(math.log10(max(y for _, y in points)))
    widest = math.log2(max(x for x, _ in points))
    across = lambda x: MARGIN + (WIDTH - 2 * MARGIN) * math.log2(x) / widest
    down = lambda y: HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (math.log10(y) - low) / (high - low)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">']
    svg.append(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>')
    for power in range(low, high + 1):
        y = down(10.0**power)
        svg.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#ddd"/>')
        label = f"{10.0**power:g} s"
        svg.append(f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for power in range(int(widest) + 1):
        x = across(2**power)
        svg.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{2**power}</text>')
    svg.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">size of the model</text>')
    svg.append(f'<text x="{MARGIN}" y="24">processor time per decided mutant</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in curve)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg += [f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>' for x, y in curve]
        svg.append(f'<text x="{MARGIN + 12}" y="{MARGIN + 4 + 16 * number}" fill="{colour}">{name}: slope {slope(curve):.2f}</text>')
    return "\n".join(svg + ["</svg>", ""])


curves = {}
print("| family | size | mutants | undecided | seconds | per decided mutant |\n| --- | ---: | ---: | ---: | ---: | ---: |")
with tempfile.TemporaryDirectory() as folder:
    for name, (sizes, text) in FAMILIES.items():
        curves[name] = []
        for size in sizes:
            asked, undecided, time = measured(text(size), pathlib.Path(folder))
            each = time / max(asked - undecided, 1)
            curves[name].append((size, each))
            print(f"| {name} | {size} | {asked} | {undecided} | {time:.2f} | {1000 * each:.1f} ms |", flush=True)
print()
for name, curve in curves.items():
    print(f"{name}: slope {slope(curve):.2f}")
if options.plot:
    options.plot.write_text(plot(curves))
