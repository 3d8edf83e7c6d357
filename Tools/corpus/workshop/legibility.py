"""Whether a person who zooms in could still read the serial: how much of the clean strokes remains in the photo."""

import cv2
import numpy as np

CAPITAL = 20


def _crop(image: np.ndarray, quad: np.ndarray) -> np.ndarray:
    """The serial upright with capitals of 20 pixels, gray, its ground evened out."""
    width = int(
        np.clip(np.linalg.norm(quad[1] - quad[0]) / max(1e-6, np.linalg.norm(quad[3] - quad[0])) * CAPITAL, 60, 600)
    )
    margin = 5
    corners = np.float32([[0, 0], [width, 0], [width, CAPITAL], [0, CAPITAL]]) + margin
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    size = (width + 2 * margin, CAPITAL + 2 * margin)
    gray = cv2.cvtColor(np.clip(image, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY)
    crop = cv2.warpPerspective(gray, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE).astype(
        np.float32
    )
    return crop - cv2.GaussianBlur(crop, (0, 0), 0.6 * CAPITAL)


def score(clean: np.ndarray, photo: np.ndarray, quad: np.ndarray) -> float:
    """The least correlation between clean and photographed strokes over four stretches of the serial: -1...1."""
    ideal, real = _crop(clean, quad), cv2.GaussianBlur(_crop(photo, quad), (0, 0), 0.8)
    scores = []
    for a, b in zip(np.array_split(ideal, 4, axis=1), np.array_split(real, 4, axis=1), strict=True):
        a, b = a - a.mean(), b - b.mean()
        scores.append(float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum() + 1e-6)))
    return min(scores)


# Set by eye: below 0.7, people can only guess the letters.
LEAST = {"easy": 0.88, "medium": 0.84, "hard": 0.8}


def legible(grade: str, clean: np.ndarray, photo: np.ndarray, quad: np.ndarray) -> bool:
    return score(clean, photo, quad) >= LEAST[grade]
