"""Serials along a curve: rings and arcs of print under a device or on the back of a watch."""

from dataclasses import dataclass

import cv2
import numpy as np
from picture import Picture
from serials import random_serial

from . import camera, chat, fonts, legibility, light, marks, round_body, textures
from . import round_wording as wording
from .etched import UPLOADS
from .lid import CAPITAL
from .round_body import Ground
from .round_text import Stretch, write
from .sheet import Extent, Sheet
from .view import View, lens_bend, turned

# Height of the capitals in the photo, in pixels, and the minimum that must remain after perspective.
CAPITALS = {"easy": (13, 30), "medium": (10.5, 22), "hard": (9, 13)}
LEAST_CAPITAL = {"easy": 11, "medium": 9, "hard": 8}
# Maximum tilt of the device in degrees.
LEAN = {"easy": 10, "medium": 22, "hard": 30}
# Minimum legibility of the unrolled serial in the saved file. Set by eye over 76 hard pictures: below 0.87, people can
# only guess.
LEGIBLE = {"easy": 0.92, "medium": 0.9, "hard": 0.88}

# Half the side, in photo pixels, of the square around the device that is drawn.
FAR = 2500


@dataclass
class Print:
    """The lines on a ring; phrase and serial: the places of the serial with its label, and of the serial alone."""

    letters: wording.Lettering
    phrases: list[wording.Phrase]
    serial: str
    phrase_at: Stretch
    serial_at: Stretch
    shape: str

    @property
    def radii(self) -> tuple[float, float]:
        """The minimum and maximum radius of print, without descenders; millimetres."""
        reach = [np.hypot(*p.arc.point(0, above)) for p in self.phrases for above in (0, p.arc.capital)]
        return min(reach), max(reach)


def make_round(grade: str, rng: np.random.Generator) -> Picture:
    """A picture with one legible serial along a circle."""
    for _ in range(80):
        picture = _attempt(grade, rng)
        if picture is not None:
            return picture
    raise RuntimeError("no round scene held its serial")


def print_on(rng: np.random.Generator, look: Ground) -> Print:
    """The print of a device: a whole ring, facing halves, a half ring or a short arc, in one or two lines."""
    serial = random_serial(rng, {12: 0.55, 10: 0.35, 11: 0.1})
    letters = wording.Lettering(str(rng.choice(fonts.ETCHED)), CAPITAL, float(rng.choice([0.02, 0.05, 0.1, 0.16])))
    labelled = f"{rng.choice(wording.KEYS)} {serial}"
    texts = wording.phrases(rng, look.device)
    radius = rng.uniform(*look.radius) * CAPITAL
    shape = str(rng.choice(["ring", "facing", "half", "arc"], p=[0.42, 0.13, 0.2, 0.25]))
    clockwise = bool(rng.random() < 0.6)
    if shape == "facing":
        phrases = wording.two_facing(rng, [labelled, *texts], letters, radius)
    else:
        span = {"ring": 2 * np.pi, "half": rng.uniform(2.4, 3.4), "arc": rng.uniform(0.9, 1.7)}[shape]
        phrases = wording.ring(rng, [labelled, *texts], letters, radius, span, clockwise)
        if rng.random() < 0.4:
            phrases += _second_line(rng, texts, letters, phrases, span)
            shape += "-double"
    phrase = next(p for p in phrases if serial in p.text)
    return Print(letters, phrases, serial, *wording.stretches(phrase, letters, serial), shape)


def _second_line(
    rng: np.random.Generator, texts: list[str], letters: wording.Lettering, first: list[wording.Phrase], span: float
) -> list[wording.Phrase]:
    """A line outside the first one, of phrases that it does not hold."""
    others = [text for text in texts if text not in {p.text for p in first}] or texts
    arc = first[0].arc
    radius = min(arc.radius, arc.radius - (0 if arc.clockwise else arc.capital)) + CAPITAL * rng.uniform(1.7, 2.4)
    second = wording.ring(rng, others, letters, radius, span, arc.clockwise)
    if span > 6:
        return second
    # On parts of a ring, the lines are above each other.
    begin = wording.Arc(second[0].arc.radius, arc.start, arc.clockwise, arc.capital)
    return [wording.Phrase(begin, p.along, p.text) for p in second]


def framing(rng: np.random.Generator, grade: str, text: Print) -> tuple[View, str] | None:
    """The camera's pose, and whether the picture is an upload, an original or a crop; None if it cuts the print."""
    kind = str(rng.choice(["upload", "original", "crop"], p=[0.66, 0.1, 0.24]))
    low, high = CAPITALS[grade]
    scale = rng.uniform(max(low, 0.6 * high) if kind == "original" else low, high) / CAPITAL
    keep = text.phrase_at.outline()
    middle, spread = (keep.min(0) + keep.max(0)) / 2, np.ptp(keep, axis=0) * scale
    whole = 2 * scale * (text.radii[1] + 3 * CAPITAL)
    if kind == "crop":
        width, height = spread * rng.uniform(1.1, 1.9, 2) + 4 * scale * CAPITAL
        size = (int(np.clip(width, 240, 1200)), int(np.clip(height, 120, 1200)))
        aim, at = middle, np.array(size) * rng.uniform(0.45, 0.55, 2)
    else:
        size = UPLOADS[rng.integers(0, len(UPLOADS))]
        if kind == "original":
            size = (4032, 3024) if rng.random() < 0.5 else (3024, 4032)
        aim = np.zeros(2) if whole < 1.05 * min(size) else middle * rng.uniform(0.6, 1.0)
        at = np.array(size) * rng.uniform(0.42, 0.58, 2)
    lean = LEAN[grade]
    roll = rng.uniform(-1, 1) * {"easy": 8, "medium": 20, "hard": 30}[grade]
    tilts = rng.uniform(-lean, lean, 2)
    view = View(size, scale, tuple(aim), tuple(at), roll, *tilts, lens_bend(rng))
    seen = view.to_photo(keep)
    margin = 0.5 * scale * CAPITAL + 2
    if seen.min() < margin or (seen > np.array(size) - margin).any() or _capital(view, text) < LEAST_CAPITAL[grade]:
        return None
    return view, kind


def _capital(view: View, text: Print) -> float:
    """The least height of the serial's capitals in the photo, in pixels."""
    feet, tops = np.split(view.to_photo(text.serial_at.outline()), 2)
    return float(np.linalg.norm(tops - feet, axis=1).min())


def draw_scene(
    rng: np.random.Generator, grade: str, look: Ground, text: Print, view: View
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scene with the device: lit (float) photo, the same without light and marks, and the serial's quad."""
    sheet = Sheet(_bounded(view, text), min(1.15 * view.scale, 28))
    round_body.draw(rng, sheet, look, *text.radii)
    _print(rng, sheet, look, text)
    sheet.serial_quad = text.serial_at.chord_quad()
    unmarked, quad = view.take(sheet)
    quad = np.clip(quad, 0, view.size)
    _wear(rng, grade, sheet, text.radii[0])
    photo, _ = view.take(sheet)
    return _lit(rng, grade, photo.astype(np.float32), quad), unmarked, quad


def _wear(rng: np.random.Generator, grade: str, sheet: Sheet, inner: float) -> None:
    """Scratches, smudges and dust; at times a note in the middle, clear of the print that begins at radius `inner`."""
    worn = {"easy": 0.4, "medium": 1.0, "hard": 1.2}[grade]
    marks.scratches(rng, sheet, int(rng.poisson(10 * worn)), rng.random() < 0.7)
    if rng.random() < 0.4 * worn:
        marks.smudges(rng, sheet, int(rng.integers(1, 4)))
    if rng.random() < 0.12 and inner > 25:
        marks.handwriting(rng, sheet, -inner * rng.uniform(0.4, 0.6), rng.uniform(-8, 4), rng.uniform(4, 8))
    marks.dust(rng, sheet, int(rng.poisson(6 * worn)))


def _bounded(view: View, text: Print) -> Extent:
    """The part of the plane in sight, but no farther from the device than a photo of 12 megapixels shows."""
    seen, far = view.extent(), max(4 * text.radii[1], FAR / view.scale)
    return Extent(max(seen.left, -far), max(seen.top, -far), min(seen.right, far), min(seen.bottom, far))


def _print(rng: np.random.Generator, sheet: Sheet, look: Ground, text: Print) -> None:
    """Applies the ink of all lines to the sheet, worn in places; the ground's grain stays visible."""
    ink = Sheet(sheet.extent, sheet.ppm, (0, 0, 0))
    for phrase in text.phrases:
        write(ink, phrase.arc, phrase.along, phrase.text, text.letters.face, text.letters.tracking)
    wear = textures.field(rng, *sheet.image.shape[:2], cell=6 * sheet.ppm)
    strength = np.clip(rng.uniform(0.86, 1.0) + 0.05 * wear, 0.55, 1)
    alpha = (ink.image[:, :, 0].astype(np.float32) / 255 * strength)[:, :, None]
    change = (look.ink / np.maximum(look.ground, 1)).astype(np.float32)
    sheet.image = np.clip(sheet.image * (1 - alpha + alpha * change), 0, 255).astype(np.uint8)


def _lit(rng: np.random.Generator, grade: str, photo: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The scene under a lamp and a window, sometimes with a hand."""
    depth = {"easy": 0.5, "medium": 1.0, "hard": 1.3}[grade]
    photo = light.falloff(rng, photo, depth)
    if rng.random() < 0.4 * depth:
        photo = light.cast(rng, photo, rng.uniform(0.2, 0.7))
    if rng.random() < 0.35 * depth:
        photo = light.glare(rng, photo, rng.uniform(0.2, 0.7), quad, {"easy": 1.6, "medium": 1.1, "hard": 0.9}[grade])
    if grade != "easy" and rng.random() < 0.25:
        photo = light.shadow(rng, photo, rng.uniform(0.2, 0.5))
    return marks.fingers(rng, photo, quad) if rng.random() < 0.15 else photo


def _attempt(grade: str, rng: np.random.Generator) -> Picture | None:
    contrast = {"easy": rng.uniform(0.9, 1.15), "medium": rng.uniform(0.7, 1.0), "hard": rng.uniform(0.55, 0.85)}[grade]
    look = round_body.ground(rng, contrast)
    text = print_on(rng, look)
    for _ in range(12):
        framed = framing(rng, grade, text)
        if framed is not None:
            break
    else:
        return None
    view, kind = framed
    lit, unmarked, quad = draw_scene(rng, grade, look, text, view)
    taken = camera.exposure(rng, grade, _capital(view, text))
    if look.light_text:
        taken.noise *= 0.6
    lit = camera.metered(lit, quad, *((48, 115) if look.light_text else (95, 222)), rng)
    quality = int(rng.integers(*{"easy": (82, 96), "medium": (68, 92), "hard": (55, 85)}[grade]))
    photo = _shot(rng, lit, unmarked, text.serial_at, view, taken, (LEGIBLE[grade], quality))
    if photo is None:
        return None
    photo, quad = turned(photo, quad, int(rng.integers(0, 4)))
    if rng.random() < 0.04:
        photo, quad = chat.shown_in_chat(rng, photo, quad)
    return Picture(photo, quality, text.serial, look.device, f"{kind}-{look.name}-{text.shape}", quad)


def _shot(
    rng: np.random.Generator,
    lit: np.ndarray,
    unmarked: np.ndarray,
    serial: Stretch,
    view: View,
    taken: camera.Exposure,
    wanted: tuple[float, int],
) -> np.ndarray | None:
    """The photo with its faults, reduced until the unrolled serial is legible; None if that fails.

    wanted  the minimum legibility, and the JPEG quality at which it must be reached.
    """
    least, quality = wanted
    ideal, strip_quad = serial.unrolled(unmarked, view)
    for _ in range(5):
        photo = camera.shoot(rng, lit, taken, view.scale * serial.arc.capital)
        saved = cv2.imdecode(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
        if legibility.score(ideal, serial.unrolled(saved, view)[0], strip_quad) >= least:
            return photo
        taken = camera.softened(taken, 0.7)
    return None
