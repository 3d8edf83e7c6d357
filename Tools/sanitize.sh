#!/usr/bin/env bash
# Runs the tests with sanitizers: thread (data races) and address (invalid memory accesses).
# usage: Tools/sanitize.sh [thread] [address]     (FILTER=a regular expression of test names runs those alone)
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*" >&2; }

# Reports end the process, so that no test ignores one, and are stored in files, because nobody reads the output of
# servers started by tests. Core dumps are off: one of a sanitized process takes minutes and terabytes.
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
ulimit -c 0
# Swift's runtime never frees some one-time allocations.
export ASAN_OPTIONS="detect_leaks=0:log_path=$reports/address"
export TSAN_OPTIONS="halt_on_error=1:log_path=$reports/thread:suppressions=$PWD/Tools/thread_sanitizer.supp"
# Sanitized code is several times slower: without this, tests would report missing serials instead of memory errors.
export SERIALSCAN_READING_TIME_BUDGET=60

status=0
for sanitizer in "${@:-thread}"; do
  say "building with the $sanitizer sanitizer (some ten minutes the first time)"
  flags=(-c release --sanitize="$sanitizer" --scratch-path ".build/sanitize-$sanitizer")
  swift build "${flags[@]}" --product serialscan
  say "testing with the $sanitizer sanitizer"
  Tools/run-tests.sh "${flags[@]}" --disable-testable-imports --no-parallel ${FILTER:+--filter "$FILTER"} || status=$?
done
for report in "$reports"/*; do
  [[ -f $report ]] || continue
  status=1
  say "a report:"
  cat "$report" >&2
done
exit "$status"
