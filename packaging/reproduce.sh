#!/usr/bin/env bash
# Builds the packages of this commit once more, from nothing, and compares them byte for byte with those that are there.
# The second build stands in the same folder: a mount that nobody else sees puts a clone there.
# usage: packaging/reproduce.sh FOLDER      where `make deb` left its packages
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { printf 'packaging/reproduce.sh: %s\n' "$*" >&2; exit 1; }
packages=$(realpath "$1")
[[ -z "$(git status --porcelain)" ]] || fail "there are changes that are not committed, which a second build has not"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/clone"
# Of the same dependencies: newer ones of the same rules in Package.swift make other bytes.
cp Package.resolved "$work/clone/"
as_root=()
[[ $EUID -eq 0 ]] || as_root=(--map-root-user)
# shellcheck disable=SC2016
unshare "${as_root[@]}" --mount --propagation private bash -euo pipefail -c '
  mount --bind "$1" "$2"
  cd "$2"
  program=$(packaging/program.sh)
  packaging/build.sh "$program" "$3" >/dev/null' build "$work/clone" "$PWD" "$work/packages"
for package in "$packages"/serialscan*.deb; do
  second="$work/packages/$(basename "$package")"
  [[ -f "$second" ]] || fail "the second build has another version than $(basename "$package")"
  cmp "$package" "$second" || fail "$(basename "$package") is not the same"
  sha256sum "$package"
done
printf 'built twice, the same bytes\n'
