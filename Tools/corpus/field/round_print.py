"""Photos of serials along a circle: framing, light, and the rectangle around the serial."""

import cv2
import numpy as np

from . import fonts, light, surfaces
from . import wording as w
from .camera import Photo, map_points, pose, recompress
from .conditions import Conditions
from .etched import SIZES, put_ink
from .legibility import likeness
from .round_body import draw_body
from .round_ink import STEPS, Ring, print_round
from .round_wording import Circle

OVERSAMPLE = 1.2
# Minimum height of the serial's capitals after tilting, in pixels of the finished picture.
LEAST_CAP = {"easy": 11, "medium": 9, "hard": 8}
# Minimum similarity of the straightened serial to its shapes, set by eye over 50 hard pictures sorted by this value.
LEGIBLE = {"easy": 0.87, "medium": 0.84, "hard": 0.82}


def photo_size(cap: float, rng) -> tuple[tuple[int, int], float]:
    """Width and height of the finished picture, and the capitals' height in it: originals have larger ones."""
    if rng.random() < 0.07:
        return ((4032, 3024) if rng.random() < 0.6 else (3024, 4032)), max(cap, rng.uniform(16, 30))
    name = str(rng.choice(list(SIZES), p=[0.22, 0.18, 0.17, 0.13, 0.1, 0.08, 0.08, 0.04]))
    width, height = SIZES[name] if rng.random() < 0.8 else SIZES[name][::-1]
    stretch = rng.uniform(0.88, 1.1)
    return (round(width * stretch), round(height * stretch)), cap


def ring_of(circle: Circle, serial: str, cap: float, rng) -> tuple[Ring, str]:
    """The print, and its share of a circle."""
    part = str(rng.choice(["whole", "half", "short"], p=[0.5, 0.25, 0.25]))
    sweep = {"whole": 360.0, "half": rng.uniform(140, 200), "short": rng.uniform(50, 100)}[part]
    double = rng.random() < 0.38
    ring = print_round(
        circle, serial, w.pick(rng, fonts.ETCHED), cap, sweep, double, 1 if rng.random() < 0.55 else -1, rng
    )
    return ring, part


def stand(ring: Ring, conditions: Conditions, size, least: float, rng) -> np.ndarray:
    """Homography with the serial and its label in the photo, or the whole ring if it fits. Raises ValueError if the
    serial never fits."""
    middle = ring.serial.mean(axis=0)
    across = 2 * (ring.radii[1] + 2 * ring.sheet.cap) / OVERSAMPLE
    for attempt in range(24):
        ease = 0.93**attempt
        towards = 0.0 if across < min(size) and rng.random() < 0.7 else rng.uniform(0.7, 1)
        anchor = ring.centre + (middle - ring.centre) * towards
        at = np.array(size) * (0.5 + rng.uniform(-0.22, 0.22, 2) * (0.3 if towards == 0 else 1) * ease)
        homography = pose(
            anchor,
            1 / OVERSAMPLE,
            at,
            size,
            conditions.pitch * ease,
            conditions.yaw * ease,
            conditions.roll * ease,
            rng.uniform(0.8, 1.6),
        )
        seen = map_points(ring.phrase, homography)
        tops, feet = np.split(map_points(ring.serial, homography), 2)
        margin = 0.5 * ring.sheet.cap / OVERSAMPLE + 2
        inside = seen.min() > margin and (seen < np.array(size) - margin).all()
        if inside and np.linalg.norm(tops - feet, axis=1).min() >= least:
            return homography
    raise ValueError("the serial does not fit the photo")


def photograph(circle: Circle, ring: Ring, conditions: Conditions, size, shrink: float, least: float, rng) -> Photo:
    """The scene before the lens, working size `size` / `shrink`; the photo's quad holds the edges of the serial instead."""
    working = round(size[0] / shrink), round(size[1] / shrink)
    homography = stand(ring, conditions, working, least / shrink, rng)
    image = draw_body(circle, ring, homography, working, rng)
    put_ink(image, ring.sheet, homography, surfaces.METALS[circle.ground][1], conditions.contrast, rng)
    edges = map_points(ring.serial, homography)
    light.scratches(image, conditions.damage * 0.7, rng, keep_off=chord_rectangle(edges, working))
    light.uneven(image, conditions.light, rng)
    if rng.random() < 0.2 + 0.4 * conditions.light:
        light.band(image, rng.uniform(0, 180), rng.uniform(0.25, 0.9) * conditions.light, rng, edges.mean(axis=0))
    if rng.random() < 0.3 * conditions.light:
        light.blob_shadow(image, rng, rng.uniform(0.2, 0.5))
    if rng.random() < 0.22:
        light.finger(image, edges, rng)
    if rng.random() < 0.25:
        light.smudges(image, conditions.damage, rng)
    light.vignette(image, rng.uniform(0, 0.45) * conditions.light)
    return Photo(image, edges)


def chord_rectangle(edges: np.ndarray, size) -> np.ndarray:
    """The rectangle along the chord of the serial that contains its edges, corners in reading order, cut to the picture."""
    tops, feet = np.split(edges, 2)
    right = tops[-1] + feet[-1] - tops[0] - feet[0]
    right /= np.linalg.norm(right)
    down = np.array([-right[1], right[0]])
    x, y = edges @ right, edges @ down
    corners = [
        a * right + b * down
        for a, b in ((x.min(), y.min()), (x.max(), y.min()), (x.max(), y.max()), (x.min(), y.max()))
    ]
    return np.clip(corners, 0, size)


def straightened(image: np.ndarray, edges: np.ndarray, cap: int = 28) -> tuple[np.ndarray, np.ndarray]:
    """The serial of the finished picture as a straight strip, capitals `cap` pixels high, and its corners there."""
    tops, feet = np.split(edges, 2)
    length = np.linalg.norm(np.diff((tops + feet) / 2, axis=0), axis=1).sum()
    width = round(length * cap / np.linalg.norm(tops - feet, axis=1).mean())
    place = np.linspace(0, STEPS - 1, width)
    upper, lower = (
        np.column_stack([np.interp(place, np.arange(STEPS), edge[:, i]) for i in (0, 1)]) for edge in (tops, feet)
    )
    pad = cap // 4
    depth = ((np.arange(cap + 2 * pad) - pad) / cap)[:, None, None]
    grid = (upper + (lower - upper) * depth).astype(np.float32)
    strip = cv2.remap(image, grid, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return strip, np.array([[0, pad], [width, pad], [width, pad + cap], [0, pad + cap]], float)


def readable(image: np.ndarray, edges: np.ndarray, ring: Ring, quality: int) -> float:
    """Similarity of the straightened serial to its shapes, after saving the picture at a JPEG `quality`."""
    return likeness(*straightened(recompress(image, quality), edges), ring.ink)
