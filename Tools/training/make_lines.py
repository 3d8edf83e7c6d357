"""Makes shards of synthetic lines in Tesseract's .lstmf format, and contact sheets for inspection.

    make_lines.py train OUT --shards 0:200 --lines 100 --seed 20260101
    make_lines.py held-out OUT --preset sticker --shards 0:1 --lines 600 --seed 7
    make_lines.py sheet OUT.png --preset screen

A shard depends only on (seed, preset, shard number).
"""

import argparse
import os
import struct
import zlib
from dataclasses import replace

import cv2
import numpy as np

import compose_text
import draw_line
import foreign_labels
import normalise_line
import photograph_line
import typefaces

PRESETS = ("etched", "screen", "sticker")
SHARES = (0.42, 0.24, 0.34)


def sample(rng, preset, groups, alternates, foreign_share):
    """Returns (line image, the Line it shows)."""
    script = None
    if foreign_share and rng.random() < foreign_share:
        preset, (script, line) = "screen", foreign_labels.compose(rng)
    else:
        line = compose_text.COMPOSERS[preset](rng)
    ink, capital, line = draw_line.draw(rng, preset, line, groups[preset], alternates, script)
    line = replace(line, label=foreign_labels.word_for(line.label))
    gray, target, light_text = photograph_line.CAMERAS[preset](rng, photograph_line.tilt(rng, ink), capital)
    return normalise_line.normalise(rng, gray, target, light_text), line


def samples(seed, shard, count, groups, preset=None, alternates=(), foreign_share=0.0):
    rng = np.random.default_rng([seed, shard, zlib.crc32((preset or "mixed").encode())])
    while count:
        image, line = sample(rng, preset or rng.choice(PRESETS, p=SHARES), groups, alternates, foreign_share)
        if line.text and min(image.shape) >= 12:
            yield image, line
            count -= 1


def length_prefixed(data):
    return struct.pack("<I", len(data)) + data


def write_shard(path, items):
    """Writes Tesseract 5's DocumentData (ccstruct/imagedata.cpp): a vector of pages, each a PNG with its transcription
    and no boxes."""
    with open(path, "wb") as out:
        out.write(struct.pack("<I", len(items)))
        for number, (image, line) in enumerate(items):
            png = cv2.imencode(".png", image, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1].tobytes()
            text = compose_text.transcription(line.text).encode()
            out.write(b"\x01" + length_prefixed(b"line.png") + struct.pack("<i", number) + length_prefixed(png) + length_prefixed(b"eng")
                      + length_prefixed(text) + struct.pack("<II", 0, 0) + b"\x00")


def write_pictures(folder, items):
    """Writes the same lines as PNG files with their text and serial, for `measure_model.py`."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lines.tsv"), "w") as table:
        for number, (image, line) in enumerate(items):
            name = "%05d.png" % number
            cv2.imwrite(os.path.join(folder, name), image)
            table.write("\t".join((name, compose_text.transcription(line.text), line.serial)) + "\n")


def sheet(path, items, height=44, width=1300):
    rows = []
    for image, line in items:
        row = cv2.resize(image, (int(image.shape[1] * height / image.shape[0]), height))[:, :width]
        rows.append(cv2.copyMakeBorder(row, 1, 1, 0, width - row.shape[1], cv2.BORDER_CONSTANT, value=128))
        print(line.text)
    cv2.imwrite(path, np.vstack(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("train", "held-out", "sheet"))
    parser.add_argument("out")
    parser.add_argument("--preset", choices=PRESETS)
    parser.add_argument("--shards", default="0:1", help="FIRST:END")
    parser.add_argument("--lines", type=int, default=36, help="lines per shard")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alternates", action="store_true", help="with other shapes of characters, such as a 3 with a flat top")
    parser.add_argument("--foreign", type=float, default=0.0, help="share of lines that are a label in another script (foreign_labels.py)")
    options = parser.parse_args()
    if typefaces.missing():
        raise SystemExit("These typefaces aren't installed (README.md lists the Debian packages):\n" + "\n".join(typefaces.missing()))
    cv2.setNumThreads(1)
    groups = typefaces.HELD_OUT if options.kind == "held-out" else typefaces.TRAINING
    alternates = typefaces.ALTERNATES if options.alternates else ()
    first, end = map(int, options.shards.split(":"))
    for shard in range(first, end):
        items = list(samples(options.seed, shard, options.lines, groups, options.preset, alternates, options.foreign))
        if options.kind == "sheet":
            sheet(options.out, items)
        elif options.kind == "held-out":
            write_pictures(options.out, items)
        else:
            write_shard(os.path.join(options.out, "%04d.lstmf" % shard), items)


if __name__ == "__main__":
    main()
