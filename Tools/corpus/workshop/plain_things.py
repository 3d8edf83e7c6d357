"""Objects photographed by mistake or with other numbers: pages, keyboards, logic boards, parcels, routers."""

import cv2
import numpy as np

from . import codes, fonts, identifiers, textures
from .asset_label import asset_number
from .sheet import Extent, Sheet

WORDS = (
    "the repair was carried out in our workshop and all parts are covered for ninety days please keep this page with "
    "your device battery display keyboard returned customer agreed estimate of cost shipping address invoice terms "
    "apply after diagnosis no further faults were found software updated to latest version data erased as requested"
).split()


def text_page(rng: np.random.Generator) -> Sheet:
    """A letter or invoice with paragraphs, dates, amounts and reference numbers."""
    page = Sheet(Extent(-70, -90, 70, 90), 8, (247, 248, 248))
    face = str(
        rng.choice(
            [
                "NimbusRoman-Regular",
                "LiberationSerif-Regular",
                "DejaVuSerif",
                "OpenSans-Regular",
                "Lato-Regular",
                "C059-Roman",
                "P052-Roman",
            ]
        )
    )
    ink = (35, 35, 35)
    page.text(
        -60,
        -76,
        str(rng.choice(["INVOICE", "Repair report", "Delivery note", "Terms of service", "Warranty"])),
        face,
        3.6,
        ink,
    )
    reference = rng.choice(
        [
            f"No. {rng.integers(10**7, 10**8)}",
            f"Order W{rng.integers(10**8, 10**9)}",
            f"IBAN DE{identifiers.digits(rng, 20)}",
            f"Ref. {asset_number(rng)}",
        ]
    )
    page.text(-60, -68, str(reference), face, 1.9, ink)
    capital, y = rng.uniform(1.5, 2.2), -58.0
    while y < 82:
        words: list[str] = []
        while len(" ".join(words)) < 105 / capital:
            words.append(str(rng.choice(WORDS)) if rng.random() < 0.92 else f"{rng.integers(1, 9999)}")
        page.text(-60, y, " ".join(words).capitalize(), face, capital, ink)
        y += capital * (1.9 if rng.random() < 0.85 else 3.5)
    return page


def keyboard(rng: np.random.Generator) -> Sheet:
    """Rows of keys."""
    dark = rng.random() < 0.7
    ground, cap, ink = (
        ((120, 120, 120), (28, 27, 27), (225, 225, 225))
        if dark
        else ((200, 200, 202), (246, 246, 246), (110, 110, 110))
    )
    board = Sheet(Extent(-75, -30, 75, 30), 10, ground)
    rows = ["1234567890", "QWERTYUIOP", "ASDFGHJKL;", "ZXCVBNM,./"]
    face = str(rng.choice(["Inter-Light", "Roboto-Light", "Lato-Regular", "NimbusSans-Regular"]))
    for place, row in enumerate(rows):
        for column, letter in enumerate(row):
            x, y = -72 + column * 14.3 + place * 2, -28 + place * 14
            board.rect(x, y, 13, 12.6, cap, 1.4)
            board.text(x + 6.5, y + 7.6, letter, face, 3.0, ink, "m")
    return board


def logic_board(rng: np.random.Generator) -> Sheet:
    """A circuit board with a label of 17 characters, part markings and a DataMatrix."""
    base = [(60, 90, 30), (40, 40, 38), (110, 60, 25)][rng.integers(0, 3)]
    board = Sheet(Extent(-45, -32, 45, 32), 12, base)
    textures.grained(board.image, textures.field(rng, *board.image.shape[:2], cell=3) * 5)
    for _ in range(60):
        x, y = rng.uniform(-45, 45, 2) * (1, 0.7)
        if rng.random() < 0.25:
            side = rng.uniform(4, 12)
            board.rect(x, y, side, side * rng.uniform(0.5, 1), (35, 34, 34), 0.3)
            for row in range(int(rng.integers(1, 4))):
                alphabet = "0123456789ABCDEFGHJKLMNPRSTVWXYZ"
                text = "".join(alphabet[i] for i in rng.integers(0, len(alphabet), int(rng.integers(4, 9))))
                board.text(x + 0.6, y + 1.8 + row * 1.6, text, "LiberationSansNarrow-Regular", 0.9, (150, 150, 150))
        else:
            board.rect(x, y, 1.0, 0.5, (150, 190, 210))
            board.text(
                x,
                y - 0.3,
                f"{rng.choice(['R', 'C', 'U', 'L'])}{rng.integers(1000, 9999)}",
                "RobotoCondensed-Regular",
                0.7,
                (220, 220, 220),
            )
    board.rect(-20, -6, 40, 11, (245, 245, 245), 0.4)
    board.bitmap(codes.code("datamatrix", identifiers.logic_board(rng)), -19, -5, 9, 9)
    board.text(-8.5, 0, identifiers.logic_board(rng), str(rng.choice(fonts.THERMAL)), 1.5, (20, 20, 20), stretch=0.8)
    board.text(
        -8.5,
        3.4,
        f"820-{rng.integers(100, 2999):05d}-A  {identifiers.emc(rng)}",
        "RobotoCondensed-Bold",
        1.3,
        (20, 20, 20),
    )
    return board


def parcel(rng: np.random.Generator) -> Sheet:
    """A shipping label: address, tracking number and a long barcode."""
    label = Sheet(Extent(-50, -45, 50, 45), 8, (247, 248, 248), crisp=True)
    face, ink = str(rng.choice(fonts.THERMAL)), (20, 20, 20)
    tracking = str(
        rng.choice(
            [
                f"1Z{identifiers.digits(rng, 6)}{identifiers.digits(rng, 10)}",
                identifiers.digits(rng, 12),
                f"JJD{identifiers.digits(rng, 15)}",
                f"RR{identifiers.digits(rng, 9)}CN",
            ]
        )
    )
    lines = [
        "SHIP TO:",
        str(rng.choice(["M. Okafor", "Repair Desk", "Lindqvist & Co"])),
        f"{rng.integers(1, 240)} Harbour Street",
        f"{rng.integers(10000, 99999)} Northport",
    ]
    for place, line in enumerate(lines):
        label.text(-45, -36 + place * 4.6, line, face, 2.2, ink)
    label.line(-48, -16, 48, -16, ink, 0.5)
    label.text(-45, -10, f"TRACKING #: {tracking}", face, 2.1, ink)
    modules = codes.code("code128", tracking)
    dots = max(1, int(88 * 8 / modules.shape[1]))
    label.bitmap(modules, -44, -6, dots * modules.shape[1] / 8, 24)
    label.bitmap(codes.code("qr", f"https://example.org/t/{tracking}"), 22, -42, 22, 22)
    label.text(
        -45,
        28,
        f"WEIGHT {rng.integers(1, 30)}.{rng.integers(0, 9)} KG   1 OF 1   REF {asset_number(rng)}",
        face,
        1.8,
        ink,
    )
    return label


def router(rng: np.random.Generator) -> Sheet:
    """A network device's label: MAC addresses, Wi-Fi name and key."""
    label = Sheet(Extent(-32, -20, 32, 20), 18, (240, 241, 241))
    face, ink = str(rng.choice(fonts.LABEL)), (30, 30, 30)
    mac = identifiers.mac_address(rng, "")
    rows = [
        f"Model: {identifiers.model(rng)}",
        f"MAC: {mac if rng.random() < 0.6 else identifiers.mac_address(rng)}",
        f"SSID: net-{mac[-4:]}",
    ]
    rows += [
        f"CMIIT ID: {identifiers.cmiit(rng)}",
        f"FCC ID: BCG{identifiers.model(rng)}",
        f"{identifiers.emc(rng)}  IC: 579C-{identifiers.model(rng)}",
    ]
    for place, row in enumerate([rows[i] for i in rng.permutation(len(rows))]):
        label.text(-30, -14 + place * 3.8, row, face, 1.6, ink)
    modules = codes.code("code128", mac)
    label.bitmap(modules, -30, 9.5, 36, 6)
    label.bitmap(codes.code("qr", f"WIFI:T:WPA;S:net-{mac[-4:]};P:{identifiers.digits(rng, 8)};;"), 14, -16, 15, 15)
    return label


def numbers(rng: np.random.Generator) -> Sheet:
    """A sticker with one or two of the numbers that look like a serial, and their codes."""
    choices = [
        ("", f"BCG{identifiers.model(rng)}"),
        ("", f"579C-{identifiers.model(rng)}"),
        ("Model", identifiers.model(rng)),
        ("EMC", identifiers.emc(rng)[4:]),
        ("", "IS 13252(Part 1)/IEC 60950-1"),
        ("", f"R-{rng.integers(41000000, 41099999)}"),
        ("Asset", asset_number(rng)),
        ("", f"RM{rng.integers(10000, 99999)}"),
        ("Part No.", identifiers.part_number(rng)),
        ("IMEI", identifiers.imei(rng)),
        ("EID", identifiers.eid(rng)),
        ("UPC", identifiers.upc(rng)),
        ("MAC", identifiers.mac_address(rng, "")),
        ("CMIIT ID:", identifiers.cmiit(rng)),
        ("MLB", identifiers.logic_board(rng)),
        ("Service Tag", "".join(rng.choice(list("BCDFGHJKLMNPQRSTVWXYZ0123456789"), 7))),
    ]
    picked = [choices[i] for i in rng.permutation(len(choices))[: int(rng.integers(1, 5))]]
    face, capital = str(rng.choice(fonts.THERMAL + fonts.LABEL)), 2.2
    measure = Sheet(Extent(0, 0, 1, 1), 20)
    widest = max(measure.text_width(f"{k} {v}", face, capital) for k, v in picked)
    width, height = max(34.0, widest + 8), 6 + len(picked) * 11.0
    label = Sheet(
        Extent(-width / 2, -height / 2, width / 2, height / 2), float(rng.choice([8, 12, 20])), (246, 247, 247)
    )
    for place, (key, value) in enumerate(picked):
        y = -height / 2 + 4 + place * 11
        label.text(-width / 2 + 4, y + capital, f"{key} {value}".strip(), face, capital, (20, 20, 20))
        if rng.random() < 0.7:
            modules = (
                codes.code(str(rng.choice(["code128", "code128", "code39"])), value)
                if value.isalnum()
                else codes.code("code128", value)
            )
            dots = max(1, int((width - 8) * label.ppm / modules.shape[1]))
            if dots * modules.shape[1] / label.ppm < width:
                label.bitmap(modules, -width / 2 + 4, y + capital + 1, dots * modules.shape[1] / label.ppm, 5.5)
    return label


def code_only(rng: np.random.Generator) -> Sheet:
    """A bare code with some other payload."""
    payload = str(
        rng.choice(
            [
                "https://example.org/p/4711",
                f"LOT-{identifiers.digits(rng, 6)}",
                identifiers.upc(rng),
                asset_number(rng),
                identifiers.part_number(rng),
                "WIFI:T:WPA;S:guest;P:guest2020;;",
                identifiers.imei(rng),
            ]
        )
    )
    modules = codes.code(str(rng.choice(["qr", "datamatrix", "pdf417"])) if rng.random() < 0.6 else "code128", payload)
    label = Sheet(Extent(-25, -18, 25, 18), 12, (246, 247, 247))
    tall = modules.shape[0] > 1
    width = 20.0 if tall else 44.0
    label.bitmap(modules, -width / 2, -11, width, width * modules.shape[0] / modules.shape[1] if tall else 14)
    if rng.random() < 0.5:
        label.text(
            0,
            16,
            str(rng.choice(["SCAN ME", "Welcome", "Menu", payload[:20]])),
            "Roboto-Regular",
            2.0,
            (30, 30, 30),
            "m",
        )
    return label


def other_screen(rng: np.random.Generator) -> Sheet:
    """A display with other content: network settings, a commit log, a list of identifiers."""
    dark = rng.random() < 0.5
    ground, ink = ((32, 30, 30), (225, 225, 225)) if dark else ((250, 250, 250), (30, 30, 30))
    screen = Sheet(Extent(0, 0, 560, 380), 2.0, ground)
    kind = rng.integers(0, 3)
    if kind == 0:
        for place in range(18):
            line = f"{rng.integers(0, 1 << 28):07x} {' '.join(str(rng.choice(WORDS)) for _ in range(6))}"
            screen.text(10, 24 + place * 19, line, "DejaVuSansMono", 8, ink)
    elif kind == 1:
        rows = [
            ("Wi-Fi", "Connected"),
            ("IP Address", "192.168.1.24"),
            ("Router", "192.168.1.1"),
            ("MAC Address", identifiers.mac_address(rng)),
            ("Model", identifiers.part_number(rng)),
            ("IMEI", identifiers.imei(rng, True)),
            ("Version", "14.6.1 (23G93)"),
        ]
        for place, (key, value) in enumerate(rows):
            screen.text(30, 50 + place * 42, key, "Inter-Regular", 11, ink)
            screen.text(530, 50 + place * 42, value, "Inter-Regular", 11, (140, 140, 140), "r")
            screen.line(30, 64 + place * 42, 540, 64 + place * 42, (120, 120, 120), 0.4)
    else:
        for place in range(16):
            uuid = "-".join("".join(f"{rng.integers(0, 16):X}" for _ in range(n)) for n in (8, 4, 4, 4, 12))
            screen.text(12, 26 + place * 22, f"{place + 1:>2}  {uuid}", "LiberationMono-Regular", 8, ink)
    return screen


def scribble(rng: np.random.Generator, sheet: Sheet, quad: np.ndarray) -> None:
    """Paint over the serial: a bar of marker, tape, or a dense zigzag; nothing of it can be read."""
    pixels = (quad - (sheet.extent.left, sheet.extent.top)) * sheet.ppm
    (x0, y0), (x1, y1) = pixels.min(0), pixels.max(0)
    tall = y1 - y0
    colour = [(20, 20, 20), (30, 30, 150), (235, 235, 235), (90, 60, 20), (120, 160, 190)][rng.integers(0, 5)]
    ink = np.zeros(sheet.image.shape[:2], np.uint8)
    if rng.random() < 0.5:
        corners = np.array(
            [
                [x0 - tall, y0 - 0.7 * tall],
                [x1 + tall, y0 - 0.5 * tall],
                [x1 + tall, y1 + 0.7 * tall],
                [x0 - tall, y1 + 0.5 * tall],
            ]
        )
        cv2.fillConvexPoly(ink, corners.astype(np.int32), 255, cv2.LINE_AA)
    else:
        steps = int((x1 - x0) / (0.3 * tall)) + 4
        xs = np.linspace(x0 - tall, x1 + tall, steps)
        ys = np.where(np.arange(steps) % 2, y0 - 0.5 * tall, y1 + 0.5 * tall) + rng.normal(0, 0.1 * tall, steps)
        points = np.column_stack([xs, ys]).astype(np.int32)
        cv2.polylines(ink, [points], False, 255, max(3, int(0.75 * tall)), cv2.LINE_AA)
    sheet.stamp(ink, 0, 0, colour, 1.0)
