#!/usr/bin/env bash
# Prints the version of a package. On the commit tagged with the program's version (defined only in
# Sources/Commands/VersionCommand.swift), it is that version; on later commits, the commit's time and name are appended,
# which Debian considers newer.
# usage: packaging/version.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
version=$("$1" version)
tag=$(git describe --tags --exact-match --match 'v*' 2>/dev/null || true)
if [[ -n "$tag" ]]; then
  [[ "$tag" == "v$version" ]] || {
    printf 'serialscan: this is tagged %s, but the program says %s: change VersionCommand.swift before the tag\n' "$tag" "$version" >&2
    exit 1
  }
  printf '%s\n' "$version"
else
  printf '%s+git%s.%s\n' "$version" "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M)" "$(git rev-parse --short=7 HEAD)"
fi
