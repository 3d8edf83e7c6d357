#!/usr/bin/env bash
# Builds a container image of the package: Debian 12 with the server and its dependencies but no compiler, as an OCI
# archive. umoci writes it; no container engine is needed. Also lists the image's contents by size, largest first (KiB).
# usage: packaging/image.sh PACKAGE.deb ARCHIVE.tar     (as root)
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { printf 'packaging/image.sh: %s\n' "$*" >&2; exit 1; }
package=$(realpath "$1")
mkdir -p "$(dirname "$2")"
archive=$(realpath "$2")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
work=$(mktemp -d)
root="$work/root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

packaging/clean_root.sh "$root"
mount -t proc proc "$root/proc"
cp "$package" "$root/serialscan.deb"
# Manuals are not needed in a container.
cat >"$root/etc/dpkg/dpkg.cfg.d/without-manuals" <<'RULES'
path-exclude=/usr/share/doc/*
path-include=/usr/share/doc/*/copyright
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/info/*
RULES
# The same user id in every image, because it owns the volumes.
inside useradd --system --uid 10001 --user-group --home-dir /var/lib/serialscan --shell /usr/sbin/nologin serialscan
{
  inside apt-get update -qq
  # Of systemd only the part that creates users; curl is for health checks.
  inside apt-get install -qq -y --no-install-recommends systemd-standalone-sysusers curl /serialscan.deb
} >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "the package can't be installed"; }
inside install -d -m 700 -o serialscan -g serialscan /var/lib/serialscan
version=$(inside dpkg-query -W -f '${Version}' serialscan)
inside dpkg-query -W -f '${Installed-Size}\t${Package}\n' | sort -rn >"$archive.packages"

umount "$root/proc"
# Remove leftovers of the package manager, files that differ between builds, and this machine's apt sources.
rm -rf "$root"/serialscan.deb "$root"/usr/share/{doc/*/[!c]*,man,locale,info} "$root"/var/{cache,log,lib/apt/lists}/* \
  "$root"/var/lib/dpkg/*-old "$root"/{tmp,run,var/tmp}/* "$root"/etc/apt/apt.conf.d/* "$root"/etc/*- "$root"/etc/machine-id
find "$root/usr" -name __pycache__ -prune -exec rm -rf {} +
: >"$root/etc/resolv.conf"
for tool in gcc cc clang swift ld as make; do
  [[ -z "$(inside sh -c "command -v $tool || true")" ]] || fail "there is a compiler: $tool"
done
# Set the times of newer files to the commit's.
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +

layout="$work/layout"
image="$layout:latest"
umoci init --layout "$layout"
umoci new --image "$image"
umoci insert --image "$image" --history.created "$created" --history.created_by packaging/image.sh "$root" /
umoci config --image "$image" --no-history --created "$created" --os linux --architecture "$(dpkg --print-architecture)" \
  --config.user 10001:10001 --config.workingdir /var/lib/serialscan --config.volume /var/lib/serialscan \
  --config.exposedports 8000/tcp --config.stopsignal SIGTERM \
  --config.entrypoint /usr/bin/serialscan --config.cmd serve \
  --clear=config.env --config.env PATH=/usr/bin:/bin --config.env LC_ALL=C.UTF-8 --config.env SERIALSCAN_HOST=0.0.0.0 \
  --config.env SERIALSCAN_DATA=/var/lib/serialscan --config.env SERIALSCAN_DATASETS=/var/lib/serialscan/datasets \
  --config.label org.opencontainers.image.title=serialscan --config.label "org.opencontainers.image.version=$version" \
  --config.label org.opencontainers.image.licenses=Apache-2.0
umoci gc --layout "$layout"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$layout" -cf "$archive" .
size=$(stat -c %s "$archive")
[[ "$size" -lt 150000000 ]] || fail "the image has $size bytes, more than 150 MB"
printf '%s\n' "$archive"
