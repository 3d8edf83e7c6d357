"""Noise fields and surfaces: metal, desks, cardboard, paper."""

import cv2
import numpy as np


def field(rng: np.random.Generator, height: int, width: int, cell: float, stretch: float = 1.0) -> np.ndarray:
    """Smooth noise of mean 0 and deviation about 1; `cell` is its grain in pixels, `stretch` lengthens it along x."""
    rows, columns = max(2, int(height / cell) + 2), max(2, int(width / (cell * stretch)) + 2)
    coarse = rng.standard_normal((rows, columns)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC if cell > 2 else cv2.INTER_LINEAR)


def grained(image: np.ndarray, grain: np.ndarray) -> None:
    """Add a gray field to a BGR image, in place."""
    image[:] = np.clip(image + grain[:, :, None], 0, 255).astype(np.uint8)


def metal(rng: np.random.Generator, image: np.ndarray, ppm: float) -> None:
    """Bead-blasted or brushed aluminium: fine grain and broad blotches."""
    height, width = image.shape[:2]
    grain = field(rng, height, width, max(1.0, 0.12 * ppm), rng.choice([1.0, 1.0, 4.0])) * rng.uniform(1.0, 4.0)
    grain += field(rng, height, width, max(2.0, 0.4 * ppm)) * rng.uniform(0.5, 2.5)
    grain += field(rng, height, width, 9 * ppm) * rng.uniform(0.5, 2.5)
    # Grain is a share of the metal's own brightness.
    grained(image, grain * (float(image.mean()) + 30) / 200)


def desk(rng: np.random.Generator, image: np.ndarray, ppm: float) -> None:
    """Wood, cloth, plain laminate or foam, over the whole image."""
    height, width = image.shape[:2]
    kind = rng.integers(0, 5)
    if kind == 0:
        base = np.array([[60, 95, 140], [95, 140, 180], [40, 60, 85], [140, 175, 200]][rng.integers(0, 4)], np.float32)
        rings = field(rng, height, width, 3 * ppm, 14) + 0.5 * field(rng, height, width, 0.8 * ppm, 25)
        grain = rings * rng.uniform(6, 14)
    elif kind == 1:
        base = np.clip(rng.uniform(40, 185) + rng.normal(0, 24, 3), 15, 220).astype(np.float32)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        pitch = max(2.5, 0.6 * ppm)
        grain = (np.sin(x * 2 * np.pi / pitch) + np.sin(y * 2 * np.pi / pitch)) * rng.uniform(3, 8)
        grain = grain + field(rng, height, width, max(1.5, 0.3 * ppm)) * 5
    elif kind == 2:
        base = np.full(3, rng.uniform(170, 240), np.float32) + rng.uniform(-8, 8, 3).astype(np.float32)
        grain = field(rng, height, width, 6 * ppm) * 3
    elif kind == 3:
        base = np.array(
            [200, 60, 20] if rng.random() < 0.3 else np.clip(rng.uniform(20, 90) + rng.normal(0, 18, 3), 8, 140),
            np.float32,
        )
        grain = field(rng, height, width, 2 * ppm) * 4 + field(rng, height, width, max(1.5, 0.2 * ppm)) * 3
    else:
        base = np.full(3, rng.uniform(15, 60), np.float32) + rng.uniform(-4, 8, 3).astype(np.float32)
        grain = field(rng, height, width, max(1.5, 0.4 * ppm)) * 4
    image[:] = np.clip(base + grain[:, :, None], 0, 255).astype(np.uint8)


def cardboard(rng: np.random.Generator, image: np.ndarray, ppm: float) -> None:
    """White box board, or brown corrugated board."""
    height, width = image.shape[:2]
    if rng.random() < 0.6:
        base = np.full(3, rng.uniform(215, 245), np.float32) + np.array([-3, 0, 2], np.float32) * rng.uniform(0, 3)
        grain = field(rng, height, width, max(1.5, 0.5 * ppm)) * 1.2 + field(rng, height, width, 12 * ppm) * 2
    else:
        base = np.array([rng.uniform(85, 125), rng.uniform(125, 165), rng.uniform(165, 200)], np.float32)
        grain = field(rng, height, width, max(1.5, 0.3 * ppm), 6) * 5 + field(rng, height, width, 5 * ppm) * 4
    image[:] = np.clip(base + grain[:, :, None], 0, 255).astype(np.uint8)


def paper(rng: np.random.Generator, image: np.ndarray, ppm: float) -> None:
    """The faint mottle and dirt of a printed label, multiplied in."""
    height, width = image.shape[:2]
    tone = (
        1
        - 0.012 * np.abs(field(rng, height, width, max(1.5, 0.5 * ppm)))
        - 0.02 * np.abs(field(rng, height, width, 8 * ppm))
    )
    image[:] = (image * tone[:, :, None].clip(0, 1)).astype(np.uint8)
