"""Asset stickers: a company's thermal label with its own number, often with the serial and a QR code."""

import numpy as np

from . import codes, fonts, textures
from .sheet import Extent, Sheet

COMPANIES = [
    "NORTHGATE IT",
    "Riverbank Leasing",
    "Halden AB",
    "UNIV. LIBRARY",
    "Property of K&M GmbH",
    "TechPool",
    "City College",
    "Arvada",
]
KEYS = ["SL#", "Sl.#", "S/N", "SN", "S/N:", "SN:", "Serial", "Serial No.", "SER. NO.", "Serial#"]
# Printers with 203 and 300 dots per inch, and a laser printer.
DOTS = [8.0, 11.8, 23.6]


def asset_number(rng: np.random.Generator) -> str:
    """An organisation's own number, which is not a serial."""
    n = int(rng.integers(0, 999_999))
    return str(
        rng.choice(
            [
                f"COMP{n:015d}",
                f"RM{n % 99999:05d}",
                f"AST-{n:06d}",
                f"IT{n:07d}",
                f"{n:08d}",
                f"NB-{n % 9999:04d}-{n % 97:02d}",
            ]
        )
    )


def phone_number(rng: np.random.Generator) -> str:
    return f"{rng.integers(10, 99):03d} - {rng.integers(10_000_000, 99_999_999)}"


def asset_label(
    rng: np.random.Generator, serial: str, capital: float, with_code: bool, coded: str | None = None
) -> tuple[Sheet, np.ndarray]:
    """A label sheet (in its own millimetres, middle at 0, 0) and its rounded cover mask.

    serial   printed with a label; if empty, only the asset number is printed.
    capital  height of the serial's capitals in millimetres.
    coded    payload of the code; if None, the serial, or the asset number if there is no serial.
    """
    face = str(rng.choice(fonts.THERMAL))
    stretch = float(rng.choice([1.0, 1.0, 1.15, 1.3])) if "Narrow" not in face and "Cond" not in face else 1.0
    tracking = float(rng.choice([0.0, 0.05, 0.12]))
    number = asset_number(rng)
    key = str(rng.choice(KEYS))
    rows = [str(rng.choice(COMPANIES))] if rng.random() < 0.6 else []
    rows.append(number)
    if serial:
        gap = " " * int(rng.integers(1, 3))
        rows.append(f"{key}{gap}{serial}")
    if rng.random() < 0.6:
        rows.append(
            f"If found, call us on {phone_number(rng)}"
            if rng.random() < 0.7
            else f"Inv. {rng.integers(2015, 2025)}-{rng.integers(1, 12):02d}"
        )
    pitch = capital * rng.uniform(1.6, 2.1)
    dots = float(rng.choice(DOTS))
    measure = Sheet(Extent(0, 0, 1, 1), 20)
    widths = [
        measure.text_width(row, face, capital * (0.9 if serial and serial not in row else 1), tracking, stretch)
        for row in rows
    ]
    kind = str(rng.choice(["qr", "qr", "datamatrix", "code128"])) if with_code else ""
    payload = coded if coded is not None else (serial or number)
    beside = kind in ("qr", "datamatrix") and rng.random() < 0.5
    code_size = capital * rng.uniform(5, 8) if kind in ("qr", "datamatrix") else 0.0
    bars_height = capital * 3.2 if kind == "code128" else 0.0
    text_height = pitch * len(rows)
    width = max(widths) + 4 * capital + (code_size + capital if beside else 0)
    height = (max(text_height, code_size) if beside else text_height + code_size + bars_height) + 3 * capital
    label = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), dots, (246, 247, 247), crisp=dots < 15)
    top = -height / 2 + 1.2 * capital
    middle = (code_size + capital) / 2 if beside else 0.0
    if kind == "code128":
        modules = codes.code("code128", payload)
        bar_width = min(width - 2 * capital, modules.shape[1] * round(max(2, dots / 4)) / dots)
        label.bitmap(modules, -bar_width / 2, top, bar_width, bars_height * 0.85)
        top += bars_height
    elif kind:
        modules = codes.code(kind, payload)
        x = (
            -width / 2 + capital
            if beside
            else (rng.choice([-1, 0, 1]) * (width / 2 - code_size / 2 - capital) - code_size / 2)
        )
        label.bitmap(
            modules, x, -code_size / 2 if beside else top, code_size, code_size * modules.shape[0] / modules.shape[1]
        )
        if not beside:
            top += code_size * modules.shape[0] / modules.shape[1] + 0.4 * capital
    y = top + capital
    for row in rows:
        own = serial if serial and serial in row else ""
        size = capital if own else capital * 0.9
        label.text(middle, y, row, face, size, (25, 25, 25), "m", tracking, stretch, serial=own)
        y += pitch
    textures.paper(rng, label.image, label.ppm)
    cover = Sheet(label.extent, label.ppm, (0, 0, 0))
    cover.rect(label.extent.left, label.extent.top, width, height, (255, 255, 255), float(rng.choice([0, 1.0, 2.0])))
    return label, cover.image[:, :, 0]
