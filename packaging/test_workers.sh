#!/usr/bin/env bash
# Installs the package on two plain Debian 12 machines: one with Debian's PostgreSQL and a server without workers, the
# other with the service serialscan-work. The worker reads photos uploaded to the server, and is killed and restarted
# while it holds jobs. The containers use this machine's network.
# usage: packaging/test_workers.sh PACKAGE.deb     (as root; PORT=18600, and the two after it)
set -euo pipefail
cd "$(dirname "$0")/.."
package=$(realpath "$1")
port=${PORT:-18600}
server="http://127.0.0.1:$port"
database=$((port + 1))
. packaging/machine.sh

machine server
machine worker
for name in server worker; do
  cp "$package" "$work/$name/serialscan.deb"
  # Until it is configured, it would use its own store.
  echo "SERIALSCAN_PORT=$((port + 2))" >"$work/$name/etc/default/serialscan"
  boot "$name"
done
for name in server worker; do
  in_machine "$name" apt-get update -qq >"$work/$name-apt.log" 2>&1 || fail "apt-get update"
done
install_in server postgresql
in_machine server sh -ec "
  sed -i 's/^port = .*/port = $database/' /etc/postgresql/15/main/postgresql.conf
  systemctl restart postgresql
  setpriv --reuid=postgres --regid=postgres --init-groups psql -q -p $database <<'SQL'
CREATE ROLE serialscan LOGIN PASSWORD 'of-this-test';
CREATE DATABASE serialscan OWNER serialscan ENCODING 'UTF8' TEMPLATE template0;
SQL" >"$work/database.log" 2>&1 || fail "PostgreSQL"
install_in server /serialscan.deb
in_machine server systemctl stop serialscan
install_in worker /serialscan.deb

# As in docs/scale.md: the same store on both, with its password in a file that only root can read.
for name in server worker; do
  printf 'store:\n  url: postgresql://serialscan@127.0.0.1:%s/serialscan\n' "$database" >>"$work/$name/etc/serialscan/serialscan.yaml"
  printf 'PGPASSWORD=of-this-test\n' >"$work/$name/etc/default/serialscan"
  chmod 600 "$work/$name/etc/default/serialscan"
done
printf 'SERIALSCAN_PORT=%s\nSERIALSCAN_WORKERS=0\n' "$port" >>"$work/server/etc/default/serialscan"
in_machine server systemctl start serialscan
waits_until_it_serves
say "a server without workers serves from $(in_machine server dpkg-query -W -f '${Version}' postgresql-15 | sed 's/^/PostgreSQL /')"
job=$(upload testdata/pictures/etched_clean_1.jpg)
state=$(curl -fsS "$server/result/$job?wait=3" | field "['status']")
[[ "$state" == queued ]] || fail "without a worker the job is $state"

in_machine worker systemctl disable -q --now serialscan
in_machine worker systemctl enable -q --now serialscan-work || fail "serialscan-work does not start"
serial=$(serial_of "$job")
[[ "$serial" == G0NKP62BLGMZ ]] || fail "it is G0NKP62BLGMZ, not $serial"
say "serialscan-work read $serial, $(in_machine worker systemctl show -P ActiveState serialscan-work) for systemd"
[[ "$(in_machine worker stat -c %U "/proc/$(main_process worker serialscan-work)")" == serialscan ]] || fail "it reads as another user than its own"
! in_machine worker journalctl --no-pager -q -u serialscan-work -g 'less confined' || fail "the unit keeps readers from confining themselves"
score=$(in_machine worker systemd-analyze security --no-pager --threshold=20 serialscan-work | tail -n 1) || fail "the unit lets it do too much: $score"
say "${score#* }"

mapfile -t jobs < <(upload_many 20 testdata/pictures/screen_clean_1.jpg)
left=$(waiting)
[[ "${#jobs[@]}" -eq 20 && "$left" -gt 0 ]] || fail "${#jobs[@]} of 20 photos were taken, $left wait"
kill_main_process worker serialscan-work
[[ "$(in_machine worker systemctl show -P NRestarts serialscan-work)" == 1 ]] || fail "systemd did not start it again once"
all_are_read "${jobs[@]}"
say "was killed with $left jobs waiting: all ${#jobs[@]} were read"

mapfile -t jobs < <(upload_many 20 testdata/pictures/screen_clean_1.jpg)
left=$(waiting)
[[ "$left" -gt 0 ]] || fail "no job waits"
in_machine worker systemctl restart serialscan-work || fail "it is not restarted"
all_are_read "${jobs[@]}"
say "was restarted with $left jobs waiting: all ${#jobs[@]} were read"

mapfile -t jobs < <(upload_many 20 testdata/pictures/screen_clean_1.jpg)
in_machine server systemctl restart postgresql
waits_until_it_serves
all_are_read "${jobs[@]}"
serial=$(serial_of "$(upload testdata/pictures/etched_clean_1.jpg)")
[[ "$serial" == G0NKP62BLGMZ ]] || fail "it is G0NKP62BLGMZ, not $serial"
say "PostgreSQL was restarted: all ${#jobs[@]} were read, and a photo after that"

in_machine worker systemctl stop serialscan-work
[[ "$(in_machine worker systemctl show -P Result serialscan-work)" == success ]] || fail "it does not end as it should"
[[ "$(in_machine worker journalctl --no-pager -q -u serialscan-work -g 'Main process exited' | wc -l)" == 1 ]] ||
  fail "it ended otherwise than by being killed once, and told to stop"
say "stopped"
