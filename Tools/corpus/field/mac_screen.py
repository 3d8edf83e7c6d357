"""Screens of a Mac: About This Mac in its generations, System Settings, System Information, a terminal, a coverage page."""

import numpy as np
from PIL import Image, ImageDraw

from . import fonts
from . import wording as w
from .screen_wording import CHIPS, MAC_WORDS, MACS, PROCESSORS, SYSTEMS, language
from .sheet import Sheet, from_pil, union

LIGHT = {
    "window": (246, 246, 246),
    "bar": (232, 232, 232),
    "ink": (24, 24, 24),
    "soft": (110, 110, 112),
    "field": (255, 255, 255),
    "line": (210, 210, 210),
}
DARK = {
    "window": (40, 40, 42),
    "bar": (56, 56, 58),
    "ink": (236, 236, 236),
    "soft": (160, 160, 164),
    "field": (58, 58, 60),
    "line": (76, 76, 80),
}
WALLS = ((86, 60, 120), (40, 80, 140), (150, 120, 90), (30, 30, 40), (60, 110, 90), (190, 120, 70))


def _desktop(width: float, height: float, u: float, rng) -> Image.Image:
    """A wallpaper of a few soft waves with a menu bar."""
    size = max(8, round(width * u)), max(8, round(height * u))
    ys, xs = np.mgrid[0:48, 0:64] / 48.0
    a, b = (np.array(w.pick(rng, WALLS), float) for _ in range(2))
    mix = (0.5 + 0.5 * np.sin(xs * rng.uniform(1, 6) + ys * rng.uniform(1, 6) + rng.uniform(0, 6)))[..., None]
    image = Image.fromarray(np.clip(a * mix + b * (1 - mix), 0, 255).astype(np.uint8)).resize(size, Image.BICUBIC)
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 0, size[0], 22 * u], fill=(226, 226, 230))
    x = 44 * u
    for word in ("Finder", "File", "Edit", "View", "Go", "Window", "Help"):
        x = fonts.put_text(draw, x, 15.5 * u, word, fonts.CLEAR, 9 * u, (20, 20, 20))[2] + 16 * u
    return image


def _window(
    image: Image.Image, x, y, width, height, u, colours, title: str = "", face=fonts.CLEAR, lang="en"
) -> ImageDraw.ImageDraw:
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(
        [(x - 3) * u, (y + 2) * u, (x + width + 3) * u, (y + height + 8) * u], 12 * u, fill=(20, 20, 24)
    )
    draw.rounded_rectangle([x * u, y * u, (x + width) * u, (y + height) * u], 10 * u, fill=colours["window"])
    for i, colour in enumerate(((255, 95, 86), (255, 189, 46), (39, 201, 63))):
        draw.ellipse([(x + 12 + 20 * i) * u, (y + 10) * u, (x + 24 + 20 * i) * u, (y + 22) * u], fill=colour)
    if title:
        fonts.put_text(
            draw, (x + width / 2) * u, (y + 21) * u, title, face, 9.5 * u, colours["ink"], "m", language=lang
        )
    return draw


def about_small(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """The narrow About window since macOS 13."""
    lang = language(rng, MAC_WORDS)
    chip, _, memory, disk, _, label, system, more, _ = MAC_WORDS[lang]
    u = cap / 8.6
    colours = w.pick(rng, (LIGHT, DARK))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = rng.uniform(420, 760), rng.uniform(470, 560)
    image = _desktop(width, height, u, rng)
    x, y = (width - 300) / 2, 36
    draw = _window(image, x, y, 300, 420, u, colours)
    cx = x + 150
    draw.rounded_rectangle([(cx - 56) * u, (y + 46) * u, (cx + 56) * u, (y + 116) * u], 6 * u, fill=(30, 30, 34))
    draw.rectangle([(cx - 50) * u, (y + 52) * u, (cx + 50) * u, (y + 110) * u], fill=w.pick(rng, WALLS))
    draw.rounded_rectangle([(cx - 68) * u, (y + 116) * u, (cx + 68) * u, (y + 122) * u], 3 * u, fill=(170, 170, 174))
    fonts.put_text(draw, cx * u, (y + 160) * u, w.pick(rng, MACS), bold, 17 * u, colours["ink"], "m")
    fonts.put_text(
        draw,
        cx * u,
        (y + 182) * u,
        w.pick(rng, ("14-inch, 2021", "M2, 2022", "24-inch, M1, 2021", "16-inch, Nov 2023", "13-inch, 2020")),
        face,
        7.6 * u,
        colours["soft"],
        "m",
    )
    rows = [
        (chip, w.pick(rng, CHIPS), False),
        (memory, w.pick(rng, ("8 GB", "16 GB", "32 GB")), False),
        (disk, "Macintosh HD", False),
    ]
    if serial:
        rows.append((label, serial, True))
    rows.append((system, w.pick(rng, ("Ventura 13.6", "Sonoma 14.4.1", "Sequoia 15.2", "Ventura 13.0")), False))
    base, box, context = (y + 222) * u, None, None
    for name, value, own in rows:
        named = fonts.put_text(
            draw,
            (cx - 5) * u,
            base,
            name,
            bold if rng.random() < 0.2 else face,
            cap,
            colours["ink"],
            "r",
            language=lang,
        )
        drawn = fonts.put_text(draw, (cx + 5) * u, base, value, face, cap, colours["soft"])
        if own:
            box, context = drawn, union(named, drawn)
        base += 19 * u
    draw.rounded_rectangle(
        [(cx - 52) * u, base, (cx + 52) * u, base + 22 * u], 6 * u, fill=colours["field"], outline=colours["line"]
    )
    fonts.put_text(draw, cx * u, base + 15 * u, more, face, cap, colours["ink"], "m", language=lang)
    return (
        from_pil(image, cap, box, context=context),
        f"about-this-mac-{lang}",
        w.pick(rng, ("MacBook", "iMac", "Mac Mini")),
    )


def about_wide(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """The wide About window with tabs, 10.10 to 12."""
    lang = language(rng, MAC_WORDS)
    _, processor, memory, disk, graphics, label, _, _, title = MAC_WORDS[lang]
    u = cap / 8.6
    colours = w.pick(rng, (LIGHT, LIGHT, DARK))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = rng.uniform(620, 820), rng.uniform(380, 470)
    image = _desktop(width, height, u, rng)
    x, y = (width - 590) / 2, 40
    draw = _window(image, x, y, 590, 320, u, colours)
    for i, tab in enumerate(("Overview", "Displays", "Storage", "Support")):
        fonts.put_text(
            draw,
            (x + 170 + 82 * i) * u,
            (y + 21) * u,
            tab,
            face,
            8.2 * u,
            colours["ink"] if i == 0 else colours["soft"],
            "m",
        )
    draw.ellipse([(x + 40) * u, (y + 80) * u, (x + 200) * u, (y + 240) * u], fill=w.pick(rng, WALLS))
    draw.ellipse([(x + 70) * u, (y + 110) * u, (x + 170) * u, (y + 210) * u], fill=w.pick(rng, WALLS))
    name, version = w.pick(rng, SYSTEMS)
    fonts.put_text(draw, (x + 240) * u, (y + 92) * u, name, face, 18 * u, colours["ink"])
    fonts.put_text(draw, (x + 240) * u, (y + 116) * u, "Version " + version, face, 8 * u, colours["ink"])
    rows = [
        (
            "",
            w.pick(
                rng,
                (
                    "MacBook Pro (16-inch, 2019)",
                    "MacBook Air (13-inch, 2017)",
                    "iMac (Retina 5K, 27-inch, Late 2015)",
                    "Mac mini (2018)",
                ),
            ),
            False,
        ),
        (processor, w.pick(rng, PROCESSORS), False),
        (memory, w.pick(rng, ("16 GB 2667 MHz DDR4", "8 GB 1600 MHz DDR3")), False),
        (graphics, w.pick(rng, ("Intel UHD Graphics 630 1536 MB", "AMD Radeon Pro 5300M 4 GB")), False),
    ]
    if rng.random() < 0.4:
        rows.insert(3, (disk, "Macintosh HD", False))
    if serial:
        rows.append((label.title() if lang == "en" else label, serial, True))
    base, box, context = (y + 148) * u, None, None
    for word, value, own in rows:
        at = (x + 240) * u
        if word:
            named = fonts.put_text(draw, at, base, word, bold, cap, colours["ink"], language=lang)
            at = named[2] + 8 * u
        drawn = fonts.put_text(draw, at, base, value, face if word else bold, cap, colours["ink"])
        if own:
            box, context = drawn, union(named, drawn)
        base += 18 * u
    draw.rounded_rectangle(
        [(x + 240) * u, base + 4 * u, (x + 350) * u, base + 26 * u],
        5 * u,
        fill=colours["field"],
        outline=colours["line"],
    )
    fonts.put_text(draw, (x + 295) * u, base + 19 * u, "System Report…", face, cap, colours["ink"], "m")
    return (
        from_pil(image, cap, box, context=context),
        f"about-this-mac-tabs-{lang}",
        w.pick(rng, ("MacBook", "iMac", "Mac Mini")),
    )


def about_classic(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """The small gray window of Mac OS X 10.5 to 10.9, where a click on the version shows only the serial."""
    u = cap / 8.2
    face, bold = w.pick(
        rng, ((fonts.PT, fonts.PT_BOLD), (fonts.CLEAR, fonts.CLEAR_BOLD), (fonts.ANDIKA, fonts.CLEAR_BOLD))
    )
    colours = dict(LIGHT, window=(236, 236, 236))
    image = _desktop(440, 470, u, rng)
    draw = _window(image, 70, 40, 300, 390, u, colours, "About This Mac", face)
    draw.ellipse([175 * u, 80 * u, 265 * u, 170 * u], fill=(120, 124, 130))
    fonts.put_text(draw, 220 * u, 208 * u, w.pick(rng, ("Mac OS X", "OS X")), bold, 17 * u, colours["ink"], "m")
    box = context = None
    if serial:
        start = 220 * u - fonts.text_width("Serial Number " + serial, face, cap) / 2
        named = fonts.put_text(draw, start, 232 * u, "Serial Number ", face, cap, colours["soft"])
        box = fonts.put_text(draw, named[2], 232 * u, serial, face, cap, colours["soft"])
        context = union(named, box)
    else:
        fonts.put_text(draw, 220 * u, 232 * u, "Version 10.6.8", face, cap, colours["soft"], "m")
    fonts.put_text(draw, 220 * u, 262 * u, "Software Update...", face, cap, colours["ink"], "m")
    for i, (a, b) in enumerate(
        (("Processor", w.pick(rng, PROCESSORS)), ("Memory", "4 GB 1067 MHz DDR3"), ("Startup Disk", "Macintosh HD"))
    ):
        fonts.put_text(draw, 150 * u, (296 + 18 * i) * u, a, bold, cap * 0.9, colours["ink"], "r")
        fonts.put_text(draw, 158 * u, (296 + 18 * i) * u, b, face, cap * 0.9, colours["ink"])
    fonts.put_text(draw, 220 * u, 412 * u, "™ and © 1983-2011 Apple Inc.", face, cap * 0.7, colours["soft"], "m")
    return (
        from_pil(image, cap, box, context=context),
        "about-this-mac-classic",
        w.pick(rng, ("MacBook", "iMac", "Mac Mini")),
    )


def system_information(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """System Information > Hardware."""
    u = cap / 8.2
    colours = w.pick(rng, (LIGHT, DARK))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = rng.uniform(560, 900), rng.uniform(330, 520)
    image = _desktop(width, height, u, rng)
    draw = _window(
        image, 14, 34, width - 28, height - 56, u, colours, w.pick(rng, ("MacBook Pro", "Mac mini", "iMac")), bold
    )
    draw.rectangle([20 * u, 66 * u, 160 * u, (height - 30) * u], fill=colours["bar"])
    for i, item in enumerate(
        (
            "Hardware",
            "ATA",
            "Audio",
            "Bluetooth",
            "Camera",
            "Card Reader",
            "Diagnostics",
            "Ethernet",
            "Graphics",
            "Memory",
            "NVMExpress",
            "Power",
            "Printers",
            "SATA",
            "Storage",
            "USB",
        )
    ):
        if 84 + 16 * i < height - 40:
            fonts.put_text(
                draw,
                (28 + 8 * (i > 0)) * u,
                (84 + 16 * i) * u,
                item,
                bold if i == 0 else face,
                cap * 0.92,
                colours["ink"],
            )
    rows = [
        ("Model Name:", w.pick(rng, MACS), False),
        ("Model Identifier:", w.pick(rng, ("MacBookPro16,1", "Mac14,2", "iMac20,1", "MacBookAir10,1")), False),
        ("Model Number:", w.part(rng), False),
        ("Chip:", w.pick(rng, CHIPS), False),
        ("Memory:", "16 GB", False),
        ("System Firmware Version:", f"{rng.integers(6000, 9999)}.{rng.integers(1, 200)}.{rng.integers(1, 9)}", False),
        ("OS Loader Version:", f"{rng.integers(6000, 9999)}.61.2", False),
        ("Hardware UUID:", w.uuid(rng), False),
        ("Provisioning UDID:", w.code(rng, "0000xxxx-xxxxxxxxxxxxxxxx"), False),
        ("Activation Lock Status:", "Enabled", False),
    ]
    if serial:
        rows.insert(7, ("Serial Number (system):", serial, True))
    y, box, context = 84 * u, None, None
    fonts.put_text(draw, 172 * u, y, "Hardware Overview:", bold, cap, colours["ink"])
    y += 26 * u
    for name, value, own in rows:
        named = fonts.put_text(draw, 182 * u, y, name, face, cap, colours["ink"])
        drawn = fonts.put_text(draw, 340 * u, y, value, face, cap, colours["ink"])
        if own:
            box, context = drawn, union(named, drawn)
        y += 16.5 * u
    if box and (box[2] > (width - 16) * u or box[3] > (height - 24) * u):
        raise ValueError("the serial is outside the window")
    return (
        from_pil(image, cap, box, context=context),
        "system-information",
        w.pick(rng, ("MacBook", "iMac", "Mac Mini")),
    )


def system_settings(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """System Settings > General > About: rows with the value at the right."""
    lang = language(rng, MAC_WORDS)
    chip, _, memory, disk, _, label, system, _, title = MAC_WORDS[lang]
    u = cap / 8.6
    colours = w.pick(rng, (LIGHT, DARK))
    face, bold = w.pick(rng, fonts.INTERFACE)
    width, height = 640, rng.uniform(360, 460)
    image = Image.new("RGB", (round(width * u), round(height * u)), colours["window"])
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 0, 180 * u, height * u], fill=colours["bar"])
    for i, name in enumerate(
        ("Wi-Fi", "Bluetooth", "Network", "Focus", "General", "Appearance", "Siri", "Privacy", "Dock", "Displays")
    ):
        draw.rounded_rectangle(
            [14 * u, (50 + 28 * i) * u, 32 * u, (68 + 28 * i) * u],
            4 * u,
            fill=tuple(int(v) for v in rng.integers(60, 230, 3)),
        )
        fonts.put_text(draw, 42 * u, (63.5 + 28 * i) * u, name, face, cap, colours["ink"])
    fonts.put_text(draw, 220 * u, 36 * u, title, bold, 10 * u, colours["ink"], language=lang)
    rows = [
        ("Name", w.pick(rng, ("Mac-7", "Studio", "Annas Mac")), False),
        (chip, w.pick(rng, CHIPS), False),
        (memory, "16 GB", False),
    ]
    if serial:
        rows.append((label, serial, True))
    rows.append((disk, "Macintosh HD", False))
    y, box, context = 64 * u, None, None
    draw.rounded_rectangle([200 * u, y, 620 * u, y + 36 * u * len(rows)], 8 * u, fill=colours["field"])
    for i, (name, value, own) in enumerate(rows):
        named = fonts.put_text(draw, 214 * u, y + 22.5 * u, name, face, cap, colours["ink"], language=lang)
        drawn = fonts.put_text(draw, 606 * u, y + 22.5 * u, value, face, cap, colours["soft"], "r")
        if own:
            box, context = drawn, union(named, drawn)
        y += 36 * u
        if i + 1 < len(rows):
            draw.line([214 * u, y, 606 * u, y], fill=colours["line"], width=max(1, round(u * 0.7)))
    fonts.put_text(draw, 214 * u, y + 40 * u, system, bold, 10 * u, colours["ink"])
    fonts.put_text(draw, 214 * u, y + 66 * u, "macOS Sonoma  Version 14.5", face, cap, colours["ink"])
    return (
        from_pil(image, cap, box, context=context),
        f"mac-settings-about-{lang}",
        w.pick(rng, ("MacBook", "iMac", "Mac Mini")),
    )


def terminal(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """system_profiler or ioreg in a terminal."""
    face = w.pick(rng, fonts.TERMINAL)
    paper, ink = w.pick(
        rng,
        (
            ((255, 255, 255), (0, 0, 0)),
            ((30, 30, 30), (220, 220, 220)),
            ((0, 0, 0), (60, 240, 60)),
            ((0, 43, 54), (147, 161, 161)),
        ),
    )
    u = cap / 9
    lines = [
        "admin@mac ~ % system_profiler SPHardwareDataType",
        "Hardware:",
        "",
        "    Hardware Overview:",
        "",
        "      Model Name: MacBook Pro",
        f"      Model Number: {w.part(rng)}",
        f"      Chip: {w.pick(rng, CHIPS)}",
        "      Memory: 16 GB",
        f"      System Firmware Version: {rng.integers(6000, 9999)}.121.3",
        "      Serial Number (system): {s}",
        f"      Hardware UUID: {w.uuid(rng)}",
        "",
        "admin@mac ~ %",
    ]
    if rng.random() < 0.35:
        lines = [
            "$ ioreg -l | grep IOPlatform",
            "    | {",
            f'    |   "IOPlatformUUID" = "{w.uuid(rng)}"',
            '    |   "IOPlatformSerialNumber" = "{s}"',
            '    |   "board-id" = <"Mac-' + w.code(rng, "xxxxxxxxxxxxxxxx") + '">',
            "    | }",
            "$",
        ]
    if not serial:
        lines = [line for line in lines if "{s}" not in line]
    width = max(fonts.text_width(line, face, cap) for line in lines) + 30 * u
    image = Image.new("RGB", (round(width + rng.uniform(0, 160) * u), round((len(lines) * 17 + 50) * u)), paper)
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 0, image.width, 24 * u], fill=(200, 200, 204))
    y, box, context = 44 * u, None, None
    for line in lines:
        before, mark, after = line.partition("{s}")
        drawn = fonts.put_text(draw, 8 * u, y, before, face, cap, ink)
        if mark:
            box = fonts.put_text(draw, drawn[2], y, serial, face, cap, ink)
            context = union(box, (box[0] - 18 * cap, box[1], box[2], box[3]))
            fonts.put_text(draw, box[2], y, after, face, cap, ink)
        y += 17 * u
    return from_pil(image, cap, box, context=context), "terminal", "MacBook"


def coverage_page(serial: str, cap: float, rng) -> tuple[Sheet, str, str]:
    """A web page or a device manager that names one device."""
    face, bold = w.pick(rng, fonts.INTERFACE)
    u = cap / 9
    dark = rng.random() < 0.2
    paper, ink, soft = (
        ((22, 22, 24), (240, 240, 240), (150, 150, 155)) if dark else ((255, 255, 255), (29, 29, 31), (110, 110, 115))
    )
    image = Image.new("RGB", (round(rng.uniform(420, 760) * u), round(rng.uniform(300, 420) * u)), paper)
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 0, image.width, 30 * u], fill=(70, 70, 74) if dark else (245, 245, 247))
    draw.rounded_rectangle([90 * u, 6 * u, image.width - 60 * u, 24 * u], 6 * u, fill=paper)
    fonts.put_text(
        draw,
        image.width / 2,
        19 * u,
        w.pick(rng, ("checkcoverage.apple.com", "mdm.example.org", "icloud.com/find")),
        face,
        7.5 * u,
        soft,
        "m",
    )
    device, kind = w.pick(
        rng,
        (
            ('MacBook Pro 14"', "MacBook"),
            ("iPhone 12", "iPhone"),
            ("iPad Air", "iPad"),
            ("Apple Watch SE", "Apple Watch"),
            ('iMac 24"', "iMac"),
        ),
    )
    fonts.put_text(draw, 40 * u, 82 * u, device, bold, 20 * u, ink)
    box, context, y = None, None, 112 * u
    if serial:
        label = w.pick(rng, ("Serial Number: ", "Serial number ", "Seriennummer: ", "Numéro de série : ", "SERIAL: "))
        at = fonts.put_text(draw, 40 * u, y, label, face, cap, soft)
        box = fonts.put_text(draw, at[2], y, serial, face if rng.random() < 0.7 else fonts.JETBRAINS, cap, ink)
        context = union(at, box)
        y += 30 * u
    for title, text in (
        ("Valid Purchase Date", "Your device was purchased from an authorised reseller."),
        (
            w.pick(rng, ("Repairs and Service", "Limited Warranty")),
            f"Estimated expiration: {rng.integers(1, 28)} March 2026",
        ),
        ("Order", w.code(rng, "W#########")),
    ):
        fonts.put_text(draw, 40 * u, y + 12 * u, title, bold, cap * 1.1, ink)
        fonts.put_text(draw, 40 * u, y + 30 * u, text, face, cap * 0.9, soft)
        y += 54 * u
    return from_pil(image, cap, box, context=context), "coverage-page", kind
