"""A line of text as an ink mask, with the place of every character."""

from dataclasses import dataclass

import drawn
import numpy as np
from PIL import Image, ImageDraw

from . import fonts

# Direct current: a line over three dashes. Drawn here, because few typefaces have it.
DIRECT_CURRENT = "⎓"


@dataclass
class Line:
    """ink: uint8 mask; baseline: row of the baseline; left: column of the origin; edges: pen x after each character."""

    ink: np.ndarray
    baseline: int
    left: int
    edges: list[float]
    capital: float

    @property
    def width(self) -> float:
        return self.edges[-1]


def render(
    text: str, face: str, capital: float, tracking: float = 0.0, stretch: float = 1.0, crisp: bool = False
) -> Line:
    """Draw `text` with capitals `capital` pixels high.

    tracking  extra space between characters, as a share of the capital height.
    stretch   horizontal scale.
    crisp     no antialiasing, as a thermal printer's dots.
    """
    drawn.note(text)
    font = fonts.load_by_capital(face, capital)
    capital = fonts.capital_ratio(face) * font.size
    pen, edges = 0.0, [0.0]
    for character in text:
        advance = 1.5 * capital if character == DIRECT_CURRENT else font.getlength(character)
        pen += advance + tracking * capital
        edges.append(pen)
    margin = int(capital * 0.8) + 2
    height = int(capital * 2.6) + 4
    baseline = int(capital * 1.7) + 2
    tile = Image.new("L", (int(pen) + 2 * margin, height), 0)
    draw = ImageDraw.Draw(tile)
    if crisp:
        draw.fontmode = "1"
    if tracking == 0 and DIRECT_CURRENT not in text:
        draw.text((margin, baseline), text, font=font, fill=255, anchor="ls")
    else:
        for character, x in zip(text, edges[:-1], strict=True):
            if character == DIRECT_CURRENT:
                _direct_current(draw, margin + x, baseline, capital)
            else:
                draw.text((margin + x, baseline), character, font=font, fill=255, anchor="ls")
    if stretch != 1.0:
        resample = Image.Resampling.NEAREST if crisp else Image.Resampling.BILINEAR
        tile = tile.resize((max(1, round(tile.width * stretch)), height), resample)
        margin = round(margin * stretch)
        edges = [edge * stretch for edge in edges]
    return Line(np.asarray(tile), baseline, margin, edges, capital)


def _direct_current(draw: ImageDraw.ImageDraw, x: float, baseline: float, capital: float) -> None:
    thick = max(1, round(capital * 0.09))
    top, bottom = baseline - 0.62 * capital, baseline - 0.36 * capital
    left, right = x + 0.12 * capital, x + 1.38 * capital
    draw.line((left, top, right, top), fill=255, width=thick)
    dash = (right - left) / 5
    for place in (0, 2, 4):
        draw.line((left + place * dash, bottom, left + (place + 1) * dash, bottom), fill=255, width=thick)
