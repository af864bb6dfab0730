#!/usr/bin/env bash
# hyperkill beside berkeley-abc, in one run: all mutants of the project's deterministic models, and, if a folder of AIGER files is given,
# plain safety, there also beside rIC3 if that is installed. Installs nothing; says so and ends if berkeley-abc is missing.
#
#   tests/bench/abc.sh [--timeout SECONDS] [--models NAME,…] [AIGER_FOLDER]
#
# Seconds are processor time (user and system), one thread each, so that other work on the machine matters little; limits too.
# Mutants: `hyperkill check` on the conditional mutant, and one process of abc per mutant on the product that `hyperkill translate --product`
# writes; the front end's time is left out on both sides. `hyperkill run` is the whole from the text to the suite on disk. abc runs `scorr; pdr`.
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
command -v rIC3 >/dev/null || echo "SKIPPED: rIC3 is not installed"
cargo build --quiet --release -p hyperkill
hyperkill=${CARGO_TARGET_DIR:-target}/release/hyperkill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Processor seconds that a command takes; its output goes to $work/out.
seconds() {
  local TIMEFORMAT='%U %S'
  { time bash -c 'ulimit -t "$0"; exec "$@" 2>&1' "$timeout" "$@" >"$work/out" 2>/dev/null; } 2>"$work/time" || true
  awk 'NF == 2 { printf "%.3f", $1 + $2 }' "$work/time"
}

# What a tool answers on a safety problem: holds, fails or unknown.
abc_says() {
  if grep -q "Property proved\|Networks are equivalent" "$work/out"; then echo holds
  elif grep -q "was asserted in frame" "$work/out"; then echo fails
  else echo unknown; fi
}
ric3_says() {
  if grep -qi "^unsat\|result: *unsat\|result: *safe" "$work/out"; then echo holds
  elif grep -qi "^sat\|result: *sat\|result: *unsafe" "$work/out"; then echo fails
  else echo unknown; fi
}

echo "| model | mutants decided | hyperkill check | undecided | abc, one process per mutant | undecided | ratio | hyperkill run |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for model in ${models//,/ }; do
  source=tests/models/smv/$model/model.smv
  whole=$(seconds "$hyperkill" run "$source" --property phi1 --jobs 1 --timeout "${timeout}s" -o "$work/run")
  "$hyperkill" translate "$source" --binary -o "$work/model.aig" 2>/dev/null
  ours=$(seconds "$hyperkill" check "$work/model.aig" --property phi1 --jobs 1 --timeout "${timeout}s" --format json)
  undecided=$(grep -c '"verdict": "unknown"' "$work/out" || true)
  ids=$(grep -o '"mutant": "m-[0-9a-f]*"' "$work/out" | cut -d'"' -f4 | sort -u)
  decided=0 theirs=0 open=0
  for id in $ids; do
    "$hyperkill" translate "$source" --mutant "$id" --product --binary -o "$work/p.aig" 2>/dev/null || continue
    took=$(seconds berkeley-abc -c "read_aiger $work/p.aig; scorr; pdr")
    [ "$(abc_says)" = unknown ] && open=$((open + 1))
    decided=$((decided + 1))
    theirs=$(awk -v a="$theirs" -v b="$took" 'BEGIN { printf "%.3f", a + b }')
  done
  ratio=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  echo "| $model | $decided | $ours s | $undecided | $theirs s | $open | $ratio | $whole s |"
done

[ -n "$folder" ] || exit 0
echo
echo "| file | hyperkill | seconds | abc \`scorr; pdr\` | seconds | abc \`bmc3\` | seconds | rIC3 | seconds |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
: >"$work/table"
find "$folder" -name '*.aig' -o -name '*.aag' | sort | while read -r file; do
  a=$(seconds "$hyperkill" verify "$file" --timeout none --jobs 1 --format json)
  if grep -q '"verdict": "fails"' "$work/out"; then ours=fails
  elif grep -q '"verdict": "holds"' "$work/out" && ! grep -q '"verdict": "unknown"' "$work/out"; then ours=holds
  elif ! grep -q '"schema": "hyperkill.check' "$work/out"; then continue
  else ours=unknown; fi
  # Several properties become one: abc looks for any of them.
  b=$(seconds berkeley-abc -c "read_aiger $file; fold; orpos; scorr; pdr")
  pdr=$(abc_says)
  c=$(seconds berkeley-abc -c "read_aiger $file; fold; orpos; bmc3")
  bmc=$(abc_says)
  d=- ric3=-
  if command -v rIC3 >/dev/null; then
    d=$(seconds rIC3 -e ic3 "$file")
    ric3=$(ric3_says)
  fi
  echo "| $(basename "$file") | $ours | $a | $pdr | $b | $bmc | $c | $ric3 | $d |"
  echo "$ours $a $pdr $b $bmc $c $ric3 $d" >>"$work/table"
done
echo
awk -v limit="$timeout" '
  function best(x, y) { return x < y ? x : y }
  { n++
    ours = $1; theirs = "unknown"; t = limit
    if ($3 != "unknown") { theirs = $3; t = $4 }
    if ($5 != "unknown") { theirs = $5; t = best(t, $6) }
    if (ours != "unknown") { a++; p += $2 } else p += 2 * limit
    if (theirs != "unknown") { b++; q += t } else q += 2 * limit
    if ($7 != "unknown" && $7 != "-") { c++; r += $8 } else r += 2 * limit
    if (ours != "unknown" && theirs != "unknown") { if (ours != theirs) wrong++; ratio[++m] = ($2 + 0.001) / (t + 0.001) }
    if (ours != "unknown" && $7 != "unknown" && $7 != "-" && $7 != ours) wrong++ }
  END {
    for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (ratio[j] < ratio[i]) { t = ratio[i]; ratio[i] = ratio[j]; ratio[j] = t }
    printf "%d files: hyperkill solves %d (PAR-2 %.1f s), the better of the two routes of abc %d (PAR-2 %.1f s), rIC3 %d (PAR-2 %.1f s); median ratio of times where hyperkill and abc solve: %.2f; verdicts that differ: %d\n", n, a, p / n, b, q / n, c, r / n, ratio[int((m + 1) / 2)], wrong }' "$work/table"
