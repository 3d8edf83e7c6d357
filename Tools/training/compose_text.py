"""Composes the text of training lines: serial numbers, labels around them, and text that only looks like a serial
number.

All serials are random strings of the published grammar of the three formats; none is copied from a device.
"""

from dataclasses import dataclass

ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # base 34: no O, no I
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
HALF_YEAR = "CDFGHJKLMNPQRSTVWXYZ"
WEEK = "123456789CDFGHJKLMNPQRTVWXY"
# Groups of confusable characters, repeated in proportion to their confusions in small gray text.
CONFUSABLE = (
    "GG00QQ66CCDD" + "55SSS" + "88BB" + "ZZ22" + "1177TT" + "VVYY" + "MMNNHHWW" + "UUV" + "44AA" + "99" + "KX3JL"
)
# Characters of which a pair is most easily read as one: the narrowest, the widest, and the round ones.
DOUBLED = "111111TTJJLL77WWWWMMMM0000NNHHVVUUYY8855ZZ22"
PLANTS_12 = (
    "C02 C02 C02 C02 C02 C02 C07 C17 C1M C2V C3D CK2 D25 DCP DLX DMP DMQ DN6 DQG DY3 F17 F18 F2L F4H F5K F70 FC7 FD1 "
    "FF1 FK1 FVF FVF FVH FYJ G0N G6T G8W GG7 H95 HCR J92 J9L JWP MJV RM1 SC0 W8X DGK C0J C3L H0T FVX"
).split()
PLANTS_11 = "W8 C0 W7 4H VM CK YM RM SG CY QP G8 FC XB PT 1C 8K 5K 7J".split()


@dataclass(frozen=True)
class Line:
    """A line of text. On screens, label and value are drawn apart. `serial` is empty in lines without one."""

    label: str
    value: str
    serial: str

    @property
    def text(self):
        return " ".join((self.label + " " + self.value).split())


def pick(rng, options):
    return options[rng.integers(len(options))]


def digits(rng, count):
    return "".join(pick(rng, "0123456789") for _ in range(count))


def free_characters(rng, count):
    confusable = rng.uniform(0.2, 0.9)
    out = [pick(rng, CONFUSABLE if rng.random() < confusable else ALPHABET) for _ in range(count)]
    # Runs of one character: the reader counts characters, so the model must not merge or split them.
    while rng.random() < 0.22 and count >= 2:
        length = 3 if rng.random() < 0.2 else 2
        start = rng.integers(0, count - length + 1) if count > length else 0
        out[start : start + length] = pick(rng, DOUBLED if rng.random() < 0.7 else ALPHABET) * length
    return "".join(out[:count])


def serial(rng):
    kind = rng.random()
    if kind < 0.46:
        plant = pick(rng, PLANTS_12) if rng.random() < 0.6 else pick(rng, LETTERS) + free_characters(rng, 2)
        if rng.random() < 0.85:
            return plant + pick(rng, HALF_YEAR) + pick(rng, WEEK) + free_characters(rng, 7)
        return plant + free_characters(rng, 9)
    if kind < 0.73:
        return free_characters(rng, 10)
    plant = pick(rng, PLANTS_11) if rng.random() < 0.6 else free_characters(rng, 2)
    return plant + digits(rng, 1) + "%02d" % rng.integers(1, 54) + free_characters(rng, 6)


def model_number(rng):
    return "A" + digits(rng, 4)


def trimmed_left(rng, text, keep):
    """Returns the end of a long line as a crop would leave it: at least the last `keep` characters."""
    start = rng.integers(max(0, len(text) - 50), max(1, len(text) - keep))
    return text[start:].strip()


def lookalike(rng):
    d = lambda n: digits(rng, n)
    return pick(
        rng,
        [
            "IS 13252(Part 1)/IEC 60950-1",
            "IS 13252 (Part 1)/ IEC 60950-1",
            "R-" + d(8),
            "COMP" + d(15),
            "RM" + d(5),
            "found, call us on 080 - " + d(8),
            "Model " + model_number(rng),
            "EMC " + d(4),
            "Model %s EMC %s" % (model_number(rng), d(4)),
            "Rated %s.%sV=%s.%sA" % (d(2), d(1), d(1), d(1)),
            "EAN " + d(13),
            "(S) Serial No.",
            "UPC " + d(12),
            "IMEI/MEID " + d(15),
            "IMEI " + d(2) + " " + d(6) + " " + d(6) + " " + d(1),
            "EID " + d(32),
            "ICCID " + d(20),
            "Assembled in Vietnam",
            "Product of China",
            "MacBook Pro",
            "FCC ID: BCG" + model_number(rng),
            "MacBook Air (13-inch, M1, 8 GB, 256 GB)",
            "(1P) Part No. M" + free_characters(rng, 4) + "LL/A",
            "CMIIT ID: 20" + d(2) + "AJ" + d(4),
            "IC: 579C-" + model_number(rng),
            "Wi-Fi Address " + ":".join(free_characters(rng, 2) for _ in range(6)),
            "Model Number M" + free_characters(rng, 4) + "LL/A",
            "Chip Apple M" + d(1),
            "Memory %s GB" % d(2),
            "macOS Ventura 13." + d(1),
            "Startup disk Macintosh HD",
            "iOS Version 17." + d(1),
            "Capacity 256 GB",
            "Asset Tag " + d(6),
            "Property of IT Services",
            "Designed by Apple in California",
            "".join(
                pick(rng, ALPHABET * 4 + "abcdefghijklmnopqrstuvwxyzOI-./:()  #") for _ in range(rng.integers(4, 25))
            ).strip()
            or "X1",
        ],
    )


def words(rng, dictionary):
    """Returns other text: words of a dictionary, numbers and marks. Without it the model would unlearn everything that
    stands beside serials."""
    out = []
    for _ in range(rng.integers(1, 6)):
        if rng.random() < 0.15:
            out.append(
                pick(
                    rng,
                    [
                        digits(rng, rng.integers(1, 7)),
                        "%d.%d" % (rng.integers(0, 99), rng.integers(0, 99)),
                        model_number(rng),
                        "(" + digits(rng, 2) + ")",
                        "20" + digits(rng, 2),
                        digits(rng, 3) + "-" + digits(rng, 4),
                    ],
                )
            )
            continue
        word, kind = pick(rng, dictionary), rng.random()
        word = (
            word.upper() if kind < 0.2 else word.capitalize() if kind < 0.35 else word.lower() if kind < 0.6 else word
        )
        out.append(word + (pick(rng, ",.:;!?-") if rng.random() < 0.15 else ""))
    return Line("", " ".join(out)[:60].strip(), "")


def etched(rng):
    s, m, kind = serial(rng), model_number(rng), rng.random()
    if kind < 0.40:
        text = "FCC ID: BCG%s%s IC: 579C-%s%s Serial" % (
            m,
            pick(rng, [" and", " and", " &", ""]),
            m,
            pick(rng, ["", "", " CAN ICES-3 (B)/NMB-3(B)"]),
        )
        if rng.random() < 0.3:
            text = "EMC %s %s" % (digits(rng, 4), text)
        label = trimmed_left(rng, text, 7) if rng.random() < 0.9 else text
        return Line(label, s, s)
    if kind < 0.78:
        return Line(
            pick(rng, ["Serial"] * 6 + ["Serial:", "Serial No.", "Serial No:", "S/N", "Serial Number:", "SN:"]), s, s
        )
    if kind < 0.83:
        return Line("", s, s)
    if kind < 0.92:  # the serial inside a line, as along a round base
        label = pick(
            rng, ["Serial", "Serial", "Serial No.", "EMC %s Serial" % digits(rng, 4), "Model %s Serial No." % m, ""]
        )
        return Line(
            label,
            s
            + " "
            + pick(
                rng,
                [
                    "FCC ID: BCG" + m,
                    "EMC " + digits(rng, 4),
                    "Model " + m,
                    "IC: 579C-" + m,
                    "CAN ICES-3 (B)/NMB-3(B)",
                    "Designed by Apple in California",
                    "Assembled in China",
                    "Made in Ireland",
                    "Rated 12V",
                ],
            ),
            s,
        )
    if kind < 0.96:
        text = "Designed by Apple in California Assembled in China Model %s EMC %s Rated %s.%sV=%s.%sA max." % (
            m,
            digits(rng, 4),
            digits(rng, 2),
            digits(rng, 1),
            digits(rng, 1),
            digits(rng, 1),
        )
        start = rng.integers(0, len(text) - 10)
        return Line("", text[start : start + rng.integers(8, 46)].strip(), "")
    return Line("", lookalike(rng), "")


# Labels in scripts that `eng` does not support (Greek, Cyrillic, Han, Kana, Hangul) are left out of the text, which
# then consists of the value. Latin letters that `eng` lacks are drawn with their accents and transcribed without them.
SCREEN_LABELS = (
    ["Serial Number"] * 8
    + ["Serial Number:"] * 3
    + [
        "Serial",
        "Serial number",
        "Hardware Serial Number",
        "Seriennummer",
        "Numéro de série",
        "Número de serie",
        "Numero di serie",
        "Número de série",
        "Serienummer",
        "Sériové číslo",
        "Serie-nr.",
        "N° de série",
        "Seriennr.",
        "Numer seryjny",
        "Seri Numarası",
        "",
    ]
)
SCREEN_NEIGHBOURS = [
    "Model Name",
    "Model Number",
    "iOS Version",
    "macOS",
    "Chip",
    "Memory",
    "Startup disk",
    "Capacity",
    "Available",
    "Wi-Fi Address",
    "Bluetooth",
    "Modem Firmware",
    "Songs",
    "Videos",
    "Photos",
    "Applications",
    "Name",
    "Coverage Expired",
    "Regulatory Info",
]
UNACCENTED = str.maketrans("úíóáčöüýřşığłńöäåÚ°", "uioacouyrsiglnoaaUo")


def screen(rng):
    s, kind = serial(rng), rng.random()
    if kind < 0.66:
        return Line(pick(rng, SCREEN_LABELS), s, s)
    if kind < 0.92:
        return Line("", s, s)
    return Line("", lookalike(rng), "")


STICKER_LABELS = (
    ["(S) Serial No."] * 5
    + ["(S) Serial No", "Serial No.", "Serial No:", "Serial:", "SERIAL NO.", "SERIAL NUMBER", "SERIAL", "S/N"]
    + [
        "S/N:",
        "S/N",
        "S/N:",
        "SN",
        "SN:",
        "SL#",
        "SL#",
        "SL #",
        "SL.#",
        "SI.#",
        "(S)",
        "(S) Serial",
        "Serial Number",
        "Serial #",
        "S / N :",
        "",
    ]
)


def sticker(rng):
    s, kind = serial(rng), rng.random()
    if kind < 0.68:
        return Line(pick(rng, STICKER_LABELS), s, s)
    if kind < 0.88:
        return Line("", s, s)
    if kind < 0.91:
        return Line(
            pick(rng, STICKER_LABELS),
            s + " " + pick(rng, ["MODEL " + model_number(rng), "REV A", "EMC " + digits(rng, 4)]),
            s,
        )
    return Line("", lookalike(rng), "")


COMPOSERS = {"etched": etched, "screen": screen, "sticker": sticker}


def transcription(text):
    """Returns the text that the model should output, with only `eng`'s characters."""
    return " ".join(text.translate(UNACCENTED).split())
