"""Makes pictures of single characters from synthetic lines, cut apart as the reader cuts them, with what each is.

    make_glyphs.py OUT.npz --lines 36000 --seed 501 --alternates
    make_glyphs.py OUT.npz --lines 3000 --seed 503 --held-out

The lines are those of make_lines.py with nothing but a serial on them. One whose ink doesn't fall into as many pieces as it
has characters is left out, as the reader leaves it out.
"""

import argparse

import cv2
import numpy as np

import compose_text
import draw_line
import normalise_line
import photograph_line
import typefaces
from make_lines import PRESETS

SHARES = (0.40, 0.30, 0.30)
# Keep these in step with Sources/TextReading/GlyphModel.swift and Sources/SerialReading/Screen/LengthProof.swift.
COLUMNS, ROWS, SAMPLES = 12, 16, 3
INK = 128
REACH, LEAST_HEIGHT = 16, 10  # pixels


def pieces(line):
    """Runs of columns with ink at least half a capital high."""
    height, width = line.shape
    top, bottom = max(0, int(height / 2 - 0.55 * normalise_line.CAPITAL)), min(height, int(height / 2 + 0.55 * normalise_line.CAPITAL))
    ink = line[top:bottom] < INK
    edges = np.flatnonzero(np.diff(np.concatenate(([0], ink.any(0).astype(np.int8), [0]))))
    runs = list(zip(edges[::2], edges[1::2]))
    rows = [np.flatnonzero(ink[:, first:last].any(1)) for first, last in runs]
    return [run for run, inked in zip(runs, rows) if inked[-1] - inked[0] + 1 >= 0.5 * normalise_line.CAPITAL]


def glyph(line, first, last):
    """(darkness of the parts of the box, its width, its height), or None where there is hardly ink."""
    low = max(0, line.shape[0] // 2 - REACH)
    inked = np.flatnonzero((line[low:line.shape[0] // 2 + REACH, first:last] < INK).any(1))
    if not len(inked) or inked[-1] - inked[0] + 1 < LEAST_HEIGHT:
        return None
    top, height, width = low + inked[0], inked[-1] - inked[0] + 1, last - first
    x = first + width * (np.arange(COLUMNS * SAMPLES) + 0.5) / (COLUMNS * SAMPLES) - 0.5
    y = top + height * (np.arange(ROWS * SAMPLES) + 0.5) / (ROWS * SAMPLES) - 0.5
    x, y = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
    fine = cv2.remap(line, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    return (255 - cv2.resize(fine, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA)).astype(np.uint8), width, height


def sample(rng, groups, alternates):
    """(line image, its serial); now and then all characters are equally frequent."""
    preset = rng.choice(PRESETS, p=SHARES)
    serial = (compose_text.serial(rng) if rng.random() < 0.6
              else "".join(compose_text.pick(rng, compose_text.ALPHABET) for _ in range(11)))
    ink, capital, _ = draw_line.draw(rng, preset, compose_text.Line("", serial, serial), groups[preset], alternates)
    gray, target, light_text = photograph_line.CAMERAS[preset](rng, photograph_line.tilt(rng, ink), capital)
    return normalise_line.normalise(rng, gray, target, light_text), serial


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--lines", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--held-out", action="store_true", help="in the typefaces that no training line is drawn in")
    parser.add_argument("--alternates", action="store_true", help="with other shapes of characters, such as a 3 with a flat top")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng([options.seed, 77])
    groups = typefaces.HELD_OUT if options.held_out else typefaces.TRAINING
    glyphs, sizes, characters = [], [], []
    for _ in range(options.lines):
        line, serial = sample(rng, groups, typefaces.ALTERNATES if options.alternates else ())
        if min(line.shape) < 12:
            continue
        runs = pieces(line)
        cut = [glyph(line, *run) for run in runs] if len(runs) == len(serial) else []
        for character, piece in zip(serial, cut):
            if piece is not None:
                glyphs.append(piece[0])
                sizes.append(piece[1:])
                characters.append(character)
    np.savez_compressed(options.out, glyphs=np.array(glyphs), sizes=np.array(sizes), characters=np.array(characters))
    print("%s: %d characters of %d lines" % (options.out, len(glyphs), options.lines))


if __name__ == "__main__":
    main()
