#!/usr/bin/env bash
# Generates a client from /openapi.json, and scans a photo with it.
# usage: Tools/interface/run.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
tools="$top/.build/interface"
requirements="$top/Tools/interface/requirements.txt"
if ! cmp -s "$requirements" "$tools/requirements.txt"; then
  { python3 -m venv "$tools" &&
    "$tools/bin/pip" install -q --disable-pip-version-check -r "$requirements" &&
    cp "$requirements" "$tools/requirements.txt"
  } || {
    printf 'no client is generated: openapi-python-client could not be fetched\n' >&2
    [[ -z "${RUN_EVERY_TEST:-}" ]]
    exit
  }
fi
PATH="$tools/bin:$PATH" PROGRAM="$program" exec "$tools/bin/python" "$top/Tools/interface/test_interface.py" -v
