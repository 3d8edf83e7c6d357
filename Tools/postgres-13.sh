#!/usr/bin/env bash
# Runs a command with a temporary PostgreSQL 13, the oldest supported version. Its programs are downloaded from Debian
# 11's packages to .build/postgres-13; nothing is installed.
# usage: Tools/postgres-13.sh COMMAND...      as Tools/postgres.sh
set -euo pipefail
cd "$(dirname "$0")/.."

stop() { printf 'serialscan: %s\n' "$*" >&2; exit 1; }

folder="$PWD/.build/postgres-13"
if [[ ! -x "$folder/root/usr/lib/postgresql/13/bin/postgres" ]]; then
  command -v apt-get >/dev/null || stop "this system has no apt-get to fetch Debian's packages with"
  mirror=$(sed -nE 's/^URIs: *//p; s/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep -m 1 '/debian/*$' || true)
  [[ -n "$mirror" ]] || stop "there is no address of Debian's packages in /etc/apt"
  rm -rf "$folder"
  mkdir -p "$folder"/{lists/partial,cache/archives/partial,packages,root}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bullseye main" >"$folder/sources.list"
  fetch() {
    apt-get -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root \
      -o Dir::State::lists="$folder/lists" -o Dir::Cache="$folder/cache" "$@"
  }
  fetch update
  (cd "$folder/packages" && fetch download postgresql-13 postgresql-client-13 libicu67 libldap-2.4-2 libssl1.1)
  for package in "$folder"/packages/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
  rm -rf "$folder"/{lists,cache,packages}
fi

export LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export POSTGRES_PROGRAMS="$folder/root/usr/lib/postgresql/13/bin"
exec Tools/postgres.sh "$@"
