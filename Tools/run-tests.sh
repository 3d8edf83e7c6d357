#!/usr/bin/env bash
# Runs the tests, beside a throw-away PostgreSQL, and a minute of hostile requests. Where some fail, it says once more
# at the end which and why: their output is thousands of lines long.
# usage: Tools/run-tests.sh FLAGS_OF_SWIFT_TEST...
set -euo pipefail
cd "$(dirname "$0")/.."

# What the tests put into the temporary folder goes with them, also where one of them dies.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
output="$TMPDIR/output"
status=0
Tools/postgres.sh swift test "$@" 2>&1 | tee "$output" || status=$?
# What holds on SQLite holds on PostgreSQL: the interface, the main job, kills, stops, tasks and the document's examples.
suites='HTTPAPITests|EndToEndTests.(MainJob|Crash|Stop|FaultPoint|BadInput|Sweep|InterfaceDocument|ReaderSettings)Tests'
printf '==> the interface and the main job once more, on PostgreSQL\n' >&2
SERIALSCAN_TEST_STORE=postgresql Tools/postgres.sh swift test "$@" --skip-build --filter "$suites" 2>&1 |
  tee -a "$output" || status=$?
# One server for a minute of requests whose every field is at its extremes; `make hostile` asks for an hour.
program=.build/release/serialscan
if [[ -x "$program" ]]; then
  printf '==> a minute of hostile requests\n' >&2
  python3 Tools/hostile/ask.py --program "$program" --seconds 60 2>&1 | tee -a "$output" || status=$?
fi
if [[ $status -ne 0 ]]; then
  printf '\n==> what failed:\n' >&2
  # An issue's further lines begin with an arrow.
  grep -aE -A 3 'recorded an issue|error:|Fatal error|unexpected signal|^PROBLEM' "$output" |
    grep -avE '^(◇|✔|--)' | cut -c 1-600 | tail -n 60 >&2 || true
fi
exit "$status"
