#!/usr/bin/env bash
# Mutants decided per minute: hyperkill on all of them, against yosys and ABC one mutant at a time (a miter per mutant, then
# `scorr; pdr`), as one would check the mutants of mcy. Each mutant is the Verilog file that `hyperkill list --emit` writes, or the
# netlist with `--via yosys` among the options. Installs nothing.
#
#   tests/bench/verilog.sh HYPERKILL COUNT DESIGN.v [OPTION...]
#
# COUNT: how many mutants the one-at-a-time way is timed on, spread over the catalogue. Options are hyperkill's: --top, --reset, …
# Registers without an initial value start at 0 on both sides. Resets are inputs and nothing else (--reset none), so that both answer
# the same question.
set -euo pipefail
hyperkill=$1 count=$2 design=$3
shift 3
for tool in yosys berkeley-abc; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 0; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# User and system time of all children in seconds, since clocks of shared machines say little.
cpu() { python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "w"), check=False)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.3f}")' "$@"; }
options=("$design" --zero-init --reset none "$@")

ours=$(cpu "$folder/run.txt" "$hyperkill" -q run "${options[@]}" -o "$folder/out")
read -r mutants decided < <(python3 -c 'import json, sys
results = json.load(open(sys.argv[1]))["results"]
print(len(results), sum(r["verdict"] != "unknown" for r in results))' "$folder/out/outcomes.json")

"$hyperkill" -q list "${options[@]}" --emit "$folder/mutants" >/dev/null
top=(-auto-top) includes=()
previous=
for word in "$@"; do
  [ "$previous" = --top ] && top=(-top "$word")
  [ "$previous" = -I ] && includes+=("-I$word")
  previous=$word
done
# First values are set before anything is optimised: a register that may start anywhere may become a constant.
prepare="hierarchy ${top[*]}; proc; flatten; opt_clean; memory_collect; memory_map; setundef -undriven -zero; setundef -init -zero; opt"
original="read_verilog -sv ${includes[*]} $design; $prepare; rename -top gold; design -stash gold"
theirs=0 abc=0 settled=0 timed=0
for file in $(find "$folder/mutants" -name '*.json' -o -name '*.v' | sort | awk -v n="$count" '{ all[NR] = $0 } END { for (i = 0; i < n && i < NR; i++) print all[int(i * NR / (n < NR ? n : NR)) + 1] }'); do
  case $file in
    *.json) mutant="read_json $file" ;;
    *) mutant="read_verilog -sv ${includes[*]} -I$(dirname "$design") $file; $prepare" ;;
  esac
  script="$original; $mutant; rename -top gate; design -stash gate; design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; miter -equiv -flatten -make_outputs gold gate miter; hierarchy -top miter; setundef -undriven -zero; setundef -zero; setundef -init -zero; async2sync; dffunmap; techmap; opt_clean; zinit -all; aigmap; opt_clean; delete -output miter/gold_* miter/gate_*; write_aiger $folder/miter.aig"
  made=$(cpu "$folder/yosys.txt" yosys -q -p "$script")
  solved=$(cpu "$folder/abc.txt" berkeley-abc -q "read_aiger $folder/miter.aig; scorr; pdr -T 60")
  said=unknown
  grep -q -E "Property proved|Networks are equivalent" "$folder/abc.txt" && said=equivalent
  grep -q "was asserted" "$folder/abc.txt" && said=killed
  [ "$said" = unknown ] || settled=$((settled + 1))
  python3 -c 'import json, sys
verdicts = {r["mutant"]: r for r in json.load(open(sys.argv[1]))["results"]}
ours = verdicts[sys.argv[2]]
while ours["verdict"] == "duplicate-of":
    ours = verdicts[ours["of"]]
# What is no circuit here, yosys may take for one with latches.
if ours["verdict"] != "invalid" and "unknown" not in (ours["verdict"], sys.argv[3]) and ours["verdict"] != sys.argv[3]:
    sys.exit(f"{sys.argv[2]}: " + ours["verdict"] + f" here, {sys.argv[3]} for ABC")' "$folder/out/outcomes.json" "$(basename "${file%.*}")" "$said"
  timed=$((timed + 1))
  abc=$(echo "$abc + $solved" | bc -l)
  theirs=$(echo "$theirs + $made + $solved" | bc -l)
done
python3 - "$design" "$mutants" "$decided" "$ours" "$timed" "$settled" "$theirs" "$abc" <<'E2'
import sys
design, mutants, decided, ours, timed, settled, theirs, abc = sys.argv[1:]
mutants, decided, timed, settled = map(int, (mutants, decided, timed, settled))
ours, theirs, abc = map(float, (ours, theirs, abc))
rate = lambda number, seconds: 60 * number / max(seconds, 1e-3)
print(f"| {design.split('/')[-1]} | {mutants} | {decided} | {ours:.1f} s | {rate(decided, ours):.0f} "
      f"| {settled} of {timed} | {rate(settled, theirs):.0f} | {rate(settled, abc):.0f} |")
E2
