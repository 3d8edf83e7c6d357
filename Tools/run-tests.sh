#!/usr/bin/env bash
# Runs the tests with a temporary PostgreSQL, and a minute of hostile requests. Repeats failures at the end, because the
# output is thousands of lines long.
# usage: Tools/run-tests.sh FLAGS_OF_SWIFT_TEST...
set -euo pipefail
cd "$(dirname "$0")/.."

# The tests' temporary files are deleted even if a test crashes.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
output="$TMPDIR/output"
status=0
Tools/postgres.sh swift test "$@" 2>&1 | tee "$output" || status=$?
# These tests run on SQLite and on PostgreSQL: the API, the main job, kills, stops, tasks and the documentation's
# examples.
suites='HTTPAPITests|EndToEndTests.(MainJob|Crash|Stop|FaultPoint|BadInput|Sweep|InterfaceDocument|ReaderSettings)Tests'
printf '==> the interface and the main job once more, on PostgreSQL\n' >&2
SERIALSCAN_TEST_STORE=postgresql Tools/postgres.sh swift test "$@" --skip-build --filter "$suites" 2>&1 |
  tee -a "$output" || status=$?
# A minute of requests with every field at its extremes; `make hostile` runs for an hour.
program=.build/release/serialscan
if [[ -x "$program" ]]; then
  printf '==> a minute of hostile requests\n' >&2
  python3 Tools/hostile/ask.py --program "$program" --seconds 60 2>&1 | tee -a "$output" || status=$?
fi
if [[ $status -ne 0 ]]; then
  printf '\n==> what failed:\n' >&2
  # Continuation lines of an issue begin with an arrow.
  grep -aE -A 3 'recorded an issue|error:|Fatal error|unexpected signal|^PROBLEM' "$output" |
    grep -avE '^(◇|✔|--)' | cut -c 1-600 | tail -n 60 >&2 || true
fi
exit "$status"
