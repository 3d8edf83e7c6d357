"""The etched block as coverage: text and regulatory symbols, white on black."""

import numpy as np
from PIL import Image, ImageDraw

from . import fonts
from .etched_wording import Block, Line
from .sheet import Box, Sheet

SYMBOLS = {"⎓": 1.9, "▣": 1.3, "♲": 1.1, "ℂ": 1.7}


def _symbol(draw, name: str, x: float, baseline: float, cap: float) -> None:
    """One regulatory symbol, its left edge at `x`."""
    thick = max(1, round(cap * 0.1))
    top = baseline - cap
    if name == "⎓":
        y = baseline - 0.62 * cap
        draw.line([x + 0.2 * cap, y, x + 1.7 * cap, y], fill=255, width=thick)
        for i in range(3):
            draw.line(
                [x + (0.2 + i * 0.55) * cap, y + 0.3 * cap, x + (0.6 + i * 0.55) * cap, y + 0.3 * cap],
                fill=255,
                width=thick,
            )
    elif name == "▣":
        draw.rounded_rectangle([x, top, x + 1.1 * cap, baseline], cap * 0.15, outline=255, width=thick)
        for row in (0.3, 0.58):
            draw.ellipse(
                [x + 0.36 * cap, top + row * cap - 0.08 * cap, x + 0.74 * cap, top + (row + 0.2) * cap],
                outline=255,
                width=thick,
            )
    elif name == "♲":
        draw.polygon(
            [
                (x + 0.2 * cap, top + 0.2 * cap),
                (x + 0.8 * cap, top + 0.2 * cap),
                (x + 0.68 * cap, baseline - 0.1 * cap),
                (x + 0.32 * cap, baseline - 0.1 * cap),
            ],
            outline=255,
        )
        draw.line([x, top, x + cap, baseline], fill=255, width=thick)
        draw.line([x + cap, top, x, baseline], fill=255, width=thick)
    elif name == "ℂ":
        draw.arc([x, top, x + cap, baseline], 90, 270, fill=255, width=thick)
        draw.arc([x + 0.8 * cap, top, x + 1.8 * cap, baseline], 90, 270, fill=255, width=thick)
        draw.line([x + 0.85 * cap, baseline - cap / 2, x + 1.25 * cap, baseline - cap / 2], fill=255, width=thick)


def _pieces(text: str) -> list[str]:
    """Splits `text` before and after each symbol and the serial's place."""
    parts, current, i = [], "", 0
    while i < len(text):
        if text[i] in SYMBOLS or text.startswith("{s}", i):
            token = text[i] if text[i] in SYMBOLS else "{s}"
            parts += [current, token]
            current, i = "", i + len(token)
        else:
            current, i = current + text[i], i + 1
    return [p for p in parts + [current] if p]


def _width(line: Line, serial: str, face, cap: float, tracking: float) -> float:
    cap *= line.rise
    return sum(
        SYMBOLS[p] * cap
        if p in SYMBOLS
        else fonts.text_width(serial if p == "{s}" else p, face, cap, tracking) + tracking
        for p in _pieces(line.text)
    )


def paint(block: Block, serial: str, face, cap: float, tracking: float, rng) -> Sheet:
    """The block with capitals `cap` pixels high; `alpha` is the coverage. Lines without {s} only when serial is empty."""
    margin = 2 * cap
    widths = [max(_width(line, serial, face, cap, tracking) for line in column) for column in block.columns]
    heights = [sum((line.gap + line.rise) * cap for line in column) for column in block.columns]
    between = rng.uniform(3, 9) * cap
    size = round(sum(widths) + between * (len(widths) - 1) + 2 * margin), round(max(heights) + 2 * margin)
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    box: Box | None = None
    left = margin
    for column, width in zip(block.columns, widths):
        y = margin
        for line in column:
            rise = cap * line.rise
            y += (line.gap + line.rise) * cap
            pen = left + (width - _width(line, serial, face, cap, tracking)) * {"l": 0, "m": 0.5, "r": 1}[block.align]
            for piece in _pieces(line.text):
                if piece in SYMBOLS:
                    _symbol(draw, piece, pen, y, rise)
                    pen += SYMBOLS[piece] * rise
                    continue
                text = serial if piece == "{s}" else piece
                drawn = fonts.put_text(draw, pen, y, text, face, rise, 255, tracking=tracking)
                pen = drawn[2] + tracking
                if piece == "{s}":
                    box = drawn
        left += width + between
    alpha = np.asarray(mask)
    return Sheet(np.zeros((*alpha.shape, 3), np.uint8), cap, box, alpha)
