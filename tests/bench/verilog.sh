#!/usr/bin/env bash
# Verilog mutants decided by hyperkill and by yosys with ABC: the same mutants, drawn by a seed from those that are models, in
# processor seconds with the start of every program. See verilog_speed.py. Installs and fetches nothing.
#
#   HYPERKILL_DESIGNS=FOLDER tests/bench/verilog.sh HYPERKILL [--mutants N] [--timeout SECONDS] [--seed N] [--only NAME,…]
#
# The designs are those of verilog_speed.tsv. FOLDER holds the public ones under OWNER+NAME, as they lie in their repositories;
# without it only our own are measured, and that is said.
set -euo pipefail
for tool in yosys berkeley-abc python3; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 0; }
done
exec python3 "$(dirname "$0")/verilog_speed.py" "$@"
