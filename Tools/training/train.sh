#!/bin/bash
# Trains the line models from Debian's `eng`, and the network for single characters, and measures them:
# Tools/training/train.sh [install]
#
# All files are in Tools/training/work (set WORK to change it) and depend only on the seeds below. Finished stages are
# not repeated, so an interrupted run resumes where it stopped. With `install`, the models replace the shipped ones.
# Requires the Debian packages of README.md and a Python with Tools/training/requirements.txt (.venv in the root, or set
# PYTHON).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=${WORK:-$here/work}
python=${PYTHON:-$top/.venv/bin/python}
[ -x "$python" ] || python=python3
eng=${ENG:-/usr/share/tesseract-ocr/5/tessdata/eng.traineddata}
shipped=$top/Sources/TextReading/Model

# Learning rate and iterations of each stage, one line per iteration. The tail at a low rate matters. Stages 7 and 8
# include alternative shapes of characters (typefaces.py, ALTERNATES) and produce the model of serials; later stages
# also include labels in other scripts (foreign_labels.py) and produce the model of labels.
stages=("5e-4 8000" "4e-4 12000" "2e-4 6000" "6e-5 4000" "15e-5 6000" "4e-5 4000" "1e-4 5000 --alternates" "3e-5 3000 --alternates"
  "2e-4 6000 --alternates --foreign 0.3" "6e-5 3000 --alternates --foreign 0.25" "3e-5 2500 --alternates --foreign 0.15")
serial_stage=8
seed=20260100          # a stage's lines use this seed plus the stage number
held_out_seed=7
lines_per_shard=100
held_out_lines=600     # per preset

export OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0
export XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
mkdir -p "$work"
cd "$work"

echo "== eng as a float network"
if [ ! -f eng_float.lstm ]; then
  cp "$eng" eng.traineddata
  combine_tessdata -e eng.traineddata eng.lstm > /dev/null 2>&1
  "$python" "$here/unquantise.py" eng.lstm eng_float.lstm
fi

echo "== held-out lines"
for preset in etched screen sticker; do
  [ -f "held_out/$preset/lines.tsv" ] || "$python" "$here/make_lines.py" held-out "held_out/$preset" --preset "$preset" \
    --lines "$held_out_lines" --seed "$held_out_seed"
done

echo "== single characters"
if [ ! -f glyphs.bin ]; then
  mkdir -p glyphs
  # The first network is trained on lines with separate characters and aligns the serials of all other lines. The second
  # one, trained on these, aligns them again and also lines in further typefaces, on which the shipped network is
  # trained.
  make() { "$python" "$here/make_glyphs.py" "glyphs/$1.npz" --lines "$2" --seed "$3" "${@:4}"; }
  learn() { "$python" "$here/train_glyphs.py" "$@"; }
  make apart 12000 504
  learn glyphs/guide.bin --epochs 4 --train glyphs/apart.npz --held-out glyphs/apart.npz
  make first_plain 12000 502 --guide glyphs/guide.bin
  make first_alternates 24000 501 --alternates --guide glyphs/guide.bin
  learn glyphs/second_guide.bin --train glyphs/first_alternates.npz glyphs/first_plain.npz --held-out glyphs/apart.npz
  make held_out 3000 503 --held-out --guide glyphs/second_guide.bin
  make plain 12000 502 --guide glyphs/second_guide.bin
  make alternates 24000 501 --alternates --guide glyphs/second_guide.bin
  make further_1 20000 505 --further --guide glyphs/second_guide.bin
  make further_2 20000 506 --further --guide glyphs/second_guide.bin
  learn glyphs.bin --channels 12 24 48 --hidden 64 --epochs 10 --temperature 1.3 --held-out glyphs/held_out.npz \
    --train glyphs/alternates.npz glyphs/plain.npz glyphs/further_1.npz glyphs/further_2.npz | tee glyphs.md
fi

previous=$work/eng_float.lstm
number=0
for stage in "${stages[@]}"; do
  read -r -a also <<< "$stage"
  rate=${also[0]} iterations=${also[1]} also=("${also[@]:2}")
  number=$((number + 1))
  folder=stage$number
  if [ ! -f "$folder/done" ]; then
    rm -rf "$folder"
    mkdir -p "$folder/lines"
    echo "== stage $number: $iterations lines"
    "$python" "$here/make_lines.py" train "$folder/lines" --shards "0:$((iterations / lines_per_shard))" --lines "$lines_per_shard" \
      --seed $((seed + number)) "${also[@]}"
    find "$work/$folder/lines" -name '*.lstmf' | sort > "$folder/list.txt"
    echo "== stage $number: training at $rate"
    # Each stage restarts its count, so that it uses each of its lines once.
    lstmtraining --continue_from "$previous" --traineddata eng.traineddata --reset_learning_rate --learning_rate "$rate" \
      --max_iterations "$iterations" --train_listfile "$folder/list.txt" --model_output "$folder/model" > "$folder/log.txt" 2>&1
    rm -rf "$folder/lines" "$folder"/model_*.checkpoint
    touch "$folder/done"
    tail -1 "$folder/log.txt"
  fi
  previous=$work/$folder/model_checkpoint
done

echo "== int8, without dictionaries"
"$here/pack_model.sh" "$work/stage$serial_stage/model_checkpoint" eng.traineddata serial.traineddata
"$here/pack_model.sh" "$previous" eng.traineddata labels.traineddata

echo "== held-out figures"
"$python" "$here/measure_model.py" held_out "$work/eng.traineddata" "$work/serial.traineddata" "$work/labels.traineddata" | tee figures.md

if [ "${1:-}" = install ]; then
  cp serial.traineddata labels.traineddata glyphs.bin "$shipped/"
  echo "Installed all three in $shipped"
fi
