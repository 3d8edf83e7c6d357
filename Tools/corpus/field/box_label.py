"""Labels of retail boxes: product, part number, and a stack of bars with (S), IMEI, EID and UPC in varying order."""

from PIL import Image, ImageDraw

from . import codes, fonts
from . import wording as w
from .sheet import Sheet, from_pil, union

GOODS = (
    ("iPhone 13, Midnight, 128GB", "iPhone"),
    ("iPhone 15 Pro, Blue Titanium, 256GB", "iPhone"),
    ("iPad Air Wi-Fi 64GB Space Gray", "iPad"),
    ("MacBook Air 13.3-inch Silver 8GB 256GB", "MacBook"),
    ("MacBook Pro 14.2/SG/10C CPU/16C GPU/16GB/1TB", "MacBook"),
    ("Apple Watch SE GPS 40mm", "Apple Watch"),
    ("AirPods Pro (2nd generation)", "Accessory"),
    ("Mac mini M2 8GB 256GB", "Mac Mini"),
    ("iMac 24-inch Blue 8C GPU", "iMac"),
    ("Apple Pencil (2nd Generation)", "Accessory"),
    ("HomePod mini White", "Accessory"),
    ("iPhone SE, Red, 64GB", "iPhone"),
)


def box_label(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """The label with the serial's capitals `cap` pixels high; its kind and the device."""
    goods, device = w.pick(rng, GOODS)
    regular, bold = w.pick(
        rng,
        (
            (fonts.SWITZERA, fonts.SWITZERA_BOLD),
            (fonts.SWITZERA_COND, fonts.SWITZERA_BOLD_COND),
            (fonts.UNIVERSALIS, fonts.UNIVERSALIS_BOLD),
            (fonts.CLEAR, fonts.CLEAR_BOLD),
            (fonts.PT_NARROW, fonts.PT_NARROW_BOLD),
            (fonts.MPLUS, fonts.MPLUS_BOLD),
            (fonts.KARLA, fonts.KARLA_BOLD),
        ),
    )
    entries: list[tuple[str, str, str, bool]] = []
    part = w.part(rng)
    label = w.pick(
        rng, ("(S) Serial No. ", "(S) Serial No. ", "(S) Serial No: ", "Serial No. ", "(S) Serial Number ", "S/N ")
    )
    if serial:
        entries.append((label, serial, ("S" if rng.random() < 0.7 else "") + serial, True))
    extra = [("(1P) Part No. ", part, "1P" + part, False)]
    if device in ("iPhone", "iPad", "Apple Watch"):
        extra.append(("IMEI/MEID ", (number := w.imei(rng)), number, False))
        if rng.random() < 0.6:
            extra.append(("IMEI2 ", (number := w.imei(rng)), number, False))
        if rng.random() < 0.7:
            extra.append(("EID ", (number := w.eid(rng)), number, False))
        if rng.random() < 0.2:
            extra.append(("ICCID ", (number := w.iccid(rng)), number, False))
    else:
        if rng.random() < 0.4:
            extra.append(("Wi-Fi ", (number := w.mac(rng, "")), number, False))
        if rng.random() < 0.3:
            extra.append(("SSCC ", (number := "00" + w.digits(rng, 18)), number, False))
    for entry in extra:
        entries.insert(int(rng.integers(0, len(entries) + 1)), entry)
    columns = 2 if len(entries) > 3 and rng.random() < 0.6 else 1
    module = max(0.8, cap * rng.uniform(0.1, 0.16))
    tall = cap * rng.uniform(2, 4)
    above = rng.random() < 0.5
    pieces = []
    for name, value, held, own in entries:
        code = (
            None
            if rng.random() < 0.08 and not own
            else codes.bars(held, module * (0.75 if len(held) > 20 else 1), tall)
        )
        pieces.append((name, value, code, own))
    widths = [max((c.width if c else 0), fonts.text_width(n + v, bold, cap)) for n, v, c, _ in pieces]
    cell = max(widths) + 3 * cap
    per = -(-len(pieces) // columns)
    step = tall + 3.1 * cap
    head = 6.5 * cap
    foot = rng.choice([0, 8]) * cap
    width, height = columns * cell + 2 * cap, head + per * step + foot + cap
    paper = w.pick(rng, ((255, 255, 255), (250, 250, 252), (246, 246, 244)))
    image = Image.new("RGB", (round(width), round(height)), paper)
    draw = ImageDraw.Draw(image)
    ink = (12, 12, 14)
    fonts.put_text(
        draw,
        1.5 * cap,
        2.2 * cap,
        goods,
        bold,
        cap * min(1.25, (width - 3 * cap) / fonts.text_width(goods, bold, cap)),
        ink,
    )
    line = f"Designed by Apple in California  Assembled in {w.pick(rng, ('China', 'Vietnam', 'India'))}"
    fonts.put_text(
        draw,
        1.5 * cap,
        3.7 * cap,
        line,
        regular,
        cap * min(0.8, (width - 3 * cap) / fonts.text_width(line, regular, cap)),
        ink,
    )
    line = f"{part}   Model {w.model(rng)}   Other items as marked thereon"
    fonts.put_text(
        draw,
        1.5 * cap,
        5.1 * cap,
        line,
        regular,
        cap * min(0.8, (width - 3 * cap) / fonts.text_width(line, regular, cap)),
        ink,
    )
    box = context = None
    value_face = bold if rng.random() < 0.5 else regular
    for i, (name, value, code, own) in enumerate(pieces):
        x, y = 1.5 * cap + (i // per) * cell, head + (i % per) * step
        text_y = y + 1.3 * cap if above or code is None else y + tall + 1.5 * cap
        code_y = y + 1.8 * cap if above else y + 0.2 * cap
        size = min(1.0, (cell - cap) / fonts.text_width(name + value, value_face, cap)) * cap
        named = fonts.put_text(draw, x, text_y, name, regular, size, ink)
        drawn = fonts.put_text(draw, named[2], text_y, value, value_face, size, ink)
        if code:
            image.paste(code.convert("RGB"), (round(x), round(code_y)))
        if own:
            box = drawn
            context = union(named, drawn)
    if foot:
        number = w.upc(rng)
        code = codes.bars(number, module * 1.1, 4.5 * cap, "UPCA")
        at = (round(width - code.width - 2 * cap), round(height - 7.4 * cap))
        image.paste(code.convert("RGB"), at)
        fonts.put_text(
            draw,
            at[0],
            height - 1.4 * cap,
            f"{number[0]} {number[1:6]} {number[6:11]} {number[11]}",
            regular,
            cap * 0.9,
            ink,
        )
        if at[0] > 14 * cap:
            fonts.put_text(draw, 1.5 * cap, height - 2 * cap, "CE  FCC  5V", regular, cap * 1.4, ink)
    return from_pil(image, cap, box, context=context), "box-label", device
