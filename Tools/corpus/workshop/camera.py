"""A phone's camera: lens blur, noise, denoising, sharpening, tone, and recompression by a messenger."""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from .legibility import legible
from .textures import field


@dataclass
class Exposure:
    """How a photo was taken. Lengths are shares of the capitals' height, levels are of 0...255.

    blur    deviation of the lens blur, motion: length of the smear, noise: deviation of the sensor noise,
    denoise 0...1, sharpen: amount of unsharp masking, zoom: how much the photo was enlarged afterwards,
    resaves: JPEG qualities of earlier saves, uneven: whether one side is more out of focus than the other.
    """

    blur: float
    motion: float
    noise: float
    denoise: float
    sharpen: float
    zoom: float
    resaves: list[int]
    uneven: bool
    gain: float
    gamma: float


def exposure(rng: np.random.Generator, grade: str, capital: float) -> Exposure:
    """A random exposure of this grade. The faults of a bad one are chosen at random, so that it does not have all of
    them."""
    low, high = {"easy": (0.01, 0.04), "medium": (0.03, 0.08), "hard": (0.05, 0.12)}[grade]
    blur = rng.uniform(low, high)
    motion = 0.0
    if grade != "easy" and rng.random() < 0.25:
        motion = rng.uniform(0.15, 0.28 if grade == "medium" else 0.38)
        blur *= 0.5
    noise = {"easy": rng.uniform(0.5, 2.5), "medium": rng.uniform(1.5, 5), "hard": rng.uniform(2.5, 8)}[grade]
    zoom = 1.0
    if capital > 11 and rng.random() < {"easy": 0.1, "medium": 0.25, "hard": 0.25}[grade]:
        zoom = min(rng.uniform(1.2, 2.2), capital / 8.5)
    resaves = []
    if rng.random() < {"easy": 0.2, "medium": 0.5, "hard": 0.6}[grade]:
        resaves.append(int(rng.integers(*{"easy": (80, 95), "medium": (60, 90), "hard": (50, 85)}[grade])))
    return Exposure(
        blur=blur,
        motion=motion,
        noise=noise,
        denoise=rng.choice([0.0, 0.4, 0.8]),
        sharpen=rng.choice([0.0, 0.5, 1.0, 1.8], p=[0.2, 0.3, 0.3, 0.2]),
        zoom=zoom,
        resaves=resaves,
        uneven=grade != "easy" and rng.random() < 0.25,
        gain=rng.uniform(0.92, 1.08) if grade == "easy" else rng.uniform(0.8, 1.12),
        gamma=rng.uniform(0.9, 1.1) if grade == "easy" else rng.uniform(0.8, 1.3),
    )


def metered(scene: np.ndarray, quad: np.ndarray, low: float, high: float, rng: np.random.Generator) -> np.ndarray:
    """The scene exposed as a phone would, the ground around the serial between `low` and `high` of 0...255."""
    (x0, y0), (x1, y1) = quad.min(0).astype(int), quad.max(0).astype(int)
    tall = max(6, int(0.3 * min(x1 - x0, y1 - y0)))
    around = scene[max(0, y0 - tall) : y1 + tall, max(0, x0 - tall) : x1 + tall]
    ground = float(np.median(around))
    wanted = float(np.clip(ground, low, high) * rng.uniform(0.94, 1.06))
    return scene * (min(wanted, high) / max(ground, 1.0))


def softened(taken: Exposure, share: float) -> Exposure:
    """The same exposure with its faults reduced to `share`."""
    return replace(
        taken,
        blur=taken.blur * share,
        motion=taken.motion * share,
        noise=taken.noise * share,
        zoom=1 + (taken.zoom - 1) * share,
        uneven=taken.uneven and share > 0.6,
    )


def shoot_legibly(
    rng: np.random.Generator,
    scene: np.ndarray,
    clean: np.ndarray,
    quad: np.ndarray,
    grade: str,
    taken: Exposure,
    capital: float,
) -> np.ndarray | None:
    """The photo with the requested faults, reduced until it is legible for its grade; None if that fails."""
    for _ in range(4):
        photo = shoot(rng, scene, taken, capital)
        if legible(grade, clean, photo, quad):
            return photo
        taken = softened(taken, 0.7)
    return None


def shoot(rng: np.random.Generator, scene: np.ndarray, taken: Exposure, capital: float) -> np.ndarray:
    """The photo of a scene (float or uint8, BGR, as large as the photo): uint8."""
    height, width = scene.shape[:2]
    photo = scene.astype(np.float32)
    photo = _lens(rng, photo, taken, capital)
    photo = cv2.pow(np.clip(photo * (taken.gain / 255), 0, 1), taken.gamma) * 255
    if taken.zoom > 1:
        small = (round(width / taken.zoom), round(height / taken.zoom))
        photo = cv2.resize(photo, small, interpolation=cv2.INTER_AREA)
    photo = _sensor(rng, photo, taken.noise)
    photo = np.clip(photo, 0, 255).astype(np.uint8)
    if taken.denoise > 0:
        # Edge-preserving smoothing creates the smeared, painted look of phones.
        strength = taken.denoise * (8 + 3 * taken.noise)
        photo = cv2.bilateralFilter(photo, 5, strength, 1.0 + 1.2 * taken.denoise)
    photo = _sharpened(photo, taken.sharpen, rng.uniform(0.8, 1.8))
    for quality in taken.resaves:
        photo = cv2.imdecode(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], cv2.IMREAD_COLOR)
    if taken.zoom > 1:
        photo = cv2.resize(photo, (width, height), interpolation=cv2.INTER_CUBIC)
        photo = _sharpened(photo, 0.4 * taken.sharpen, 1.5)
    return photo


def _lens(rng: np.random.Generator, photo: np.ndarray, taken: Exposure, capital: float) -> np.ndarray:
    sigma = taken.blur * capital
    sharp = photo
    if sigma > 0.25:
        photo = cv2.GaussianBlur(photo, (0, 0), sigma)
    if taken.motion * capital > 1.2:
        photo = cv2.filter2D(photo, -1, _smear(taken.motion * capital, rng.uniform(0, np.pi)))
    if taken.uneven:
        height, width = photo.shape[:2]
        far = cv2.GaussianBlur(sharp, (0, 0), max(0.6, sigma * 2.2))
        y, x = np.mgrid[0 : height // 8 + 1, 0 : width // 8 + 1].astype(np.float32)
        angle = rng.uniform(0, 2 * np.pi)
        side = (x / x.max() - 0.5) * np.cos(angle) + (y / y.max() - 0.5) * np.sin(angle) - 0.25
        share = cv2.resize(1 / (1 + np.exp(-side * 12)), (width, height))[:, :, None]
        photo = photo * (1 - share) + far * share
    return photo


def _smear(length: float, angle: float) -> np.ndarray:
    """A line-shaped kernel of a length in pixels."""
    size = int(length) | 1
    size = max(3, size + 2)
    kernel = np.zeros((size * 4, size * 4), np.float32)
    middle, reach = size * 2, length * 2
    dx, dy = reach * np.cos(angle), reach * np.sin(angle)
    ends = [(round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy))]
    cv2.line(kernel, *ends, 1.0, 4)
    kernel = cv2.resize(kernel, (size, size), interpolation=cv2.INTER_AREA)
    return kernel / kernel.sum()


def _sensor(rng: np.random.Generator, photo: np.ndarray, noise: float) -> np.ndarray:
    """Gray and coloured noise, stronger in the shadows once the phone has lifted them."""
    height, width = photo.shape[:2]
    gray = rng.standard_normal((height, width), np.float32) * noise
    coloured = cv2.resize(rng.standard_normal((height // 2 + 1, width // 2 + 1, 3), np.float32), (width, height)) * (
        0.6 * noise
    )
    blotches = field(rng, height, width, 2.5) * (0.5 * noise)
    lifted = 1.25 - cv2.cvtColor(np.ascontiguousarray(photo, np.float32), cv2.COLOR_BGR2GRAY) * (0.5 / 255)
    coloured += (gray + blotches)[:, :, None]
    coloured *= lifted[:, :, None]
    coloured += photo
    return coloured


def _sharpened(photo: np.ndarray, amount: float, radius: float) -> np.ndarray:
    if amount <= 0:
        return photo
    return cv2.addWeighted(photo, 1 + amount, cv2.GaussianBlur(photo, (0, 0), radius), -amount, 0)
