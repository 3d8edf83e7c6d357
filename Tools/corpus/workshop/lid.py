"""The underside of a Mac: metal, edges, feet, screws, vents, and the text etched into it."""

from dataclasses import dataclass

import cv2
import numpy as np

from . import textures
from .regulations import Regulations
from .sheet import Sheet

# Name: metal colour (BGR), ink colour, share of lids.
FINISHES = {
    "silver": ((205, 203, 200), (105, 104, 103), 0.36),
    "space-grey": ((140, 136, 134), (70, 68, 67), 0.26),
    "dark": ((62, 54, 50), (150, 146, 143), 0.13),
    "midnight": ((58, 40, 32), (160, 150, 146), 0.08),
    "gold": ((165, 190, 214), (95, 110, 128), 0.09),
    "white-plastic": ((232, 234, 234), (150, 150, 150), 0.08),
}
CAPITAL = 1.1  # millimetres, measured by eye against the rubber feet


@dataclass
class Finish:
    name: str
    metal: np.ndarray
    ink: np.ndarray

    @property
    def light_text(self) -> bool:
        return self.ink.mean() > self.metal.mean()


def finish(rng: np.random.Generator, contrast: float) -> Finish:
    """A lid's colours; `contrast` 0...1 draws the ink nearer to the metal."""
    names = list(FINISHES)
    name = str(rng.choice(names, p=[FINISHES[n][2] for n in names]))
    metal = np.array(FINISHES[name][0], np.float32) * rng.uniform(0.9, 1.08)
    ink = np.array(FINISHES[name][1], np.float32) * rng.uniform(0.85, 1.1)
    return Finish(name, np.clip(metal, 0, 248), metal + (ink - metal) * contrast)


def draw_lid(rng: np.random.Generator, sheet: Sheet, look: Finish) -> None:
    """Metal over the whole sheet, with the other features of an underside around the text at (0, 0)."""
    sheet.image[:] = look.metal.astype(np.uint8)
    textures.metal(rng, sheet.image, sheet.ppm)
    side = rng.random()
    if side < 0.55:
        _hinge(rng, sheet, look, rng.uniform(-28, -9))
    elif side < 0.75:
        _front_edge(rng, sheet, rng.uniform(18, 40))
    if rng.random() < 0.4:
        for x, y in ((-rng.uniform(45, 110), rng.uniform(-20, 20)), (rng.uniform(45, 110), rng.uniform(-20, 20))):
            _foot(sheet, x, y, rng.uniform(5, 9))
    for _ in range(int(rng.integers(0, 4))):
        _screw(rng, sheet, rng.uniform(-90, 90), rng.choice([-1, 1]) * rng.uniform(12, 60))
    if rng.random() < 0.15:
        _vents(rng, sheet, rng.uniform(-80, -20), rng.choice([-1, 1]) * rng.uniform(14, 40))
    if rng.random() < 0.2:
        _seam(rng, sheet, rng.choice([-1, 1]) * rng.uniform(10, 35))


def _hinge(rng: np.random.Generator, sheet: Sheet, look: Finish, y: float) -> None:
    """The dark gap at the hinge, the other half of the lid, and the desk beyond."""
    left, right = sheet.extent.left, sheet.extent.right
    width = right - left
    gap = rng.uniform(3, 8)
    sheet.rect(left, y - gap, width, gap, tuple(int(v) for v in rng.uniform(5, 40, 3)))
    sheet.rect(
        left,
        y - rng.uniform(0.2, 0.8),
        width,
        rng.uniform(0.3, 0.8),
        tuple(int(v) for v in np.clip(look.metal * 1.25, 0, 255)),
    )
    beyond = y - gap - rng.uniform(3, 14)
    rim = np.clip(look.metal * rng.uniform(0.6, 1.15), 0, 255).astype(int).tolist()
    sheet.rect(left, beyond, width, y - gap - beyond, tuple(rim))
    bottom = sheet.px(0, beyond)[1]
    if bottom > 8:
        textures.desk(rng, sheet.image[:bottom], sheet.ppm)
    if rng.random() < 0.4:
        for x in np.arange(left, right, rng.uniform(12, 22)):
            sheet.rect(x, y - gap * 0.7, rng.uniform(6, 10), gap * 0.35, (12, 12, 12), 0.5)


def _front_edge(rng: np.random.Generator, sheet: Sheet, y: float) -> None:
    sheet.rect(sheet.extent.left, y, sheet.extent.right - sheet.extent.left, 1.2, (90, 90, 90))
    top = sheet.px(0, y + 1.2)[1]
    if top < sheet.image.shape[0] - 8:
        textures.desk(rng, sheet.image[top:], sheet.ppm)


def _foot(sheet: Sheet, x: float, y: float, radius: float) -> None:
    sheet.disc(x + 0.4, y + 0.6, radius + 0.3, (90, 90, 90))
    sheet.disc(x, y, radius, (36, 34, 33))
    sheet.disc(x - 0.25 * radius, y - 0.3 * radius, radius * 0.55, (48, 46, 45))


def _screw(rng: np.random.Generator, sheet: Sheet, x: float, y: float) -> None:
    sheet.disc(x, y, 1.9, (80, 80, 80))
    sheet.disc(x, y, 1.6, (170, 170, 170))
    for angle in np.arange(5) * 2 * np.pi / 5 + rng.uniform(0, 6):
        sheet.line(x, y, x + 0.75 * np.cos(angle), y + 0.75 * np.sin(angle), (40, 40, 40), 0.45)


def _vents(rng: np.random.Generator, sheet: Sheet, x: float, y: float) -> None:
    for place in range(int(rng.integers(8, 30))):
        sheet.rect(x + place * 2.4, y, 1.1, rng.uniform(5, 5.4), (25, 25, 25), 0.5)


def _seam(rng: np.random.Generator, sheet: Sheet, y: float) -> None:
    sheet.rect(sheet.extent.left, y, sheet.extent.right - sheet.extent.left, 0.35, (70, 70, 70))


def etch(rng: np.random.Generator, sheet: Sheet, look: Finish, text: Regulations, face: str) -> None:
    """Write the text block with its middle at (0, 0); keeps the serial's quad on the sheet."""
    # The letters of a lid vary in depth, and wear removes some of the ink.
    worn = textures.field(rng, *sheet.image.shape[:2], cell=6 * sheet.ppm)
    strength = np.clip(rng.uniform(0.86, 1.0) + 0.05 * worn, 0.55, 1)
    tracking = rng.choice([0.0, 0.02, 0.05])
    ink = np.zeros(sheet.image.shape[:2], np.uint8)
    shadow = Sheet(sheet.extent, sheet.ppm)
    shadow.image = cv2.merge([ink, ink, ink])
    pitch = CAPITAL * rng.uniform(1.7, 2.1)
    total = sum(pitch * size * (0.5 + 0.5 * gap) for _, size, gap in text.lines)
    y = -total / 2
    widest = max(shadow.text_width(line, face, CAPITAL * size, tracking) for line, size, _ in text.lines)
    x = {"m": 0.0, "l": -widest / 2}[text.align]
    for line, size, gap in text.lines:
        y += pitch * size * (0.5 + 0.5 * gap)
        marked = text.serial if text.serial and text.serial in line else ""
        shadow.text(x, y, line, face, CAPITAL * size, (255, 255, 255), text.align, tracking, serial=marked)
    y += 1.2 * CAPITAL
    if text.india:
        y = _india(rng, shadow, face, y)
    for place, mark in enumerate(text.marks):
        _mark(shadow, mark, (place - len(text.marks) / 2) * 6.5, y + 4)
    sheet.serial_quad = shadow.serial_quad
    alpha = (shadow.image[:, :, 0].astype(np.float32) / 255 * strength)[:, :, None]
    # Etching keeps the metal's grain: the ink is a change of tone, not a coat of paint.
    change = (look.ink / np.maximum(look.metal, 1)).astype(np.float32)
    sheet.image = np.clip(sheet.image * (1 - alpha + alpha * change), 0, 255).astype(np.uint8)


def _india(rng: np.random.Generator, shadow: Sheet, face: str, y: float) -> float:
    number = rng.integers(41000000, 41099999)
    x = rng.uniform(-8, 4)
    shadow.text(x, y + 2.4, "IS 13252(Part 1)/IEC 60950-1", face, 1.55, (255, 255, 255), "m")
    shadow.frame(x - 1.1, y + 3.6, 2.2, 2.2, (255, 255, 255), 0.15)
    shadow.text(x, y + 5.3, "8", face, 1.3, (255, 255, 255), "m")
    shadow.text(x, y + 8.4, f"R-{number}", face, 1.5, (255, 255, 255), "m")
    return y + 9


def _mark(shadow: Sheet, name: str, x: float, y: float) -> None:
    white, thin = (255, 255, 255), 0.25
    if name == "ce":
        shadow.text(x, y + 1.5, "CE", "NimbusSans-Regular", 3, white, "m", tracking=0.2)
    elif name == "ul":
        cv2.circle(
            shadow.image, shadow.px(x, y), round(2 * shadow.ppm), white, max(1, round(thin * shadow.ppm)), cv2.LINE_AA
        )
        shadow.text(x, y + 0.7, "UL", "NimbusSansNarrow-Regular", 1.6, white, "m")
    elif name == "bin":
        shadow.frame(x - 1.2, y - 1.6, 2.4, 2.8, white, thin)
        shadow.line(x - 2, y - 2, x + 2, y + 2, white, thin)
        shadow.line(x + 2, y - 2, x - 2, y + 2, white, thin)
        shadow.rect(x - 1.6, y + 2.2, 3.2, 0.7, white)
    elif name == "rohs":
        cv2.circle(
            shadow.image, shadow.px(x, y), round(1.8 * shadow.ppm), white, max(1, round(thin * shadow.ppm)), cv2.LINE_AA
        )
        shadow.text(x, y + 0.65, "20", "Roboto-Regular", 1.4, white, "m")
    elif name == "c-tick":
        shadow.line(x - 1.6, y, x - 0.4, y + 1.6, white, 0.4)
        shadow.line(x - 0.4, y + 1.6, x + 1.8, y - 1.8, white, 0.4)
    else:
        shadow.frame(x - 1.8, y - 1.8, 3.6, 3.6, white, thin)
        shadow.frame(x - 1.1, y - 1.1, 2.2, 2.2, white, thin)
