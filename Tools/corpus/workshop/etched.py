"""Etched serials: the underside of a Mac, photographed with a phone."""

import numpy as np
from picture import Picture

from . import asset_label, camera, chat, fonts, lid, light, marks
from .regulations import Regulations, regulations
from .sheet import Sheet
from .view import View, inside, lean, lens_bend, turned

# Width x height of what phone apps upload; the long side is 1000 to 1600 pixels.
UPLOADS = [
    (1600, 900),
    (900, 1600),
    (1600, 1200),
    (1200, 1600),
    (1280, 960),
    (960, 1280),
    (1000, 750),
    (1280, 720),
    (1440, 1080),
]


def frame_size(rng: np.random.Generator, grade: str) -> tuple[tuple[int, int], str]:
    """The photo's size and its kind: an upload, an original of 12 megapixels, or a crop."""
    draw = rng.random()
    if draw < 0.025:
        return ((4032, 3024) if rng.random() < 0.5 else (3024, 4032)), "original"
    if draw < 0.2:
        width = int(rng.integers(320, 900))
        return (width, int(width * rng.uniform(0.25, 0.6))), "crop"
    return UPLOADS[rng.integers(0, len(UPLOADS))], "upload"


def capital_pixels(rng: np.random.Generator, grade: str, kind: str) -> float:
    """Height of the serial's capitals in the photo."""
    if kind == "original":
        return rng.uniform(*{"easy": (30, 55), "medium": (24, 40), "hard": (18, 28)}[grade])
    low, high = {"easy": (12, 20), "medium": (9.5, 16), "hard": (8, 11.5)}[grade]
    return rng.uniform(low, high)


def make_etched(grade: str, rng: np.random.Generator, oblique: bool = False) -> Picture:
    """A picture with a legible etched serial, from the side if `oblique`."""
    for _ in range(30):
        picture = _attempt(grade, rng, regulations(rng), oblique)
        if picture is not None:
            return picture
    raise RuntimeError("no etched scene held its serial")


def _attempt(grade: str, rng: np.random.Generator, text: Regulations, oblique: bool) -> Picture | None:
    size, kind = frame_size(rng, grade)
    capital = capital_pixels(rng, grade, kind)
    photo, clean, quad, look, note = draw_scene(rng, grade, text, size, capital, oblique)
    if quad is None or not inside(quad, photo, 0.6 * capital):
        return None
    quarter = int(rng.choice([0, 1, 2, 3], p=[0.5, 0.2, 0.1, 0.2]))
    taken = camera.exposure(rng, grade, capital)
    if look.light_text:
        taken.noise *= 0.6
    low, high = (35, 110) if look.light_text else (95, 222)
    photo = camera.metered(photo, quad, low, high, rng)
    photo = camera.shoot_legibly(rng, photo, clean, quad, grade, taken, capital)
    if photo is None:
        return None
    photo, quad = turned(photo, quad, quarter)
    if rng.random() < 0.04:
        photo, quad = chat.shown_in_chat(rng, photo, quad)
    quality = int(rng.integers(*{"easy": (82, 96), "medium": (65, 92), "hard": (50, 85)}[grade]))
    device = (
        "MacBook"
        if len(text.lines) > 1 and text.lines[0][0].startswith("Designed")
        else str(rng.choice(["iMac", "Mac Mini", "MacBook"]))
    )
    return Picture(photo, quality, text.serial, device, f"{kind}-{look.name}{note}", quad)


def draw_scene(
    rng: np.random.Generator,
    grade: str,
    text: Regulations,
    size: tuple[int, int],
    capital: float,
    oblique: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, lid.Finish, str]:
    """The scene with the lid: lit (float) and clean photo, the serial's quad, the finish, and a note on other
    objects."""
    roll = rng.normal(0, {"easy": 1.5, "medium": 5, "hard": 9}[grade])
    # Roughly centred on the end of the text, where the serial usually is.
    aim = (rng.uniform(0, 30) if text.serial else rng.uniform(-15, 15), rng.uniform(-3, 5))
    at = (size[0] * rng.uniform(0.4, 0.65), size[1] * rng.uniform(0.35, 0.65))
    leaning = lean(rng, {"easy": 6, "medium": 16, "hard": 24}[grade], oblique)
    scale = leaning.nearer * capital / lid.CAPITAL
    view = View(size, scale, aim, at, roll, leaning.x, leaning.y, lens_bend(rng))
    sheet = Sheet(view.extent(), min(1.15 * scale, 26))
    contrast = {"easy": rng.uniform(0.85, 1.15), "medium": rng.uniform(0.6, 1.0), "hard": rng.uniform(0.5, 0.8)}[grade]
    look = lid.finish(rng, contrast)
    lid.draw_lid(rng, sheet, look)
    note = ""
    worn = {"easy": 0.4, "medium": 1.0, "hard": 1.2}[grade]
    marks.scratches(rng, sheet, int(rng.poisson(12 * worn)), rng.random() < 0.7)
    if rng.random() < 0.45 * worn:
        marks.smudges(rng, sheet, int(rng.integers(1, 4)))
    lid.etch(rng, sheet, look, text, str(rng.choice(fonts.ETCHED)))
    if rng.random() < 0.35:
        for _ in range(int(rng.integers(1, 3))):
            # Beside or below the text; owners don't write over it.
            marks.handwriting(rng, sheet, rng.uniform(-45, 30), rng.uniform(14, 24), rng.uniform(4, 9))
        note += "-marker"
    if rng.random() < 0.25:
        _stick(rng, sheet, text.serial)
        note += "-asset"
    marks.dust(rng, sheet, int(rng.poisson(6 * worn)))
    clean, quad = view.take(sheet)
    photo = clean.astype(np.float32)
    depth = {"easy": 0.5, "medium": 1.0, "hard": 1.3}[grade]
    photo = light.falloff(rng, photo, depth)
    if rng.random() < 0.5 * depth:
        photo = light.cast(rng, photo, rng.uniform(0.2, 0.7))
    if rng.random() < 0.4 * depth:
        keep = {"easy": 1.6, "medium": 1.1, "hard": 0.9}[grade]
        photo = light.glare(rng, photo, rng.uniform(0.2, 0.8), quad, keep)
    if grade != "easy" and rng.random() < 0.25:
        photo = light.shadow(rng, photo, rng.uniform(0.2, 0.55))
    if rng.random() < 0.12:
        photo = marks.fingers(rng, photo, quad)
    return photo, clean, quad, look, note


def _stick(rng: np.random.Generator, sheet: Sheet, serial: str) -> None:
    """An asset sticker below or above the text, sometimes with the same serial."""
    printed = serial if rng.random() < 0.5 else ""
    # Sometimes only the code contains the serial, beside a printed asset number.
    coded = serial if serial and rng.random() < 0.3 else None
    label, mask = asset_label.asset_label(rng, printed, rng.uniform(1.6, 2.4), rng.random() < 0.7, coded)
    half = (label.extent.bottom - label.extent.top) / 2
    label.serial_quad = None
    etched = sheet.serial_quad
    y = rng.uniform(13, 20) + half if rng.random() < 0.7 else -rng.uniform(13, 20) - half
    sheet.place(label, rng.uniform(-25, 40), y, rng.normal(0, 4), mask)
    sheet.serial_quad = etched
