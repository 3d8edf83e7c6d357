"""Draws a line of text with its surroundings as a coverage map: 0 is background, 1 is full ink.

Capitals are centred vertically; the map is 2.6 capital heights high, which includes the edges of the lines above and
below.
"""

from dataclasses import replace

import cv2
import numpy as np
import typefaces
from compose_text import ALPHABET, SCREEN_NEIGHBOURS, lookalike, pick


def capital_height(font):
    box = font.getbbox("H")
    return box[3] - box[1], box[1]


class Run:
    """A piece of text in one typeface: `tone` is its ink, `shift` its vertical offset in capital heights.

    `alternates` maps characters to alternative shapes: {character: (drawn, OpenType features)}.
    """

    def __init__(self, text, path, spacing, word_space, tone=1.0, shift=0.0, alternates=None):
        self.tone, self.shift = tone, shift
        self.capital, self.top = capital_height(typefaces.font(path))
        self.glyphs = [typefaces.glyph(path, *(alternates or {}).get(c, (c, None))) for c in text]
        self.offsets, x = [], 0.0
        for c, glyph in zip(text, self.glyphs):
            self.offsets.append(x)
            x += glyph.advance + spacing * self.capital + (word_space * self.capital if c == " " else 0)
        self.width = x


def draw_run(ink, run, x, capital):
    """Draws letter by letter, so that letter spacing can differ from the typeface's own."""
    y = (ink.shape[0] - run.capital) / 2 - run.top + run.shift * capital
    for glyph, dx in zip(run.glyphs, run.offsets):
        height, width = glyph.coverage.shape
        left, top = int(round(x + dx)) + glyph.left, int(round(y)) + glyph.top
        first_row, first_column = max(0, -top), max(0, -left)
        place = ink[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)]
        part = glyph.coverage[first_row : first_row + place.shape[0], first_column : first_column + place.shape[1]]
        np.maximum(place, part * run.tone, out=place)


def spacing(rng, preset):
    """Returns letter spacing in capital heights: mostly the typeface's own, sometimes so tight that letters touch,
    sometimes wide."""
    kind = rng.random()
    if kind < 0.70:
        return rng.uniform(-0.02, 0.06)
    if kind < 0.82:
        return rng.uniform(-0.07, -0.02)
    return rng.uniform(0.06, 0.30 if preset == "sticker" else 0.18)


def runs_of(rng, preset, line, groups, alternates, script=None):
    path = typefaces.choose(rng, groups)
    label_path = pick(rng, typefaces.FOREIGN[script]) if script else path
    # In capital heights, beside the typeface's own, which is about 0.4: print along curves is often set closer.
    gap, word_space = spacing(rng, preset), rng.uniform(0, 0.3) if rng.random() < 0.75 else rng.uniform(-0.18, 0)

    def run(text, path, *tone_and_shift):
        return Run(text, path, gap, word_space, *tone_and_shift, alternates=typefaces.chosen(rng, alternates, path))

    if preset == "screen" and line.label:
        # Label and value differ in weight or tone, because they are joined from two crops of the row.
        tones = pick(rng, [(1.0, 1.0), (rng.uniform(0.45, 0.8), 1.0), (1.0, rng.uniform(0.45, 0.8))])
        value_path = path if rng.random() < 0.7 else typefaces.choose(rng, groups)
        label = run(line.label, label_path, tones[0])
        return [label, run(line.value, value_path, tones[1], rng.normal(0, 0.05))] if line.value else [label]
    if preset == "sticker" and line.label and rng.random() < 0.25:  # bold value after a plain label, or the reverse
        return [run(line.label, path), run(line.value, typefaces.choose(rng, groups))]
    return [run((line.label + " " + line.value).strip(), path)]


def draw_neighbour(rng, preset, ink, capital, groups):
    """Draws a line above or below, at a distance at which the crop cuts through it or just misses it."""
    text = pick(rng, SCREEN_NEIGHBOURS) if preset == "screen" else lookalike(rng)
    if rng.random() < 0.3:
        text = "".join(pick(rng, ALPHABET) for _ in range(12))
    run = Run((text + "  ") * 3, typefaces.choose(rng, groups), 0.0, 0.1, tone=rng.uniform(0.6, 1.0))
    run.shift = rng.uniform(1.5, 2.2) * rng.choice([-1, 1])
    draw_run(ink, run, rng.uniform(-0.5, 0.8) * ink.shape[1], capital)


def draw_modules(rng, ink, capital, left, right):
    """Draws a QR code's modules beside the text, or a linear barcode's bars above or below it."""
    height = ink.shape[0]
    if rng.random() < 0.5:
        module = int(capital * rng.uniform(0.15, 0.5)) + 1
        width = int(capital * rng.uniform(0.4, 1.2))
        grid = (rng.random((height // module + 1, width // module + 1)) < 0.5).astype(np.float32)
        block = np.kron(grid, np.ones((module, module), np.float32))[:height, :width]
        if rng.random() < 0.5:
            block = block[:, : max(0, left)]
            ink[:, : block.shape[1]] = np.maximum(ink[:, : block.shape[1]], block)
        elif right > 0:
            block = block[:, :right]
            ink[:, -block.shape[1] :] = np.maximum(ink[:, -block.shape[1] :], block)
    else:
        bar = max(2, int(capital * rng.uniform(0.05, 0.2)))
        bars = np.repeat((rng.random(ink.shape[1] // bar + 1) < 0.5).astype(np.float32), bar)[: ink.shape[1]]
        edge = int(height / 2 - capital * rng.uniform(0.68, 1.1))
        rows = slice(0, edge) if rng.random() < 0.5 else slice(height - edge, height)
        ink[rows] = np.maximum(ink[rows], bars[None, :])


def draw_surface(rng, groups):
    """Returns (coverage, capital height) of a crop without text: a texture, shapes, codes, or only the edges of the
    lines above and below."""
    capital = 40
    height, width = int(capital * 2.6), int(capital * rng.uniform(3, 26))
    ink, kind = np.zeros((height, width), np.float32), rng.random()
    if kind < 0.3:  # grain: wood, leather, paper, dirt
        sigmas = capital * np.exp(rng.uniform(np.log(0.04), np.log(1.2), 2))
        grain = cv2.GaussianBlur(
            rng.standard_normal((height, width), dtype=np.float32), (0, 0), sigmas[0], sigmaY=sigmas[1]
        )
        grain = grain / (grain.std() + 1e-6) - rng.uniform(-0.5, 1.5)
        ink = (grain > 0).astype(np.float32) if rng.random() < 0.5 else np.clip(grain / 2, 0, 1)
    elif kind < 0.55:  # cloth, grilles, keys, meshes
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        ink += 1
        for _ in range(rng.integers(1, 4)):
            angle, period = rng.uniform(0, np.pi), capital * np.exp(rng.uniform(np.log(0.15), np.log(2)))
            wave = np.sin((xx * np.cos(angle) + yy * np.sin(angle)) * 2 * np.pi / period + rng.uniform(0, 6))
            ink *= np.clip(0.5 + wave * rng.uniform(0.5, 3), 0, 1)
    elif kind < 0.75:  # strokes: icons, edges, cables, screws
        for _ in range(rng.integers(1, 12)):
            centre, axes = (
                (int(v) for v in rng.uniform(0, (width, height))),
                (int(v) for v in capital * rng.uniform(0.1, 1.5, 2)),
            )
            thickness = max(1, int(capital * rng.uniform(0.05, 0.3)))
            cv2.ellipse(
                ink,
                tuple(centre),
                tuple(axes),
                rng.uniform(0, 180),
                0,
                rng.uniform(60, 360),
                float(rng.uniform(0.4, 1)),
                thickness,
            )
    elif kind < 0.85:
        draw_modules(rng, ink, capital, width, 0)
    if kind > 0.75 or rng.random() < 0.2:
        draw_neighbour(rng, "sticker", ink, capital, groups)
    return ink, capital


def draw_rule(rng, ink, capital):
    """Draws a frame or a row's divider."""
    height = ink.shape[0]
    y = height / 2 + rng.choice([-1, 1]) * capital * rng.uniform(0.72, 1.1)
    thickness = max(1, int(capital * rng.uniform(0.03, 0.12)))
    ink[int(y) : int(y) + thickness] = np.maximum(ink[int(y) : int(y) + thickness], rng.uniform(0.2, 1.0))


def cut_label(rng, run, label):
    """Returns where a crop that begins inside the label cuts the run: (offset in the run, number of the label's
    characters cut off).

    A cut character counts as cut off if less than 45 % of it remains, and as present if more than 55 % does.
    """
    index = rng.integers(0, len(label) - 1)
    share = rng.uniform(0, 0.45) if rng.random() < 0.5 else rng.uniform(0.55, 1)
    width = run.offsets[index + 1] - run.offsets[index]
    return run.offsets[index] + share * width, index + (share > 0.5)


def draw(rng, preset, line, groups, alternates=(), script=None):
    """Returns (coverage, capital height in its pixels, the line without the text that the crop cut off). `script` is
    that of a foreign label."""
    runs = runs_of(rng, preset, line, groups, alternates, script)
    capital = runs[-1].capital
    gap = capital * (rng.uniform(0.5, 2.5) if preset == "screen" else rng.uniform(0.3, 1.0))
    beside = preset == "sticker" and rng.random() < 0.2
    margin = (0.9, 1.8) if beside else (0.15, 1.3)
    left, right = (
        int(capital * (rng.uniform(1.3, 4) if rng.random() < 0.05 else rng.uniform(*margin))) for _ in range(2)
    )
    width = int(sum(r.width for r in runs) + gap * (len(runs) - 1)) + left + right
    ink = np.zeros((int(capital * 2.6), width), np.float32)
    x = left
    for run in runs:
        draw_run(ink, run, x, capital)
        x += run.width + gap
    if beside:
        # Half a capital height stays clear between text and code.
        draw_modules(rng, ink, capital, left - capital // 2, right - capital // 2)
    if rng.random() < (0.45 if preset == "screen" else 0.35):
        draw_neighbour(rng, preset, ink, capital, groups)
    if rng.random() < {"etched": 0.0, "screen": 0.15, "sticker": 0.12}[preset]:
        draw_rule(rng, ink, capital)
    if rng.random() < 0.3:  # heavier or lighter ink
        kernel = np.ones((2, 2), np.uint8)
        ink = cv2.dilate(ink, kernel) if rng.random() < 0.6 else cv2.erode(ink, kernel)
    if len(line.label) > 3 and not beside and not script and rng.random() < 0.12:
        offset, gone = cut_label(rng, runs[0], line.label)
        ink, line = ink[:, left + int(offset) :], replace(line, label=line.label[gone:].strip())
    if script in ("han", "kana", "hangul") and not line.value:
        # Their characters are taller than capitals; alone in a crop, they determine its height.
        capital *= rng.uniform(1.0, 1.25)
    return ink, capital, line
