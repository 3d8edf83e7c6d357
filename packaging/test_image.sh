#!/usr/bin/env bash
# Starts the image as deploy/compose.yaml does, without a container engine: a read-only root, one volume, an
# unprivileged user. Reads a photo, checks its health, and restarts it with its volume. The container uses this
# machine's network.
# usage: packaging/test_image.sh ARCHIVE.tar     (as root; PORT=18595)
set -euo pipefail
cd "$(dirname "$0")/.."
archive=$(realpath "$1")
port=${PORT:-18595}
server="http://127.0.0.1:$port"
work=$(mktemp -d)
name="serialscan-test-$$"
begun=$SECONDS
say() { printf '%3d s  %s\n' $((SECONDS - begun)) "$*"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  tail -n 30 "$work"/*.log >&2 || true
  exit 1
}
end() {
  runc delete --force "$name" >/dev/null 2>&1 || true
  rm -rf --one-file-system "$work"
}
trap end EXIT
start() {
  runc run --no-pivot --bundle "$work/bundle" "$name" </dev/null >>"$work/server.log" 2>&1 &
  container=$!
  for _ in $(seq 300); do
    kill -0 "$container" 2>/dev/null || fail "the container ended"
    if curl -fs "$server/readyz" >/dev/null; then return; fi
    sleep 0.1
  done
  fail "the server does not answer"
}
field() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }

mkdir "$work/layout" "$work/volume"
tar -xf "$archive" -C "$work/layout"
umoci unpack --image "$work/layout:latest" "$work/bundle" >"$work/unpack.log" 2>&1 || fail "umoci unpack"
chown 10001:10001 "$work/volume"
python3 - "$work" "$port" <<'CONFINE'
import json, pathlib, sys

work, port = pathlib.Path(sys.argv[1]), sys.argv[2]
file = work / "bundle/config.json"
config = json.loads(file.read_text())
process, linux = config["process"], config["linux"]
assert process["user"]["uid"] == 10001, "the image names no user without rights"
config["root"]["readonly"] = True
process.update(terminal=False, noNewPrivileges=True, capabilities={})
process["env"].append(f"SERIALSCAN_PORT={port}")
volume = {"destination": "/var/lib/serialscan", "type": "bind", "source": str(work / "volume"), "options": ["bind", "rw"]}
scratch = {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]}
config["mounts"] = [m for m in config["mounts"] if m["destination"] not in ("/var/lib/serialscan", "/tmp")] + [volume, scratch]
linux["namespaces"] = [n for n in linux["namespaces"] if n["type"] not in ("network", "user")]
file.write_text(json.dumps(config))
CONFINE

start
say "$(runc exec "$name" serialscan version) serves from a read-only root"
runc exec "$name" sh -c '[ "$(id -u)" = 10001 ] && ! touch /usr/mine /etc/mine 2>/dev/null' || fail "it may write its root, or is root"
answer=$(curl -fsS -F image=@testdata/pictures/etched_clean_1.jpg "$server/scan")
job=$(field "['job_id']" <<<"$answer")
serial=$(curl -fsS "$server/result/$job?wait=30" | field "['results']['top_result']['serial']")
say "read $serial"
[[ "$serial" == G0NKP62BLGMZ ]] || fail "it is G0NKP62BLGMZ"
health=$(python3 -c 'import json, yaml
print(*yaml.safe_load(open("deploy/compose.yaml"))["services"]["first"]["healthcheck"]["test"][1:])')
runc exec "$name" ${health/:8000/:$port} || fail "the health check fails: $health"
say "is well: $health"
runc kill "$name" TERM
wait "$container" || fail "it ended with $? on SIGTERM"
runc delete --force "$name"
start
[[ "$(curl -fsS "$server/result/$job" | field "['results']['top_result']['serial']")" == "$serial" ]] || fail "the volume lost a job"
say "was started again, and has the job still"
