"""Texts etched on devices, by device and generation; {s} marks the serial's place."""

from dataclasses import dataclass, field

import numpy as np

from . import wording as w


@dataclass
class Line:
    """text   with {s} for the serial; ⎓ ▣ ♲ ℂ are drawn as symbols
    rise   capital height as a share of the block's
    gap    free space above the line, in capital heights
    """

    text: str
    rise: float = 1.0
    gap: float = 1.0


@dataclass
class Block:
    """columns  each a list of lines, left to right
    align    of the lines within a column: l, m or r
    """

    kind: str
    device: str
    columns: list[list[Line]]
    align: str = "m"
    metals: tuple[str, ...] = ("silver", "space-gray")
    finish: tuple[str, ...] = ("blasted",)
    lengths: dict[int, float] = field(default_factory=lambda: {12: 1.0})


def _serial_word(rng) -> str:
    return w.pick(
        rng,
        (
            "Serial {s}",
            "Serial {s}",
            "Serial {s}",
            "Serial: {s}",
            "Serial No. {s}",
            "Serial No: {s}",
            "Serial Number {s}",
            "S/N {s}",
        ),
    )


def _rated(rng) -> str:
    return w.pick(
        rng,
        (
            "Rated 20.5V⎓4.7A max.",
            "Rated 20.2V⎓4.3A max.",
            "Rated 14.5V⎓2A max.",
            "Rated 20.0V⎓1.5A or 20.3V⎓3.0A",
            "Rated 20V⎓7A max.",
            "Rated 15V⎓3A or 20V⎓5A",
        ),
    )


def _regional(rng) -> list[Line]:
    """The Indian, Korean or European marks in larger type below the block, or none."""
    choice = rng.integers(5)
    if choice == 0:
        return [
            Line("IS 13252(Part 1)/IEC 60950-1", 1.35, 1.6),
            Line("▣", 1.5, 0.6),
            Line(f"R-{w.digits(rng, 8)}", 1.35, 0.6),
        ]
    if choice == 1:
        return [
            Line("IS 13252(Part 1)/IEC 62368-1", 1.2, 1.4),
            Line("▣", 1.6, 0.5),
            Line(f"R-{w.digits(rng, 8)}", 1.2, 0.5),
        ]
    if choice == 2:
        return [Line("ℂ  ♲", 2.0, 1.5)]
    if choice == 3:
        return [Line(f"CMIIT ID: {w.code(rng, '20##@@####')}  ℂ ♲ ▣", 1.0, 1.0)]
    return []


def macbook(rng: np.random.Generator) -> Block:
    """The underside of a MacBook, of one of its generations."""
    m = w.model(rng)
    fcc = f"FCC ID: BCG{m} and IC: 579C-{m}"
    made = w.pick(
        rng,
        (
            "Designed by Apple in California  Assembled in China",
            "Designed by Apple in California  Assembled in Vietnam",
            "Designed by Apple in California  Assembled in USA",
        ),
    )
    generation = rng.integers(6)
    if generation <= 1:
        lines = w.pick(
            rng,
            (
                [
                    f"{made}  Model {m}  EMC {w.emc(rng)}  {_rated(rng)}",
                    f"{fcc}  CAN ICES-3 (B)/NMB-3(B)  Serial {{s}}",
                ],
                [f"{made}  Model {m}  {_rated(rng)}", f"EMC {w.emc(rng)}  {fcc}  Serial {{s}}"],
                [f"{made}  {_rated(rng)}", f"Model {m}  EMC {w.emc(rng)}  {fcc}  {_serial_word(rng)}"],
            ),
        )
        return Block(
            "macbook-fcc-line", "MacBook", [[Line(t) for t in lines] + _regional(rng)], lengths={12: 0.75, 10: 0.25}
        )
    if generation == 2:
        lines = [f"{made}  Model {m}  EMC {w.emc(rng)}", f"{_rated(rng)}  {fcc}", _serial_word(rng)]
        return Block(
            "macbook-own-line",
            "MacBook",
            [[Line(t) for t in lines] + _regional(rng)],
            metals=("silver", "space-gray", "starlight", "dark-space-gray"),
            lengths={12: 0.4, 10: 0.6},
        )
    if generation == 3:
        rule = w.pick(
            rng,
            (
                "This device complies with part 15 of the FCC rules. Operation is subject to the following two conditions:",
                "TM and © Apple Inc. All rights reserved. CAN ICES-3 (B)/NMB-3(B)",
            ),
        )
        lines = [
            f"{made.replace('  ', '. ')}. Model No. {m}  EMC No. {w.emc(rng)}",
            rule,
            "(1) This device may not cause harmful interference, and (2) this device must accept any interference",
            f"received, including interference that may cause undesired operation. {_rated(rng)}",
            "Serial No. {s}",
        ]
        return Block(
            "macbook-unibody",
            "MacBook",
            [[Line(t, 1, 0.75) for t in lines]],
            align=w.pick(rng, "lm"),
            finish=("blasted", "smooth"),
            metals=("silver",),
            lengths={12: 0.5, 11: 0.5},
        )
    if generation == 4:
        left = [
            "Designed by Apple in California",
            w.pick(rng, ("Assembled in China", "Assembled in Malaysia")),
            f"Model {m}  EMC {w.emc(rng)}",
            _rated(rng),
        ]
        right = [f"FCC ID: BCG{m}", f"IC: 579C-{m}", w.pick(rng, ("Serial No.", "Serial", "Serial Number")), "{s}"]
        return Block(
            "macbook-two-columns",
            "MacBook",
            [[Line(t, 1, 0.8) for t in left], [Line(t, 1, 0.8) for t in right]],
            align="l",
            metals=("silver", "space-gray", "midnight"),
            lengths={12: 0.5, 10: 0.5},
        )
    lines = [f"{made}  Model {m}  {_rated(rng)}", f"{fcc}  Serial {{s}}"]
    return Block(
        "macbook-dark",
        "MacBook",
        [[Line(t) for t in lines] + _regional(rng)],
        metals=("midnight", "black", "dark-space-gray", "graphite"),
        lengths={12: 0.2, 10: 0.8},
    )


def mac_mini(rng) -> Block:
    m = w.model(rng)
    lines = [
        f"Model {m}  EMC {w.emc(rng)}",
        "100-240V~ 50-60Hz 2A",
        "Designed by Apple in California  Assembled in China",
        w.pick(rng, ("Serial {s}", "Serial No. {s}")),
    ]
    if rng.random() < 0.5:
        lines.insert(2, f"FCC ID: BCG{m}  IC: 579C-{m}")
    return Block(
        "mac-mini-base",
        "Mac Mini",
        [[Line(t, 1, 0.9) for t in lines]],
        metals=("black", "graphite", "silver", "black"),
        finish=("smooth", "blasted"),
        lengths={12: 0.55, 11: 0.25, 10: 0.2},
    )


def imac(rng) -> Block:
    m = w.model(rng)
    lines = w.pick(
        rng,
        (
            [
                f"Model {m}  EMC {w.emc(rng)}  100-240V~ 50/60Hz 4A",
                "Designed by Apple in California  Assembled in China",
                f"CAN ICES-3 (B)/NMB-3(B)  {_serial_word(rng)}",
            ],
            [
                "Designed by Apple in California. Assembled in China.",
                f"Model No. {m}  EMC No. {w.emc(rng)}",
                f"FCC ID: BCG{m}  IC: 579C-{m}",
                "{s}",
            ],
            [f"Model {m}  Serial {{s}}", "Designed by Apple in California  Assembled in Ireland"],
        ),
    )
    return Block(
        "imac-foot",
        "iMac",
        [[Line(t, 1, 0.8) for t in lines]],
        align=w.pick(rng, "lmm"),
        metals=("silver", "silver", "blue", "rose", "starlight"),
        finish=("smooth", "blasted", "brushed"),
        lengths={12: 0.5, 11: 0.25, 10: 0.25},
    )


def ipad(rng) -> Block:
    m = w.model(rng)
    lines = w.pick(
        rng,
        (
            [
                f"Designed by Apple in California  Assembled in China  Model {m}",
                f"FCC ID: BCG{m}  IC: 579C-{m}  Serial: {{s}}",
            ],
            [
                f"Designed by Apple in California. Assembled in China. Model {m} {w.pick(rng, ('16GB', '32GB', '64GB', '128GB'))} Rated 5.1V⎓2.4A",
                "Serial: {s}",
            ],
            [
                f"Designed by Apple in California  Assembled in China  Model {m}",
                f"Rated 15V⎓3A  IMEI: {w.imei(rng)}",
                "Serial: {s}",
            ],
        ),
    )
    rows = (
        [Line("iPad", 3.4, 0)]
        + [Line(t, 1, 0.7) for t in lines]
        + ([Line("ℂ  ♲", 1.8, 0.9)] if rng.random() < 0.6 else [])
    )
    return Block(
        "ipad-back",
        "iPad",
        [rows],
        metals=("silver", "space-gray", "gold", "rose", "starlight", "graphite"),
        lengths={12: 0.75, 10: 0.25},
    )


def iphone(rng) -> Block:
    m = w.model(rng)
    lines = [
        "Designed by Apple in California  Assembled in China",
        f"Model {m}  FCC ID: BCG-E{w.digits(rng, 4)}A  IC: 579C-E{w.digits(rng, 4)}A",
        w.pick(rng, ("Serial No.: {s}", "Serial: {s}", f"IMEI: {w.imei(rng)}  Serial {{s}}")),
    ]
    return Block(
        "iphone-back",
        "iPhone",
        [[Line(w.pick(rng, ("iPhone", "iPod")), 3.2, 0)] + [Line(t, 1, 0.7) for t in lines] + [Line("ℂ  ♲", 1.8, 0.9)]],
        metals=("black", "silver", "gold", "rose", "red", "graphite", "midnight"),
        finish=("smooth", "blasted"),
        lengths={12: 0.5, 11: 0.3, 10: 0.2},
    )


def accessory(rng) -> Block:
    m = w.model(rng)
    name = w.pick(rng, ("AirPods", "Magic Keyboard", "Magic Mouse", "Apple TV", "HomePod mini"))
    lines = w.pick(
        rng,
        (
            ["Designed by Apple in California", "Assembled in China", f"Model {m}", "Serial {s}"],
            [f"{name}  Model {m}  FCC ID: BCG{m}", f"IC: 579C-{m}  Serial {{s}}"],
            [f"Model {m}  Rated 5V⎓1A", "Serial No. {s}", "Assembled in Vietnam"],
        ),
    )
    finish = ("smooth",) if name == "AirPods" else ("smooth", "blasted", "brushed")
    return Block(
        "accessory-" + name.lower().replace(" ", "-"),
        "Accessory",
        [[Line(t, 1, 0.65) for t in lines]],
        align=w.pick(rng, "lm"),
        metals=("white-plastic", "white-plastic", "silver", "black"),
        finish=finish,
        lengths={12: 0.75, 10: 0.25},
    )


def block(rng) -> Block:
    """Any device, MacBooks most often."""
    makers = (macbook, mac_mini, imac, ipad, iphone, accessory)
    return makers[int(rng.choice(len(makers), p=[0.5, 0.1, 0.11, 0.13, 0.08, 0.08]))](rng)
