#!/usr/bin/env bash
# Writes the client's documentation. A warning is an error.
# usage: Clients/Swift/Tools/docs.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
mkdir -p "$folder"
# A build folder of its own: only this one has the plugin.
SERIALSCAN_DOCS=1 swift package --scratch-path .build/docs --allow-writing-to-directory "$folder" generate-documentation \
  --target SerialScanClient --output-path "$folder" --transform-for-static-hosting --warnings-as-errors
