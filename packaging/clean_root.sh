#!/usr/bin/env bash
# Unpacks a minimal root of Debian 12 with only the package manager, from the sources that apt uses here.
# usage: packaging/clean_root.sh FOLDER [PACKAGE,PACKAGE...]    (as root; it is kept in .build for the next time)
set -euo pipefail
cd "$(dirname "$0")/.."
packages=ca-certificates${2:+,$2}
kept=.build/clean-root-$packages.tar
if [[ ! -f "$kept" ]]; then
  sources=/etc/apt/sources.list.d/debian.sources
  [[ -f "$sources" ]] || sources=/etc/apt/sources.list
  mkdir -p .build
  mmdebstrap --quiet --format=tar --variant=minbase --include="$packages" bookworm "$kept.part" "$sources"
  mv "$kept.part" "$kept"
fi
mkdir -p "$1"
tar -xf "$kept" -C "$1"
# Use the sources that apt uses here.
cp -r /etc/apt/apt.conf.d "$1/etc/apt/"
rm -f "$1"/etc/apt/apt.conf.d/docker-*
cp -rn /usr/share/keyrings "$1/usr/share/"
cp /etc/resolv.conf "$1/etc/resolv.conf"
