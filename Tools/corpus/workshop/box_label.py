"""Labels of retail boxes and cartons: rows of Code 128 with the serial among part number, IMEI, EID and UPC."""

import numpy as np

from . import codes, fonts, identifiers
from .sheet import Extent, Sheet

PRODUCTS = [
    ("MacBook Pro (16-inch, 2019)", "Space Gray, 2.6GHz/16GB/512GB"),
    ("MacBook Air (M1, 2020)", "Gold, 8-core CPU, 8GB, 256GB SSD"),
    ("iPhone 12", "Black, 128GB"),
    ("iPhone SE", "(PRODUCT)RED, 64GB"),
    ("iPad Air Wi-Fi + Cellular", "Sky Blue, 256GB"),
    ("Apple Watch Series 5 GPS", "44mm Space Gray Aluminum Case, Black Sport Band"),
    ("AirPods Pro with MagSafe Charging Case", "MLWK3AM/A"),
    ("Magic Keyboard with Touch ID", "US English"),
    ("Mac mini", "Apple M1 chip, 8GB, 512GB SSD"),
    ("Apple TV 4K", "64GB"),
]
SMALL_PRINT = [
    "Designed by Apple in California. Assembled in China.",
    "Apple Inc., One Apple Park Way, Cupertino, CA 95014 USA. apple.com",
    "© 2020 Apple Inc. All rights reserved. Other items as marked thereon.",
    "Importer: Apple Distribution International, Hollyhill Industrial Estate, Cork, Ireland",
    "Made for use worldwide. Conçu par Apple en Californie. Fabriqué en Chine.",
]
SERIAL_KEYS = ["(S) Serial No.", "(S) Serial No.:", "Serial No.", "S/N", "(S) Serial Number"]


def _bars(
    rng: np.random.Generator, label: Sheet, payload: str, x: float, y: float, width: float, height: float, spoil: bool
) -> None:
    modules = codes.code("code128", payload)
    picture = codes.faded(rng, modules) if spoil else modules
    # Whole dots per module, as printed.
    dots = max(1, int(min(width / modules.shape[1], 0.5) * label.ppm))
    label.bitmap(picture, x, y, dots * modules.shape[1] / label.ppm, height)


def retail(rng: np.random.Generator, serial: str, ppm: float, with_code: bool = True) -> Sheet:
    """The white label of a retail box: product, small print, one or two columns of codes."""
    face = str(rng.choice(fonts.LABEL))
    capital = rng.uniform(1.25, 1.8)
    product, detail = PRODUCTS[rng.integers(0, len(PRODUCTS))]
    columns = int(rng.choice([1, 2]))
    column_width = rng.uniform(38, 48)
    fields: list[tuple[str, str, str]] = [("(1P) Part No.", identifiers.part_number(rng), "")]
    if serial:
        fields.append((str(rng.choice(SERIAL_KEYS)), serial, serial))
    phone = product.startswith(("iPhone", "iPad")) or rng.random() < 0.2
    if phone:
        fields += [("IMEI/MEID", identifiers.imei(rng), ""), ("EID", identifiers.eid(rng), "")]
        if rng.random() < 0.4:
            fields.append(("IMEI2", identifiers.imei(rng), ""))
    if rng.random() < 0.7:
        fields.append(("UPC", identifiers.upc(rng), ""))
    if rng.random() < 0.3:
        fields.append(("Wi-Fi", identifiers.mac_address(rng, ""), ""))
    order = rng.permutation(len(fields)) if rng.random() < 0.6 else np.arange(len(fields))
    row_height = rng.uniform(8.5, 11)
    rows = -(-len(fields) // columns)
    width, height = columns * column_width + 6, rows * row_height + 20
    label = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), ppm, (250, 250, 250))
    left, top = -width / 2 + 3, -height / 2
    label.text(left, top + 4, product, "Inter-SemiBold" if rng.random() < 0.5 else face, 1.9, (20, 20, 20))
    label.text(left, top + 7.2, detail, face, 1.2, (30, 30, 30))
    label.text(
        left,
        top + 9.6,
        f"Model {identifiers.model(rng)}  {SMALL_PRINT[rng.integers(0, len(SMALL_PRINT))]}",
        face,
        0.85,
        (60, 60, 60),
    )
    for place, which in enumerate(order):
        key, value, marked = fields[which]
        x = left + (place % columns) * column_width
        y = top + 12 + (place // columns) * row_height
        above = rng.random() < 0.85
        text_y = y + capital if above else y + row_height - 0.8
        joint = str(rng.choice([" ", ": ", "  "]))
        size = capital * (0.8 if len(value) > 20 else 1)
        label.text(x, text_y, key + joint + value, face, size, (15, 15, 15), serial=marked)
        if with_code or not marked:
            payload = "S" + value if marked and rng.random() < 0.4 else value
            _bars(
                rng,
                label,
                payload,
                x,
                y + (capital + 0.8 if above else 0),
                column_width - 5,
                row_height - capital - 2.4,
                False,
            )
    label.text(left, top + height - 2, SMALL_PRINT[rng.integers(0, len(SMALL_PRINT))], face, 0.8, (70, 70, 70))
    if rng.random() < 0.4:
        for place, mark in enumerate(["CE", "UL", "FC"]):
            label.text(width / 2 - 18 + place * 6, top + height - 2, mark, "NimbusSans-Bold", 1.8, (30, 30, 30))
    return label


def carton(rng: np.random.Generator, serial: str, ppm: float, with_code: bool = True) -> Sheet:
    """A shipping carton's label: framed fields, large bars, data identifiers before the values."""
    face = str(rng.choice(fonts.THERMAL))
    width, height = rng.uniform(90, 105), rng.uniform(62, 85)
    dots = 8.0 if rng.random() < 0.6 else ppm
    label = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), dots, (248, 249, 249), crisp=dots < 9)
    left, top = -width / 2 + 3, -height / 2
    capital = rng.uniform(1.9, 2.6)
    fields = [
        ("(1P) PART NO", identifiers.part_number(rng), ""),
        ("(Q) QTY", "1", ""),
        ("(K) PO NO", identifiers.digits(rng, 10), ""),
    ]
    if serial:
        fields.insert(int(rng.integers(0, 3)), ("(S) SERIAL NO", serial, serial))
    row = (height - 6) / len(fields)
    label.frame(-width / 2 + 1, top + 1, width - 2, height - 2, (20, 20, 20), 0.4)
    for place, (key, value, marked) in enumerate(fields):
        y = top + 3 + place * row
        label.text(left, y + capital + 0.5, f"{key}: {value}", face, capital, (15, 15, 15), serial=marked)
        if (with_code or not marked) and row > capital + 6:
            _bars(
                rng,
                label,
                ("S" + value) if marked and rng.random() < 0.5 else value,
                left + 3,
                y + capital + 2,
                width * 0.62,
                row - capital - 4,
                rng.random() < 0.1,
            )
        if place:
            label.line(-width / 2 + 1, y - 0.6, width / 2 - 1, y - 0.6, (20, 20, 20), 0.3)
    return label
