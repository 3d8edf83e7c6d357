# Plain Debian 12 machines for the packages' tests: containers running systemd, with this machine's network. A script
# that sources this must run as root, set `set -euo pipefail`, and name its machines:
#   machine NAME; boot NAME; in_machine NAME COMMAND...; install_in NAME PACKAGE...
# shellcheck shell=bash
work=$(mktemp -d)
begun=$SECONDS
declare -A containers=() inits=()

say() { printf '%3d s  %s\n' $((SECONDS - begun)) "$*"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  tail -n 20 "$work"/*.log >&2 || true
  local name
  for name in "${!inits[@]}"; do
    in_machine "$name" journalctl --no-pager -n 30 -u 'serialscan*' >&2 || true
  done
  exit 1
}
in_machine() {
  local name=$1
  shift
  nsenter --target "${inits[$name]}" --all --root --wd env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
install_in() {
  local name=$1
  shift
  in_machine "$name" apt-get install -qq -y "$@" >"$work/$name-apt.log" 2>&1 || fail "apt-get install $*"
}
end_machines() {
  local name
  for name in "${!containers[@]}"; do
    # All processes of a container end with its first one.
    if [[ -n "${inits[$name]:-}" ]]; then kill -KILL "${inits[$name]}" || true; fi
    wait "${containers[$name]}" || true
  done
  rm -rf --one-file-system "$work"
}
trap end_machines EXIT

# A machine's files are below $work/NAME.
machine() { packaging/clean_root.sh "$work/$1" systemd-sysv,dbus; }
boot() {
  local name=$1
  # Without the last argument, the container would have no Landlock even if the kernel supports it.
  systemd-nspawn --quiet --register=no --keep-unit --directory="$work/$name" --machine="serialscan-$name" --boot \
    --console=pipe --system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" \
    </dev/null >"$work/$name-boot.log" 2>&1 &
  containers[$name]=$!
  for _ in $(seq 100); do
    inits[$name]=$(pgrep -P "${containers[$name]}" -o || true)
    [[ -n "${inits[$name]}" ]] && in_machine "$name" systemctl is-system-running --wait >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "systemd does not run in $name"
}

waits_until_it_serves() {
  for _ in $(seq 600); do
    if curl -fs "$server/readyz" >/dev/null; then return; fi
    sleep 0.1
  done
  fail "the server does not answer"
}
field() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }
# Uploads a photo and prints its job.
upload() { curl -fsS -F "image=@$1" "$server/scan" | field "['job_id']"; }
# Uploads a photo this many times concurrently, faster than any machine can read them. Prints the jobs.
upload_many() {
  local answers requests=() number
  answers=$(mktemp -d "$work/answers.XXXXXX")
  for number in $(seq "$1"); do
    requests+=(--next -fsS --no-progress-meter -F "image=@$2" -o "$answers/$number" "$server/scan")
  done
  curl --no-progress-meter --parallel --parallel-max 10 "${requests[@]:1}" || return
  python3 -c 'import json, pathlib, sys
for answer in pathlib.Path(sys.argv[1]).iterdir(): print(json.loads(answer.read_text())["job_id"])' "$answers"
}
waiting() { curl -fsS "$server/jobs?status=queued&limit=100" | field "['items'].__len__()"; }
all_are_read() {
  local job state
  for job in "$@"; do
    state=$(curl -fsS "$server/result/$job?wait=60" | field "['status']")
    [[ "$state" == completed ]] || fail "job $job is $state"
  done
}
serial_of() { curl -fsS "$server/result/$1?wait=${2:-30}" | field "['results']['top_result']['serial']"; }
main_process() { in_machine "$1" systemctl show -P MainPID "$2"; }
# Kills a service's main process, and waits until systemd has restarted it.
kill_main_process() {
  local killed now
  killed=$(main_process "$1" "$2")
  in_machine "$1" sh -c "kill -KILL $killed"
  for _ in $(seq 100); do
    now=$(main_process "$1" "$2")
    [[ "$now" != "$killed" && "$now" != 0 ]] && return
    sleep 0.1
  done
  fail "systemd does not start $2 again"
}
