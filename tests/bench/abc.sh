#!/usr/bin/env bash
# hyperkill beside berkeley-abc, in one run: all mutants of the project's deterministic models, and, if a folder of AIGER files is given,
# plain safety. Installs nothing; says so and ends if berkeley-abc is missing.
#
#   tests/bench/abc.sh [--timeout SECONDS] [--models NAME,…] [AIGER_FOLDER]
#
# Mutants: `hyperkill run --jobs 1` on the whole set, its front end included, against one process of abc per mutant on the product that
# `hyperkill translate --product` writes, the time for writing it excluded. abc runs `scorr; pdr`.
set -euo pipefail
cd "$(dirname "$0")/../.."

timeout=60
models=car-alarm,traffic-light,elevator,fifo
folder=
while [ $# -gt 0 ]; do
  case $1 in
    --timeout) timeout=$2; shift 2 ;;
    --models) models=$2; shift 2 ;;
    *) folder=$(cd "$1" && pwd); shift ;;
  esac
done
command -v berkeley-abc >/dev/null || { echo "SKIPPED: berkeley-abc is not installed"; exit 0; }
cargo build --quiet --release -p hyperkill
hyperkill=${CARGO_TARGET_DIR:-target}/release/hyperkill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Seconds that a command takes; its output goes to $work/out.
seconds() {
  local start end
  start=$(date +%s%N)
  "$@" >"$work/out" 2>&1 || true
  end=$(date +%s%N)
  awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", (b - a) / 1e9 }'
}

# Both tools' answers on a safety problem, as holds, fails or unknown.
abc_says() {
  if grep -q "Property proved\|Networks are equivalent" "$work/out"; then echo holds
  elif grep -q "was asserted in frame" "$work/out"; then echo fails
  else echo unknown; fi
}

echo "| model | mutants decided | hyperkill | undecided | abc, one process per mutant | undecided | ratio |"
echo "| --- | --- | --- | --- | --- | --- | --- |"
for model in ${models//,/ }; do
  source=tests/models/smv/$model/model.smv
  ours=$(seconds "$hyperkill" run "$source" --property phi1 --jobs 1 --timeout "${timeout}s" -o "$work/run")
  undecided=$(grep -c '"verdict": "unknown"' "$work/run/outcomes.json" || true)
  ids=$("$hyperkill" status --format json "$work/run" >/dev/null 2>&1; grep -o '"mutant": "m-[0-9a-f]*"' "$work/run/outcomes.json" | cut -d'"' -f4 | sort -u)
  decided=0 theirs=0 open=0
  for id in $ids; do
    "$hyperkill" translate "$source" --mutant "$id" --product --binary -o "$work/p.aig" 2>/dev/null || continue
    took=$(seconds timeout "$timeout" berkeley-abc -c "read_aiger $work/p.aig; scorr; pdr")
    [ "$(abc_says)" = unknown ] && open=$((open + 1))
    decided=$((decided + 1))
    theirs=$(awk -v a="$theirs" -v b="$took" 'BEGIN { printf "%.3f", a + b }')
  done
  ratio=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  echo "| $model | $decided | $ours s | $undecided | $theirs s | $open | $ratio |"
done

[ -n "$folder" ] || exit 0
echo
echo "| file | hyperkill | seconds | abc pdr | seconds |"
echo "| --- | --- | --- | --- | --- |"
: >"$work/table"
find "$folder" -name '*.aig' -o -name '*.aag' | sort | while read -r file; do
  a=$(seconds "$hyperkill" check "$file" --timeout "${timeout}s" --total-timeout "${timeout}s" --jobs 1 --format json)
  if grep -q '"verdict": "unknown"' "$work/out"; then ours=unknown
  elif grep -q '"verdict": "fails"' "$work/out"; then ours=fails
  elif grep -q '"verdict": "holds"' "$work/out"; then ours=holds
  else continue; fi
  # Several properties become one: abc looks for any of them.
  b=$(seconds timeout "$timeout" berkeley-abc -c "read_aiger $file; orpos; fold; pdr")
  theirs=$(abc_says)
  echo "| $(basename "$file") | $ours | $a | $theirs | $b |"
  echo "$ours $a $theirs $b" >>"$work/table"
done
echo
awk -v limit="$timeout" '
  { n++
    if ($1 != "unknown") { ours++; p += $2 } else p += 2 * limit
    if ($3 != "unknown") { theirs++; q += $4 } else q += 2 * limit
    if ($1 != "unknown" && $3 != "unknown") { if ($1 != $3) wrong++; ratio[++m] = ($2 + 0.001) / ($4 + 0.001) } }
  END {
    for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
    printf "%d files: hyperkill solves %d (PAR-2 %.1f s), abc %d (PAR-2 %.1f s); median ratio of times where both do: %.2f; verdicts that differ: %d\n", n, ours, p / n, theirs, q / n, ratio[int((m + 1) / 2)], wrong }' "$work/table"
