#!/usr/bin/env bash
# Installs what draws pictures and videos: Debian packages, fonts, and the Python packages in .venv.
set -euo pipefail
cd "$(dirname "$0")/../.."
Tools/install-packages.sh --with-corpus
Tools/corpus/install-fonts.sh
if [[ ! -x .venv/bin/python ]]; then
  python3 -m venv .venv
  .venv/bin/pip install --quiet -r Tools/requirements.txt
fi
