#!/usr/bin/env bash
# Builds the Debian packages of a built program: serialscan, and serialscan-dbgsym with the debug symbols. The same
# program and commit result in the same bytes, wherever and whenever this runs. packaging/program.sh builds the program.
# The package includes Package.resolved, which lists the versions of the dependencies.
# usage: packaging/build.sh PROGRAM FOLDER [VERSION]      prints where the packages are
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
version=${3:-$(packaging/version.sh "$program")}
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/serialscan-$version"
mkdir -p "$tree/settings"
cp -r packaging/debian "$tree/debian"
cp "$program" "$tree/serialscan"
cp packaging/serialscan.yaml "$tree/"
cp -r config/serialscan.yaml config/export-templates "$tree/settings/"
cp -r docs deploy "$tree/"
cp CHANGELOG.md NOTICE Package.resolved "$tree/"
# The package has documents, examples and templates in one folder, and none of the sources.
sed -i -E 's,\]\(\.\./(deploy/|CHANGELOG\.md),](\1,g; s,\]\(\.\./config/,](,g; s,\[([^][]*)\]\(\.\./[^)]*\),\1,g' "$tree"/docs/*.md
GENERATOR=$(dirname "$program")/generate-manual Tools/manual.sh "$tree/manual" "$program" >&2
# Completions are sourced by a running shell, so they need no shebang.
sed -i '1{/^#!/d}' "$tree/manual/share/bash-completion/completions/serialscan"
cat >"$tree/debian/changelog" <<CHANGES
serialscan ($version) unstable; urgency=medium

  * What a user notices is in CHANGELOG.md beside this file.

 -- SerialScan <serialscan@localhost>  $(date -R -d "@$SOURCE_DATE_EPOCH")
CHANGES
chmod -R u=rwX,go=rX "$tree"

(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >"$work/log" 2>&1 || {
  tail -n 40 "$work/log" >&2
  exit 1
}
rm -f "$out"/serialscan*.deb
cp "$work"/serialscan*.deb "$out/"
printf '%s\n' "$out"/serialscan_*.deb "$out"/serialscan-dbgsym_*.deb
