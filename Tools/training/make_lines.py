"""Makes synthetic lines: for training, as pictures that measure a model, and as contact sheets for inspection.

    make_lines.py held-out OUT --preset sticker --lines 600 --seed 7
    make_lines.py sheet OUT.png --preset screen

A shard depends only on (seed, preset, shard number).
"""

import argparse
import os
import zlib
from dataclasses import dataclass, replace

import compose_text
import cv2
import draw_line
import foreign_labels
import normalise_line
import numpy as np
import photograph_line
import typefaces

PRESETS = ("etched", "screen", "sticker")
SHARES = (0.42, 0.24, 0.34)
NOTHING = compose_text.Line("", "", "")


@dataclass(frozen=True)
class Mixture:
    """What lines show: the typefaces by preset, other shapes of characters, and the shares of labels in other scripts,
    of words of a dictionary and of crops without text."""

    groups: dict
    alternates: tuple = ()
    foreign: float = 0.0
    other: float = 0.0
    dictionary: tuple = ()
    empty: float = 0.0


def sample(rng, preset, mixture):
    """Returns (line image, the Line it shows)."""
    script, kind = None, rng.random() if mixture.foreign or mixture.other else 1
    if kind > 1 - mixture.empty:
        ink, capital = draw_line.draw_surface(rng, mixture.groups[preset])
        return photographed(rng, preset, ink, capital), NOTHING
    if kind < mixture.foreign:
        preset, (script, line) = "screen", foreign_labels.compose(rng)
    elif kind < mixture.foreign + mixture.other:
        line = compose_text.words(rng, mixture.dictionary)
    else:
        line = compose_text.COMPOSERS[preset](rng)
    ink, capital, line = draw_line.draw(rng, preset, line, mixture.groups[preset], mixture.alternates, script)
    line = replace(line, label=foreign_labels.word_for(line.label))
    return photographed(rng, preset, photograph_line.tilt(rng, ink), capital), line


def photographed(rng, preset, ink, capital):
    gray, target, light_text = photograph_line.CAMERAS[preset](rng, ink, capital)
    return normalise_line.normalise(rng, gray, target, light_text)


def samples(seed, shard, count, mixture, preset=None):
    rng = np.random.default_rng([seed, shard, zlib.crc32((preset or "mixed").encode())])
    while count:
        image, line = sample(rng, preset or rng.choice(PRESETS, p=SHARES), mixture)
        if (line.text or line is NOTHING) and min(image.shape) >= 12:
            yield image, line
            count -= 1


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
    parser.add_argument("kind", choices=("held-out", "sheet"))
    parser.add_argument("out")
    parser.add_argument("--preset", choices=PRESETS)
    parser.add_argument("--lines", type=int, default=36)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    require_typefaces()
    mixture = (
        Mixture(typefaces.HELD_OUT) if options.kind == "held-out" else Mixture(typefaces.LINES, typefaces.ALTERNATES)
    )
    items = list(samples(options.seed, 0, options.lines, mixture, options.preset))
    (sheet if options.kind == "sheet" else write_pictures)(options.out, items)


def require_typefaces():
    if typefaces.missing():
        raise SystemExit(
            "These typefaces aren't installed (README.md lists the Debian packages):\n" + "\n".join(typefaces.missing())
        )


if __name__ == "__main__":
    main()
