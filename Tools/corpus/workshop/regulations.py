"""The regulatory text under a Mac: two to six lines with the serial somewhere in them."""

from dataclasses import dataclass, field

import numpy as np
from serials import random_serial

# Model number, EMC number and random configuration codes: only the format matters.
MODERN = [
    ("A1706", "3071", "20.3V⎓3A max."),
    ("A1708", "2978", "20.3V⎓3A max."),
    ("A1989", "3214", "20.3V⎓3A max."),
    ("A1990", "3215", "20.2V⎓4.3A max."),
    ("A2141", "3347", "20.5V⎓4.7A max."),
    ("A2159", "3301", "20.3V⎓3A max."),
    ("A2179", "3302", "20.0V⎓1.5A or 20.3V⎓3.0A"),
    ("A2251", "3348", "20.3V⎓3A max."),
    ("A2289", "3456", "20.3V⎓3A max."),
    ("A2337", "3598", "20.0V⎓1.5A or 20.3V⎓3.0A"),
    ("A2338", "3578", "20.3V⎓3A max."),
]
RANDOMISED = [
    ("A2442", "3650", "20V⎓4.7A"),
    ("A2485", "3651", "20V⎓5A or 28V⎓5A"),
    ("A2681", "4074", "20V⎓3.35A"),
    ("A2779", "8102", "20V⎓4.7A"),
    ("A2941", "8300", "20V⎓3.35A"),
    ("A2992", "8408", "20V⎓4.7A"),
    ("A3113", "8479", "20V⎓3.35A"),
]
OLDER = [
    ("A1278", "2555", "16.5-18.5V⎓4.6A max."),
    ("A1286", "2556", "18.5V⎓4.6A max."),
    ("A1369", "2469", "14.5V⎓3.1A"),
    ("A1398", "2674", "20V⎓4.25A"),
    ("A1466", "2925", "14.85V⎓3.05A"),
    ("A1502", "2875", "16.5V⎓3.65A"),
    ("A1181", "2300", "16.5V⎓3.65A max."),
]


@dataclass
class Regulations:
    """lines: (text, relative capital height, gap above in capital heights); marks: the drawn symbols below."""

    serial: str
    lines: list[tuple[str, float, float]]
    align: str = "m"
    india: bool = False
    marks: list[str] = field(default_factory=list)


def regulations(rng: np.random.Generator) -> Regulations:
    """The text of a random Mac, with its serial."""
    generation = rng.choice(["modern", "randomised", "older", "plain"], p=[0.42, 0.25, 0.2, 0.13])
    if generation == "modern":
        return _modern(rng, MODERN, random_serial(rng, {12: 1}))
    if generation == "randomised":
        return _modern(rng, RANDOMISED, random_serial(rng, {10: 0.85, 12: 0.15}))
    if generation == "older":
        return _older(rng)
    return _plain(rng)


def _modern(rng: np.random.Generator, models: list[tuple[str, str, str]], serial: str) -> Regulations:
    model, emc, rating = models[rng.integers(0, len(models))]
    country = rng.choice(["China", "China", "Vietnam", "USA", "Ireland", "Thailand"])
    designed = f"Designed by Apple in California  Assembled in {country}"
    fcc = f"FCC ID: BCG{model} and IC: 579C-{model}" if rng.random() < 0.7 else f"FCC ID: BCG{model}  IC: 579C-{model}"
    ices = rng.choice(["", "  CAN ICES-3 (B)/NMB-3(B)", "  CAN ICES-003(B)/NMB-003(B)"])
    key = rng.choice(["Serial", "Serial", "Serial", "Serial No.", "Serial:"])
    gap = 1.0
    shape = rng.integers(0, 6)
    if shape <= 1:
        lines = [f"{designed}  Model {model}  EMC {emc}  Rated {rating}", f"{fcc}{ices}  {key} {serial}"]
    elif shape == 2:
        lines = [f"{designed}  Model {model}  Rated {rating}", f"EMC {emc}  {fcc}  {key} {serial}"]
    elif shape == 3:
        lines = [f"{designed}  Model {model}  EMC {emc}", f"Rated {rating}  {fcc}{ices}", f"{key} {serial}"]
    elif shape == 4:
        lines = [
            designed,
            f"Model {model}  EMC {emc}  Rated {rating}",
            f"{key} {serial}  {fcc}",
            ices.strip() or "Apple Inc.",
        ]
    else:
        lines = [
            f"{designed}  Model {model}  {key} {serial}",
            f"EMC {emc}  Rated {rating}  {fcc}",
            "This device complies with Part 15 of the FCC Rules. Apple Inc., One Apple Park Way, Cupertino, CA 95014",
        ]
    block = [(text, 1.0, gap) for text in lines]
    return Regulations(serial, block, india=rng.random() < 0.45, marks=_marks(rng, 0.5))


def _older(rng: np.random.Generator) -> Regulations:
    model, emc, rating = OLDER[rng.integers(0, len(OLDER))]
    serial = random_serial(rng, {12: 0.7, 11: 0.3})
    key = rng.choice(["Serial No.:", "Serial:", "Serial No."])
    year = rng.integers(2008, 2016)
    lines = [
        f"Designed by Apple in California.  Assembled in China.  Model No.: {model}  EMC No.: {emc}",
        f"Rated {rating}  TM and © {year} Apple Inc. All rights reserved.  {key} {serial}",
        f"Complies with the Canadian ICES-003 Class B specifications.  FCC ID: BCG{model}  IC: 579C-{model}",
        "Cet appareil numérique de la classe B est conforme à la norme NMB-003 du Canada.",
        "This device complies with part 15 of the FCC Rules. Operation is subject to the following two conditions:",
        "(1) this device may not cause harmful interference, and "
        "(2) this device must accept any interference received.",
    ]
    shape = rng.integers(0, 3)
    if shape == 1:
        lines[1] = f"Rated {rating}  TM and © {year} Apple Inc. All rights reserved."
        lines.append(f"{key} {serial}")
        lines = lines[-5:]
    elif shape == 2:
        lines = [
            "Designed by Apple in California",
            "Assembled in China",
            f"Model No.: {model}",
            f"EMC No.: {emc}",
            f"{key} {serial}",
            f"Rated {rating}",
        ]
    else:
        lines = lines[: int(rng.integers(3, 7))]
    return Regulations(
        serial, [(text, 1.0, 0.85) for text in lines], str(rng.choice(["l", "m"])), False, _marks(rng, 0.6)
    )


def _plain(rng: np.random.Generator) -> Regulations:
    """Desktop Macs and small devices: short lines, the serial on a line of its own."""
    serial = random_serial(rng, {12: 0.5, 10: 0.4, 11: 0.1})
    model = rng.choice(["A1418", "A1419", "A2115", "A2438", "A1347", "A1993", "A2348", "A2686"])
    key = rng.choice(["Serial", "Serial No.", "Serial Number:", "SERIAL"])
    lines = rng.choice(
        [f"Model {model}", f"Designed by Apple in California  Model {model}", f"Model No. {model}  EMC 2889"]
    )
    rating = rng.choice(["100-240V~ 50-60Hz 5A", "100-240V~ 50-60Hz 4A", "Rated 12V⎓10.5A"])
    block = [(str(lines), 1.0, 1.0), (str(rating), 1.0, 1.0), (f"{key} {serial}", 1.0, 1.0)]
    order = rng.permutation(3)
    return Regulations(serial, [block[i] for i in order], str(rng.choice(["l", "m"])), False, _marks(rng, 0.4))


def _marks(rng: np.random.Generator, share: float) -> list[str]:
    if rng.random() > share:
        return []
    names = ["ce", "bin", "ul", "rohs", "c-tick", "box"]
    return [names[i] for i in rng.permutation(len(names))[: int(rng.integers(2, 6))]]


def without_serial(text: Regulations, rng: np.random.Generator) -> Regulations:
    """The same text without the keyword and the serial."""
    lines = []
    for line, size, gap in text.lines:
        at = line.find(text.serial)
        if at >= 0:
            head = line[:at].rstrip()
            for key in ("Serial Number:", "Serial No.:", "Serial No.", "Serial:", "Serial", "SERIAL"):
                head = head.removesuffix(key).rstrip()
            line = (head + "  " + line[at + len(text.serial) :].strip()).strip()
        if line:
            lines.append((line, size, gap))
    return Regulations("", lines, text.align, text.india or bool(rng.random() < 0.5), text.marks)
