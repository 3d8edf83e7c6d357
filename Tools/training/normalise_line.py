"""Preprocesses a line as the reader does before recognition, including the reader's typical errors.

Keep this equal to the line crop in Sources/TextReading.
"""

import cv2
import numpy as np

CAPITAL = 24  # pixels
HALF_CROP = 0.88  # of a capital's height, to either side of the line's middle


def flatten_background(gray):
    """Divides by the local mean of the pixels that are not darker than their surroundings (a box of two capital
    heights and one pixel)."""
    box = (2 * CAPITAL | 1,) * 2
    mean = cv2.blur(gray, box)
    bright = (gray >= mean - 1).astype(np.float32)
    ground = cv2.blur(gray * bright, box) / np.maximum(cv2.blur(bright, box), 1e-3)
    return gray / np.maximum(ground, 1.0)


def stretch(flat):
    """Stretches the contrast: the 1st and 90th percentiles become 10 and 230."""
    low, high = np.percentile(flat, 1.0), np.percentile(flat, 90)
    return np.clip((flat - low) / max(high - low, 0.02) * 220 + 10, 0, 255).astype(np.uint8)


def normalise(rng, gray, capital, light_text):
    """Returns a line image for the model: dark on light, capitals about 24 px high, with errors of up to 15 % in the
    estimated height and small ones in the middle."""
    scale = CAPITAL / capital * rng.uniform(0.85, 1.15)
    cubic = rng.random() < 0.6
    picture = cv2.resize(
        gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC if cubic else cv2.INTER_LINEAR
    ).astype(np.float32)
    flat = flatten_background(255 - picture if light_text else picture)
    middle = flat.shape[0] / 2 + rng.normal(0, 0.06) * CAPITAL
    half = CAPITAL * rng.uniform(HALF_CROP - 0.10, HALF_CROP + 0.10)
    return stretch(flat[max(0, int(middle - half)) : int(middle + half)])
