#!/usr/bin/env bash
# Installs a release in an empty folder with an empty home, from packages, from the wheel and from the archive in turn. Runs README's main
# command and certify with each, compares the output with README, uninstalls, and prints times and sizes in a table.
#
#   tests/release/fresh.sh [--binary FILE] [--wheel FILE] [WAY …]      ways: packages wheel archive [default: all]
#
# --binary is the program for the archive, --wheel the wheel; what is not given is built. Packages and the wheel take minutes to build.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

binary="" wheel="" ways=()
while [ $# -gt 0 ]; do
  case $1 in
    --binary) binary=$(realpath "$2"); shift 2 ;;
    --wheel) wheel=$(realpath "$2"); shift 2 ;;
    packages | wheel | archive) ways+=("$1"); shift ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 1 ;;
  esac
done
[ ${#ways[@]} -gt 0 ] || ways=(packages wheel archive)

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# The toolchain stays; the folders for packages and settings are empty.
export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
mkdir "$place/home"
rows=""

now() { date +%s.%N; }
since() { awk -v from="$1" -v to="$(now)" 'BEGIN { printf "%.2f", to - from }'; }

# README's main command, without the name of the program, and its output.
main_command() { sed -n 's/^\$ cargo run --release -p hyperkill -- //p' "$root/README.md" | head -n 1; }
main_output() {
  awk '/^\$ cargo run --release -p hyperkill -- / { shows = 1; next } shows && /^```/ { exit } shows' "$root/README.md"
}

# use WAY PROGRAM INSTALLED_IN: runs the program in a new folder and adds a row to the table.
use() {
  local work="$place/$1-work" words began start main certified
  mkdir "$work"
  read -ra words <<< "$(main_command)"
  for word in "${words[@]}"; do
    if [ -f "$root/$word" ]; then
      mkdir -p "$work/$(dirname "$word")"
      cp "$root/$word" "$work/$word"
    fi
  done
  cd "$work"
  began=$(now) && "$2" --version > version.txt && start=$(since "$began")
  began=$(now) && "$2" "${words[@]}" > output.txt && main=$(since "$began")
  diff -u <(main_output) output.txt
  began=$(now) && "$2" certify > certified.txt && certified=$(since "$began")
  grep -q "replayed" certified.txt
  rows+="| $1 | $3 | $(du -sh --apparent-size "$4" | cut -f 1) | $start | $main | $certified |"$'\n'
  cd "$place"
}

# gone FILE: the program must be gone after it was uninstalled.
gone() {
  [ ! -e "$1" ] || { echo "$1 is still there" >&2; exit 1; }
}

from_packages() {
  local began name archive
  "$root/tests/release/packages.py" --make "$place/made"
  # A registry without a network: the packages of others as they are in the lock file, and ours beside them.
  (cd "$root" && cargo vendor --quiet --locked --versioned-dirs "$place/registry" > /dev/null)
  for archive in "$place"/made/package/*.crate; do
    tar -xzf "$archive" -C "$place/registry"
    name=$(basename "$archive" .crate)
    printf '{"files":{},"package":"%s"}' "$(sha256sum "$archive" | cut -d ' ' -f 1)" > "$place/registry/$name/.cargo-checksum.json"
  done
  export CARGO_HOME="$place/cargo-home"
  mkdir "$CARGO_HOME"
  printf '[source.crates-io]\nreplace-with = "made"\n[source.made]\ndirectory = "%s"\n' "$place/registry" > "$CARGO_HOME/config.toml"
  began=$(now)
  HOME="$place/home" cargo install hyperkill --locked --offline --quiet
  use packages "$CARGO_HOME/bin/hyperkill" "$(since "$began")" "$CARGO_HOME/bin/hyperkill"
  HOME="$place/home" cargo uninstall --quiet hyperkill
  gone "$CARGO_HOME/bin/hyperkill"
  export CARGO_HOME="$cargo_home"
}

from_wheel() {
  local began
  if [ -z "$wheel" ]; then
    python3 -m venv "$place/maker"
    "$place/maker/bin/pip" install --quiet --disable-pip-version-check maturin
    (cd "$root" && "$place/maker/bin/maturin" build --quiet --release --out "$place/wheels")
    wheel=$(echo "$place"/wheels/*.whl)
  fi
  HOME="$place/home" python3 -m venv "$place/user"
  began=$(now)
  HOME="$place/home" "$place/user/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$(dirname "$wheel")" hyperkill
  use wheel "$place/user/bin/hyperkill" "$(since "$began")" "$wheel"
  cd "$place/wheel-work"
  # The module finds the program of its own package.
  env -u HYPERKILL HOME="$place/home" PATH=/usr/bin:/bin "$place/user/bin/python" -c '
import hyperkill
folder = hyperkill.Folder()
assert hyperkill.program().endswith("/user/bin/hyperkill"), hyperkill.program()
assert folder.certify().faults == []
assert folder.outcomes.summary.mutants == len(folder.results()) > 0
'
  "$place/user/bin/python" -m hyperkill.gate --help > help.txt
  "$place/user/bin/pip" uninstall --quiet --yes hyperkill
  gone "$place/user/bin/hyperkill"
  cd "$place"
}

from_archive() {
  local began archive
  if [ -z "$binary" ]; then
    (cd "$root" && cargo build --quiet --release -p hyperkill)
    binary="${CARGO_TARGET_DIR:-$root/target}/release/hyperkill"
  fi
  "$root/tests/release/dist.py" --binary "$binary" "$place/dist" > "$place/dist.txt"
  archive=$(echo "$place"/dist/*.tar.gz)
  (cd "$place/dist" && sha256sum --quiet --check SHA256SUMS)
  began=$(now)
  mkdir "$place/prefix"
  tar -xzf "$archive" -C "$place/prefix" --strip-components 1
  use archive "$place/prefix/hyperkill" "$(since "$began")" "$archive"
  rm -r "$place/prefix"
  gone "$place/prefix/hyperkill"
}

for way in "${ways[@]}"; do
  "from_$way"
done
printf '| way | installed (s) | size | `--version` (s) | main command (s) | certify (s) |\n| --- | --- | --- | --- | --- | --- |\n%s' "$rows"
