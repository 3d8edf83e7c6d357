#!/usr/bin/env bash
# Writes man pages and completions for bash, zsh and fish, all from what the built program says of itself.
# usage: Tools/manual.sh PREFIX [PROGRAM]   (PREFIX/share/man/man1, PREFIX/share/bash-completion/completions, ...)
# GENERATOR: swift-argument-parser's generate-manual, where it is built already.
# SOURCE_DATE_EPOCH: the date of the pages in seconds since 1970 (default: that of the last commit).
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

# As `man` looks for a subcommand's page: serialscan-scan(1). Blank lines, which stand between paragraphs, are macros in mdoc.
# The page's name is one word, as `apropos` wants it; the synopsis has the command as it is typed.
# The generator's own words about authors and statuses go: it knows nothing of either.
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
