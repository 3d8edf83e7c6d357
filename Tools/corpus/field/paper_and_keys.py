"""Book pages, keyboards and cluttered desks: pictures without relevant text."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from . import fonts
from . import wording as w
from .compose import fill_polygon
from .sheet import Sheet, from_pil

WORDS = """the of harbour winter and letter she had window toward evening old a road over there nobody spoke until lamp river went
slowly into garden where children their voices carried across stone wall remembered table blue some years later train station
morning paper coffee which meant almost nothing between mountain salt he wrote again about ships returned without question""".split()


def page(cap: float, rng) -> Sheet:
    """A page of running text, sometimes with an ISBN and figures."""
    face = w.pick(rng, fonts.SERIF)
    width, height = cap * rng.uniform(45, 75), cap * rng.uniform(40, 100)
    paper = w.pick(rng, ((250, 248, 240), (240, 232, 212), (255, 255, 255)))
    image = Image.new("RGB", (round(width), round(height)), paper)
    draw = ImageDraw.Draw(image)
    y = 5 * cap
    while y < height - 4 * cap:
        line = ""
        while fonts.text_width(line, face, cap) < width - 14 * cap:
            token = w.pick(rng, WORDS)
            line += (token.capitalize() if rng.random() < 0.08 else token) + (", " if rng.random() < 0.08 else " ")
        fonts.put_text(draw, 5 * cap, y, line, face, cap, (30, 28, 26))
        y += 2.1 * cap
    footer = w.pick(
        rng,
        (
            f"ISBN 978-{w.digits(rng, 1)}-{w.digits(rng, 4)}-{w.digits(rng, 4)}-{w.digits(rng, 1)}",
            str(rng.integers(1, 700)),
            f"Fig. {w.digits(rng, 2)}  DOI 10.{w.digits(rng, 4)}/{w.code(rng, '@@@@.20##')}",
        ),
    )
    fonts.put_text(draw, width / 2, height - 2 * cap, footer, face, cap * 0.9, (40, 40, 40), "m")
    return from_pil(image, cap)


ROWS = ("`1234567890-=", "QWERTYUIOP[]", "ASDFGHJKL;'", "ZXCVBNM,./")


def keyboard(cap: float, rng) -> Sheet:
    """A keyboard seen from above."""
    key = cap * rng.uniform(4, 6)
    dark = rng.random() < 0.6
    plate, cover, ink = (
        ((150, 150, 152), (26, 26, 28), (230, 230, 230)) if dark else ((214, 214, 216), (246, 246, 246), (60, 60, 62))
    )
    image = Image.new("RGB", (round(key * 14.5), round(key * 5.6)), plate)
    draw = ImageDraw.Draw(image)
    for i, row in enumerate(ROWS):
        x = key * (0.3 + (0, 0.9, 1.2, 1.7)[i])
        for letter in row:
            y = key * (0.3 + i * 1.05)
            draw.rounded_rectangle([x, y, x + key * 0.92, y + key * 0.92], key * 0.12, fill=cover)
            fonts.put_text(draw, x + key * 0.46, y + key * 0.6, letter, fonts.GILLIUS, cap, ink, "m")
            x += key
    draw.rounded_rectangle([key * 4, key * 4.5, key * 9.5, key * 5.4], key * 0.12, fill=cover)
    return from_pil(image, cap)


def clutter(image: np.ndarray, rng) -> None:
    """Pens, cables, cups, papers and tools on the desk, in place."""
    height, width = image.shape[:2]
    for _ in range(int(rng.integers(3, 14))):
        kind = rng.integers(5)
        x, y = rng.uniform([0, 0], [width, height])
        reach = max(width, height) * rng.uniform(0.04, 0.25)
        colour = rng.integers(10, 245, 3).astype(np.float32)
        angle = rng.uniform(0, 2 * np.pi)
        way, side = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        at = np.array([x, y])
        if kind == 0:
            outline = [
                at + way * reach + side * reach * 0.06,
                at - way * reach + side * reach * 0.06,
                at - way * reach - side * reach * 0.06,
                at + way * reach - side * reach * 0.06,
            ]
            fill_polygon(image, np.array(outline) + 5, (20, 20, 20), 5)
            fill_polygon(image, np.array(outline), colour, 1)
        elif kind == 1:
            curve = np.cumsum(rng.normal(0, reach * 0.12, (24, 2)), axis=0) + at
            curve = np.stack([np.convolve(curve[:, i], np.ones(7) / 7, "valid") for i in (0, 1)], axis=1)
            cv2.polylines(
                image,
                [np.round(curve).astype(np.int32)],
                False,
                colour.tolist(),
                max(2, int(reach * 0.04)),
                cv2.LINE_AA,
            )
        elif kind == 2:
            ring = [at + reach * 0.4 * np.array([np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 40)]
            fill_polygon(image, np.array(ring) + 8, (20, 20, 20), 8)
            fill_polygon(image, np.array(ring), colour, 1)
            fill_polygon(image, at + (np.array(ring) - at) * 0.86, colour * 0.4, 2)
        elif kind == 3:
            outline = [at, at + way * reach, at + way * reach + side * reach * 0.8, at + side * reach * 0.8]
            fill_polygon(image, np.array(outline) + 4, (20, 20, 20), 4)
            fill_polygon(image, np.array(outline), np.maximum(colour, 190), 1)
        else:
            for i in range(int(rng.integers(3, 12))):
                spot = at + rng.normal(0, reach * 0.3, 2)
                cv2.circle(
                    image, (int(spot[0]), int(spot[1])), max(1, int(reach * 0.02)), (60.0, 60.0, 66.0), -1, cv2.LINE_AA
                )
