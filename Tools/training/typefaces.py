"""The typefaces of each preset. Training and held-out lines share none."""

import os
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import ImageFont

TRUETYPE, OPENTYPE = "/usr/share/fonts/truetype/", "/usr/share/fonts/opentype/"


def inter(*weights):
    return [OPENTYPE + "inter/Inter-%s.otf" % w for w in weights]


def inter_display(*weights):
    return [OPENTYPE + "inter/InterDisplay-%s.otf" % w for w in weights]


def roboto(*weights):
    return [TRUETYPE + "roboto/unhinted/RobotoTTF/Roboto-%s.ttf" % w for w in weights]


def roboto_condensed(*weights):
    return [TRUETYPE + "roboto/unhinted/RobotoCondensed-%s.ttf" % w for w in weights]


def open_sans(*weights):
    return [TRUETYPE + "open-sans/OpenSans-%s.ttf" % w for w in weights]


def noto(*weights):
    return [TRUETYPE + "noto/NotoSans-%s.ttf" % w for w in weights]


def liberation(*names):
    return [TRUETYPE + "liberation/Liberation%s.ttf" % n for n in names]


def dejavu(*names):
    return [TRUETYPE + "dejavu/DejaVu%s.ttf" % n for n in names]


def lato(*weights):
    return [TRUETYPE + "lato/Lato-%s.ttf" % w for w in weights]


def cantarell(*weights):
    return [OPENTYPE + "cantarell/Cantarell-%s.otf" % w for w in weights]


def nimbus(*names):
    return [OPENTYPE + "urw-base35/Nimbus%s.otf" % n for n in names]


# (weight, files): a group is chosen by its weight, then one of its files evenly.
TRAINING = {
    "etched": [
        (0.62, inter("Light", "Regular", "Medium", "ExtraLight") + inter_display("Light", "Regular", "Medium")),
        (0.12, roboto("Light", "Regular")),
        (0.12, open_sans("Light", "Regular")),
        (0.10, liberation("Sans-Regular") + noto("Regular")),
        (0.04, inter("SemiBold") + dejavu("Sans")),
    ],
    "screen": [
        (
            0.60,
            inter("Regular", "Medium", "SemiBold", "Light", "Bold") + inter_display("Regular", "Medium", "SemiBold"),
        ),
        (0.12, roboto("Regular", "Medium", "Light")),
        (0.14, noto("Regular", "Bold") + open_sans("Regular", "Semibold")),
        (0.14, liberation("Sans-Regular", "Sans-Bold") + dejavu("Sans")),
    ],
    "sticker": [
        (
            0.34,
            liberation("Sans-Regular", "Sans-Bold", "Sans-Bold")
            + inter("Regular", "Medium", "SemiBold", "Bold", "ExtraBold"),
        ),
        (
            0.20,
            liberation("SansNarrow-Regular", "SansNarrow-Bold")
            + roboto_condensed("Regular", "Bold", "Light")
            + open_sans("CondBold", "CondLight")
            + dejavu("SansCondensed", "SansCondensed-Bold"),
        ),
        (0.16, liberation("Mono-Regular", "Mono-Bold") + dejavu("SansMono", "SansMono-Bold")),
        (
            0.30,
            open_sans("Regular", "Bold", "ExtraBold")
            + noto("Regular", "Bold")
            + roboto("Regular", "Bold", "Black")
            + dejavu("Sans", "Sans-Bold"),
        ),
    ],
}


def noto_cjk(weight, index):
    return "%snoto/NotoSansCJK-%s.ttc#%d" % (OPENTYPE, weight, index)


# Labels in other scripts; faces of collections by their number.
FOREIGN = {
    "han": [noto_cjk("Regular", 2), noto_cjk("Regular", 3), noto_cjk("Bold", 2), TRUETYPE + "wqy/wqy-microhei.ttc#0"],
    "kana": [noto_cjk("Regular", 0), noto_cjk("Bold", 0), TRUETYPE + "vlgothic/VL-PGothic-Regular.ttf"],
    "hangul": [noto_cjk("Regular", 1), noto_cjk("Bold", 1), TRUETYPE + "unfonts-core/UnDotum.ttf"],
    "cyrillic": inter("Regular", "Medium", "SemiBold")
    + roboto("Regular", "Medium")
    + open_sans("Regular", "Semibold")
    + noto("Regular", "Bold")
    + liberation("Sans-Regular")
    + dejavu("Sans"),
}

HELD_OUT = {
    "etched": [
        (0.5, lato("Light", "Regular", "Medium")),
        (0.3, cantarell("Light", "Regular")),
        (0.2, nimbus("Sans-Regular")),
    ],
    "screen": [
        (0.5, lato("Regular", "Medium", "Semibold")),
        (0.25, cantarell("Regular", "Bold")),
        (0.25, nimbus("Sans-Regular", "Sans-Bold")),
    ],
    "sticker": [
        (0.4, nimbus("Sans-Regular", "Sans-Bold")),
        (0.25, nimbus("SansNarrow-Regular", "SansNarrow-Bold")),
        (0.15, nimbus("MonoPS-Bold", "MonoPS-Regular")),
        (0.2, lato("Bold", "Heavy", "Black")),
    ],
}


def files(folder, *names):
    return [folder + n for n in names]


# Further typefaces, because real serials may be set in any typeface. None has the same outlines as one of the scored
# family or of the held-out lines (MigMix and VL Gothic contain M+, TeX Gyre contains Nimbus).
GO, LATIN_MODERN = "/usr/share/fonts/fonts-go/", "/usr/share/texmf/fonts/opentype/public/lm/"
FURTHER = {
    "thin": files(
        OPENTYPE,
        "cabin/Cabin-Regular.otf",
        "cabin/Cabin-Medium.otf",
        "jura/Jura-Regular.otf",
        "jura/Jura-Medium.otf",
        "national-park/NationalPark-Regular.otf",
        "league-spartan/LeagueSpartan-Regular.otf",
        "league-spartan/LeagueSpartan-Light.otf",
        "gemunu-libre/GemunuLibre-Regular.otf",
        "linux-libertine/LinBiolinum_R.otf",
        "dosis/Dosis-Medium.otf",
        "allerta/allerta_medium.otf",
    )
    + files(
        TRUETYPE,
        "opendin/OSP-DIN.ttf",
        "osifont/osifont.ttf",
        "routed-gothic/routed-gothic.ttf",
        "tuffy/Tuffy.ttf",
        "averia-gwf/AveriaSansGWF-Light.ttf",
        "averia-gwf/AveriaSansGWF-Regular.ttf",
        "adf/IkariusADFStd-Regular.otf",
        "tiresias/tiresias_infofont.ttf",
        "tiresias/tiresias_pcfont.ttf",
        "arundina/ArundinaSans.ttf",
        "roadgeek/RG2014D.ttf",
    )
    + files(GO, "Go-Regular.ttf")
    + files(LATIN_MODERN, "lmsans10-regular.otf"),
    "bold": files(
        OPENTYPE,
        "cabin/Cabin-Bold.otf",
        "cabin/Cabin-SemiBold.otf",
        "jura/Jura-Bold.otf",
        "league-spartan/LeagueSpartan-SemiBold.otf",
        "gemunu-libre/GemunuLibre-Bold.otf",
        "linux-libertine/LinBiolinum_RB.otf",
        "dosis/Dosis-Bold.otf",
    )
    + files(
        TRUETYPE,
        "tuffy/Tuffy_Bold.ttf",
        "averia-gwf/AveriaSansGWF-Bold.ttf",
        "adf/IkariusADFStd-Bold.otf",
        "tiresias/tiresias_infofont_bold.ttf",
        "tiresias/tiresias_pcfont_bold.ttf",
        "arundina/ArundinaSans-Bold.ttf",
    )
    + files(GO, "Go-Bold.ttf")
    + files(LATIN_MODERN, "lmsans10-bold.otf"),
    "narrow": files(
        OPENTYPE, "yanone-kaffeesatz/YanoneKaffeesatz-Regular.otf", "yanone-kaffeesatz/YanoneKaffeesatz-Bold.otf"
    )
    + files(
        TRUETYPE,
        "routed-gothic/routed-gothic-narrow.ttf",
        "roadgeek/RG2014B.ttf",
        "roadgeek/RG2014C.ttf",
        "tiresias/tiresias_lpfont.ttf",
        "tiresias/tiresias_lpfont_bold.ttf",
    ),
    "typewriter": files(
        TRUETYPE,
        "firacode/FiraCode-Regular.ttf",
        "firacode/FiraCode-Medium.ttf",
        "firacode/FiraCode-Bold.ttf",
        "hack/Hack-Regular.ttf",
        "hack/Hack-Bold.ttf",
        "anonymous-pro/Anonymous Pro.ttf",
        "anonymous-pro/Anonymous Pro B.ttf",
        "agave/agave-r-autohinted.ttf",
        "monoid/Monoid-Regular.ttf",
        "noto/NotoSansMono-Regular.ttf",
        "noto/NotoSansMono-Bold.ttf",
        "motoya-l-cedar/MTLc3m.ttf",
        "ocr-a/OCRA.ttf",
        "arundina/ArundinaSansMono.ttf",
        "glasstty/Glass_TTY_VT220.ttf",
        "dotgothic16/DotGothic16-Regular.ttf",
    )
    + files(OPENTYPE, "compagnon/Compagnon-Roman.otf")
    + files(GO, "Go-Mono.ttf", "Go-Mono-Bold.ttf"),
}
GLYPHS = {
    "etched": [(0.8, FURTHER["thin"]), (0.1, FURTHER["bold"]), (0.1, FURTHER["narrow"])],
    "screen": [(0.6, FURTHER["thin"]), (0.2, FURTHER["bold"]), (0.2, FURTHER["typewriter"])],
    "sticker": [(0.3, FURTHER["thin"]), (0.3, FURTHER["bold"]), (0.2, FURTHER["narrow"]), (0.2, FURTHER["typewriter"])],
}

# Lines are mostly drawn in the typefaces nearest to Apple's, and some in any other.
LINES = {preset: TRAINING[preset] + [(0.25 * share, files) for share, files in GLYPHS[preset]] for preset in TRAINING}

# Alternative shapes of characters that occur in real typefaces but not in these by default: (part of the typefaces'
# path, character, what is drawn for it, OpenType features, share of the lines). A capital ezh looks like a flat-topped 3.
ALTERNATES = [
    ("/inter/", "3", "3", ("cv09",), 0.18),
    ("/inter/", "1", "1", ("cv01",), 0.10),
    ("/inter/", "4", "4", ("cv02",), 0.10),
    ("/inter/", "6", "6", ("cv03",), 0.15),
    ("/inter/", "9", "9", ("cv04",), 0.15),
    ("/inter/", "G", "G", ("cv10",), 0.20),
    ("/inter/", "0", "0", ("zero",), 0.08),
    ("/noto/", "3", "\u01b7", None, 0.25),
    ("/dejavu/", "3", "\u01b7", None, 0.25),
]

DRAWN_SIZE = 56  # lines are drawn large and scaled down by the camera


@lru_cache(maxsize=None)
def font(path, size=DRAWN_SIZE):
    file, _, index = path.partition("#")
    return ImageFont.truetype(file, size, index=int(index or 0))


@dataclass(frozen=True)
class Glyph:
    """A drawn character: its coverage of 0...1, its upper left corner relative to the pen, and how far the pen moves."""

    coverage: np.ndarray
    left: int
    top: int
    advance: float


@lru_cache(maxsize=100_000)
def glyph(path, drawn, features):
    face = font(path)
    mask, (left, top) = face.getmask2(drawn, mode="L", features=features)
    coverage = np.asarray(mask, np.float32).reshape(mask.size[::-1]) / 255
    return Glyph(coverage, left, top, face.getlength(drawn, features=features))


def choose(rng, groups):
    """Chooses a typeface file from a preset's groups."""
    weights = [w for w, _ in groups]
    files = groups[rng.choice(len(groups), p=[w / sum(weights) for w in weights])][1]
    return files[rng.integers(len(files))]


def chosen(rng, alternates, path):
    """Chooses the characters of a line to draw in an alternative shape: {character: (drawn, features)}."""
    return {
        c: (drawn, features) for part, c, drawn, features, share in alternates if part in path and rng.random() < share
    }


def missing():
    """Returns the files named here that are not installed, so that training never silently uses fewer typefaces."""
    named = {
        f for table in (TRAINING, HELD_OUT, GLYPHS) for groups in table.values() for _, files in groups for f in files
    }
    named |= {f.partition("#")[0] for files in FOREIGN.values() for f in files}
    return sorted(f for f in named if not os.path.exists(f))
