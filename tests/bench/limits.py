#!/usr/bin/env python3
"""How far runs go beyond their limits, and how long they live after an interruption.

usage: HYPERKILL_MODELS=DIR tests/bench/limits.py [PROGRAM] [VERILOG...]

Runs PROGRAM (target/release/hyperkill) on public models below DIR and on Verilog files given, with `--timeout` and `--total-timeout`,
and prints how much longer than its limit each took; then again with an interruption at a moment chosen by a fixed seed, and prints how long it lived
after it. Clock and processor time are both shown: on a busy machine the clock says more of the others.
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


def measure(program, arguments, interrupt=None):
    """Seconds by the clock, of the processor, and after the interruption; the exit status, None if it had to be ended."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        child = subprocess.Popen([program, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sent = None
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            now = time.monotonic() - start
            if pid:
                code = os.waitstatus_to_exitcode(status)
                child.returncode = code
                break
            if interrupt is not None and sent is None and now >= interrupt:
                child.send_signal(signal.SIGINT)
                sent = now
            if now > TOTAL + PATIENCE:
                child.kill()
            time.sleep(0.005)
    return now, usage.ru_utime + usage.ru_stime, None if sent is None else now - sent, code


def main():
    program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/hyperkill")
    verilog = [os.path.abspath(name) for name in sys.argv[2:]]
    models = os.environ["HYPERKILL_MODELS"]
    limits = ["--timeout", EACH, "--total-timeout", f"{TOTAL:.0f}s", "--jobs", "1"]
    cases = [["run", name, *limits] for name in find(models, SMV, [".smv"]) + verilog]
    cases += [["check", name, *limits] for name in find(models, AIGER, [".aag", ".aig"])]
    chance = random.Random(0)
    print("| model | seconds | of the processor | beyond the limit | interrupted after | lived on |")
    print("| --- | --- | --- | --- | --- | --- |")
    overruns, lives = [], []
    for case in cases:
        wall, cpu, _, _ = measure(program, case)
        overrun = max(wall - TOTAL, 0)
        at = chance.uniform(0.05, min(wall, TOTAL) * 0.9)
        _, _, lived, _ = measure(program, case, at)
        name = os.path.basename(case[1])
        lived_text = "ended before" if lived is None else f"{lived:.2f}"
        print(f"| {name} | {wall:.2f} | {cpu:.2f} | {overrun:.2f} | {at:.2f} | {lived_text} |", flush=True)
        overruns.append((overrun, name))
        lives.append((lived or 0, name))
    print(f"\nworst overrun {max(overruns)[0]:.2f} s ({max(overruns)[1]}), longest life after an interruption {max(lives)[0]:.2f} s ({max(lives)[1]}), "
          f"{len(cases)} models")


if __name__ == "__main__":
    main()
