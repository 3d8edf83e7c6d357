"""A screenshot of a photo in a messenger, with bars, a name and a time around it."""

import cv2
import numpy as np

from .sheet import Extent, Sheet


def shown_in_chat(
    rng: np.random.Generator, photo: np.ndarray, quad: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The photo in the middle of a phone's dark viewer; the picture grows, the photo keeps its pixels."""
    height, width = photo.shape[:2]
    top, bottom = int(width * rng.uniform(0.1, 0.35)), int(width * rng.uniform(0.1, 0.35))
    unit = width / 390
    screen = Sheet(
        Extent(0, 0, 390, (top + height + bottom) / unit), unit, (0, 0, 0) if rng.random() < 0.7 else (245, 245, 245)
    )
    ink = (235, 235, 235) if screen.image[0, 0, 0] < 100 else (30, 30, 30)
    head = top / unit
    screen.text(16, head * 0.45, f"{rng.integers(1, 13)}:{rng.integers(0, 60):02d}", "Roboto-Medium", 9, ink)
    screen.text(
        48,
        head * 0.85,
        str(rng.choice(["Repairs", "Dad", "+49 151 0000000", "Workshop team"])),
        "Roboto-Medium",
        9,
        ink,
    )
    screen.text(
        195,
        (top + height + bottom * 0.6) / unit,
        str(rng.choice(["Reply", "serial?", "Today, 14:02", "1 of 3"])),
        "Roboto-Regular",
        9,
        ink,
        "m",
    )
    screen.rect(340, head * 0.4, 24, 9, ink, 2)
    canvas = cv2.resize(screen.image, (width, top + height + bottom))
    canvas[top : top + height] = photo
    return canvas, None if quad is None else quad + (0, top)
