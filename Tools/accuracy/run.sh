#!/usr/bin/env bash
# Generates both families of pictures, scores the reader on them, and checks the gates beside this file.
# usage: Tools/accuracy/run.sh [FAMILY...]        (default: workshop field)
# PER_FOLDER and LOOK_ALIKES set the size (20 and 40, for which the gates are defined), CORPUS the folder
# (.build-corpus).
set -euo pipefail
cd "$(dirname "$0")/../.."

families=("$@")
[[ $# -gt 0 ]] || families=(workshop field)
per_folder=${PER_FOLDER:-20}
look_alikes=${LOOK_ALIKES:-40}
corpus=${CORPUS:-.build-corpus}
jobs=$(nproc)

Tools/corpus/prepare.sh

status=0
for family in "${families[@]}"; do
  folder="$corpus/$family-$per_folder"
  if [[ ! -f "$folder/complete" ]]; then
    echo "==> drawing the family $family into $folder"
    .venv/bin/python Tools/corpus/make.py --family "$family" --out "$folder" --per-folder "$per_folder" \
      --look-alikes "$look_alikes" --seed 4242 --jobs "$jobs"
    touch "$folder/complete"
  fi
  echo "==> reading the family $family"
  gates=()
  if [[ "$per_folder" == 20 && "$look_alikes" == 40 && -f "Tools/accuracy/$family.csv" ]]; then
    gates=(--gates "Tools/accuracy/$family.csv")
  fi
  .build/release/serialscan evaluate "$folder" --jobs "$jobs" --csv "$corpus/$family.csv" --json "$corpus/$family.json" \
    --diagram "$corpus/$family.svg" "${gates[@]}" || status=1
done
exit "$status"
