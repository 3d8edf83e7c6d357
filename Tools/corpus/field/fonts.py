"""Typefaces and text: drawing by capital height, with a suitable typeface for each script.

Every typeface is from a Debian package listed in install-fonts.sh; none is used by the other family or in training.
"""

from dataclasses import dataclass
from functools import lru_cache

import drawn
from PIL import ImageDraw, ImageFont

ROOT = "/usr/share/fonts/"
TRUETYPE, OPENTYPE, ADF = ROOT + "truetype/", ROOT + "opentype/", ROOT + "truetype/adf/"


@dataclass(frozen=True)
class Face:
    """One font file. `reach` lists the scripts beyond Western Latin that it supports: e(astern Latin), c(yrillic)."""

    path: str
    reach: str = ""


MANROPE = Face(TRUETYPE + "manrope/Manrope-Regular.ttf", "ec")
MANROPE_LIGHT = Face(TRUETYPE + "manrope/Manrope-Light.ttf", "ec")
MANROPE_MEDIUM = Face(TRUETYPE + "manrope/Manrope-Medium.ttf", "ec")
MANROPE_BOLD = Face(TRUETYPE + "manrope/Manrope-Bold.ttf", "ec")
CLEAR = Face(TRUETYPE + "clear-sans/ClearSans-Regular.ttf", "ec")
CLEAR_LIGHT = Face(TRUETYPE + "clear-sans/ClearSans-Light.ttf", "ec")
CLEAR_BOLD = Face(TRUETYPE + "clear-sans/ClearSans-Bold.ttf", "ec")
SWITZERA = Face(ADF + "SwitzeraADF-Regular.otf")
SWITZERA_LIGHT = Face(ADF + "SwitzeraADF-Light.otf")
SWITZERA_MEDIUM = Face(ADF + "SwitzeraADF-Medium.otf")
SWITZERA_BOLD = Face(ADF + "SwitzeraADF-Bold.otf")
SWITZERA_COND = Face(ADF + "SwitzeraADF-Cond.otf")
SWITZERA_BOLD_COND = Face(ADF + "SwitzeraADF-BoldCond.otf")
UNIVERSALIS = Face(ADF + "UniversalisADFStd-Regular.otf")
UNIVERSALIS_COND = Face(ADF + "UniversalisADFStd-Cond.otf")
UNIVERSALIS_BOLD = Face(ADF + "UniversalisADFStd-Bold.otf")
GILLIUS = Face(ADF + "GilliusADFNo2-Regular.otf")
MPLUS = Face(OPENTYPE + "mplus/Mplus1-Regular.otf", "e")
MPLUS_LIGHT = Face(OPENTYPE + "mplus/Mplus1-Light.otf", "e")
MPLUS_MEDIUM = Face(OPENTYPE + "mplus/Mplus1-Medium.otf", "e")
MPLUS_BOLD = Face(OPENTYPE + "mplus/Mplus1-Bold.otf", "e")
MPLUS_CODE = Face(OPENTYPE + "mplus/MplusCodeLatin60-Regular.otf", "e")
KARLA = Face(TRUETYPE + "karla/Karla-Regular.otf", "e")
KARLA_MEDIUM = Face(TRUETYPE + "karla/Karla-Medium.otf", "e")
KARLA_BOLD = Face(TRUETYPE + "karla/Karla-Bold.otf", "e")
PT = Face(TRUETYPE + "paratype/PTS55F.ttf", "ec")
PT_BOLD = Face(TRUETYPE + "paratype/PTS75F.ttf", "ec")
PT_NARROW = Face(TRUETYPE + "paratype/PTN57F.ttf", "ec")
PT_NARROW_BOLD = Face(TRUETYPE + "paratype/PTN77F.ttf", "ec")
PT_MONO = Face(TRUETYPE + "paratype/PTM55F.ttf", "ec")
PT_SERIF = Face(TRUETYPE + "paratype/PTF55F.ttf", "ec")
OXYGEN = Face(TRUETYPE + "oxygen/Oxygen-Sans.ttf", "e")
B612 = Face(OPENTYPE + "b612/B612-Regular.otf")
B612_BOLD = Face(OPENTYPE + "b612/B612-Bold.otf")
B612_MONO = Face(OPENTYPE + "b612/B612Mono-Regular.otf")
SORA = Face(OPENTYPE + "sora/Sora-Regular.otf", "e")
SORA_BOLD = Face(OPENTYPE + "sora/Sora-Bold.otf", "e")
QUICKSAND = Face(TRUETYPE + "quicksand/Quicksand-Medium.ttf", "e")
ANDIKA = Face(TRUETYPE + "andika/Andika-Regular.ttf", "ec")
PLAY = Face(TRUETYPE + "play/Play-Regular.ttf", "ec")
NANUM_LATIN = Face(TRUETYPE + "nanum/NanumGothic.ttf", "c")
JETBRAINS = Face(TRUETYPE + "jetbrains-mono/JetBrainsMono-Regular.ttf", "ec")
JETBRAINS_BOLD = Face(TRUETYPE + "jetbrains-mono/JetBrainsMono-Bold.ttf", "ec")
INCONSOLATA = Face(TRUETYPE + "inconsolata/Inconsolata.otf")
LEAGUE_MONO = Face(OPENTYPE + "league-mono/LeagueMono-Regular.otf")
LEAGUE_NARROW_BOLD = Face(OPENTYPE + "league-mono/LeagueMono-NarrowBold.otf")
OCR_B = Face(OPENTYPE + "ocr-b/OCRB.otf")
COURIER = Face(OPENTYPE + "courier-prime/Courier Prime.otf")
COURIER_SANS_BOLD = Face(OPENTYPE + "courier-prime/Courier Prime Sans Bold.otf")
MONONOKI = Face(TRUETYPE + "mononoki/mononoki-Regular.ttf", "ec")
BEBAS = Face(OPENTYPE + "bebas-neue/BebasNeue-Regular.otf", "ec")
GARAMOND = Face(OPENTYPE + "ebgaramond/EBGaramond12-Regular.otf", "ec")
CHARIS = Face(TRUETYPE + "charis/CharisSIL-Regular.ttf", "ec")
CALADEA = Face(TRUETYPE + "crosextra/Caladea-Regular.ttf")

HAN = Face(TRUETYPE + "wqy/wqy-zenhei.ttc")
KANA = Face(TRUETYPE + "bizud-gothic/BIZUDPGothic-Regular.ttf")
KANA_OTHER = Face(OPENTYPE + "ipafont-gothic/ipagp.ttf")
HANGUL = Face(TRUETYPE + "nanum/NanumBarunGothic.ttf")

ETCHED = (
    MANROPE,
    MANROPE_LIGHT,
    MANROPE_MEDIUM,
    SWITZERA,
    SWITZERA_LIGHT,
    SWITZERA_LIGHT,
    CLEAR,
    CLEAR_LIGHT,
    UNIVERSALIS,
    MPLUS,
    MPLUS_LIGHT,
    KARLA,
    PT,
    OXYGEN,
    NANUM_LATIN,
    GILLIUS,
)
INTERFACE = (
    (MANROPE, MANROPE_BOLD),
    (CLEAR, CLEAR_BOLD),
    (MPLUS, MPLUS_BOLD),
    (KARLA, KARLA_BOLD),
    (PT, PT_BOLD),
    (SWITZERA, SWITZERA_BOLD),
    (SORA, SORA_BOLD),
    (MANROPE_MEDIUM, MANROPE_BOLD),
    (MPLUS_MEDIUM, MPLUS_BOLD),
)
LABEL = (
    SWITZERA,
    SWITZERA_MEDIUM,
    SWITZERA_BOLD,
    SWITZERA_COND,
    SWITZERA_BOLD_COND,
    UNIVERSALIS,
    UNIVERSALIS_COND,
    UNIVERSALIS_BOLD,
    MPLUS_MEDIUM,
    MPLUS_BOLD,
    PT_BOLD,
    PT_NARROW,
    PT_NARROW_BOLD,
    CLEAR_BOLD,
    KARLA_MEDIUM,
    B612,
    B612_BOLD,
)
LABEL_MONO = (
    JETBRAINS,
    JETBRAINS_BOLD,
    INCONSOLATA,
    LEAGUE_NARROW_BOLD,
    OCR_B,
    COURIER_SANS_BOLD,
    PT_MONO,
    MPLUS_CODE,
    B612_MONO,
)
TERMINAL = (JETBRAINS, MONONOKI, INCONSOLATA, PT_MONO, MPLUS_CODE)
SERIF = (GARAMOND, CHARIS, CALADEA, PT_SERIF, COURIER)
HAND = (
    Face(TRUETYPE + "humor-sans/Humor-Sans.ttf"),
    Face(TRUETYPE + "rufscript/Rufscript010.ttf"),
    Face(TRUETYPE + "yusei-magic/YuseiMagic-Regular.ttf"),
    Face(TRUETYPE + "fifthhorseman/dkg.ttf"),
    Face(TRUETYPE + "breip/Breip.ttf"),
    Face(TRUETYPE + "sjfonts/SteveHand.ttf"),
)


@lru_cache(maxsize=512)
def font_at(path: str, size: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=128)
def capital_ratio(path: str) -> float:
    """Height of a capital H as a share of the font size."""
    box = font_at(path, 400).getbbox("H", anchor="ls")
    return -box[1] / 400


def face_for(character: str, face: Face, language: str) -> Face:
    """A face that can draw `character`: `face` itself if possible."""
    code = ord(character)
    if 0x3040 <= code <= 0x30FF:
        return KANA
    if 0xAC00 <= code <= 0xD7A3:
        return HANGUL
    if 0x4E00 <= code <= 0x9FFF or 0x3000 <= code <= 0x303F:
        return KANA if language == "ja" else HANGUL if language == "ko" else HAN
    if 0x0400 <= code <= 0x04FF and "c" not in face.reach:
        return PT
    if 0x0100 <= code <= 0x024F and "e" not in face.reach:
        return CLEAR
    return face


def runs(text: str, face: Face, language: str) -> list[tuple[Face, str]]:
    """Splits `text` into pieces of one face each."""
    pieces: list[tuple[Face, str]] = []
    for character in text:
        chosen = face_for(character, face, language)
        if pieces and pieces[-1][0] == chosen:
            pieces[-1] = (chosen, pieces[-1][1] + character)
        else:
            pieces.append((chosen, character))
    return pieces


def font_of(face: Face, cap: float) -> ImageFont.FreeTypeFont:
    return font_at(face.path, max(2.0, round(cap / capital_ratio(face.path) * 4) / 4))


def text_width(text: str, face: Face, cap: float, tracking: float = 0, language: str = "en") -> float:
    return sum(font_of(f, cap).getlength(piece) for f, piece in runs(text, face, language)) + tracking * max(
        0, len(text) - 1
    )


def put_text(
    draw: ImageDraw.ImageDraw,
    x: float,
    baseline: float,
    text: str,
    face: Face,
    cap: float,
    fill,
    align: str = "l",
    tracking: float = 0,
    language: str = "en",
) -> tuple[float, float, float, float]:
    """Draw one line, capitals `cap` pixels high, and return its box (left, top, right, bottom).

    align     l, m or r: what `x` is
    tracking  extra pixels between characters
    """
    drawn.note(text)
    width = text_width(text, face, cap, tracking, language)
    left = x - (width if align == "r" else width / 2 if align == "m" else 0)
    pen = left
    for chosen, piece in runs(text, face, language):
        font = font_of(chosen, cap)
        for part in piece if tracking else (piece,):
            draw.text((pen, baseline), part, font=font, fill=fill, anchor="ls")
            pen += font.getlength(part) + tracking
    return left, baseline - cap, left + width, baseline
