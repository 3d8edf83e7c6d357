#!/usr/bin/env bash
# Exits with a clear message if Swift is missing or too old.
set -euo pipefail
if ! command -v swift >/dev/null; then
  echo "serialscan: no Swift found. Install Swift 6.3 for Debian 12 from https://swift.org/install and put it on the PATH." >&2
  exit 1
fi
version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
major=${version%%.*}
minor=${version#*.}
if [[ -z "$version" || "$major" -lt 6 || ("$major" -eq 6 && "$minor" -lt 1) ]]; then
  echo "serialscan: Swift 6.1 or newer is needed (6.3 is what it is tested with); this is ${version:-unknown}." >&2
  exit 1
fi
