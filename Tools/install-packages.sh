#!/usr/bin/env bash
# Installs the Debian packages for building and running SerialScan.
# usage: Tools/install-packages.sh [--with-tests | --with-corpus | --with-packaging]
set -euo pipefail

say() { printf '==> %s\n' "$*" >&2; }
stop() { printf 'serialscan: %s\n' "$*" >&2; exit 1; }

packages=(
  ca-certificates git make pkg-config binutils g++ libc6-dev libcurl4-openssl-dev libxml2-dev zlib1g-dev
  libleptonica-dev libtesseract-dev libzbar-dev libzxing-dev libheif-dev libjpeg-dev libwebp-dev libsqlite3-dev libxlsxwriter-dev
  libsodium-dev libpq-dev
  libseccomp-dev
)
if [[ "${1:-}" == "--with-tests" ]]; then
  packages+=(
    caddy chromium chromium-driver curl faketime ffmpeg nginx-light nodejs openssl pgbouncer postgresql prometheus python3
    python3-jsonschema python3-openpyxl python3-requests python3-venv python3-yaml sqlite3 strace systemd
  )
elif [[ "${1:-}" == "--with-corpus" ]]; then
  packages+=(python3 python3-venv)
elif [[ "${1:-}" == "--with-packaging" ]]; then
  packages+=(curl debhelper dpkg-dev lintian mmdebstrap python3 python3-yaml runc systemd systemd-container umoci)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ "$status" == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

command -v apt-get >/dev/null || stop "this system has no apt-get. Install these by hand: ${missing[*]}"
if [[ $EUID -eq 0 ]]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  stop "no right to install packages. As root, run: apt-get install ${missing[*]}"
fi

# Tests start nginx, Caddy, PostgreSQL and Prometheus themselves, so don't start them as services of this machine.
policy=/usr/sbin/policy-rc.d
if [[ "${1:-}" == "--with-tests" && ! -e "$policy" ]]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi

say "installing ${#missing[@]} Debian packages${as_root[*]:+ with sudo}: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || stop "apt-get update failed; check the network and /etc/apt/sources.list"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
  stop "apt-get install failed; its messages are above"
