#!/usr/bin/env bash
# Tests the files in deploy/ with the program and Debian's nginx, Caddy and Prometheus.
# usage: Tools/deploy/run.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
for command in nginx caddy promtool; do
  PATH="$PATH:/usr/sbin" command -v "$command" >/dev/null || {
    printf 'deploy/ is not tested: %s is missing (Tools/install-packages.sh --with-tests)\n' "$command" >&2
    exit 1
  }
done
cd "$(dirname "$0")"
SERIALSCAN_PROGRAM="$program" PATH="$PATH:/usr/sbin" exec python3 -m unittest -v
