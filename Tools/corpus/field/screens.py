"""Serials on screens: which screen, as a screenshot or as a photo of the panel."""

import numpy as np

from . import mac_screen, panel, phone_screen
from . import wording as w
from .camera import Photo
from .conditions import Conditions
from .sheet import Sheet

PAINTERS = (
    (phone_screen.settings_about, 0.38),
    (phone_screen.setup_information, 0.06),
    (phone_screen.watch, 0.07),
    (mac_screen.about_small, 0.11),
    (mac_screen.about_wide, 0.11),
    (mac_screen.about_classic, 0.05),
    (mac_screen.system_information, 0.08),
    (mac_screen.system_settings, 0.06),
    (mac_screen.terminal, 0.04),
    (mac_screen.coverage_page, 0.04),
)
SIZES = ((1600, 1200), (1200, 1600), (900, 1600), (1600, 900), (1280, 960), (768, 1024), (720, 1280), (640, 480))


def painter(rng):
    weights = np.array([weight for _, weight in PAINTERS])
    return PAINTERS[int(rng.choice(len(PAINTERS), p=weights / weights.sum()))][0]


def screenshot_share(grade: str) -> float:
    return {"easy": 0.4, "medium": 0.15, "hard": 0.12}[grade]


def make(serial: str, grade: str, conditions: Conditions, rng) -> tuple[Photo, Sheet, str, str, float, bool]:
    """Photo, sheet, kind, device, the factor by which `develop` shrinks, and whether it is a screenshot."""
    paint = painter(rng)
    if rng.random() < screenshot_share(grade):
        cap = float(rng.choice([12, 14, 17, 24, 36])) if grade == "easy" else float(rng.uniform(12, 30))
        sheet, kind, device = paint(serial, cap, rng)
        least = {"easy": 12, "medium": 10, "hard": 8}[grade]
        conditions.chat, conditions.turns = grade != "easy", 0
        shrink = 1.0 if grade == "easy" else float(rng.uniform(min(1.0, least / cap), 1.0))
        if grade == "hard":
            shrink = float(min(1.0, rng.uniform(least, least * 1.3) / cap))
            conditions.quality = int(rng.integers(30, 65))
        conditions.cap = cap * shrink
        image = sheet.image.astype(np.float32)
        if sheet.alpha is not None:
            image *= sheet.alpha[..., None] / 255
        return Photo(image, sheet.corners), sheet, "screenshot-" + kind, device, shrink, True
    size = w.pick(rng, SIZES)
    shrink = float(rng.choice([1, rng.uniform(0.6, 0.95)]))
    sheet, kind, device = paint(serial, conditions.cap / shrink * 1.25, rng)
    photo = panel.photograph(sheet, device, conditions, size, shrink, rng)
    return photo, sheet, kind, device, shrink, False
