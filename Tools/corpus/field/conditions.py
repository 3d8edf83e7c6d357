"""The conditions of a picture: everything that depends on the grade, drawn once per picture."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass
class Conditions:
    """cap       height of the serial's capitals in the finished picture, pixels
    pitch, yaw, roll  degrees the sheet is turned away from the camera
    blur      Gaussian sigma, as a share of `cap`
    defocus   further blur at the far side of the picture, as a share of `cap`
    motion    length of the smear, as a share of `cap`
    noise     standard deviation, gray levels
    sharpen   amount of the phone's sharpening; above 1 it leaves halos
    contrast  0...1, remaining share of the ink's contrast
    light     0...1, how uneven the light is
    chat      whether a chat app resized and recompressed the picture
    turns     quarter turns, counter-clockwise
    quality   of the final JPEG
    damage    0...1, how worn, dirty or cracked the thing is
    """

    cap: float
    pitch: float
    yaw: float
    roll: float
    blur: float
    defocus: float
    motion: float
    noise: float
    sharpen: float
    contrast: float
    light: float
    chat: bool
    turns: int
    quality: int
    damage: float


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


CAPS = {
    "etched": {"easy": (13, 26), "medium": (10.5, 19), "hard": (9, 14)},
    "screen": {"easy": (14, 36), "medium": (11, 28), "hard": (9.5, 18)},
    "sticker": {"easy": (14, 32), "medium": (11, 24), "hard": (9, 16)},
}


def conditions(preset: str, grade: str, rng: np.random.Generator) -> Conditions:
    """Conditions of one picture of a grade."""
    cap = _between(rng, *CAPS[preset][grade])
    if grade == "easy":
        return Conditions(
            cap,
            rng.normal(0, 3),
            rng.normal(0, 3),
            rng.normal(0, 2),
            _between(rng, 0.01, 0.05),
            0,
            0,
            _between(rng, 0.8, 3),
            _between(rng, 0, 1),
            _between(rng, 0.75, 1),
            _between(rng, 0.05, 0.4),
            rng.random() < 0.2,
            int(rng.choice([0, 1, 2, 3], p=[0.84, 0.07, 0.03, 0.06])),
            int(rng.integers(84, 97)),
            _between(rng, 0, 0.25),
        )
    if grade == "medium":
        return Conditions(
            cap,
            rng.uniform(-15, 15),
            rng.uniform(-15, 15),
            rng.normal(0, 6),
            _between(rng, 0.03, 0.09),
            _between(rng, 0, 0.06) if rng.random() < 0.4 else 0,
            _between(rng, 0.05, 0.2) if rng.random() < 0.25 else 0,
            _between(rng, 2, 6),
            _between(rng, 0.3, 1.8),
            _between(rng, 0.55, 0.95),
            _between(rng, 0.3, 0.8),
            rng.random() < 0.5,
            int(rng.choice([0, 1, 2, 3], p=[0.62, 0.15, 0.08, 0.15])),
            int(rng.integers(70, 94)),
            _between(rng, 0.1, 0.6),
        )
    return Conditions(
        cap,
        rng.uniform(-26, 26),
        rng.uniform(-26, 26),
        rng.uniform(-20, 20) if rng.random() < 0.6 else rng.normal(0, 4),
        _between(rng, 0.05, 0.13),
        _between(rng, 0.02, 0.1) if rng.random() < 0.5 else 0,
        _between(rng, 0.1, 0.32) if rng.random() < 0.4 else 0,
        _between(rng, 3, 10),
        _between(rng, 0.3, 2.6),
        _between(rng, 0.4, 0.8),
        _between(rng, 0.5, 1),
        rng.random() < 0.7,
        int(rng.choice([0, 1, 2, 3], p=[0.5, 0.2, 0.1, 0.2])),
        int(rng.integers(52, 90)),
        _between(rng, 0.3, 1),
    )


def from_the_side(ordinary: Conditions, rng: np.random.Generator) -> Conditions:
    """The same conditions with the sheet turned away by 32 to 50 degrees, in any direction."""
    lean, towards = _between(rng, 32, 50), _between(rng, 0, 2 * np.pi)
    return replace(ordinary, pitch=lean * np.cos(towards), yaw=lean * np.sin(towards))
