"""Paths that a hand-held camera takes: smooth random curves over time."""

import numpy as np


def smooth_curve(rng: np.random.Generator, frames: int, knots: int, amplitude: float) -> np.ndarray:
    """A smooth curve through random values, starting at 0."""
    values = rng.uniform(-1, 1, knots)
    values[0] = 0
    times = np.linspace(0, knots - 1, frames)
    left = np.minimum(times.astype(int), knots - 2)
    part = times - left
    eased = part * part * (3 - 2 * part)
    return amplitude * (values[left] * (1 - eased) + values[left + 1] * eased)


def shake(rng: np.random.Generator, frames: int, pixels: float) -> np.ndarray:
    """Trembling from frame to frame, two values each."""
    steps = rng.normal(0, pixels, (frames, 2))
    steps[0] = 0
    return steps


def plane_map(size: tuple[float, float], center: np.ndarray, scale: float, turn: float, tilt: np.ndarray) -> np.ndarray:
    """The map from a flat object of `size` to the frame: rotated by `turn` degrees, tilted by two angles in degrees."""
    width, height = size
    a, (b, c) = np.radians(turn), np.radians(tilt)
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    about_y = np.array([[np.cos(c), 0, np.sin(c)], [0, 1, 0], [-np.sin(c), 0, np.cos(c)]])
    rotation = about_y @ about_x @ about_z
    distance = 2.2 * max(width, height)
    flat = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]], float)
    view = np.column_stack([rotation[:, 0] * scale, rotation[:, 1] * scale, [0, 0, distance * scale]])
    lens = np.array([[distance * scale, 0, 0], [0, distance * scale, 0], [0, 0, 1]])
    shift = np.array([[1, 0, center[0]], [0, 1, center[1]], [0, 0, 1]], float)
    whole = shift @ np.diag([1 / scale, 1 / scale, 1]) @ lens @ view @ flat
    whole = shift @ _scaled(np.linalg.inv(shift) @ whole, scale)
    return whole / whole[2, 2]


def _scaled(matrix: np.ndarray, scale: float) -> np.ndarray:
    """Adjusts a map so that its scale at the centre is `scale`, whatever the lens did."""
    middle = matrix / matrix[2, 2]
    size = np.sqrt(abs(np.linalg.det(middle[:2, :2])))
    return np.diag([scale / size, scale / size, 1]) @ matrix
