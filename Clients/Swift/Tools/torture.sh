#!/usr/bin/env bash
# Kills the process that sends an outbox, and harms its connections, so many times; prints the table.
# usage: Clients/Swift/Tools/torture.sh [ROUNDS, default 300]
set -euo pipefail
cd "$(dirname "$0")/.."
SERIALSCAN_TORTURE_ROUNDS="${1:-300}" exec swift test --filter TortureTests
