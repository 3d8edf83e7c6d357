"""Light on the scene, in the photo's own pixels: falloff, colour casts, glare, shadows, reflections."""

import cv2
import numpy as np

from .textures import field


def _grid(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates 0...1 on a coarse raster, for fields that are enlarged afterwards."""
    rows, columns = max(8, height // 8), max(8, width // 8)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    return x / columns, y / rows


def _enlarged(coarse: np.ndarray, height: int, width: int) -> np.ndarray:
    return cv2.resize(coarse.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)


def falloff(rng: np.random.Generator, photo: np.ndarray, depth: float) -> np.ndarray:
    """Uneven light: a slope, a broad bright patch, and the lens's darker corners. `depth` 0...1."""
    height, width = photo.shape[:2]
    x, y = _grid(height, width)
    angle = rng.uniform(0, 2 * np.pi)
    slope = 1 + depth * rng.uniform(0.2, 0.7) * ((x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle))
    cx, cy, spread = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), rng.uniform(0.25, 0.7)
    patch = 1 + depth * rng.uniform(0.1, 0.5) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * spread**2))
    corners = 1 - depth * rng.uniform(0.1, 0.5) * ((x - 0.5) ** 2 + (y - 0.5) ** 2)
    gain = slope * patch * corners
    return photo * _enlarged(gain / gain.mean(), height, width)[:, :, None]


def cast(rng: np.random.Generator, photo: np.ndarray, depth: float) -> np.ndarray:
    """A colour that changes across the photo: a blue sleeve's reflection, a warm lamp."""
    height, width = photo.shape[:2]
    x, y = _grid(height, width)
    angle = rng.uniform(0, 2 * np.pi)
    ramp = (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle) + 0.5
    tint = np.array(
        [[1.25, 0.93, 0.9], [0.85, 0.97, 1.12], [1.1, 0.98, 1.05], [0.95, 1.06, 0.96]][rng.integers(0, 4)], np.float32
    )
    amount = _enlarged(np.clip(ramp, 0, 1) ** 1.5 * depth, height, width)[:, :, None]
    return photo * (1 + amount * (tint - 1))


def glare(
    rng: np.random.Generator, photo: np.ndarray, strength: float, away_from: np.ndarray | None, keep_off: float
) -> np.ndarray:
    """A lamp mirrored in the surface. It may touch the serial, but its core stays `keep_off` times its size away."""
    height, width = photo.shape[:2]
    x, y = _grid(height, width)
    for _ in range(12):
        cx, cy = rng.uniform(0, 1, 2)
        rx, ry = rng.uniform(0.04, 0.25), rng.uniform(0.03, 0.15)
        angle = rng.uniform(0, np.pi)
        if away_from is None:
            break
        mx, my = away_from.mean(0) / (width, height)
        half = np.ptp(away_from, axis=0).max() / 2 / max(width, height)
        if np.hypot(mx - cx, my - cy) > keep_off * max(rx, ry) + half:
            break
    else:
        return photo
    u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
    v = -(x - cx) * np.sin(angle) + (y - cy) * np.cos(angle)
    spot = np.exp(-(((u / rx) ** 2 + (v / ry) ** 2) ** rng.uniform(0.5, 1.2)))
    return photo + _enlarged(spot, height, width)[:, :, None] * (255 * strength)


def shadow(rng: np.random.Generator, photo: np.ndarray, depth: float) -> np.ndarray:
    """The soft-edged shadow of a hand or a phone."""
    height, width = photo.shape[:2]
    x, y = _grid(height, width)
    angle, place, soft = rng.uniform(0, 2 * np.pi), rng.uniform(-0.35, 0.35), rng.uniform(0.01, 0.12)
    side = (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle) - place
    wave = field(rng, *x.shape, cell=max(2, x.shape[0] / 3)) * 0.03
    return photo * _enlarged(1 - depth / (1 + np.exp(-(side + wave) / soft)), height, width)[:, :, None]


def reflection(rng: np.random.Generator, photo: np.ndarray, strength: float) -> np.ndarray:
    """A room mirrored faintly in glass: a window, lamps, blurred shapes."""
    height, width = photo.shape[:2]
    rows, columns = max(8, height // 8), max(8, width // 8)
    room = np.zeros((rows, columns, 3), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        colour = rng.uniform(0.4, 1.0) * np.array([1, rng.uniform(0.85, 1), rng.uniform(0.7, 1)], np.float32)
        x, y = rng.uniform(-0.1, 0.9) * columns, rng.uniform(-0.1, 0.9) * rows
        w, h = rng.uniform(0.05, 0.45) * columns, rng.uniform(0.05, 0.45) * rows
        slant = rng.uniform(-0.2, 0.2) * h
        corners = np.array([[x, y], [x + w, y + slant], [x + w, y + h + slant], [x, y + h]]).astype(np.int32)
        cv2.fillConvexPoly(room, corners, colour.tolist())
    room = cv2.GaussianBlur(room, (0, 0), rng.uniform(0.8, 5))
    return photo + cv2.resize(room, (width, height)) * (255 * strength)
