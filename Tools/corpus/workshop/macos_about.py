"""About This Mac, System Report, a terminal, Finder's device page: serials on a Mac's own display."""

import numpy as np

from . import fonts, identifiers, textures
from .sheet import Extent, Sheet

MACS = [
    "MacBook Pro",
    "MacBook Air",
    "iMac",
    "Mac mini",
    "MacBook Pro (13-inch, 2018)",
    "iMac (Retina 5K, 27-inch, 2019)",
    "MacBook Air (M1, 2020)",
]
CHIPS = [
    "Apple M1",
    "Apple M2 Pro",
    "Apple M3",
    "2.3 GHz Quad-Core Intel Core i5",
    "2,6 GHz 6-Core Intel Core i7",
    "3.1 GHz Dual-Core Intel Core i5",
]
NAMES = [
    "macOS Sonoma",
    "macOS Ventura",
    "macOS Monterey",
    "macOS Big Sur",
    "macOS Catalina",
    "macOS Mojave",
    "OS X El Capitan",
    "OS X Yosemite",
]
SERIAL_WORDS = {
    "en": ["Serial number", "Serial Number"],
    "de": ["Seriennummer"],
    "fr": ["Numéro de série"],
    "es": ["Número de serie"],
    "it": ["Numero di serie"],
    "pt": ["Número de Série"],
    "nl": ["Serienummer"],
    "cs": ["Sériové číslo"],
    "ru": ["Серийный номер"],
    "zh": ["序列号"],
    "ja": ["シリアル番号"],
    "ko": ["일련번호"],
}
OTHER_WORDS = {
    "en": ["Chip", "Memory", "macOS", "Startup disk"],
    "de": ["Chip", "Speicher", "macOS", "Startvolume"],
    "fr": ["Puce", "Mémoire", "macOS", "Disque de démarrage"],
    "es": ["Chip", "Memoria", "macOS", "Disco de arranque"],
    "it": ["Chip", "Memoria", "macOS", "Disco di avvio"],
    "pt": ["Chip", "Memória", "macOS", "Disco de Inicialização"],
    "nl": ["Chip", "Geheugen", "macOS", "Opstartschijf"],
    "cs": ["Čip", "Paměť", "macOS", "Startovací disk"],
    "ru": ["Чип", "Память", "macOS", "Загрузочный диск"],
    "zh": ["芯片", "内存", "macOS", "启动磁盘"],
    "ja": ["チップ", "メモリ", "macOS", "起動ディスク"],
    "ko": ["칩", "메모리", "macOS", "시동 디스크"],
}


def _colours(rng: np.random.Generator):
    if rng.random() < 0.45:
        return (44, 42, 42), (235, 235, 235), (160, 158, 158), True
    return (246, 246, 246), (30, 30, 30), (125, 122, 122), False


def _language(rng: np.random.Generator) -> str:
    return "en" if rng.random() < 0.55 else str(rng.choice(list(SERIAL_WORDS)))


def _faces(rng: np.random.Generator, lang: str) -> tuple[str, str, str]:
    regular, bold = fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))]
    if lang in ("zh", "ja", "ko"):
        return f"cjk-{lang}", f"cjk-{lang}-bold", regular
    return regular, bold, regular


def _desktop(rng: np.random.Generator, screen: Sheet) -> None:
    """A wallpaper: a smooth, colourful gradient."""
    height, width = screen.image.shape[:2]
    base = rng.uniform(30, 200, 3)
    for channel in range(3):
        tone = base[channel] + 45 * textures.field(
            np.random.default_rng(rng.integers(1 << 30)), height, width, max(height, width) / 2.5
        )
        screen.image[:, :, channel] = np.clip(tone, 0, 255).astype(np.uint8)


def _window(
    rng: np.random.Generator, screen: Sheet, x: float, y: float, width: float, height: float, fill, dark: bool
) -> None:
    screen.rect(x - 1, y - 1, width + 2, height + 2, (80, 80, 80) if dark else (170, 170, 170), 10)
    screen.rect(x, y, width, height, fill, 10)
    for place, colour in enumerate([(87, 95, 255), (46, 188, 254), (64, 202, 40)]):
        screen.disc(x + 16 + 20 * place, y + 16, 6, colour)


def new_window(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """macOS 13 and later: a narrow window, labels to the left of a middle line."""
    fill, ink, faint, dark = _colours(rng)
    lang = _language(rng)
    face, bold, value_face = _faces(rng, lang)
    screen = Sheet(Extent(0, 0, 520, 620), density)
    _desktop(rng, screen)
    x, y, width = 110.0, 60.0, 300.0
    _window(rng, screen, x, y, width, 480, fill, dark)
    middle = x + width / 2
    screen.rect(middle - 72, y + 60, 144, 92, (60, 60, 60), 6)
    screen.rect(middle - 67, y + 65, 134, 80, tuple(int(v) for v in rng.uniform(60, 220, 3)), 2)
    screen.rect(middle - 88, y + 152, 176, 6, (190, 190, 190), 3)
    screen.text(
        middle, y + 200, str(rng.choice(["MacBook Air", "MacBook Pro", "iMac", "Mac mini"])), bold, 17, ink, "m"
    )
    screen.text(
        middle,
        y + 220,
        str(rng.choice(["M1, 2020", "14-inch, 2021", "M2, 2022", "13-inch, 2020", "24-inch, 2023"])),
        value_face,
        8,
        faint,
        "m",
    )
    words = OTHER_WORDS[lang]
    rows = [(words[0], str(rng.choice(CHIPS[:3]))), (words[1], f"{rng.choice([8, 16, 24, 32])} GB")]
    if rng.random() < 0.5:
        rows.append((words[3], "Macintosh HD"))
    if serial:
        rows.append((str(rng.choice(SERIAL_WORDS[lang])), serial))
    rows.append(
        (words[2], f"{rng.choice(['Sonoma', 'Ventura', 'Sequoia'])} {rng.integers(13, 16)}.{rng.integers(0, 7)}")
    )
    capital = 8.6
    for place, (label, value) in enumerate(rows):
        base = y + 262 + place * 19
        screen.text(middle - 5, base, label, face, capital, ink, "r")
        screen.text(
            middle + 5, base, value, value_face, capital, faint, serial=serial if serial and value == serial else ""
        )
    screen.rect(middle - 45, y + 388, 90, 22, (225, 225, 225) if not dark else (95, 93, 93), 5)
    screen.text(middle, y + 403, "More Info…", value_face, 8.6, ink, "m")
    screen.text(middle, y + 440, "™ and © 1983-2024 Apple Inc.", value_face, 6.5, faint, "m")
    return screen, capital


def old_window(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """OS X 10.10 to macOS 12: a wide window with tabs, bold labels and values."""
    fill, ink, faint, dark = _colours(rng)
    lang = _language(rng)
    face, bold, value_face = _faces(rng, lang)
    screen = Sheet(Extent(0, 0, 700, 460), density)
    _desktop(rng, screen)
    x, y = 55.0, 60.0
    _window(rng, screen, x, y, 590, 330, fill, dark)
    for place, name in enumerate(
        ["Overview", "Displays", "Storage", "Memory", "Support", "Service"][: int(rng.integers(4, 7))]
    ):
        screen.text(x + 130 + place * 70, y + 20, name, value_face, 8.5, faint, "m")
    screen.disc(x + 130, y + 165, 75, tuple(int(v) for v in rng.uniform(60, 220, 3)))
    screen.disc(x + 130, y + 165, 68, tuple(int(v) for v in rng.uniform(60, 220, 3)))
    left = x + 240
    name = str(rng.choice(NAMES))
    split = name.index(" ")
    moved = screen.text(left, y + 92, name[:split], bold, 17, ink)
    screen.text(left + moved + 7, y + 92, name[split + 1 :], value_face, 17, ink)
    screen.text(
        left, y + 116, f"Version 1{rng.integers(0, 3)}.{rng.integers(0, 16)}.{rng.integers(0, 7)}", value_face, 8, ink
    )
    rows = [
        ("", str(rng.choice(MACS))),
        ("Processor", str(rng.choice(CHIPS[3:]))),
        ("Memory", "16 GB 2133 MHz LPDDR3"),
        ("Graphics", "Intel Iris Plus Graphics 1536 MB"),
    ]
    if rng.random() < 0.5:
        rows.insert(3, ("Startup Disk", "Macintosh HD"))
    if serial:
        rows.append((str(rng.choice(SERIAL_WORDS[lang])), serial))
    capital = 8.2
    for place, (label, value) in enumerate(rows):
        base = y + 148 + place * 20
        shift = screen.text(left, base, label, bold, capital, ink) + 7 if label else 0
        screen.text(
            left + shift,
            base,
            value,
            bold if not label else value_face,
            capital,
            ink,
            serial=serial if serial and value == serial else "",
        )
    for place, button in enumerate(["System Report…", "Software Update…"]):
        screen.rect(left + place * 125, y + 282, 115, 20, (255, 255, 255) if not dark else (105, 103, 103), 4)
        screen.text(left + place * 125 + 57, y + 296, button, value_face, 8, ink, "m")
    return screen, capital


def system_report(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """System Information: an outline at the left, the hardware overview at the right."""
    fill, ink, faint, dark = _colours(rng)
    regular, bold = fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))]
    screen = Sheet(Extent(0, 0, 720, 470), density, fill)
    screen.rect(0, 0, 180, 470, (232, 230, 230) if not dark else (56, 54, 54))
    for place, name in enumerate(
        [
            "Hardware",
            "ATA",
            "Audio",
            "Bluetooth",
            "Camera",
            "Card Reader",
            "Diagnostics",
            "Ethernet Cards",
            "Graphics/Displays",
            "Memory",
            "NVMExpress",
            "Power",
            "Printers",
            "SATA",
            "Storage",
            "Thunderbolt",
            "USB",
            "Network",
            "Software",
        ]
    ):
        screen.text(22 if place else 12, 30 + place * 19, name, bold if place == 0 else regular, 8, ink)
    screen.text(200, 34, "Hardware Overview:", bold, 8.4, ink)
    rows = [
        ("Model Name:", str(rng.choice(["MacBook Pro", "MacBook Air", "iMac", "Mac mini"]))),
        ("Model Identifier:", f"MacBookPro{rng.integers(11, 19)},{rng.integers(1, 5)}"),
        ("Model Number:", identifiers.part_number(rng)),
        ("Processor Name:", "Quad-Core Intel Core i5"),
        ("Total Number of Cores:", "4"),
        ("Memory:", "16 GB"),
        ("System Firmware Version:", "1715.81.2.0.0 (iBridge: 19.16.10744.0.0,0)"),
        ("OS Loader Version:", "540.120.3~22"),
        ("Serial Number (system):", serial),
        ("Hardware UUID:", "-".join("".join(f"{rng.integers(0, 16):X}" for _ in range(n)) for n in (8, 4, 4, 4, 12))),
        ("Provisioning UDID:", f"0000{rng.integers(8000, 8999)}-00{rng.integers(10**11, 10**12):012X}"),
        ("Activation Lock Status:", "Disabled"),
    ]
    capital, place = 7.8, 0
    for label, value in rows:
        if not value:
            continue
        base = 62 + place * 19
        screen.text(214, base, label, regular, capital, ink)
        screen.text(385, base, value, regular, capital, ink, serial=serial if serial and value == serial else "")
        place += 1
    return screen, capital


def terminal(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """system_profiler or ioreg in a terminal window."""
    dark = rng.random() < 0.7
    ground, ink = ((30, 30, 30), (220, 225, 220)) if dark else ((255, 255, 255), (20, 20, 20))
    if dark and rng.random() < 0.3:
        ink = (80, 230, 90)
    face = str(rng.choice(["DejaVuSansMono", "LiberationMono-Regular", "NimbusMonoPS-Regular"]))
    screen = Sheet(Extent(0, 0, 600, 380), density, ground)
    screen.rect(0, 0, 600, 26, (210, 208, 208) if not dark else (60, 58, 58))
    prompt = str(rng.choice(["mac:~ admin$", "admin@Mac ~ %", "bash-3.2$"]))
    if rng.random() < 0.5:
        command, row = "ioreg -l | grep IOPlatformSerialNumber", f'    |   "IOPlatformSerialNumber" = "{serial}"'
        lines = ["Last login: Tue Mar 12 09:41:07 on ttys000", f"{prompt} {command}", row, f"{prompt} "]
    else:
        row = f"      Serial Number (system): {serial}"
        lines = [
            f"{prompt} system_profiler SPHardwareDataType",
            "Hardware:",
            "",
            "    Hardware Overview:",
            "",
            "      Model Name: MacBook Pro",
        ]
        lines += [
            f"      Model Identifier: MacBookPro15,{rng.integers(1, 5)}",
            "      Memory: 16 GB",
            row,
            "      Hardware UUID: 6C3A2D1E-58B7-5D0E",
            f"{prompt} ",
        ]
    capital = 8.0
    for place, line in enumerate(lines):
        if line and (serial or line != row):
            screen.text(8, 48 + place * 17, line, face, capital, ink, serial=serial if serial and line == row else "")
    return screen, capital


def finder(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """The page of a connected iPhone in Finder or iTunes: small gray text in a row."""
    fill, ink, faint, dark = _colours(rng)
    regular, bold = fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))]
    screen = Sheet(Extent(0, 0, 640, 300), density, fill)
    screen.rect(30, 40, 46, 84, (40, 40, 40), 7)
    screen.rect(33, 46, 40, 72, tuple(int(v) for v in rng.uniform(60, 220, 3)), 3)
    screen.text(96, 62, str(rng.choice(["iPhone", "Maria’s iPhone", "iPad", "Lager 3"])), bold, 12, ink)
    capital = 7.6
    shape = rng.integers(0, 2)
    if shape == 0:
        line = (
            f"iPhone 11 · 64 GB (12.3 GB Available) · Serial Number: {serial}"
            if serial
            else "iPhone 11 · 64 GB (12.3 GB Available)"
        )
        screen.text(96, 84, line, regular, capital, faint, serial=serial)
        rows: list[tuple[str, str]] = []
    else:
        rows = [
            ("Capacity:", "59.58 GB"),
            ("Phone Number:", f"+1 (555) 01{rng.integers(10, 99)}"),
            ("IMEI:", identifiers.imei(rng)),
            ("Serial Number:", serial),
        ]
    for place, (label, value) in enumerate(row for row in rows if row[1]):
        screen.text(190, 84 + place * 17, label, bold, capital, ink, "r")
        screen.text(
            196, 84 + place * 17, value, regular, capital, ink, serial=serial if serial and value == serial else ""
        )
    for place, name in enumerate(["General", "Music", "Movies", "TV Shows", "Podcasts", "Books", "Photos", "Files"]):
        screen.text(60 + place * 68, 180, name, regular, 8, ink, "m")
    screen.line(20, 192, 620, 192, faint, 0.6)
    screen.text(96, 220, "Software:", bold, capital, ink, "r")
    screen.text(
        104,
        220,
        f"iOS {rng.integers(12, 18)}.{rng.integers(0, 6)}  Your iPhone software is up to date.",
        regular,
        capital,
        ink,
    )
    return screen, capital
