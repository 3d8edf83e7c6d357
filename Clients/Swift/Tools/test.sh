#!/usr/bin/env bash
# Builds the Swift client and its examples, and tests them with a built server.
# usage: Clients/Swift/Tools/test.sh PROGRAM
set -euo pipefail
SERIALSCAN_PROGRAM=$(realpath "$1")
export SERIALSCAN_PROGRAM
cd "$(dirname "$0")/.."
# What the tests put into the temporary folder goes with them, also where one of them dies.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
printf '==> building and testing the Swift client\n' >&2
# One test after another: some wait for what two cores do in time.
swift test --no-parallel
swift test --no-parallel --package-path Examples/BenchApp
