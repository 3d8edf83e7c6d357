"""Texts around the foot or the back of a device, and their layout on one or two circles."""

from dataclasses import dataclass

import numpy as np

from . import identifiers
from .round_text import Arc, Stretch, edges

KEYS = ["Serial", "Serial", "Serial No.", "Serial No.:", "S/N", "SN:", "Serial:"]
RULES = [
    "This device complies with Part 15 of the FCC Rules.",
    "TM and © {year} Apple Inc. All rights reserved.",
    "Complies with the Canadian ICES-003 Class B specifications.",
    "Operation is subject to the following two conditions:",
    "this device may not cause harmful interference",
]
RATINGS = {
    "Mac Mini": ["100-240V~ 50-60Hz 2A", "100-240V~ 50-60Hz 1.5A", "Rated 100-240V~ 2.5A"],
    "Accessory": ["100-240V~ 50-60Hz 0.5A", "Rated 12V⎓1.8A", "100-120V~ 2A 60Hz", "5V⎓2A", "14.5V⎓2A"],
}


def phrases(rng: np.random.Generator, device: str) -> list[str]:
    """The phrases of a device in the order of print, without its serial."""
    model = identifiers.model(rng)
    if device == "Apple Watch":
        return _watch(rng, model)
    country = rng.choice(["China", "China", "Vietnam", "Malaysia", "USA"])
    first = [
        "Designed by Apple in California",
        f"Assembled in {country}",
        f"Model {model}",
        identifiers.emc(rng),
        str(rng.choice(RATINGS[device])),
        f"FCC ID: BCG{model}",
        f"IC: 579C-{model}",
        str(rng.choice(["CAN ICES-3 (B)/NMB-3(B)", f"CMIIT ID: {identifiers.cmiit(rng)}", "CE 0682"])),
    ]
    rules = [rule.format(year=rng.integers(2010, 2024)) for rule in rng.permutation(RULES)]
    return first[: int(rng.integers(3, 9))] + rules


def _watch(rng: np.random.Generator, model: str) -> list[str]:
    case = ["Aluminum Case", "Stainless Steel", "Titanium Case", "7000 Series Aluminum"]
    return [
        str(rng.choice(["Apple Watch", "Apple Watch SE", "Apple Watch Series 5"])),
        f"{rng.integers(38, 50)} mm",
        str(rng.choice(case)),
        str(rng.choice(["Ceramic and Sapphire Crystal", "Ion-X Glass", "Composite Back"])),
        str(rng.choice(["GPS", "GPS + Cellular", "Water Resistant 50m", "WR-50M"])),
        f"Model {model}",
        "Designed by Apple in California",
        "Assembled in China",
    ]


@dataclass(frozen=True)
class Phrase:
    """A phrase on its arc, beginning `along` millimetres into it."""

    arc: Arc
    along: float
    text: str


@dataclass(frozen=True)
class Lettering:
    """face, capital height in millimetres, tracking as a share of it."""

    face: str
    capital: float
    tracking: float

    def edges(self, text: str) -> np.ndarray:
        return edges(text, self.face, self.capital, self.tracking)

    def width(self, text: str) -> float:
        return float(self.edges(text)[-1])


def ring(
    rng: np.random.Generator, texts: list[str], letters: Lettering, radius: float, span: float, clockwise: bool
) -> list[Phrase]:
    """As many of `texts`, the first surely, as fit on `span` radians of a circle; begins somewhere on it.

    radius  of the side nearer the centre, where the feet or the heads stand.
    """
    arc = Arc(radius if clockwise else radius + letters.capital, rng.uniform(0, 2 * np.pi), clockwise, letters.capital)
    least = letters.capital * rng.uniform(1.2, 2.5)
    room, taken = span * arc.middle, []
    for text in texts:
        width = letters.width(text) + least
        if not taken or width < room:
            taken.append(text)
            room -= width
    # On a whole ring the phrases are spread evenly; on part of a ring they are contiguous.
    gap = least + (max(0.0, room) / len(taken) if span > 6 else 0.0)
    first = int(rng.integers(0, len(taken)))
    taken = taken[1 : first + 1] + taken[:1] + taken[first + 1 :]
    places, along = [], 0.0
    for text in taken:
        places.append(Phrase(arc, along, text))
        along += letters.width(text) + gap
    return places


def two_facing(rng: np.random.Generator, texts: list[str], letters: Lettering, radius: float) -> list[Phrase]:
    """One half reads clockwise and the other anticlockwise, as on a coin; the first of `texts` is on either."""
    clockwise = bool(rng.random() < 0.5)
    one = ring(rng, texts, letters, radius, 2.6, clockwise)
    other = ring(rng, [t for t in texts if t not in {p.text for p in one}], letters, radius, 2.6, not clockwise)
    turned = []
    for half, places, turn in ((0.0, one, clockwise), (np.pi, other, not clockwise)):
        length = (places[-1].along + letters.width(places[-1].text)) / places[0].arc.middle
        arc = Arc(places[0].arc.radius, half - (length / 2 if turn else -length / 2), turn, letters.capital)
        turned += [Phrase(arc, phrase.along, phrase.text) for phrase in places]
    away = rng.uniform(0, 2 * np.pi)
    return [
        Phrase(Arc(p.arc.radius, p.arc.start + away, p.arc.clockwise, p.arc.capital), p.along, p.text) for p in turned
    ]


def stretches(phrase: Phrase, letters: Lettering, serial: str) -> tuple[Stretch, Stretch]:
    """The place of the whole phrase and that of the serial in it."""
    places = phrase.along + letters.edges(phrase.text)
    at = phrase.text.index(serial)
    tail = letters.tracking * letters.capital
    return (
        Stretch(phrase.arc, places[0], places[-1] - tail),
        Stretch(phrase.arc, places[at], places[at + len(serial)] - tail),
    )
