#!/bin/bash
# pack_model.sh CHECKPOINT BASE.traineddata OUT.traineddata: an int8 model with the base's characters and none of its dictionaries.
set -euo pipefail
checkpoint=$(realpath "$1") base=$(realpath "$2") out=$(realpath "$3")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
lstmtraining --stop_training --convert_to_int --continue_from "$checkpoint" --traineddata "$base" --model_output full.traineddata > log.txt 2>&1 \
  || { cat log.txt >&2; exit 1; }
combine_tessdata -u full.traineddata serial. > log.txt 2>&1
rm -f serial.lstm-word-dawg serial.lstm-punc-dawg serial.lstm-number-dawg
combine_tessdata serial. >> log.txt 2>&1
mv serial.traineddata "$out"
