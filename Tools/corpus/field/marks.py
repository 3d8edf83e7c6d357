"""Marks on devices: marker pen, tape, stickers with other content."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from . import fonts
from . import wording as w
from .sheet import Sheet, from_pil

INKS = ((40, 30, 170), (36, 34, 36), (150, 60, 30), (60, 50, 150), (30, 30, 32))
NOTES = (
    "iCloud on",
    "No power",
    "Error - {d}",
    "LCD ok",
    "NR - track",
    "OK {d}/2",
    "batt 71%",
    "KB replaced",
    "8/256",
    "return",
    "Lot {d}",
    "data wiped",
    "cracked",
    "A grade",
)


def handwriting(cap: float, rng) -> Sheet:
    """A note in marker pen, its letters `cap` pixels high."""
    face = w.pick(rng, fonts.HAND)
    text = (
        w.code(rng, w.pick(rng, ("RM#####", "Rm-#####", "#####", "K-###", "R ####", "T##-##")))
        if rng.random() < 0.55
        else w.pick(rng, NOTES).format(d=w.digits(rng, 2))
    )
    width = fonts.text_width(text, face, cap)
    size = round(width + 2 * cap), round(2.8 * cap)
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    fonts.put_text(draw, cap, 1.8 * cap, text, face, cap, 255)
    if rng.random() < 0.25:
        draw.line([cap, 2.3 * cap, cap + width, 2.2 * cap], fill=255, width=max(1, round(cap * 0.08)))
    alpha = np.asarray(mask)
    fat = max(1, round(cap * rng.uniform(0.03, 0.1)))
    alpha = cv2.dilate(alpha, np.ones((fat, fat), np.uint8))
    streak = cv2.resize(rng.random((8, 24), dtype=np.float32) * 0.6 + 0.45, size, interpolation=cv2.INTER_LINEAR)
    alpha = np.clip(alpha * np.minimum(streak, 1), 0, 255).astype(np.uint8)
    image = np.empty((*alpha.shape, 3), np.uint8)
    image[:] = w.pick(rng, INKS)
    return Sheet(image, cap, None, alpha)


def tape(length: float, height: float, rng) -> Sheet:
    """A strip of clear tape with torn ends; place it with a low opacity."""
    size = max(8, round(length)), max(8, round(height))
    alpha = Image.new("L", size, 0)
    draw = ImageDraw.Draw(alpha)
    jag = lambda x: [(x + rng.uniform(-1, 1) * height * 0.05, y) for y in np.linspace(0, height, 14)]
    draw.polygon(jag(height * 0.06) + jag(length - height * 0.06)[::-1], fill=255)
    image = np.full((size[1], size[0], 3), 215, np.uint8)
    return Sheet(image, height, None, np.asarray(alpha))


def opaque_strip(length: float, height: float, rng) -> Sheet:
    """An opaque strip: insulating tape, masking tape or paper."""
    colour = w.pick(rng, ((30, 30, 32), (170, 205, 225), (240, 242, 242), (60, 60, 180), (160, 120, 50)))
    image = np.full((max(8, round(height)), max(8, round(length)), 3), 0, np.uint8)
    image[:] = colour
    noise = cv2.GaussianBlur(rng.standard_normal(image.shape[:2]).astype(np.float32), (0, 0), 2) * 12
    return Sheet(np.clip(image + noise[..., None], 0, 255).astype(np.uint8), height)


def doodle_sticker(cap: float, rng) -> Sheet:
    """A sticker without relevant text: a logo, a dot, a seal."""
    side = round(cap * rng.uniform(6, 14))
    image = Image.new("RGB", (side, round(side * rng.uniform(0.6, 1))), tuple(int(v) for v in rng.integers(40, 250, 3)))
    draw = ImageDraw.Draw(image)
    for _ in range(4):
        x, y = rng.uniform(0, side, 2)
        r = rng.uniform(0.05, 0.3) * side
        draw.ellipse([x - r, y - r, x + r, y + r], fill=tuple(int(v) for v in rng.integers(20, 255, 3)))
    fonts.put_text(
        draw,
        side / 2,
        image.height * 0.6,
        w.pick(rng, ("QC PASS", "VOID", "OK", "warranty", "KIRSCH", "devconf")),
        fonts.BEBAS,
        side * 0.14,
        (255, 255, 255),
        "m",
    )
    alpha = Image.new("L", image.size, 0)
    ImageDraw.Draw(alpha).rounded_rectangle(
        [0, 0, image.width - 1, image.height - 1], side * rng.choice([0.05, 0.2, 0.45]), fill=255
    )
    return from_pil(image, cap, None, alpha)
