#!/usr/bin/env bash
# Checks packages without installing them: Debian's rules, contents, dependencies, and how far the units restrict a
# server.
# usage: packaging/check.sh units              the units alone, in a second
#        packaging/check.sh serialscan_*.deb serialscan-dbgsym_*.deb
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { printf 'packaging/check.sh: %s\n' "$*" >&2; exit 1; }

# systemd's score is from 0 (fully restricted) to 10; the threshold is ten times the score.
for unit in packaging/debian/*.service; do
  report=$(systemd-analyze security --offline=true --no-pager --threshold=20 "$unit" 2>&1) ||
    fail "$unit lets a server do too much:"$'\n'"$report"
  tail -n 1 <<<"$report"
done
[[ "${1:?units or packages}" != units ]] || exit 0

# These packages are not published yet; a publisher must put an address into debian/control.
lintian --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$@"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dpkg-deb -R "$1" "$work"
program=$work/usr/bin/serialscan
needed=$(readelf --dynamic "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
! grep -qi -e swift -e Foundation <<<"$needed" || fail "the program needs Swift's libraries: $needed"
! grep -qF .debug_info <<<"$(readelf --section-headers --wide "$program")" || fail "the program has its debug symbols still"
! grep -qaF -- "$PWD" "$program" || fail "the program says where it was built"
for file in lib/systemd/system/serialscan.service lib/systemd/system/serialscan-work.service \
  lib/systemd/system/serialscan-watch@.service \
  usr/lib/sysusers.d/serialscan.conf usr/share/man/man1/serialscan-serve.1.gz \
  usr/share/bash-completion/completions/serialscan usr/share/zsh/vendor-completions/_serialscan \
  usr/share/fish/vendor_completions.d/serialscan.fish usr/share/doc/serialscan/export-templates/snipe-it.yaml; do
  [[ -s "$work/$file" ]] || fail "$file is missing"
done
while read -r document; do
  [[ -s "$work$document" ]] || fail "$document is missing: a unit names it"
done < <(grep -oh 'file:///[^ ]*' "$work"/lib/systemd/system/*.service | sed 's,^file://,,')
documents=$work/usr/share/doc/serialscan
while IFS=: read -r document link; do
  [[ -e "$documents/$link" ]] || fail "$document links to $link, which is missing"
done < <(cd "$documents" && grep -oE '\]\([^)#: ]+[)#]' ./*.md | sed 's/](//; s/.$//' | sort -u)
[[ "$(cat "$work/DEBIAN/conffiles")" == /etc/serialscan/serialscan.yaml ]] || fail "other conffiles than the settings"
"$program" config --config "$work/etc/serialscan/serialscan.yaml" >/dev/null || fail "the settings are not taken"
# Library functions that are replaced by name; this detects releases that rename them.
# doctor's whole output is read first: a pipe that grep closes early would end it with an error.
report=$("$program" doctor --data "$work/none" 2>&1) || fail "doctor finds a problem: $report"
grep -q '^ok .*libraries: compatible' <<<"$report" || fail "a replaced function has no effect: $report"
dpkg-deb -x "$2" "$work/symbols"
symbols=$(find "$work/symbols" -name '*.debug')
[[ -n "$symbols" ]] || fail "$2 has no debug symbols"
objcopy --decompress-debug-sections "$symbols" "$work/symbols.debug"
! grep -qaF -- "$PWD" "$work/symbols.debug" || fail "the debug symbols say where the program was built"
! grep -qaF -- /ModuleCache/ "$work/symbols.debug" || fail "the debug symbols name the compiler's cache, which differs by where it lies"
printf 'packages keep the rules:\n'
dpkg-deb -f "$1" Depends | sed 's/, /\n  /g; s/^/  /'
