"""The family's entry points: pictures of a preset and grade, from the side, with print along a circle, or without a
serial."""

from dataclasses import replace

import numpy as np
from picture import Picture
from serials import random_serial

from . import etched, etched_wording, look_alikes, round_print, round_wording, screens, stickers
from .camera import develop
from .conditions import Conditions, conditions, from_the_side
from .legibility import foreshortening, likeness, serial_ink

# Minimum similarity of the finished serial to its shapes. Calibrated by eye over 66 pictures sorted by similarity:
# below these values, people can only guess. Labels are bent, which lowers the similarity of legible ones.
LEGIBLE = {
    "etched": {"easy": 0.84, "medium": 0.79, "hard": 0.745},
    "screen": {"easy": 0.84, "medium": 0.79, "hard": 0.745},
    "sticker": {"easy": 0.78, "medium": 0.74, "hard": 0.65},
}
TRIES = 60
# Factor by which sheets are painted larger than they appear.
OVERSAMPLE = 1.25


def _etched(c: Conditions, grade: str, rng: np.random.Generator) -> tuple[Picture, np.ndarray]:
    block = etched_wording.block(rng)
    serial = random_serial(rng, block.lengths)
    size, name = etched.photo_size(grade, c.cap, rng)
    shrink = 1.0 if name in ("original", "crop", "tiny") else float(rng.choice([1, rng.uniform(0.6, 0.95)]))
    photo, sheet = etched.photograph(block, serial, c, size, shrink, rng)
    done, quality = develop(photo, c, shrink, rng)
    return Picture(done.image, quality, serial, block.device, block.kind, done.quad), serial_ink(sheet)


LENGTHS_ON_SCREENS = {12: 0.45, 10: 0.4, 11: 0.15}


def _screen(c: Conditions, grade: str, rng: np.random.Generator) -> tuple[Picture, np.ndarray]:
    serial = random_serial(rng, LENGTHS_ON_SCREENS)
    photo, sheet, kind, device, shrink, screenshot = screens.make(serial, grade, c, rng)
    done, quality = develop(photo, c, shrink, rng, screenshot)
    return Picture(done.image, quality, serial, device, kind, done.quad), serial_ink(sheet)


LENGTHS_ON_LABELS = {12: 0.5, 10: 0.35, 11: 0.15}


def _sticker(c: Conditions, grade: str, rng: np.random.Generator) -> tuple[Picture, np.ndarray]:
    serial = random_serial(rng, LENGTHS_ON_LABELS)
    shrink = float(rng.choice([1, rng.uniform(0.6, 0.95)]))
    sheet, kind, device = stickers.label(serial, c.cap / shrink * OVERSAMPLE, rng, c.damage)
    size = stickers.frame([side * shrink / OVERSAMPLE for side in sheet.size], rng)
    ink = serial_ink(sheet)
    photo = stickers.photograph(sheet, kind, c, size, shrink, rng)
    done, quality = develop(photo, c, shrink, rng)
    return Picture(done.image, quality, serial, device, kind, done.quad), ink


# Each returns a picture and the flat ink of its serial.
MAKERS = {"etched": _etched, "screen": _screen, "sticker": _sticker}


# Maximum remaining length in the most foreshortened direction of a photo from the side: 33 degrees. If the sheet does
# not fit in the photo, it is turned back slightly.
OBLIQUE = 0.84


def _legible(preset: str, grade: str, rng: np.random.Generator, stand, most_kept: float = 1.0) -> Picture:
    """A picture with a serial that a patient person can read.

    stand      derives a picture's conditions from ordinary ones
    most_kept  maximum `foreshortening`
    """
    for _ in range(TRIES):
        try:
            picture, ink = MAKERS[preset](stand(conditions(preset, grade, rng)), grade, rng)
        except ValueError:
            continue
        if (
            foreshortening(picture.quad, ink) <= most_kept
            and likeness(picture.image_bgr, picture.quad, ink) >= LEGIBLE[preset][grade]
        ):
            return picture
    raise RuntimeError(f"no legible picture of {preset}-{grade} in {TRIES} tries")


def make_picture(preset: str, grade: str, rng: np.random.Generator) -> Picture:
    """A picture with a serial that a patient person can read."""
    return _legible(preset, grade, rng, lambda ordinary: ordinary)


def make_oblique(preset: str, grade: str, rng: np.random.Generator) -> Picture:
    """A picture from the side, its serial legible to a patient person."""
    return _legible(preset, grade, rng, lambda ordinary: from_the_side(ordinary, rng), OBLIQUE)


def _round(grade: str, rng: np.random.Generator) -> tuple[Picture, float]:
    c = conditions("etched", grade, rng)
    size, cap = round_print.photo_size(c.cap, rng)
    c = replace(c, cap=cap)
    circle = round_wording.circle(rng)
    serial = random_serial(rng, circle.lengths)
    shrink = 1.0 if max(size) > 2000 else float(rng.choice([1, rng.uniform(0.6, 0.95)]))
    ring, part = round_print.ring_of(circle, serial, c.cap / shrink * round_print.OVERSAMPLE, rng)
    photo = round_print.photograph(circle, ring, c, size, shrink, round_print.LEAST_CAP[grade], rng)
    done, quality = develop(photo, c, shrink, rng)
    quad = round_print.chord_rectangle(done.quad, done.size)
    picture = Picture(done.image, quality, serial, circle.device, f"{circle.kind}-{part}", quad)
    return picture, round_print.readable(done.image, done.quad, ring, quality)


def make_round(grade: str, rng: np.random.Generator) -> Picture:
    """A picture with print in a circle, its serial legible to a patient person."""
    for _ in range(TRIES):
        try:
            picture, readable = _round(grade, rng)
        except ValueError:
            continue
        if readable >= round_print.LEGIBLE[grade]:
            return picture
    raise RuntimeError(f"no legible {grade} picture of print in a circle in {TRIES} tries")


def make_look_alike(rng: np.random.Generator) -> Picture:
    """A picture without a serial, or with none that can be read."""
    return look_alikes.make(rng)
