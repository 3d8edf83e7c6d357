#!/usr/bin/env bash
# Writes man pages and completions for bash, zsh and fish, generated from the built program's help.
# usage: Tools/manual.sh PREFIX [PROGRAM]   (PREFIX/share/man/man1, PREFIX/share/bash-completion/completions, ...)
# GENERATOR: swift-argument-parser's generate-manual, if it is already built.
# SOURCE_DATE_EPOCH: the date of the pages in seconds since 1970 (default: the last commit's).
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
[[ $# -ge 1 ]] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 64; }
prefix=$(realpath -m "$1")
program=$(realpath "${2:-$top/.build/release/serialscan}")

cd "$top"
generator=${GENERATOR:-}
if [[ -z "$generator" ]]; then
  swift build -c release --product generate-manual >&2
  generator=$(swift build -c release --show-bin-path 2>/dev/null)/generate-manual
fi
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
version=$("$program" version)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$generator" "$program" --multi-page --date "$(date -u -d "@$seconds" +%F)" --output-directory "$work"
rm "$work/serialscan.help.1"

# Named as `man` searches for a subcommand's page: serialscan-scan(1). In mdoc, blank lines between paragraphs are
# macros. The page's name is one word, as `apropos` requires; the synopsis shows the command as typed. Remove the
# generator's placeholder text about authors and exit statuses.
pages=$prefix/share/man/man1
mkdir -p "$pages"
for page in "$work"/serialscan*.1; do
  name=$(basename "$page" .1)
  sed -E \
    -e '/^\.(Dt|Xr) /s/\./-/2g' \
    -e "s/^\.Os\$/.Os SerialScan $version/" -e 's/^$/.Pp/' \
    -e "s/^\.Nm \".*/.Nm ${name//./-}/" -e "s/^\.Nm\$/.Nm \"${name//./ }\"/" \
    -e '/^\.Sh "EXIT STATUS"/,/^\.Ex /d' -e '/^\.Sh AUTHORS/,$d' "$page" >"$pages/${name//./-}.1"
done

complete() { # SHELL FILE
  mkdir -p "$(dirname "$prefix/share/$2")"
  "$program" --generate-completion-script "$1" >"$prefix/share/$2"
}
complete bash bash-completion/completions/serialscan
complete zsh zsh/site-functions/_serialscan
complete fish fish/vendor_completions.d/serialscan.fish
printf 'man pages and completions are below %s/share\n' "$prefix"
