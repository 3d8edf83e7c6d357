"""Legibility of a serial: the similarity of the finished picture to the serial's shapes."""

import cv2
import numpy as np


def likeness(image: np.ndarray, quad: np.ndarray, ink: np.ndarray) -> float:
    """Greatest absolute correlation between the picture inside `quad` and `ink`, the serial's coverage.

    `ink` is the flat, undamaged serial. Searches small shifts. 1 is a perfect print; below about 0.4, people can only
    guess.
    """
    height = 28
    width = max(16, round(ink.shape[1] * height / ink.shape[0]))
    pad = 5
    flat = cv2.resize(ink, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) + pad
    to_flat = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), corners)
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    seen = cv2.warpPerspective(
        gray, to_flat, (width + 2 * pad, height + 2 * pad), borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    seen -= cv2.GaussianBlur(seen, (0, 0), height)
    # Compares thirds: the worst third of the serial counts, not the average.
    scores = []
    pieces = 4
    for i in range(pieces):
        left, right = i * width // pieces, (i + 1) * width // pieces
        piece = cv2.GaussianBlur(flat[:, left:right], (0, 0), 1.5)
        if piece.std() < 1e-3:
            continue
        scores.append(np.abs(cv2.matchTemplate(seen[:, left : right + 2 * pad], piece, cv2.TM_CCOEFF_NORMED)).max())
    return float(np.min(scores)) if scores else 0.0


def foreshortening(quad: np.ndarray, ink: np.ndarray) -> float:
    """Shortest over longest scale at which `quad` shows `ink`, the flat serial: 1 seen from the front, less from the side."""
    height, width = ink.shape[:2]
    along, down = (
        (quad[1] + quad[2] - quad[0] - quad[3]) / (2 * width),
        (quad[3] + quad[2] - quad[0] - quad[1]) / (2 * height),
    )
    longest, shortest = np.linalg.svd(np.column_stack([along, down]), compute_uv=False)
    return float(shortest / longest)


def serial_ink(sheet) -> np.ndarray:
    """The serial's coverage on a sheet, cut out at its box."""
    left, top, right, bottom = (round(v) for v in sheet.box)
    if sheet.alpha is not None and not sheet.image.any():
        return sheet.alpha[top:bottom, left:right]
    piece = cv2.cvtColor(sheet.image[top:bottom, left:right], cv2.COLOR_BGR2GRAY)
    return np.abs(piece.astype(np.float32) - np.median(piece)).astype(np.uint8)
