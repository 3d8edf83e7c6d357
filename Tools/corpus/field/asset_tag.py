"""Companies' asset tags: the company's own number, a code, and often the serial."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from . import codes, fonts
from . import wording as w
from .sheet import Sheet, from_pil, union

OWNERS = (
    "PROPERTY OF HALDEN & PIKE",
    "Norrviken Kommun",
    "IT-Service Rheintal",
    "ST. BRIGID'S SCHOOL",
    "Kestrel Logistics",
    "MERIDIAN BANK",
    "Universidad del Sur",
    "TECHNOPARK LEASING",
    "Brightwater Clinic",
    "City Library",
    "ORBITAL MEDIA",
    "Lycée Jean Moulin",
)
LABELS = (
    "S/N",
    "SN:",
    "SL#",
    "Sl.#",
    "Serial",
    "Serial:",
    "SERIAL NO",
    "S/N:",
    "Serial No.",
    "SN",
    "Ser. Nr.",
    "Serial #",
)
FOOTERS = (
    "If found, call us on {p}",
    "Do not remove",
    "Helpdesk {p}",
    "found. call us on {p}",
    "REWARD IF RETURNED",
    "www.it-assets.example",
    "Tel {p}",
)


def asset_number(rng) -> str:
    return w.code(
        rng,
        w.pick(
            rng,
            (
                "COMP0000000#####",
                "IT-######",
                "AST ## ####",
                "#######",
                "NB-####-##",
                "INV-20##-####",
                "LT######",
                "@@@-####",
                "0000######",
                "EQ#####",
            ),
        ),
    )


def payload(serial: str, number: str, square: bool, rng) -> tuple[str, str]:
    """Returns the code's content, and its name."""
    choice = rng.random()
    if serial and choice < 0.42:
        return serial, "serial"
    if serial and choice < 0.5:
        return "S" + serial, "s-serial"
    if choice < 0.78 or not square:
        return number.replace(" ", ""), "number"
    if serial and choice < 0.85:
        return f"https://assets.example.org/d?sn={serial}&id={number.replace(' ', '')}", "url-serial"
    return f"https://qr.example.net/a/{w.code(rng, '********')}", "url"


def asset_tag(serial: str, cap: float, rng, damage: float = 0.0, show_serial: bool = True) -> tuple[Sheet, str]:
    """Returns a tag whose serial (otherwise its number) has capitals `cap` pixels high, and its code's content.

    show_serial  False leaves the serial off in print (its code holds the number then)
    """
    printed = serial if show_serial else ""
    face = w.pick(rng, fonts.LABEL) if rng.random() < 0.65 else w.pick(rng, fonts.LABEL_MONO)
    small = face if rng.random() < 0.5 else w.pick(rng, fonts.LABEL)
    number = asset_number(rng)
    square = rng.random() < 0.62
    held, what = payload(printed, number, square, rng)
    label = w.pick(rng, LABELS)
    tracking = cap * rng.choice([0, 0, 0.05, 0.15])
    symbology = ("DataMatrix" if rng.random() < 0.25 else "QRCode") if square else "Code128"
    lines = [(number, False)]
    if printed:
        lines.insert(int(rng.integers(0, 2)), (f"{label} ", True))
    if rng.random() < 0.35:
        lines.append(
            (
                w.pick(
                    rng,
                    (
                        f"MODEL {w.model(rng)}",
                        "MacBook Pro 16",
                        "iPad 9th Gen",
                        f"P/N {w.part(rng)}",
                        f"MAC {w.mac(rng)}",
                        f"Dept. {w.digits(rng, 3)}",
                        f"PO {w.digits(rng, 8)}",
                    ),
                ),
                False,
            )
        )
    widths = [fonts.text_width(t + (printed if own else ""), face, cap, tracking) for t, own in lines]
    gap = cap * rng.uniform(1.5, 2.1)
    owner = w.pick(rng, OWNERS) if rng.random() < 0.75 else ""
    footer = w.pick(rng, FOOTERS).format(p=w.phone(rng)) if rng.random() < 0.6 else ""
    pad = cap * rng.uniform(1.0, 2.0)
    text_width = max(widths + [fonts.text_width(owner, small, cap * 0.95), fonts.text_width(footer, small, cap * 0.85)])
    text_height = gap * (len(lines) + bool(owner) + bool(footer))
    beside = square and rng.random() < 0.6
    side = cap * rng.uniform(5, 8)
    module = max(cap * rng.uniform(0.1, 0.18), 0.5)
    code = codes.matrix(held, side, symbology) if square else codes.bars(held, module, cap * rng.uniform(2, 3.5))
    if beside:
        width, height = text_width + code.width + 3 * pad, max(text_height, code.height) + 1.6 * pad
    else:
        width, height = max(text_width, code.width) + 2 * pad, text_height + code.height + 1.2 * pad + 0.8 * cap
    paper = w.pick(
        rng, ((252, 252, 250), (250, 248, 240), (236, 236, 238), (226, 228, 232), (250, 236, 150), (196, 204, 210))
    )
    ink = w.pick(rng, ((10, 10, 12), (20, 20, 24), (40, 40, 44), (14, 26, 90)))
    image = Image.new("RGB", (round(width), round(height)), paper)
    alpha = Image.new("L", image.size, 0)
    ImageDraw.Draw(alpha).rounded_rectangle(
        [0, 0, image.width - 1, image.height - 1], cap * rng.choice([0.05, 0.8, 1.4]), fill=255
    )
    draw = ImageDraw.Draw(image)
    if rng.random() < 0.3:
        draw.rounded_rectangle(
            [cap * 0.3, cap * 0.3, width - cap * 0.3, height - cap * 0.3],
            cap * 0.6,
            outline=ink,
            width=max(1, round(cap * 0.09)),
        )
    code_first = rng.random() < 0.5
    if beside:
        x_text, x_code = (2 * pad + code.width, pad) if code_first else (pad, 2 * pad + text_width)
        y, y_code = (height - text_height) / 2, (height - code.height) / 2
    else:
        x_text = pad
        x_code = pad + (max(text_width, code.width) - code.width) * rng.random()
        y, y_code = (
            (0.6 * pad + code.height + 0.5 * cap, 0.6 * pad)
            if code_first
            else (0.6 * pad, 0.6 * pad + text_height + 0.5 * cap)
        )
    coloured = Image.new("RGB", code.size, ink)
    image.paste(coloured, (round(x_code), round(y_code)), code.point(lambda v: 255 - v))
    box = context = None
    y += cap * 1.15
    if owner:
        if rng.random() < 0.25 and not beside and not code_first:
            draw.rectangle([0, 0, width, y + 0.45 * cap], fill=ink)
            fonts.put_text(draw, x_text, y, owner, small, cap * 0.95, paper)
        else:
            fonts.put_text(draw, x_text, y, owner, small, cap * 0.95, ink)
        y += gap
    for text, own in lines:
        drawn = fonts.put_text(draw, x_text, y, text, face, cap, ink, tracking=tracking)
        if own:
            box = fonts.put_text(draw, drawn[2], y, printed, face, cap, ink, tracking=tracking)
            context = union(drawn, box)
        y += gap
    if footer:
        fonts.put_text(draw, x_text, y, footer, small, cap * 0.85, ink)
    sheet = from_pil(image, cap, box, alpha, context)
    wear(sheet, damage, rng, spare=box)
    return sheet, f"{symbology.lower()}-{what}"


def wear(sheet: Sheet, damage: float, rng, spare=None) -> None:
    """Adds worn print, dirt and a torn corner, in place; only slightly over the box `spare`."""
    height, width = sheet.image.shape[:2]
    image = sheet.image.astype(np.float32)
    paper = np.median(image.reshape(-1, 3), axis=0)
    worn = rng.standard_normal((height // 3 + 2, width // 3 + 2)).astype(np.float32)
    worn = cv2.resize(cv2.GaussianBlur(worn, (0, 0), 2), (width, height))
    worn = np.clip((worn / max(1e-3, worn.std()) - 2.2 + 1.2 * damage) * 0.8, 0, 1) * min(1, damage * 1.4)
    dirt = cv2.resize(rng.standard_normal((9, 12)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    dirt = np.clip(dirt - 1.4 + 0.6 * damage, 0, 1) * damage * 0.4
    if spare:
        left, top, right, bottom = (int(v) for v in spare)
        worn[max(0, top - 2) : bottom + 2, max(0, left - 2) : right + 2] *= 0.35
    image += (paper - image) * worn[..., None]
    image *= 1 - dirt[..., None] * np.array([0.9, 0.8, 0.7], np.float32)
    sheet.image[:] = np.clip(image, 0, 255).astype(np.uint8)
