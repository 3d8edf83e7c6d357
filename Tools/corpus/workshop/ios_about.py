"""Settings > General > About on an iPhone or iPad."""

import numpy as np

from . import fonts, identifiers, wording
from .sheet import Extent, Sheet

PHONES = [
    "iPhone 8",
    "iPhone XR",
    "iPhone 11",
    "iPhone 12 mini",
    "iPhone 13 Pro",
    "iPhone 14",
    "iPhone 15",
    "iPhone SE",
]
PADS = ["iPad (8th generation)", "iPad Air", "iPad mini", "iPad Pro (11-inch)"]


def draw(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float, str]:
    """The screen in points (without the serial's row if `serial` is empty), its capitals in points, the device."""
    pad = rng.random() < 0.25
    device = "iPad" if pad else "iPhone"
    width, height = (
        (float(rng.choice([744, 820])), 700.0)
        if pad
        else (float(rng.choice([375, 390, 414])), float(rng.choice([667, 780, 844])))
    )
    dark = rng.random() < 0.45
    ground, card, ink, faint, rule = (
        ((0, 0, 0), (30, 28, 28), (255, 255, 255), (152, 147, 142), (58, 56, 56))
        if dark
        else ((247, 242, 242), (255, 255, 255), (0, 0, 0), (142, 138, 138), (200, 198, 198))
    )
    screen = Sheet(Extent(0, 0, width, height), density, ground)
    lang = wording.language(rng)
    words = wording.LANGUAGES[lang]
    label_face, bold_face, value_face = wording.faces(lang, fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))])
    capital = 12.0 * float(rng.choice([0.85, 1.0, 1.0, 1.1]))
    row = float(rng.choice([44, 44, 50])) * capital / 12
    left = (width * 0.36 if pad else 0) + float(rng.choice([0, 16]))
    right = width - (left if not pad else 16)
    if pad:
        _sidebar(screen, left - 16, height, label_face, ink, card, capital)
    _status_bar(rng, screen, width, bold_face if lang not in wording.CJK else "Inter-SemiBold", ink)
    screen.text(left + 8, 82, "‹", "Inter-Regular", 13, (255, 122, 10))
    screen.text((left + right) / 2, 80, words[0], bold_face, capital, ink, "m")
    version = f"{rng.integers(12, 19)}.{rng.integers(0, 7)}{rng.choice(['', '.1', '.2'])}"
    rows = [
        (words[1], str(rng.choice([device, f"{device} 2", "My " + device, "Front desk"]))),
        (words[2].replace("iOS", "iPadOS") if pad else words[2], version),
        (words[3], str(rng.choice(PADS if pad else PHONES))),
        (words[4], identifiers.part_number(rng)),
    ]
    if serial:
        rows.append((words[5], serial))
    groups = [
        rows,
        [
            (words[6], "0"),
            (words[7], f"{rng.integers(0, 9999):,}"),
            (words[8], "128 GB"),
            (words[9], f"{rng.integers(2, 120)},{rng.integers(1, 99)} GB"),
        ],
    ]
    radio = [(words[10], identifiers.mac_address(rng)), (words[11], identifiers.mac_address(rng))]
    if not pad or rng.random() < 0.3:
        radio += [
            ("IMEI", identifiers.imei(rng, True)),
            ("EID", identifiers.eid(rng)),
            ("ICCID", identifiers.iccid(rng)),
        ]
    groups.append(radio)
    y = 100 - (rng.uniform(0, 60) if rng.random() < 0.3 else 0)
    if rng.random() < 0.25:
        groups = [radio, rows] if rng.random() < 0.5 else [rows, radio]
    radius = 10.0 if left % 100 else 0.0
    for group in groups:
        screen.rect(left, y, right - left, row * len(group), card, radius)
        for place, (label, value) in enumerate(group):
            base = y + place * row + row / 2 + capital / 2
            if place:
                screen.line(left + 16, y + place * row, right, y + place * row, rule, 0.4)
            screen.text(left + 16, base, label, label_face, capital, ink)
            size = capital * (0.62 if len(value) > 26 else 1)
            marked = serial if serial and value == serial else ""
            screen.text(right - 16, base, value, value_face, size, faint, "r", serial=marked)
        y += row * len(group) + 34
    return screen, capital, device


def _status_bar(rng: np.random.Generator, screen: Sheet, width: float, face: str, ink) -> None:
    screen.text(26, 34, f"{rng.integers(1, 13)}:{rng.integers(0, 60):02d}", face, 11, ink)
    screen.rect(width - 46, 22, 24, 12, ink, 3)
    for bar in range(4):
        screen.rect(width - 92 + bar * 5, 33 - bar * 2.5, 3.2, 2 + bar * 2.5, ink)


def _sidebar(screen: Sheet, width: float, height: float, face: str, ink, card, capital: float) -> None:
    screen.rect(0, 0, width, height, card)
    for place, name in enumerate(
        ["Wi-Fi", "Bluetooth", "Apple Pencil", "Siri", "Touch ID", "App Store", "Mail", "FaceTime"]
    ):
        y = 120 + place * 44
        screen.rect(16, y - 20, 28, 28, (200, 120 + 12 * place, 40 + 20 * place), 6)
        screen.text(56, y, name, "Inter-Regular", capital, ink)
