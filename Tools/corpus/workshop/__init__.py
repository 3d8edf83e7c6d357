"""The workshop family: pictures as taken at a repair bench. The reader is developed on it."""

import numpy as np
from picture import Picture

from .etched import make_etched
from .look_alikes import make_look_alike
from .round_print import make_round
from .screen import make_screen
from .sticker import make_sticker

__all__ = ["make_look_alike", "make_oblique", "make_picture", "make_round"]

MAKERS = {"etched": make_etched, "screen": make_screen, "sticker": make_sticker}


def make_picture(preset: str, grade: str, rng: np.random.Generator) -> Picture:
    """A picture with one legible serial."""
    return MAKERS[preset](grade, rng)


def make_oblique(preset: str, grade: str, rng: np.random.Generator) -> Picture:
    """A picture from the side with one legible serial."""
    return MAKERS[preset](grade, rng, oblique=True)
