"""Tiny gray print on glossy plastic: inside an AirPods lid, on a charger, around the back of a watch."""

import numpy as np

from . import identifiers
from .sheet import Extent, Sheet


def draw(rng: np.random.Generator, serial: str, ppm: float) -> Sheet:
    """Lines on white or black plastic without a visible edge."""
    white = rng.random() < 0.7
    ground = tuple([int(rng.uniform(222, 245))] * 3) if white else tuple([int(rng.uniform(22, 48))] * 3)
    step = rng.uniform(60, 140)
    ink = tuple(int(np.clip(ground[0] + (-step if white else step), 0, 255)) for _ in range(3))
    face = str(
        rng.choice(
            [
                "Inter-Light",
                "Inter-Regular",
                "Roboto-Light",
                "OpenSans-Light",
                "Lato-Regular",
                "NimbusSans-Regular",
                "Roboto-Regular",
            ]
        )
    )
    capital, tracking = rng.uniform(0.8, 1.2), float(rng.choice([0.0, 0.04, 0.1]))
    key = str(rng.choice(["Serial:", "Serial", "S/N", "Serial No."]))
    lines = [
        f"Model {identifiers.model(rng)}",
        "Designed by Apple in California",
        str(rng.choice(["Assembled in China", "Assembled in Vietnam", "Made in Ireland"])),
        f"Input: 100-240V~1.5A 50-60Hz  Output: {rng.choice(['20.3V⎓3A', '9V⎓2.2A', '5V⎓2.4A', '14.85V⎓3.05A'])}",
        f"{rng.integers(40, 46)} mm  Ceramic and Sapphire Crystal  WR-50M",
        f"{identifiers.emc(rng)}  FCC ID: BCG-{identifiers.model(rng)}",
    ]
    keep = sorted(rng.permutation(len(lines))[: int(rng.integers(1, 4))])
    lines = [lines[i] for i in keep]
    if serial:
        if rng.random() < 0.4:
            lines[-1] = f"{lines[-1]}  {key} {serial}"
        else:
            lines.insert(int(rng.integers(0, len(lines) + 1)), f"{key} {serial}")
    pitch = capital * rng.uniform(1.6, 2.2)
    measure = Sheet(Extent(0, 0, 1, 1), 20)
    widest = max(measure.text_width(line, face, capital, tracking) for line in lines)
    width, height = widest + 4, pitch * len(lines) + 3
    sheet = Sheet(Extent(-width / 2, -height / 2, width / 2, height / 2), ppm, ground)
    for place, line in enumerate(lines):
        own = serial if serial and serial in line else ""
        sheet.text(0, -height / 2 + 1.5 + capital + place * pitch, line, face, capital, ink, "m", tracking, serial=own)
    return sheet
