"""The typefaces of this family and the sizes of their capitals.

Only these Debian packages: fonts-roboto, fonts-open-sans, fonts-lato, fonts-liberation, fonts-noto-core,
fonts-noto-cjk, fonts-cantarell, fonts-inter, fonts-dejavu, fonts-urw-base35.
"""

from functools import cache, lru_cache
from pathlib import Path

from PIL import ImageFont

ROOT = Path("/usr/share/fonts")

# Thin and regular sans faces as laser-etched under a Mac, commonest first.
ETCHED = (
    ["Inter-Light", "Inter-Regular", "InterDisplay-Light", "Roboto-Light", "Inter-ExtraLight"] * 2
    + ["Roboto-Regular", "OpenSans-Light", "OpenSans-Regular", "Lato-Light", "Lato-Regular", "NotoSans-Regular"]
    + ["NimbusSans-Regular", "Cantarell-Light", "Cantarell-Regular", "InterDisplay-Regular", "LiberationSans-Regular"]
)
# On displays: regular weight for values, medium or bold for labels and titles.
SCREEN = [
    ("Inter-Regular", "Inter-SemiBold"),
    ("InterDisplay-Regular", "InterDisplay-SemiBold"),
    ("Roboto-Regular", "Roboto-Medium"),
    ("NotoSans-Regular", "NotoSans-Bold"),
    ("OpenSans-Regular", "OpenSans-Semibold"),
    ("Lato-Regular", "Lato-Bold"),
    ("LiberationSans-Regular", "LiberationSans-Bold"),
    ("Cantarell-Regular", "Cantarell-Bold"),
]
# Printed labels: small sans, condensed and bold thermal faces, typewriter faces.
LABEL = ["Roboto-Regular", "Inter-Regular", "OpenSans-Regular", "NimbusSans-Regular", "LiberationSans-Regular"] + [
    "LiberationSansNarrow-Regular",
    "RobotoCondensed-Regular",
    "NimbusSansNarrow-Regular",
    "Lato-Regular",
]
THERMAL = (
    ["NimbusSans-Bold", "LiberationSansNarrow-Bold", "RobotoCondensed-Bold", "DejaVuSansMono-Bold"]
    + ["NimbusMonoPS-Bold", "LiberationMono-Bold", "URWGothic-Demi", "DejaVuSansCondensed-Bold", "Roboto-Bold"]
    + ["NimbusSansNarrow-Bold", "OpenSans-CondBold", "LiberationSans-Bold"]
)
CJK_INDEX = {"ja": 0, "ko": 1, "zh": 2}


@cache
def _files() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in ("truetype", "opentype"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix.lower() in (".ttf", ".otf", ".ttc"):
                found.setdefault(file.stem, file)
    return found


def _path(face: str) -> Path:
    files = _files()
    if face not in files:
        raise FileNotFoundError(f"font {face} is not installed: run Tools/corpus/install-fonts.sh")
    return files[face]


@lru_cache(maxsize=512)
def load(face: str, size: int) -> ImageFont.FreeTypeFont:
    """The face at a size in pixels. "cjk-ja", "cjk-ko", "cjk-zh" (and "-bold") are Noto Sans CJK."""
    if face.startswith("cjk-"):
        name = "NotoSansCJK-Bold" if face.endswith("-bold") else "NotoSansCJK-Regular"
        return ImageFont.truetype(str(_path(name)), size, index=CJK_INDEX[face[4:6]])
    return ImageFont.truetype(str(_path(face)), size)


@cache
def capital_ratio(face: str) -> float:
    """Height of a capital H as a share of the font's size."""
    left, top, right, bottom = load(face, 400).getbbox("H", anchor="ls")
    return (bottom - top) / 400


def load_by_capital(face: str, capital: float) -> ImageFont.FreeTypeFont:
    """The face at the size whose capitals are `capital` pixels high (to the nearest pixel of size)."""
    return load(face, max(4, round(capital / capital_ratio(face))))
