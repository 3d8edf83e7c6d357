#!/usr/bin/env bash
# Generates videos, scores tracking and the serials read on them, and checks the gates beside this file.
# usage: Tools/tracking/run.sh
# SERIALSCAN_FILMS names a folder of real films, which are not in the repository; without it, they are skipped.
# EACH (2) and SEED (20261124) select the videos; the gates are only for the defaults. VIDEOS is their folder
# (.build-videos).
set -euo pipefail
cd "$(dirname "$0")/../.."

each=${EACH:-2}
seed=${SEED:-20261124}
folder=${VIDEOS:-.build-videos}/$each-$seed
jobs=$(nproc)

Tools/corpus/prepare.sh
# Films from a different version of the generator are regenerated.
version=$(cat Tools/corpus/make_videos.py Tools/corpus/video/*.py | sha256sum)
if [[ "$(cat "$folder/complete" 2>/dev/null)" != "$version" ]]; then
  echo "==> filming into $folder"
  rm -rf "$folder"
  .venv/bin/python Tools/corpus/make_videos.py --family field --out "$folder" --each "$each" --seed "$seed" --jobs "$jobs"
  echo "$version" >"$folder/complete"
fi
echo "==> tracking"
gates=() serial_gates=()
if [[ "$each" == 2 && "$seed" == 20261124 ]]; then
  gates=(--gates Tools/tracking/gates.csv)
  serial_gates=(--gates Tools/tracking/serial_gates.csv)
fi
status=0
.venv/bin/python Tools/tracking/score.py --videos "$folder" --jobs "$jobs" --json "$folder/figures.json" "${gates[@]}" || status=1
echo "==> tracking real films"
.venv/bin/python Tools/tracking/films.py --gates Tools/tracking/film_gates.csv || status=1
echo "==> reading serials"
.venv/bin/python Tools/tracking/serials.py --videos "$folder" --jobs "$jobs" --json "$folder/serials.json" \
  "${serial_gates[@]}" || status=1
exit "$status"
