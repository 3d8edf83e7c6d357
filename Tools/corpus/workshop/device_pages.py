"""Other pages that show a serial: a Mac's System Settings, a warranty page, an accessory's settings, a setup screen."""

import numpy as np

from . import fonts, identifiers, wording
from .macos_about import SERIAL_WORDS
from .sheet import Extent, Sheet


def system_settings(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """System Settings > General > About, macOS 13 and later: rows with the value at the right."""
    dark = rng.random() < 0.45
    ground, card, ink, faint = (
        ((38, 36, 36), (52, 50, 50), (235, 235, 235), (160, 158, 158))
        if dark
        else ((240, 240, 240), (250, 250, 250), (30, 30, 30), (125, 122, 122))
    )
    lang = "en" if rng.random() < 0.5 else str(rng.choice(list(SERIAL_WORDS)))
    face, bold, value_face = wording.faces(lang, fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))])
    screen = Sheet(Extent(0, 0, 640, 440), density, ground)
    screen.rect(0, 0, 200, 440, tuple(int(c * 0.96) for c in ground))
    for place, name in enumerate(
        ["Wi-Fi", "Bluetooth", "Network", "Notifications", "Sound", "Focus", "General", "Appearance", "Control Center"]
    ):
        screen.rect(16, 60 + place * 30, 18, 18, (200, 90 + 15 * place, 40 + 20 * place), 4)
        screen.text(42, 74 + place * 30, name, value_face, 8.5, ink)
    screen.text(220, 30, "About", bold if lang not in wording.CJK else "Inter-SemiBold", 10, ink)
    rows = [
        ("Name", "Front desk Mac"),
        ("Chip", str(rng.choice(["Apple M1", "Apple M2", "Apple M3 Pro"]))),
        ("Memory", "16 GB"),
    ]
    if serial:
        rows.append((str(rng.choice(SERIAL_WORDS[lang])), serial))
    rows += [
        ("Coverage", "Expired"),
        ("macOS", f"Version {rng.integers(13, 16)}.{rng.integers(0, 6)}"),
        ("Model", identifiers.part_number(rng)),
    ]
    screen.rect(216, 60, 404, len(rows) * 38, card, 6)
    for place, (label, value) in enumerate(rows):
        base = 60 + place * 38 + 23
        own = bool(serial) and value == serial
        screen.text(228, base, label, face if own else value_face, 8.8, ink)
        screen.text(608, base, value, value_face, 8.8, faint, "r", serial=serial if own else "")
        if place:
            screen.line(228, 60 + place * 38, 608, 60 + place * 38, faint, 0.3)
    return screen, 8.8


def warranty_page(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """A web page that states a device's coverage."""
    regular, bold = fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))]
    screen = Sheet(Extent(0, 0, 620, 420), density, (255, 255, 255))
    screen.rect(0, 0, 620, 30, (225, 225, 225))
    screen.rect(140, 6, 340, 18, (250, 250, 250), 6)
    screen.text(310, 19, "checkcoverage.example.com", regular, 7, (90, 90, 90), "m")
    screen.text(
        220,
        90,
        str(rng.choice(["Your service and support coverage", "Device details", "Coverage"])),
        bold,
        13,
        (30, 30, 30),
        "m",
    )
    screen.rect(60, 130, 90, 120, tuple(int(v) for v in rng.uniform(80, 220, 3)), 8)
    screen.text(
        180,
        152,
        str(
            rng.choice(
                ["MacBook Pro (13-inch, M1, 2020)", "iPhone 12", "iPad Air (4th generation)", "Apple Watch Series 6"]
            )
        ),
        bold,
        11,
        (30, 30, 30),
    )
    capital = float(rng.uniform(8, 10))
    if serial:
        key = str(
            rng.choice(["Serial Number:", "Serial Number", "Seriennummer:", "Numéro de série :", "Número de serie:"])
        )
        screen.text(180, 178, f"{key} {serial}", regular, capital, (90, 90, 90), serial=serial)
    for place, line in enumerate(
        [
            "Valid Purchase Date",
            "Telephone Technical Support: Expired",
            "Repairs and Service Coverage: Expired",
            "Learn about service coverage",
        ]
    ):
        screen.text(180, 220 + place * 26, line, regular, 8.5, (60, 60, 60) if place < 3 else (204, 102, 0))
    return screen, capital


def accessory_page(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """Bluetooth > AirPods: a few rows, the serial in the last group."""
    dark = rng.random() < 0.5
    ground, card, ink, faint = (
        ((0, 0, 0), (30, 28, 28), (255, 255, 255), (152, 147, 142))
        if dark
        else ((247, 242, 242), (255, 255, 255), (0, 0, 0), (142, 138, 138))
    )
    lang = wording.language(rng)
    face, _, value_face = wording.faces(lang, fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))])
    screen = Sheet(Extent(0, 0, 390, 640), density, ground)
    screen.text(
        195,
        70,
        str(rng.choice(["AirPods Pro", "AirPods", "Apple Pencil", "Magic Keyboard"])),
        "Inter-SemiBold",
        12,
        ink,
        "m",
    )
    rows = [("Model Name", "AirPods Pro"), (wording.LANGUAGES[lang][4], identifiers.model(rng))]
    if serial:
        rows.append((wording.LANGUAGES[lang][5], serial))
    rows.append(("Version", f"{rng.integers(3, 7)}{rng.choice(['A', 'B', 'E'])}{rng.integers(100, 400)}"))
    y = rng.uniform(110, 320)
    screen.rect(16, y, 358, 44 * len(rows), card, 10)
    for place, (label, value) in enumerate(rows):
        base = y + place * 44 + 28
        own = bool(serial) and value == serial
        screen.text(32, base, label, face if label in wording.LANGUAGES[lang] else value_face, 12, ink)
        screen.text(358, base, value, value_face, 12, faint, "r", serial=serial if own else "")
    return screen, 12.0


def setup_screen(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """The information sheet of a phone that is not set up: serial, IMEI, EID, centred."""
    dark = rng.random() < 0.3
    ground, ink, faint = (
        ((20, 20, 20), (245, 245, 245), (170, 170, 170)) if dark else ((255, 255, 255), (10, 10, 10), (110, 110, 110))
    )
    regular, bold = fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))]
    screen = Sheet(Extent(0, 0, 390, 760), density, ground)
    entries = [("IMEI", identifiers.imei(rng, True)), ("EID", identifiers.eid(rng))]
    if serial:
        entries.insert(int(rng.integers(0, 3)), (str(rng.choice(["Serial Number", "Serial", "Serial No."])), serial))
    y = rng.uniform(130, 300)
    centred = rng.random() < 0.6
    for key, value in entries:
        own = bool(serial) and value == serial
        if centred:
            screen.text(195, y, key, bold, 11, ink, "m")
            screen.text(
                195, y + 24, value, regular, 9 if len(value) > 24 else 11, faint, "m", serial=serial if own else ""
            )
            y += 74
        else:
            screen.text(
                24, y, f"{key}: {value}", regular, 8.5 if len(value) > 24 else 11, ink, serial=serial if own else ""
            )
            y += 34
    return screen, 11.0
