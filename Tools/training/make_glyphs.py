"""Makes labelled pictures of single characters from synthetic lines, segmented as in the reader.

    make_glyphs.py OUT.npz --lines 12000 --seed 502
    make_glyphs.py OUT.npz --lines 24000 --seed 501 --alternates --guide GLYPHS.bin
    make_glyphs.py OUT.npz --lines 3000 --seed 503 --held-out --guide GLYPHS.bin

The lines are those of make_lines.py with only a serial. Without a guide, only lines with as many pieces of ink as
characters are used, which leaves out half of the lines and keeps some that match by chance. With a guide, a network
trained on such lines, the serial is aligned with the pieces as in the reader, and lines that can't be aligned are left
out.
"""

import argparse

import align_glyphs
import compose_text
import cv2
import draw_line
import normalise_line
import numpy as np
import photograph_line
import typefaces
from make_lines import PRESETS
from train_glyphs import Guide

SHARES = (0.40, 0.30, 0.30)
# Keep these equal to Sources/TextReading/GlyphModel.swift and Sources/SerialReading/Reading/Ink.swift.
COLUMNS, ROWS, SAMPLES = 16, 24, 2
INK = 128
REACH, LEAST_HEIGHT = 16, 10  # pixels
PIECES = range(6, 21)
# A line is left out if fewer characters than this have separate ink, if more are unlikely (below e^-3), or if two
# unlikely ones are neighbours, because the serial is then misaligned. A single unlikely character is just hard to read.
LEAST_SHARE, MOST_UNLIKELY, UNLIKELY = 0.6, 1 / 3, -3


def pieces(line):
    """Returns runs of columns with ink at least half a capital height high."""
    height, width = line.shape
    top, bottom = (
        max(0, int(height / 2 - 0.55 * normalise_line.CAPITAL)),
        min(height, int(height / 2 + 0.55 * normalise_line.CAPITAL)),
    )
    ink = line[top:bottom] < INK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.any(0).astype(np.int8), [0]))))
    runs = list(zip(edges[::2], edges[1::2]))
    rows = [np.flatnonzero(ink[:, first:last].any(1)) for first, last in runs]
    return [run for run, inked in zip(runs, rows) if inked[-1] - inked[0] + 1 >= 0.5 * normalise_line.CAPITAL]


def glyph(line, first, last):
    """Returns (darkness of the parts of the box, its width, its height), or None if there is hardly any ink."""
    low = max(0, line.shape[0] // 2 - REACH)
    inked = np.flatnonzero((line[low : line.shape[0] // 2 + REACH, first:last] < INK).any(1))
    if not len(inked) or inked[-1] - inked[0] + 1 < LEAST_HEIGHT:
        return None
    top, height, width = low + inked[0], inked[-1] - inked[0] + 1, last - first
    x = first + width * (np.arange(COLUMNS * SAMPLES) + 0.5) / (COLUMNS * SAMPLES) - 0.5
    y = top + height * (np.arange(ROWS * SAMPLES) + 0.5) / (ROWS * SAMPLES) - 0.5
    x, y = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
    fine = cv2.remap(line, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    return (255 - cv2.resize(fine, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA)).astype(np.uint8), width, height


def laid_out(line, serial, runs, guide):
    """Returns [(character, first column, last column + 1)] of separable characters; empty if the line must be left
    out."""
    if guide is None:
        return [(character, *run) for character, run in zip(serial, runs)] if len(runs) == len(serial) else []
    if len(runs) not in PIECES:
        return []
    places = [compose_text.ALPHABET.index(character) for character in serial]
    matched = align_glyphs.align(
        places, runs, line, lambda line, columns: guide.log_probabilities([glyph(line, *run) for run in columns])
    )
    unlikely = np.array([logs[places[place]] < UNLIKELY for place, _, _, logs in matched])
    if (
        len(matched) < LEAST_SHARE * len(serial)
        or unlikely.mean() > MOST_UNLIKELY
        or (unlikely[1:] & unlikely[:-1]).any()
    ):
        return []
    return [(serial[place], first, last) for place, first, last, _ in matched]


def sample(rng, groups, alternates):
    """Returns (line image, serial); in some lines all characters are equally frequent."""
    preset = rng.choice(PRESETS, p=SHARES)
    serial = (
        compose_text.serial(rng)
        if rng.random() < 0.6
        else "".join(compose_text.pick(rng, compose_text.ALPHABET) for _ in range(11))
    )
    ink, capital, _ = draw_line.draw(rng, preset, compose_text.Line("", serial, serial), groups[preset], alternates)
    gray, target, light_text = photograph_line.CAMERAS[preset](rng, photograph_line.tilt(rng, ink), capital)
    return normalise_line.normalise(rng, gray, target, light_text), serial


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--held-out", action="store_true", help="use the typefaces that no training line is drawn in")
    parser.add_argument("--further", action="store_true", help="in the further typefaces alone")
    parser.add_argument(
        "--alternates", action="store_true", help="with other shapes of characters, such as a 3 with a flat top"
    )
    parser.add_argument("--guide", help="a network of train_glyphs.py for aligning serials with their ink")
    options = parser.parse_args()
    guide = Guide(options.guide) if options.guide else None
    cv2.setNumThreads(1)
    rng = np.random.default_rng([options.seed, 77])
    groups = typefaces.HELD_OUT if options.held_out else typefaces.GLYPHS if options.further else typefaces.TRAINING
    glyphs, sizes, characters = [], [], []
    for _ in range(options.lines):
        line, serial = sample(rng, groups, typefaces.ALTERNATES if options.alternates else ())
        if min(line.shape) < 12:
            continue
        for character, first, last in laid_out(line, serial, pieces(line), guide):
            piece = glyph(line, first, last)
            if piece is not None:
                glyphs.append(piece[0])
                sizes.append(piece[1:])
                characters.append(character)
    np.savez_compressed(options.out, glyphs=np.array(glyphs), sizes=np.array(sizes), characters=np.array(characters))
    print("%s: %d characters of %d lines" % (options.out, len(glyphs), options.lines))


if __name__ == "__main__":
    main()
