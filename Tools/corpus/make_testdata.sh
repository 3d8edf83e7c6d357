#!/bin/sh
# Regenerates testdata/pictures from its seed. Requires the fonts of install-fonts.sh, heif-enc (libheif-examples), and
# the Python packages of Tools/requirements.txt; PYTHON names the interpreter that has them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"${PYTHON:-python3}" "$here/make_testdata.py" "$here/../../testdata/pictures"
