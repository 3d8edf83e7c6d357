#!/usr/bin/env bash
# Installs the package on a machine with Debian 12 alone, a container in which systemd runs: reads a photo there, ends the
# server, upgrades with jobs waiting, removes and purges. The container has this machine's network.
# usage: packaging/test_install.sh PACKAGE.deb NEWER_PACKAGE.deb     (as root; PORT=18590)
set -euo pipefail
cd "$(dirname "$0")/.."
old=$(realpath "$1") new=$(realpath "$2")
port=${PORT:-18590}
server="http://127.0.0.1:$port"
work=$(mktemp -d)
root="$work/root"
begun=$SECONDS
container= init=

say() { printf '%3d s  %s\n' $((SECONDS - begun)) "$*"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  tail -n 20 "$work"/*.log >&2 || true
  if [[ -n "$init" ]]; then inside journalctl --no-pager -n 30 -u serialscan >&2 || true; fi
  exit 1
}
inside() {
  nsenter --target "$init" --all --root --wd env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
install() { inside apt-get install -qq -y "$@" >"$work/apt.log" 2>&1 || fail "apt-get install $*"; }
end() {
  # With the first process of a container end all.
  if [[ -n "$init" ]]; then kill -KILL "$init"; fi
  if [[ -n "$container" ]]; then wait "$container" || true; fi
  rm -rf --one-file-system "$work"
}
trap end EXIT

boot() {
  # Without the last, the container would have no Landlock, though the kernel has it.
  systemd-nspawn --quiet --register=no --keep-unit --directory="$root" --machine=serialscan-test --boot --console=pipe \
    --system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" \
    </dev/null >"$work/boot.log" 2>&1 &
  container=$!
  for _ in $(seq 100); do
    init=$(pgrep -P "$container" -o || true)
    [[ -n "$init" ]] && inside systemctl is-system-running --wait >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "systemd does not run in the container"
}
waits_until_it_serves() {
  for _ in $(seq 600); do
    if curl -fs "$server/readyz" >/dev/null; then return; fi
    sleep 0.1
  done
  fail "the server does not answer"
}
field() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }

packaging/clean_root.sh "$root" systemd-sysv,dbus
cp "$old" "$root/old.deb"
cp "$new" "$root/new.deb"
echo "SERIALSCAN_PORT=$port" >"$root/etc/default/serialscan"
boot
# What is promised is promised of packages at hand.
inside apt-get update -qq >"$work/apt.log" 2>&1 || fail "apt-get update"
install --download-only /old.deb
[[ -z "$(inside sh -c 'command -v swift; ls -d /usr/lib/swift* 2>/dev/null || true')" ]] || fail "there is a Swift already"

begun=$SECONDS
say "apt install ./serialscan.deb"
install /old.deb
waits_until_it_serves
say "$(inside serialscan version) serves, $(inside systemctl show -P ActiveState serialscan) for systemd"
[[ "$(inside systemctl show -P ActiveState serialscan)" == active ]] || fail "systemd was not told that it serves"
answer=$(curl -fsS -F image=@testdata/pictures/etched_clean_1.jpg "$server/scan")
serial=$(curl -fsS "$server/result/$(field "['job_id']" <<<"$answer")?wait=30" | field "['results']['top_result']['serial']")
say "read $serial"
[[ "$serial" == G0NKP62BLGMZ ]] || fail "it is G0NKP62BLGMZ"

main() { inside systemctl show -P MainPID serialscan; }
[[ "$(inside stat -c %U "/proc/$(main)")" == serialscan ]] || fail "it serves as another user than its own"
inside journalctl --no-pager -q -u serialscan -g "$port" >/dev/null || fail "the journal has no word of it"
! inside journalctl --no-pager -q -u serialscan -g 'less confined' || fail "the unit keeps readers from confining themselves"
inside setpriv --reuid=serialscan --regid=serialscan --clear-groups \
  serialscan doctor --config /etc/serialscan/serialscan.yaml >"$work/doctor.log" || fail "doctor finds something wrong"
killed=$(main)
inside sh -c "kill -KILL $killed"
for _ in $(seq 100); do
  [[ "$(main)" != "$killed" && "$(main)" != 0 ]] && break
  sleep 0.1
done
waits_until_it_serves
say "was killed, and serves again"

printf '# mine\n' >>"$root/etc/serialscan/serialscan.yaml"
# Many at once: they come faster than any machine reads them.
# shellcheck disable=SC2016
mapfile -t jobs < <(seq 60 | xargs -P 10 -I{} sh -c '
  printf "%s\n" "$(curl -fsS -F image=@testdata/pictures/screen_clean_1.jpg "$0/scan" |
    python3 -c "import json, sys; print(json.load(sys.stdin)[\"job_id\"])")"' "$server")
[[ "${#jobs[@]}" -eq 60 ]] || fail "${#jobs[@]} of 60 photos were taken"
waiting=$(curl -fsS "$server/jobs?status=queued&limit=100" | field "['items'].__len__()")
[[ "$waiting" -gt 0 ]] || fail "no job waits"
install -o Dpkg::Options::=--force-confold /new.deb
waits_until_it_serves
grep -q '^# mine$' "$root/etc/serialscan/serialscan.yaml" || fail "the settings were overwritten"
say "upgraded from $(dpkg-deb -f "$old" Version) to $(inside dpkg-query -W -f '${Version}' serialscan), $waiting jobs waiting"
for job in "${jobs[@]}"; do
  state=$(curl -fsS "$server/result/$job?wait=60" | field "['status']")
  [[ "$state" == completed ]] || fail "job $job is $state"
done
say "all ${#jobs[@]} jobs were read"

inside apt-get remove -qq -y serialscan >"$work/apt.log" 2>&1 || fail "apt-get remove"
! curl -fs "$server/readyz" >/dev/null || fail "it serves still"
[[ ! -e "$root/usr/bin/serialscan" ]] || fail "removing left the program"
[[ -f "$root/var/lib/serialscan/serialscan.sqlite" && -f "$root/etc/serialscan/serialscan.yaml" ]] ||
  fail "removing took data or settings"
say "removed: data and settings stay"
rm "$root/etc/default/serialscan"
inside apt-get purge -qq -y serialscan >"$work/apt.log" 2>&1 || fail "apt-get purge"
left=$(cd "$root" && find . -xdev -iname '*serialscan*' -prune -not -path './proc/*')
[[ "$left" == ./var/lib/serialscan ]] || fail "purging left $left"
say "purged: nothing but the data stays"
