"""Texts around the foot of a desktop device or the glass of a watch; {s} marks the serial's place."""

from dataclasses import dataclass

import numpy as np

from . import wording as w


@dataclass
class Circle:
    """sentences  in their order, the one with {s} among them
    radius     of the outer line, in capital heights
    ground     the metal or plastic that is printed on, a name of surfaces.METALS
    """

    kind: str
    device: str
    sentences: list[str]
    radius: float
    ground: str
    finish: str
    lengths: dict[int, float]


SERIAL = (
    "Serial {s}",
    "Serial No. {s}",
    "Serial No: {s}",
    "S/N {s}",
    "S/N: {s}",
    "SN: {s}",
    "Serial: {s}",
    "Serial Number {s}",
)


def _with_serial(rng, sentences: list[str]) -> list[str]:
    """The sentences with that of the serial at a random place."""
    at = int(rng.integers(0, len(sentences) + 1))
    return sentences[:at] + [w.pick(rng, SERIAL)] + sentences[at:]


def _approvals(rng, m: str) -> list[str]:
    """Some of the approvals and rules that fill up a ring."""
    every = [
        f"FCC ID: BCG{m}",
        f"IC: 579C-{m}",
        "CAN ICES-003(B)/NMB-003(B)",
        f"CMIIT ID: {w.code(rng, '20##@@####')}",
        "ℂ  ♲  ▣",
        f"R-{w.digits(rng, 8)}",
        "Apple Inc. One Apple Park Way, Cupertino, CA 95014",
        f"© {rng.integers(2011, 2024)} Apple Inc.",
        "Complies with part 15 of the FCC rules",
        "For indoor use only",
        f"Complies with IMDA Standards DA{w.digits(rng, 6)}",
    ]
    return [every[i] for i in rng.permutation(len(every))[: rng.integers(2, len(every) + 1)]]


def _origin(rng) -> list[str]:
    made = w.pick(rng, ("Assembled in China", "Assembled in China", "Assembled in Vietnam", "Product of Thailand"))
    return ["Designed by Apple in California", made]


def mini_foot(rng) -> Circle:
    m = w.model(rng)
    rating = w.pick(rng, ("100-240V~ 50-60Hz 2A", "100-240V~, 50-60Hz, 1.5A", "100-240V~ 50/60Hz 85W"))
    sentences = _origin(rng) + [f"Model {m}", f"EMC {w.emc(rng)}", rating] + _approvals(rng, m)
    ground, finish = w.pick(
        rng, (("black", "smooth"), ("black", "blasted"), ("dark-space-gray", "smooth"), ("space-gray", "smooth"))
    )
    return Circle(
        "mini-foot", "Mac Mini", _with_serial(rng, sentences), rng.uniform(30, 60), ground, finish, {12: 0.6, 10: 0.4}
    )


def watch_back(rng) -> Circle:
    m = w.model(rng)
    case = w.pick(rng, ("Aluminum 7000 Series", "Stainless Steel 316L", "Aluminium", "Titanium", "Recycled Aluminum"))
    sentences = [
        w.pick(rng, ("Apple Watch", "Watch Series 3", "Watch SE")),
        f"{w.pick(rng, ('38', '40', '41', '42', '44', '45'))}mm",
        case,
        w.pick(rng, ("Ion-X Glass", "Sapphire Crystal", "Ceramic Back")),
        w.pick(rng, ("WR-50M", "Swimproof", "GPS + LTE")),
        m,
    ]
    ground, finish = w.pick(
        rng,
        (
            ("silver", "blasted"),
            ("silver", "brushed"),
            ("graphite", "brushed"),
            ("gold", "blasted"),
            ("black", "smooth"),
            ("rose", "blasted"),
        ),
    )
    return Circle(
        "watch-back",
        "Apple Watch",
        _with_serial(rng, sentences[: rng.integers(2, 7)]),
        rng.uniform(13, 23),
        ground,
        finish,
        {12: 0.65, 10: 0.35},
    )


def speaker_foot(rng) -> Circle:
    m = w.model(rng)
    sentences = (
        [w.pick(rng, ("HomePod", "HomePod mini")), f"Model {m}"]
        + _origin(rng)
        + [w.pick(rng, ("100-240V~ 1A 50-60Hz", "Rated 9V⎓2.22A"))]
        + _approvals(rng, m)
    )
    ground = w.pick(rng, ("white-plastic", "midnight", "dark-space-gray"))
    return Circle(
        "speaker-foot",
        "Accessory",
        _with_serial(rng, sentences),
        rng.uniform(14, 38),
        ground,
        "smooth",
        {12: 0.6, 10: 0.4},
    )


def box_foot(rng) -> Circle:
    m = w.model(rng)
    name, ground = w.pick(
        rng,
        (
            ("Apple TV", "black"),
            ("Apple TV 4K", "black"),
            ("AirPort Extreme", "white-plastic"),
            ("Time Capsule", "white-plastic"),
            ("AirPort Express", "white-plastic"),
        ),
    )
    rating = w.pick(rng, ("Rated 12V⎓1.8A", "110-240V~ 0.5A 50-60Hz", "Rated 3.4V⎓1.75A", "100-240V~ 0.6A"))
    sentences = [name, f"Model No. {m}", f"EMC No. {w.emc(rng)}", rating] + _origin(rng) + _approvals(rng, m)
    return Circle(
        "box-foot",
        "Accessory",
        _with_serial(rng, sentences),
        rng.uniform(14, 45),
        ground,
        "smooth",
        {12: 0.8, 11: 0.1, 10: 0.1},
    )


def circle(rng: np.random.Generator) -> Circle:
    """Any device with print in a circle."""
    makers = (mini_foot, watch_back, speaker_foot, box_foot)
    return makers[int(rng.choice(len(makers), p=[0.34, 0.28, 0.18, 0.2]))](rng)
