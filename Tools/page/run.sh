#!/usr/bin/env bash
# Drives the page in a headless Chromium, and checks every view with axe-core.
# usage: Tools/page/run.sh PROGRAM [--pictures FOLDER]
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v chromium >/dev/null && command -v chromedriver >/dev/null || {
  printf 'the page is not tested: chromium and chromium-driver are missing (Tools/install-packages.sh --with-tests)\n' >&2
  exit 1
}
axe="$top/.build/axe"
if [[ ! -f "$axe/axe_core_python/axe.min.js" ]]; then
  { python3 -m venv "$axe/venv" &&
    "$axe/venv/bin/pip" install -q --disable-pip-version-check --no-deps --target "$axe" -r "$top/Tools/page/requirements.txt"
  } || printf 'axe-core could not be fetched: the views are driven, but not held against it\n' >&2
fi
[[ -f "$axe/axe_core_python/axe.min.js" ]] && export AXE="$axe/axe_core_python/axe.min.js"
# Two browsers at a time, since their tests mostly wait. The camera's follow, since the frames they get depend on the time.
python3 "$top/Tools/page/test_desk.py" "$@" &
driven=0
python3 "$top/Tools/page/test_page.py" "$@" || driven=$?
wait $! || driven=$?
[[ $driven -eq 0 ]] || exit "$driven"
exec python3 "$top/Tools/page/test_camera.py" "$@"
