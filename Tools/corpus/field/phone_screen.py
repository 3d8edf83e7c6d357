"""Screens of iPhone, iPad and Apple Watch: Settings > About, the information screen of the setup assistant, the watch's rows."""

from PIL import Image, ImageDraw

from . import codes, fonts
from . import wording as w
from .screen_wording import ABOUT, ORDER, about, language
from .sheet import Sheet, from_pil, union

LIGHT = {
    "back": (242, 242, 247),
    "card": (255, 255, 255),
    "ink": (0, 0, 0),
    "value": (138, 138, 142),
    "line": (216, 216, 220),
    "tint": (0, 122, 255),
}
DARK = {
    "back": (0, 0, 0),
    "card": (28, 28, 30),
    "ink": (255, 255, 255),
    "value": (152, 152, 158),
    "line": (56, 56, 60),
    "tint": (10, 132, 255),
}
DIM = {
    "back": (28, 28, 30),
    "card": (44, 44, 46),
    "ink": (240, 240, 240),
    "value": (160, 160, 166),
    "line": (70, 70, 74),
    "tint": (10, 132, 255),
}


def _status_bar(draw, width: float, u: float, colours, face, left: float = 0) -> None:
    fonts.put_text(draw, left + 30 * u, 30 * u, "9:41" if width < 500 * u else "14:07", face, 11 * u, colours["ink"])
    x = left + width - 30 * u
    draw.rounded_rectangle([x - 24 * u, 19 * u, x, 31 * u], 3 * u, outline=colours["ink"], width=max(1, round(u)))
    draw.rectangle([x - 22 * u, 21 * u, x - 10 * u, 29 * u], fill=colours["ink"])
    for i in range(4):
        draw.rectangle([x - (62 - 6 * i) * u, (29 - 2.6 * i) * u, x - (58 - 6 * i) * u, 31 * u], fill=colours["ink"])


def settings_about(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """Settings > General > About; the sheet, its kind and its device."""
    device = "iPhone" if rng.random() < 0.7 else "iPad"
    lang = language(rng, ABOUT)
    u = cap / 11.8
    colours = w.pick(rng, (LIGHT, LIGHT, DARK, DIM))
    face, bold = w.pick(rng, fonts.INTERFACE)
    old = rng.random() < 0.25
    width = rng.choice([375, 390, 414]) if device == "iPhone" else rng.choice([700, 810])
    sidebar = rng.choice([0, 300]) if device == "iPad" else 0
    height = width * rng.uniform(1.2, 2.16) if device == "iPhone" else (width + sidebar) * rng.uniform(0.65, 1.2)
    row = rng.choice([44, 44, 48, 52])
    cards = about(lang, serial, rng, device)
    words = dict(zip(ORDER, ABOUT[lang]))
    image = Image.new("RGB", (round((width + sidebar) * u), round(height * u)), colours["back"])
    draw = ImageDraw.Draw(image)
    flat = [r for card in cards for r in card]
    place = next((i for i, r in enumerate(flat) if r[2]), 0)
    scroll = (
        max(0.0, min(place * row - height * rng.uniform(0.1, 0.55), 700))
        if rng.random() < 0.5 or place * row > height * 0.6
        else 0
    )
    side = 0 if old else rng.choice([16, 20])
    text = 16 if old else side + 16
    y = (104 - scroll) * u
    box = context = None
    x0 = sidebar * u
    for card in cards:
        top, bottom = y, y + len(card) * row * u
        draw.rounded_rectangle(
            [x0 + side * u, top, x0 + (width - side) * u, bottom], 0 if old else 10 * u, fill=colours["card"]
        )
        for i, (label, value, own) in enumerate(card):
            base = y + (row / 2 + 5.9) * u
            room = (width - 2 * text - 12) * u - fonts.text_width(label, face, cap, language=lang)
            named = fonts.put_text(draw, x0 + text * u, base, label, face, cap, colours["ink"], language=lang)
            shown = value
            if value == "›":
                fonts.put_text(draw, x0 + (width - text) * u, base, "›", face, cap, colours["value"], "r")
                shown = ""
            squeeze = min(1.0, room / max(1.0, fonts.text_width(shown, face, cap, language=lang))) if shown else 1
            drawn = fonts.put_text(
                draw,
                x0 + (width - text) * u,
                base,
                shown,
                face,
                cap * (squeeze if not own else 1),
                colours["value"],
                "r",
                language=lang,
            )
            if own:
                box, context = drawn, union(named, drawn)
            if i + 1 < len(card):
                draw.line(
                    [x0 + text * u, y + row * u, x0 + (width - side) * u, y + row * u],
                    fill=colours["line"],
                    width=max(1, round(0.5 * u)),
                )
            y += row * u
        y += rng.choice([24, 35]) * u
    draw.rectangle([x0, 0, x0 + width * u, 92 * u], fill=colours["back"] if not old else colours["card"])
    _status_bar(draw, width * u, u, colours, bold, x0)
    fonts.put_text(draw, x0 + width / 2 * u, 76 * u, words["title"], bold, cap, colours["ink"], "m", language=lang)
    fonts.put_text(draw, x0 + 12 * u, 76 * u, "‹ " + words["back"], face, cap, colours["tint"], language=lang)
    if sidebar:
        _sidebar(draw, sidebar * u, height * u, u, cap, colours, face, lang, rng)
    if box is not None and (box[1] < 96 * u or box[3] > image.height - 4 * u):
        raise ValueError("the serial's row is out of sight")
    return from_pil(image, cap, box, context=context), f"{device.lower()}-about-{lang}", device


def _sidebar(draw, width, height, u, cap, colours, face, lang, rng) -> None:
    """The list of settings beside an iPad's About."""
    draw.rectangle([0, 0, width, height], fill=colours["card"])
    draw.line([width, 0, width, height], fill=colours["line"], width=max(1, round(u)))
    for i, name in enumerate(
        (
            "Wi-Fi",
            "Bluetooth",
            "VPN",
            ABOUT[lang][1],
            "Siri",
            "Touch ID",
            "App Store",
            "Mail",
            "Safari",
            "Maps",
            "Music",
            "TV",
        )
    ):
        y = (70 + i * 46) * u
        draw.rounded_rectangle(
            [16 * u, y, 44 * u, y + 28 * u], 6 * u, fill=tuple(int(v) for v in rng.integers(40, 230, 3))
        )
        fonts.put_text(draw, 58 * u, y + 20 * u, name, face, cap, colours["ink"], language=lang)


def setup_information(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """The sheet behind the (i) of the hello screen: serial, IMEI and EID, some of them as bars."""
    lang = language(rng, ABOUT)
    u = cap / 11.8
    colours = w.pick(rng, (LIGHT, DARK))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = 390, rng.uniform(520, 840)
    image = Image.new("RGB", (round(width * u), round(height * u)), colours["card"])
    draw = ImageDraw.Draw(image)
    _status_bar(draw, width * u, u, colours, bold)
    entries = [("IMEI", w.imei_spaced(rng), False), ("EID", w.eid(rng), False), ("MEID", w.imei(rng)[:14], False)][
        : rng.integers(1, 4)
    ]
    if serial:
        entries.insert(int(rng.integers(0, len(entries) + 1)), (dict(zip(ORDER, ABOUT[lang]))["serial"], serial, True))
    with_bars = rng.random() < 0.5
    y, box, context = 100 * u, None, None
    for label, value, own in entries:
        named = fonts.put_text(draw, width / 2 * u, y, label, bold, cap, colours["ink"], "m", language=lang)
        y += 24 * u
        size = cap if own or len(value) < 24 else cap * 0.8
        drawn = fonts.put_text(draw, width / 2 * u, y, value, face, size, colours["ink"], "m")
        if own:
            box, context = drawn, union(named, drawn)
        y += 16 * u
        if with_bars:
            code = codes.bars(value.replace(" ", ""), max(1.0, 1.1 * u), 34 * u)
            if code.width < (width - 30) * u:
                left = (width * u - code.width) / 2
                draw.rectangle(
                    [left - 10 * u, y - 4 * u, left + code.width + 10 * u, y + code.height + 4 * u],
                    fill=(255, 255, 255),
                )
                image.paste(code.convert("RGB"), (round(left), round(y)))
                y += code.height
        y += 44 * u
    if box and box[3] > image.height - 6 * u:
        raise ValueError("the serial is below the edge")
    return from_pil(image, cap, box, context=context), f"setup-information-{lang}", "iPhone"


def watch(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """An Apple Watch: label above value, white on black, in a rounded case."""
    lang = language(rng, ABOUT)
    u = cap / 12
    words = dict(zip(ORDER, ABOUT[lang]))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = 198, 242
    bezel = rng.uniform(14, 26)
    image = Image.new("RGB", (round((width + 2 * bezel) * u), round((height + 2 * bezel) * u)), (4, 4, 5))
    draw = ImageDraw.Draw(image)
    rows = [
        (words["version"].replace("iOS", "watchOS"), f"{rng.integers(5, 11)}.{rng.integers(0, 6)}", False),
        (words["model_number"], w.part(rng), False),
        (words["wifi"], w.mac(rng), False),
        (words["bluetooth"], w.mac(rng), False),
        (words["free"], f"{rng.uniform(1, 20):.1f} GB", False),
    ]
    if serial:
        rows.insert(int(rng.integers(0, 4)), (words["serial"], serial, True))
    start = max(0, next((i for i, r in enumerate(rows) if r[2]), 1) - int(rng.integers(0, 3)))
    y, box, context = (bezel + 34) * u, None, None
    fonts.put_text(
        draw, (bezel + 8) * u, (bezel + 20) * u, "‹ " + words["title"], bold, 0.9 * cap, (255, 159, 10), language=lang
    )
    fonts.put_text(draw, (bezel + width - 8) * u, (bezel + 20) * u, "10:09", face, 0.9 * cap, (230, 230, 230), "r")
    for label, value, own in rows[start : start + 4]:
        if y + 52 * u > image.height - bezel * u:
            break
        draw.rounded_rectangle([bezel * u, y, (bezel + width) * u, y + 50 * u], 10 * u, fill=(34, 34, 36))
        named = fonts.put_text(
            draw, (bezel + 9) * u, y + 20 * u, label, face, 0.85 * cap, (245, 245, 245), language=lang
        )
        shrink = min(1.0, (width - 18) * u / fonts.text_width(value, face, cap))
        drawn = fonts.put_text(draw, (bezel + 9) * u, y + 41 * u, value, face, cap * shrink, (150, 150, 156))
        if own:
            box, context = drawn, union(named, drawn)
        y += 54 * u
    if serial and box is None:
        raise ValueError("the serial's row is out of sight")
    alpha = Image.new("L", image.size, 0)
    ImageDraw.Draw(alpha).rounded_rectangle([0, 0, image.width - 1, image.height - 1], 46 * u, fill=255)
    return from_pil(image, cap, box, alpha, context), f"watch-about-{lang}", "Apple Watch"
