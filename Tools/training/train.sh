#!/bin/bash
# Trains the line model further, and the network for single characters from scratch, and measures them:
# Tools/training/train.sh [install]
#
# All files are in Tools/training/work (set WORK to change it). Finished stages are not repeated, so an interrupted run
# resumes where it stopped. With `install`, both replace the shipped ones. Requires the Debian packages of README.md and a
# Python with Tools/training/requirements.txt (.venv in the root, or set PYTHON).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=${WORK:-$here/work}
python=${PYTHON:-$top/.venv/bin/python}
[ -x "$python" ] || python=python3
eng=${ENG:-/usr/share/tesseract-ocr/5/tessdata/eng.traineddata}
shipped=$top/Sources/TextReading/Model

held_out_seed=7
held_out_lines=600     # per preset

export OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0
export XLA_FLAGS="--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
mkdir -p "$work"
cd "$work"

echo "== eng and its words"
if [ ! -f words.txt ]; then
  cp "$eng" eng.traineddata
  combine_tessdata -e eng.traineddata eng.lstm-unicharset eng.lstm-word-dawg > /dev/null 2>&1
  dawg2wordlist eng.lstm-unicharset eng.lstm-word-dawg words.partial > /dev/null 2>&1
  mv words.partial words.txt
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

echo "== the line model"
if [ ! -f serial.traineddata ]; then
  # Each run has lines of its own.
  "$python" "$here/train_lines.py" "$shipped/serial.traineddata" serial.partial --words words.txt --held-out held_out \
    --lines 334000 --passes 13 --seed "${SEED:-$(date +%Y%m%d)}"
  mv serial.partial serial.traineddata
fi

echo "== held-out figures"
"$python" "$here/measure_model.py" held_out "$work/eng.traineddata" "$shipped/second.traineddata" "$work/serial.traineddata" | tee figures.md

if [ "${1:-}" = install ]; then
  cp serial.traineddata glyphs.bin "$shipped/"
  echo "Installed serial.traineddata and glyphs.bin in $shipped"
fi
