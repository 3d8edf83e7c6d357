"""Serials on displays: which screen, and whether it is photographed or captured."""

import numpy as np
from picture import Picture
from serials import random_serial

from . import device_pages, ios_about, macos_about, screen_photo, watch_about
from .sheet import Sheet

MAC_SCREENS = {
    "about-window": macos_about.new_window,
    "about-window-old": macos_about.old_window,
    "system-report": macos_about.system_report,
    "terminal": macos_about.terminal,
    "finder": macos_about.finder,
    "system-settings": device_pages.system_settings,
    "warranty-page": device_pages.warranty_page,
}
# Pages of a phone: (drawing, device).
PHONE_PAGES = {
    "accessory-page": (device_pages.accessory_page, "Accessory"),
    "setup-screen": (device_pages.setup_screen, "iPhone"),
}


def make_screen(grade: str, rng: np.random.Generator, oblique: bool = False) -> Picture:
    """A picture of a display with a legible serial, from the side if `oblique`."""
    for _ in range(40):
        serial = random_serial(rng, {12: 0.45, 10: 0.4, 11: 0.15})
        picture = shown(rng, grade, serial, oblique)
        if picture is not None:
            picture.serial = serial
            return picture
    raise RuntimeError("no screen held its serial")


def draw_screen(
    rng: np.random.Generator, serial: str, captured: bool
) -> tuple[Sheet, float, str, str, tuple[float, float]]:
    """A display's content, its capitals in points, device, kind, and its bezel."""
    shares = [0.35, 0.09, 0.12, 0.1, 0.08, 0.04, 0.06, 0.06, 0.03, 0.03, 0.04]
    kind = str(rng.choice(["ios", "watch", *MAC_SCREENS, *PHONE_PAGES], p=shares))
    if kind in PHONE_PAGES:
        draw, device = PHONE_PAGES[kind]
        screen, capital = draw(rng, serial, 2.5)
        return screen, capital, device, kind, (float(rng.uniform(4, 14)), float(rng.choice([0, 36])))
    if kind == "ios":
        density = float(rng.choice([2, 3])) if captured else 2.5
        screen, capital, device = ios_about.draw(rng, serial, density)
        return (
            screen,
            capital,
            device,
            f"{device.lower()}-about",
            (float(rng.uniform(4, 14)), float(rng.choice([0, 36]))),
        )
    if kind == "watch":
        screen, capital = watch_about.draw(rng, serial, 2.0 if captured else 3.0)
        return screen, capital, "Apple Watch", "watch-about", (8.0, 34.0)
    # Older displays have one pixel per point, so their letters consist of few dots.
    density = float(rng.choice([1, 2], p=[0.35, 0.65]))
    screen, capital = MAC_SCREENS[kind](rng, serial, density)
    device = str(rng.choice(["MacBook", "iMac", "Mac Mini"])) if kind != "finder" else "iPhone"
    return screen, capital, device, kind, (float(rng.uniform(10, 60)), 0.0)


def shown(rng: np.random.Generator, grade: str, serial: str, oblique: bool = False) -> Picture | None:
    """One attempt; None if the serial is not completely and legibly in the picture."""
    captured = not oblique and rng.random() < {"easy": 0.35, "medium": 0.15, "hard": 0.12}[grade]
    screen, capital, device, kind, glass = draw_screen(rng, serial, captured)
    if (
        screen.serial_quad is None
        or screen.serial_quad.min() < 2
        or screen.serial_quad[2, 1] > screen.extent.bottom - 2
    ):
        return None
    if captured:
        return screen_photo.screenshot(rng, grade, screen, device, kind)
    return screen_photo.photographed(rng, grade, screen, capital, device, kind, glass, oblique=oblique)
