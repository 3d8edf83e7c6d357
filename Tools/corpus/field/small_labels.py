"""Tiny labels on accessories and cables, and repair tickets off a thermal printer."""

from PIL import Image, ImageDraw

from . import codes, fonts
from . import wording as w
from .sheet import Sheet, from_pil, union


def accessory_label(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """Two to five crowded lines on white or gray, sometimes with a Data Matrix."""
    regular = w.pick(rng, fonts.LABEL)
    dark = rng.random() < 0.25
    paper, ink = (
        ((34, 34, 36), (205, 205, 205))
        if dark
        else (
            w.pick(rng, ((250, 250, 250), (222, 224, 226), (240, 240, 232))),
            w.pick(rng, ((20, 20, 20), (90, 90, 94), (60, 60, 60))),
        )
    )
    name = w.pick(
        rng,
        (
            "Apple 96W USB-C Power Adapter",
            "MagSafe Charger",
            "Magic Keyboard",
            "Magic Trackpad",
            "Apple Pencil",
            "AirPods Max",
            "SuperDrive",
            "Lightning Dock",
            "Thunderbolt Display",
        ),
    )
    serial_line = w.pick(rng, ("S/N {s}", "Serial No. {s}", "SN: {s}", "Serial: {s}", "{s}", "(S) {s}"))
    lines = [
        name,
        f"Model {w.model(rng)}  EMC {w.emc(rng)}",
        w.pick(
            rng,
            (
                "Input 100-240V~1.5A 50-60Hz",
                "Rated 5V 1A",
                "Designed by Apple in California",
                f"FCC ID: BCG{w.model(rng)}",
            ),
        ),
        w.pick(rng, ("Assembled in China", "Made in Vietnam", f"CMIIT ID: {w.code(rng, '20##@@####')}")),
    ][: rng.integers(1, 5)]
    if serial:
        lines.insert(int(rng.integers(0, len(lines) + 1)), serial_line)
    gap = cap * rng.uniform(1.4, 1.8)
    pad = cap * rng.uniform(0.8, 2)
    square = (
        codes.matrix(
            serial or w.code(rng, "**********"),
            cap * rng.uniform(3.5, 5),
            "DataMatrix" if rng.random() < 0.7 else "QRCode",
        )
        if rng.random() < 0.45
        else None
    )
    text_width = max(fonts.text_width(t.replace("{s}", serial), regular, cap) for t in lines)
    width = text_width + 2 * pad + (square.width + pad if square else 0)
    height = max(gap * len(lines) + 2 * pad, (square.height if square else 0) + 2 * pad)
    image = Image.new("RGB", (round(width), round(height)), paper)
    draw = ImageDraw.Draw(image)
    if square:
        tile = Image.new("RGB", square.size, (255, 255, 255) if dark else paper)
        tile.paste(Image.new("RGB", square.size, (20, 20, 20)), (0, 0), square.point(lambda v: 255 - v))
        image.paste(tile, (round(width - pad - square.width), round((height - square.height) / 2)))
    y, box, context = pad + cap, None, None
    for text in lines:
        before, mark, after = text.partition("{s}")
        drawn = fonts.put_text(draw, pad, y, before, regular, cap, ink)
        if mark:
            box = fonts.put_text(draw, drawn[2], y, serial, regular, cap, ink)
            context = union(drawn, box)
        y += gap
    alpha = Image.new("L", image.size, 0)
    ImageDraw.Draw(alpha).rounded_rectangle(
        [0, 0, image.width - 1, image.height - 1], cap * rng.choice([0, 0.6, 1.2]), fill=255
    )
    return from_pil(image, cap, box, alpha, context), "accessory-label", "Accessory"


def repair_ticket(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """A workshop's ticket: job number, customer, device, serial, fault; typed fields."""
    face = w.pick(rng, fonts.LABEL_MONO) if rng.random() < 0.5 else w.pick(rng, fonts.LABEL)
    bold = w.pick(rng, (fonts.SWITZERA_BOLD, fonts.PT_BOLD, fonts.CLEAR_BOLD, fonts.BEBAS))
    device, kind = w.pick(
        rng,
        (
            ("MacBook Pro 13", "MacBook"),
            ("MacBook Air M1", "MacBook"),
            ("iPhone 12", "iPhone"),
            ("iPad 8", "iPad"),
            ("iMac 27 5K", "iMac"),
            ("Mac mini 2018", "Mac Mini"),
        ),
    )
    job = w.code(rng, w.pick(rng, ("RO-######", "W0######", "#####/25", "T20##-####")))
    fields = [
        ("Ticket", job),
        ("Customer", w.pick(rng, ("K. Adeyemi", "L. Novák", "S. Rossi", "J. Park", "M. Schmidt"))),
        ("Phone", w.phone(rng)),
        ("Device", device),
        ("Fault", w.pick(rng, ("no power", "broken LCD", "liquid damage", "battery swollen", "keys stuck"))),
        ("Passcode", w.digits(rng, 6)),
        ("Date", f"{rng.integers(1, 29):02d}.{rng.integers(1, 13):02d}.2025"),
        ("Order", w.code(rng, "G#########")),
        ("IMEI", w.imei(rng)),
        ("Part", w.code(rng, "661-#####")),
    ]
    order = list(rng.permutation(len(fields))[: rng.integers(3, 7)])
    rows = [fields[i] for i in sorted(order)]
    if serial:
        rows.insert(
            int(rng.integers(0, len(rows) + 1)),
            (w.pick(rng, ("Serial", "S/N", "SN", "Serial no", "Serial Number", "Ser.-Nr.", "SERIAL #")), "{s}"),
        )
    joint = w.pick(rng, (": ", " : ", "  ", ". "))
    gap = cap * rng.uniform(1.6, 2.2)
    pad = cap * rng.uniform(1, 2)
    held = w.pick(rng, (job, job, serial or job, f"https://repair.example.com/t/{w.digits(rng, 6)}"))
    square = rng.random() < 0.5
    code = (
        codes.matrix(held, cap * rng.uniform(5, 8))
        if square
        else codes.bars(held[:20], max(0.8, cap * 0.12), cap * 2.6)
    )
    aligned = rng.random() < 0.4
    column = max(fonts.text_width(n + joint, face, cap) for n, _ in rows)
    text_width = max(
        (column if aligned else fonts.text_width(n + joint, face, cap))
        + fonts.text_width(v.replace("{s}", serial), face, cap)
        for n, v in rows
    )
    width = max(text_width, code.width) + 2 * pad
    height = 3 * cap + gap * len(rows) + code.height + 3 * pad
    image = Image.new(
        "RGB", (round(width), round(height)), w.pick(rng, ((252, 252, 252), (246, 244, 236), (250, 246, 226)))
    )
    draw = ImageDraw.Draw(image)
    grey = int(rng.integers(10, 90))
    ink = (grey, grey, grey + 4)
    y = pad + 1.4 * cap
    fonts.put_text(
        draw,
        width / 2,
        y,
        w.pick(rng, ("MACLAB SERVICE", "iFix Point", "REPAIR TICKET", "Werkstatt Nord", "INTAKE")),
        bold,
        1.4 * cap,
        ink,
        "m",
    )
    y += 2 * cap
    top = rng.random() < 0.3
    if top:
        image.paste(code.convert("RGB"), (round(pad), round(y)))
        y += code.height + cap
    box = context = None
    for name, value in rows:
        drawn = fonts.put_text(draw, pad, y, name + joint, face, cap, ink)
        at = pad + column if aligned else drawn[2]
        if value == "{s}":
            box = fonts.put_text(draw, at, y, serial, face, cap, ink)
            context = union(drawn, box)
        else:
            fonts.put_text(draw, at, y, value, face, cap, ink)
        y += gap
    if not top:
        image.paste(code.convert("RGB"), (round(pad), round(y - 0.4 * cap)))
    return from_pil(image, cap, box, context=context), "repair-ticket", kind
