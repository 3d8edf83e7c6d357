#!/usr/bin/env bash
# Draws the pictures to which the confidence is fitted, reads them and worse copies of them, and writes judged.csv.
# usage: Tools/accuracy/judged.sh
# CORPUS is the folder (.build-corpus); pictures that it holds are not drawn again.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Seeds that only the fit uses. Hard pictures are drawn more often: they are misread more often.
sets=(workshop-61003 field-61001)
folders=(40:screen-hard,sticker-hard,oblique 36:etched-hard 30:etched-round,look-alikes
  20:screen-medium,sticker-medium,etched-medium 8:screen-easy,sticker-easy,etched-easy)
corpus=${CORPUS:-.build-corpus}
jobs=$(nproc)

Tools/corpus/prepare.sh

tables=()
for set in "${sets[@]}"; do
  if [[ ! -f "$corpus/$set/complete" ]]; then
    echo "==> drawing $set"
    for part in "${folders[@]}"; do
      .venv/bin/python Tools/corpus/make.py --family "${set%-*}" --seed "${set#*-}" --out "$corpus/$set" --jobs "$jobs" \
        --per-folder "${part%%:*}" --look-alikes 40 --only "${part#*:}"
    done
    .venv/bin/python Tools/accuracy/worsen.py "$corpus/$set" "$corpus/$set-worse"
    touch "$corpus/$set/complete"
  fi
  for read in "$set" "$set-worse"; do
    echo "==> reading $read"
    .build/release/serialscan evaluate "$corpus/$read" --jobs "$jobs" --table "$corpus/$read.csv" >/dev/null
    tables+=("$corpus/$read.csv")
  done
done
.venv/bin/python Tools/accuracy/calibrate.py freeze --commit "$(git describe --always --dirty --abbrev=8)" "${tables[@]}" \
  >"$corpus/judged.csv"
mv "$corpus/judged.csv" Tools/accuracy/judged.csv
