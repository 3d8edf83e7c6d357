#!/usr/bin/env bash
# Runs the tests with sanitizers: thread (data races) and address (memory that is not ours).
# usage: Tools/sanitize.sh [thread] [address]     (FILTER=a regular expression of test names runs those alone)
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '==> %s\n' "$*" >&2; }

# Swift's runtime keeps what it allocates once; reports end the process, so that a test can't pass over one.
export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1"
export TSAN_OPTIONS="halt_on_error=1:abort_on_error=1:suppressions=$PWD/Tools/thread_sanitizer.supp"
# Sanitized code reads several times slower: without this a test would find serials missing, not memory misused.
export SERIALSCAN_READING_TIME_BUDGET=60

for sanitizer in "${@:-thread}"; do
  say "building with the $sanitizer sanitizer (some ten minutes the first time)"
  flags=(-c release --sanitize="$sanitizer" --scratch-path ".build/sanitize-$sanitizer")
  swift build "${flags[@]}" --product serialscan
  say "testing with the $sanitizer sanitizer"
  swift test "${flags[@]}" --disable-testable-imports --no-parallel ${FILTER:+--filter "$FILTER"}
done
