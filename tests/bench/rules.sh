#!/usr/bin/env bash
# What each rule of the scheduler contributed on the project's own models: by which one each mutant was decided, killed + proved.
#
#   tests/bench/rules.sh [MODEL …]        default: all models under tests/models/smv that take seconds
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -gt 0 ] || set -- beverage beverage-20 car-alarm elevator fifo traffic-light car-alarm-timed
cargo build --quiet --release -p hyperkill
hyperkill=${CARGO_TARGET_DIR:-target}/release/hyperkill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rules="structure pairs simulation family dropping bmc k-induction pdr subsets exists-forall game"

printf '| model |'; printf ' %s |' $rules; echo ' undecided |'
printf '| --- |'; for _ in $rules; do printf ' --- |'; done; echo ' --- |'
for model; do
  "$hyperkill" run "tests/models/smv/$model/model.smv" --timeout 60s -o "$work/$model" >/dev/null 2>&1 || true
  # The journal has a line for each verdict.
  printf '| %s |' "$model"
  for rule in $rules; do
    lines=$(grep "\"engine\":\"$rule\"" "$work/$model/journal.jsonl" || true)
    killed=$(grep -c '"verdict":"killed"' <<<"$lines" || true)
    proved=$(grep -c '"verdict":"\(equivalent\|duplicate-of\|not-definitely-killable\|refuses-input\)"' <<<"$lines" || true)
    if [ "$killed$proved" = 00 ]; then printf '  |'; else printf ' %s + %s |' "$killed" "$proved"; fi
  done
  printf ' %s |\n' "$(grep -c '"verdict":"unknown"' "$work/$model/journal.jsonl" || true)"
done
