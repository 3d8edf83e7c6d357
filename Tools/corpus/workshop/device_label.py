"""Small labels and print on accessories, chargers, watches and repair tickets."""

import numpy as np

from . import codes, fonts, identifiers
from .sheet import Extent, Sheet

ACCESSORIES = [
    "Magic Mouse 2",
    "Magic Keyboard",
    "Apple Pencil",
    "AirPods Pro",
    "Apple TV 4K",
    "HomePod mini",
    "USB-C Power Adapter",
    "Apple Watch",
    "AirPort Time Capsule",
    "Thunderbolt Display",
    "Magic Trackpad",
    "Battery",
]


def small(rng: np.random.Generator, serial: str, ppm: float, with_code: bool) -> tuple[Sheet, bool]:
    """A few tight lines, gray on white or white on black, sometimes with a DataMatrix. Also returns whether it is
    dark."""
    dark = rng.random() < 0.3
    ground, ink = ((40, 38, 38), (205, 205, 205)) if dark else ((242, 243, 243), tuple([int(rng.uniform(20, 110))] * 3))
    face = str(rng.choice(fonts.LABEL))
    capital = rng.uniform(1.0, 1.5)
    key = str(rng.choice(["Serial No.", "Serial:", "S/N", "SN", "Serial Number", "S/N:"]))
    lines = [
        str(rng.choice(ACCESSORIES)),
        f"Model {identifiers.model(rng)}  {identifiers.emc(rng)}",
        f"FCC ID: BCG{identifiers.model(rng)}  IC: 579C-{identifiers.model(rng)}",
        "Designed by Apple in California  Assembled in China",
        f"CMIIT ID: {identifiers.cmiit(rng)}",
        f"Rated 5V⎓{rng.integers(1, 4)}A",
    ]
    keep = sorted(rng.permutation(len(lines))[: int(rng.integers(2, 6))])
    lines = [lines[i] for i in keep]
    if serial:
        lines.insert(int(rng.integers(0, len(lines) + 1)), f"{key} {serial}")
    pitch = capital * rng.uniform(1.5, 2.0)
    measure = Sheet(Extent(0, 0, 1, 1), 20)
    widest = max(measure.text_width(line, face, capital) for line in lines)
    side = max(pitch * len(lines), 7.0) if with_code else 0.0
    width, height = widest + 4 * capital + side + (capital if side else 0), pitch * len(lines) + 3 * capital
    label = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), ppm, ground)
    centred = rng.random() < 0.4
    x = -width / 2 + 2 * capital + (widest / 2 if centred else 0)
    for place, line in enumerate(lines):
        y = -height / 2 + 1.2 * capital + capital + place * pitch
        label.text(
            x, y, line, face, capital, ink, "m" if centred else "l", serial=serial if serial and serial in line else ""
        )
    if with_code:
        modules = codes.code(str(rng.choice(["datamatrix", "qr"])), serial or identifiers.logic_board(rng))
        side = min(side, height - capital)
        tall = side * modules.shape[0] / modules.shape[1]
        label.rect(width / 2 - side - 1.6 * capital, -tall / 2 - 0.6, side + 1.2, tall + 1.2, (245, 245, 245))
        label.bitmap(modules, width / 2 - side - 1.6 * capital + 0.6, -tall / 2, side, tall)
    return label, dark


def ticket(rng: np.random.Generator, serial: str, ppm: float, with_code: bool) -> Sheet:
    """A repair shop's ticket: thermal rows of key and value."""
    face = str(rng.choice(fonts.THERMAL))
    capital = rng.uniform(1.8, 2.5)
    key = str(rng.choice(["S/N", "SERIAL", "Serial No", "SN", "Serial"]))
    rows = [
        ("Ticket", f"{rng.integers(10000, 99999)}"),
        ("Device", str(rng.choice(["MacBook Pro 13", "iPhone 11 64GB", "iPad 7", "Watch S4", "iMac 27"]))),
        ("Date", f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.20{rng.integers(18, 26)}"),
        ("Customer", str(rng.choice(["M. Okafor", "J. Lindqvist", "Pereira", "S. Weiss", "Chen"]))),
        ("Issue", str(rng.choice(["no power", "display", "battery", "liquid damage", "keyboard"]))),
        ("Phone", identifiers.digits(rng, 9)),
    ]
    keep = sorted(rng.permutation(len(rows))[: int(rng.integers(2, 6))])
    rows = [rows[i] for i in keep]
    if serial:
        rows.insert(int(rng.integers(0, len(rows) + 1)), (key, serial))
    pitch = capital * rng.uniform(1.6, 2.0)
    measure = Sheet(Extent(0, 0, 1, 1), 20)
    keys = max(measure.text_width(k + ":", face, capital) for k, _ in rows)
    values = max(measure.text_width(v, face, capital) for _, v in rows)
    bars = 9.0 if with_code else 0.0
    width, height = keys + values + 6 * capital, pitch * len(rows) + 4 * capital + bars
    label = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), 8.0, (245, 246, 246), crisp=True)
    aligned = rng.random() < 0.6
    for place, (name, value) in enumerate(rows):
        y = -height / 2 + 1.5 * capital + capital + place * pitch
        x = -width / 2 + 2 * capital
        marked = serial if serial and value == serial else ""
        if aligned:
            label.text(x, y, name + ":", face, capital, (25, 25, 25))
            label.text(x + keys + capital, y, value, face, capital, (25, 25, 25), serial=marked)
        else:
            label.text(x, y, f"{name}: {value}", face, capital, (25, 25, 25), serial=marked)
    if with_code:
        modules = codes.code("code128", serial or f"TKT{rng.integers(10**6, 10**7)}")
        dots = max(1, int((width - 4 * capital) * 8.0 / modules.shape[1]))
        label.bitmap(
            modules,
            -dots * modules.shape[1] / 16,
            height / 2 - bars - capital,
            dots * modules.shape[1] / 8.0,
            bars * 0.85,
        )
    return label
