#!/usr/bin/env bash
# Formats the page's modules (deno) and the Python tools (ruff), and looks for unused names in them.
# usage: Tools/lint/format.sh [--check]        (--check changes nothing, and fails if something is not formatted)
set -euo pipefail
cd "$(dirname "$0")/../.."

tools=.build/format
wanted=Tools/lint/requirements.txt
if ! cmp --quiet "$wanted" "$tools/requirements.txt"; then
  {
    python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$wanted" &&
      cp "$wanted" "$tools/requirements.txt"
  } || {
    printf 'deno and ruff could not be fetched: JavaScript and Python are neither formatted nor checked\n' >&2
    exit 0
  }
fi

mapfile -t modules < <(git ls-files 'Sources/HTTPAPI/Pages/*.js')
mapfile -t python < <(git ls-files '*.py')
# The server sends the modules as they are, and tabs are half the bytes.
layout=(--quiet --no-config --line-width 120 --use-tabs --indent-width 2)
export DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
if [[ ${1:-} == --check ]]; then
  "$tools/bin/deno" fmt "${layout[@]}" --check "${modules[@]}" && "$tools/bin/ruff" format --quiet --check "${python[@]}" || {
    printf 'JavaScript or Python is not formatted: make format\n' >&2
    exit 1
  }
  "$tools/bin/deno" lint --quiet --no-config --rules-exclude=require-await "${modules[@]}"
  "$tools/bin/ruff" check --quiet "${python[@]}"
else
  "$tools/bin/deno" fmt "${layout[@]}" "${modules[@]}"
  "$tools/bin/ruff" check --quiet --fix --select I "${python[@]}"
  "$tools/bin/ruff" format --quiet "${python[@]}"
fi
