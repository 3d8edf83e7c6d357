"""Settings > General > About on an Apple Watch: label over value on black."""

import numpy as np

from . import fonts, identifiers, wording
from .sheet import Extent, Sheet


def draw(rng: np.random.Generator, serial: str, density: float) -> tuple[Sheet, float]:
    """The screen in points and its capitals in points."""
    width, height = (float(v) for v in [(162, 197), (184, 224), (198, 242)][rng.integers(0, 3)])
    screen = Sheet(Extent(0, 0, width, height), density, (0, 0, 0))
    lang = wording.language(rng)
    words = wording.LANGUAGES[lang]
    face, _, value_face = wording.faces(lang, fonts.SCREEN[rng.integers(0, len(fonts.SCREEN))])
    screen.text(10, 20, f"‹ {words[0]}" if lang not in wording.CJK else words[0], face, 9, (255, 150, 30))
    screen.text(width - 12, 20, f"{rng.integers(1, 13)}:{rng.integers(0, 60):02d}", value_face, 9, (240, 240, 240), "r")
    rows = [(words[4], identifiers.part_number(rng))]
    if serial:
        rows.append((words[5], serial))
    rows += [(words[10], identifiers.mac_address(rng)), (words[11], identifiers.mac_address(rng))]
    if rng.random() < 0.5:
        rows.insert(0, (words[3], f"Apple Watch Series {rng.integers(3, 10)}"))
    capital = float(rng.uniform(9.5, 11))
    card = rng.random() < 0.6
    y = 34.0
    for label, value in rows:
        if card:
            screen.rect(4, y, width - 8, 38, (34, 32, 32), 8)
        screen.text(12, y + 15, label, face, capital * 0.82, (245, 245, 245))
        screen.text(
            12,
            y + 31,
            value,
            value_face,
            capital * (0.85 if len(value) > 15 else 1),
            (165, 160, 158),
            serial=serial if serial and value == serial else "",
        )
        y += 43
    return screen, capital
