#!/usr/bin/env bash
# Starts a temporary PostgreSQL cluster from Debian's packages, runs a command with it, and removes it.
# usage: Tools/postgres.sh COMMAND...      the command finds it by SERIALSCAN_TEST_POSTGRES (a postgresql:// address)
# Without a command, it runs until interrupted. PGDATA_FOLDER keeps the cluster in the given folder. POSTGRES_PROGRAMS
# names the folder of another version's programs; Tools/postgres-13.sh downloads the oldest supported one.
set -euo pipefail

stop() { printf 'serialscan: %s\n' "$*" >&2; exit 1; }

programs="${POSTGRES_PROGRAMS:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)}"
[[ -n "$programs" ]] || stop "there is no PostgreSQL here. Install it: Tools/install-packages.sh --with-tests"

# A command's cluster ends with it, so it may lie in memory: a database is created there in a tenth of the time. Tests leave
# up to 1 GB of them behind.
parent=/tmp
if [[ $# -gt 0 && $(df --output=avail /dev/shm 2>/dev/null | tail -n 1) -gt 2000000 ]]; then parent=/dev/shm; fi
folder=$(mktemp -d "$parent/serialscan-postgres.XXXXXX")
data="${PGDATA_FOLDER:-$folder/data}"
chmod 755 "$folder"
# PostgreSQL does not run as root.
as=()
if [[ $EUID -eq 0 ]]; then
  chown postgres "$folder"
  as=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
end() {
  "${as[@]}" "$programs/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT TERM

cd "$folder"
if [[ ! -f "$data/PG_VERSION" ]]; then
  "${as[@]}" "$programs/initdb" -D "$data" -U serialscan -A trust -E UTF8 --locale=C.UTF-8 >"$folder/initdb.log" 2>&1 ||
    stop "initdb failed: $(tail -n 3 "$folder/initdb.log")"
fi
# Without waits for the disk, a killed server still loses nothing; a machine without power would.
waits=()
[[ $# -eq 0 ]] || waits=(-c fsync=off -c full_page_writes=off)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${as[@]}" "$programs/pg_ctl" -D "$data" -l "$folder/postgres.log" -w \
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$folder -c max_connections=200 ${waits[*]}" start \
  >/dev/null || stop "PostgreSQL did not start: $(tail -n 5 "$folder/postgres.log")"
"${as[@]}" "$programs/createdb" -h 127.0.0.1 -p "$port" -U serialscan serialscan
cd "$OLDPWD"

export SERIALSCAN_TEST_POSTGRES="postgresql://serialscan@127.0.0.1:$port/serialscan"
export SERIALSCAN_TEST_POSTGRES_DATA="$data" SERIALSCAN_TEST_POSTGRES_PROGRAMS="$programs"
if [[ $# -gt 0 ]]; then
  "$@"
else
  echo "PostgreSQL is at $SERIALSCAN_TEST_POSTGRES"
  sleep infinity
fi
