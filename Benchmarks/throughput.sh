#!/usr/bin/env bash
# Measures a server's uploads and polls per second on this machine, and the resources of an idle one.
# usage: Benchmarks/throughput.sh PHOTO [SECONDS]     (needs wrk, curl, python3; builds nothing)
set -euo pipefail
cd "$(dirname "$0")/.."

photo=${1:?a photo to upload}
seconds=${2:-10}
program=.build/release/serialscan
data=$(mktemp -d)
port=18080
trap 'kill "$server" 2>/dev/null || true; rm -rf "$data"' EXIT

start() {
  "$program" serve --host 127.0.0.1 --port "$port" --data "$data" --set queue.max_waiting=1000000 "$@" >"$data/log" 2>&1 &
  server=$!
  for _ in $(seq 100); do curl -fs "http://127.0.0.1:$port/health" >/dev/null && return; sleep 0.1; done
  echo "the server did not start: $(cat "$data/log")" >&2
  exit 1
}

start
echo "== uploads of $(stat -c %s "$photo") bytes, photos being read beside them"
PHOTO="$photo" wrk -t 1 -c 16 -d "${seconds}s" --latency -s Benchmarks/uploads.lua "http://127.0.0.1:$port/scan" |
  grep -E 'status|answer|Socket'
id=$(curl -s -F "image=@$photo" "http://127.0.0.1:$port/scan" | python3 -c 'import json, sys; print(json.load(sys.stdin)["job_id"])')

echo "== polls of /result/{id}"
wrk -t 1 -c 32 -d "${seconds}s" --latency "http://127.0.0.1:$port/result/$id" | grep -E '50%|99%|Requests/sec|Non-2xx' || true

echo "== memory"
grep -E 'VmRSS' "/proc/$server/status" | sed 's/^/server /'
for reader in $(pgrep -P "$server"); do grep -E 'VmRSS' "/proc/$reader/status" | sed 's/^/reader /'; done
