#!/usr/bin/env bash
# Builds this commit's packages again from scratch, and compares them byte for byte with the existing ones. The second
# build uses the same path: a clone is mounted there in a private mount namespace.
# usage: packaging/reproduce.sh FOLDER      where `make deb` left its packages
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { printf 'packaging/reproduce.sh: %s\n' "$*" >&2; exit 1; }
packages=$(realpath "$1")
[[ -z "$(git status --porcelain)" ]] || fail "there are changes that are not committed, which a second build has not"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/clone"
# With the same dependencies: newer versions allowed by Package.swift would result in different bytes.
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
