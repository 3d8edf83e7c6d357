#!/usr/bin/env bash
# Installs the package on a plain Debian 12, in a container running systemd: reads a photo, kills the server, upgrades
# with jobs waiting, removes and purges. The container uses this machine's network.
# usage: packaging/test_install.sh PACKAGE.deb NEWER_PACKAGE.deb     (as root; PORT=18590)
# The first may be from any earlier commit with packages.
set -euo pipefail
cd "$(dirname "$0")/.."
old=$(realpath "$1") new=$(realpath "$2")
port=${PORT:-18590}
server="http://127.0.0.1:$port"
. packaging/machine.sh
root="$work/machine"
inside() { in_machine machine "$@"; }
# Prints the latest migration of a database.
step_of() {
  python3 -c 'import sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(database.execute("SELECT max(number) FROM schema_migrations").fetchone()[0])' "$1"
}

machine machine
cp "$old" "$root/old.deb"
cp "$new" "$root/new.deb"
echo "SERIALSCAN_PORT=$port" >"$root/etc/default/serialscan"
boot machine
# The guarantees assume that the packages are already downloaded.
inside apt-get update -qq >"$work/apt.log" 2>&1 || fail "apt-get update"
install_in machine --download-only /old.deb
[[ -z "$(inside sh -c 'command -v swift; ls -d /usr/lib/swift* 2>/dev/null || true')" ]] || fail "there is a Swift already"

begun=$SECONDS
say "apt install ./serialscan.deb"
install_in machine /old.deb
waits_until_it_serves
say "$(inside serialscan version) serves, $(inside systemctl show -P ActiveState serialscan) for systemd"
[[ "$(inside systemctl show -P ActiveState serialscan)" == active ]] || fail "systemd was not told that it serves"
first=$(upload testdata/pictures/etched_clean_1.jpg)
serial=$(serial_of "$first")
say "read $serial"
[[ "$serial" == G0NKP62BLGMZ ]] || fail "it is G0NKP62BLGMZ"

[[ "$(inside stat -c %U "/proc/$(main_process machine serialscan)")" == serialscan ]] || fail "it serves as another user than its own"
inside journalctl --no-pager -q -u serialscan -g "$port" >/dev/null || fail "the journal has no word of it"
! inside journalctl --no-pager -q -u serialscan -g 'less confined' || fail "the unit keeps readers from confining themselves"
inside setpriv --reuid=serialscan --regid=serialscan --clear-groups \
  serialscan doctor --config /etc/serialscan/serialscan.yaml >"$work/doctor.log" || fail "doctor finds something wrong"
kill_main_process machine serialscan
waits_until_it_serves
say "was killed, and serves again"

printf '# mine\n' >>"$root/etc/serialscan/serialscan.yaml"
mapfile -t jobs < <(upload_many 60 testdata/pictures/screen_clean_1.jpg)
[[ "${#jobs[@]}" -eq 60 ]] || fail "${#jobs[@]} of 60 photos were taken"
database="$root/var/lib/serialscan/serialscan.sqlite"
step=$(step_of "$database")
left=$(waiting)
[[ "$left" -gt 0 ]] || fail "no job waits"
install_in machine -o Dpkg::Options::=--force-confold /new.deb
waits_until_it_serves
grep -q '^# mine$' "$root/etc/serialscan/serialscan.yaml" || fail "the settings were overwritten"
say "upgraded from $(dpkg-deb -f "$old" Version) to $(inside dpkg-query -W -f '${Version}' serialscan), $left jobs waiting"
all_are_read "${jobs[@]}"
say "all ${#jobs[@]} jobs were read"
[[ "$(serial_of "$first")" == "$serial" ]] || fail "the first photo's result was lost"
newest=$(step_of "$database")
if [[ "$newest" -gt "$step" ]]; then
  [[ "$(step_of "$database.before-$((step + 1))")" == "$step" ]] || fail "no copy of the database from before its migration"
  say "its database went from step $step to $newest, and a copy of the older one lies beside it"
fi

inside apt-get remove -qq -y serialscan >"$work/apt.log" 2>&1 || fail "apt-get remove"
! curl -fs "$server/readyz" >/dev/null || fail "it serves still"
[[ ! -e "$root/usr/bin/serialscan" ]] || fail "removing left the program"
[[ -f "$database" && -f "$root/etc/serialscan/serialscan.yaml" ]] || fail "removing took data or settings"
say "removed: data and settings stay"
rm "$root/etc/default/serialscan"
inside apt-get purge -qq -y serialscan >"$work/apt.log" 2>&1 || fail "apt-get purge"
left=$(cd "$root" && find . -xdev -iname '*serialscan*' -prune -not -path './proc/*')
[[ "$left" == ./var/lib/serialscan ]] || fail "purging left $left"
say "purged: nothing but the data stays"
