#!/usr/bin/env python3
"""How far runs go beyond their limits, and how long they live after an interruption.

usage: HYPERKILL_MODELS=DIR tests/bench/limits.py [PROGRAM] [VERILOG...]

Runs PROGRAM (target/release/hyperkill) on public models below DIR and on Verilog files given, with `--timeout` and `--total-timeout`,
and prints how much longer than its limit each took; then again with an interruption at a moment chosen by a fixed seed, and prints how long it lived
after it. Each by the clock and by the processor: on a busy machine the clock says more of the others.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

TOTAL = 5.0
EACH = "2s"
PATIENCE = 60
SMV = ["tcas", "robotic_robustness_400", "queue", "snark2_M1_concurrent", "production-cell", "pci", "idle",
       "abp8", "abp4", "brp", "tictactoe", "sortOfSorts", "dme1-16", "gigamax", "p-queue", "NI_correct"]
AIGER = ["good_bakery.atom.nondet2.proc30", "beemrether6b1_c0to0", "beemfrogs1b1_c0to0", "6s39_c0to0", "6s192_c0to0",
         "beemhanoi1b1_c0to0", "beemmsmie3b1_c0to0", "6s47_c0to0", "6s196_c0to0", "ILA_AES_WRITE_COUNTER_problem",
         "mult_bool_matrix_3_5_4", "driver_d7y"]


def find(root, stems, extensions):
    files = {}
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            stem, extension = os.path.splitext(name)
            if stem in stems and extension in extensions:
                files.setdefault(stem, os.path.join(folder, name))
    return [files[stem] for stem in stems if stem in files]


def spent(process):
    """Seconds of the processor that a process has used so far."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return None


def measure(program, arguments, moment, interrupts):
    """Seconds by the clock and of the processor, each in all and since a moment, at which it may be interrupted; None if it ended before."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        child = subprocess.Popen([program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        since = None
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            now = time.monotonic() - start
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                break
            if since is None and now >= moment:
                since = (now, spent(child.pid) or 0)
                if interrupts:
                    child.send_signal(signal.SIGINT)
            if now > TOTAL + PATIENCE:
                child.kill()
            time.sleep(0.005)
    used = usage.ru_utime + usage.ru_stime
    return now, used, None if since is None else (now - since[0], max(used - since[1], 0))


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/hyperkill")
    verilog = [os.path.abspath(name) for name in sys.argv[2:]]
    models = os.environ["HYPERKILL_MODELS"]
    limits = ["--timeout", EACH, "--total-timeout", f"{TOTAL:.0f}s", "--jobs", "1"]
    cases = [["run", name, *limits] for name in find(models, SMV, [".smv"]) + verilog]
    cases += [["check", name, *limits] for name in find(models, AIGER, [".aag", ".aig"])]
    chance = random.Random(0)
    print("| model | seconds | of the processor | beyond the limit | of the processor | interrupted after | lived on | of the processor |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    overruns, lives = [], []
    for case in cases:
        wall, cpu, beyond = measure(program, case, TOTAL, False)
        at = chance.uniform(0.05, min(wall, TOTAL) * 0.9)
        _, _, lived = measure(program, case, at, True)
        name = os.path.basename(case[1])
        shown = ["  |  " if pair is None else f"{pair[0]:.2f} | {pair[1]:.2f}" for pair in (beyond, lived)]
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {shown[0]} | {at:.2f} | {shown[1]} |", flush=True)
        overruns.append((*(beyond or (0, 0)), name))
        lives.append((*(lived or (0, 0)), name))
    for what, found in (("beyond the limit", overruns), ("after an interruption", lives)):
        clock, processor = max(found), max(found, key=lambda each: each[1])
        print(f"\nlongest {what}, of {len(cases)} models: {clock[0]:.2f} s by the clock ({clock[2]}), {processor[1]:.2f} s of the processor ({processor[2]})")


if __name__ == "__main__":
    main()
