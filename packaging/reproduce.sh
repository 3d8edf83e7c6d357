#!/usr/bin/env bash
# Builds the packages of this commit once more: from nothing, in another folder of another name. Compares them byte for
# byte with those that are there.
# usage: packaging/reproduce.sh FOLDER      where `make deb` left its packages
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath "$1")
fail() { printf 'packaging/reproduce.sh: %s\n' "$*" >&2; exit 1; }
[[ -z "$(git status --porcelain)" ]] || fail "there are changes that are not committed, which a second build has not"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/built-a-second-time"
# Of the same dependencies: newer ones of the same rules in Package.swift make other bytes.
cp Package.resolved "$work/built-a-second-time/"
cd "$work/built-a-second-time"
program=$(packaging/program.sh)
packaging/build.sh "$program" "$work/packages" >/dev/null
for package in "$packages"/serialscan*.deb; do
  second="$work/packages/$(basename "$package")"
  [[ -f "$second" ]] || fail "the second build has another version than $(basename "$package")"
  cmp "$package" "$second" || fail "$(basename "$package") is not the same"
  sha256sum "$package"
done
printf 'built twice, the same bytes\n'
