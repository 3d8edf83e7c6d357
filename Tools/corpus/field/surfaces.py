"""Surfaces: metals, desks, cardboard, cloth, seen through the same homography as the text on them."""

from functools import lru_cache

import cv2
import numpy as np

TILE = 768

# BGR of the metal, and whether its text is lighter than the metal.
METALS = {
    "silver": ((188, 186, 184), False),
    "space-gray": ((122, 118, 116), False),
    "dark-space-gray": ((84, 80, 80), False),
    "gold": ((160, 190, 214), False),
    "rose": ((178, 182, 214), False),
    "starlight": ((196, 206, 212), False),
    "black": ((40, 38, 38), True),
    "midnight": ((62, 50, 42), True),
    "graphite": ((74, 72, 70), True),
    "blue": ((128, 92, 58), True),
    "red": ((52, 36, 150), True),
    "white-plastic": ((226, 228, 228), False),
}


def _normal(tile: np.ndarray) -> np.ndarray:
    return ((tile - tile.mean()) / tile.std()).astype(np.float32)


@lru_cache(maxsize=None)
def tile(kind: str) -> np.ndarray:
    """A texture with mean 0 and deviation 1. The tiles never change; pictures differ in how they are laid."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    noise = rng.standard_normal((TILE, TILE)).astype(np.float32)
    if kind == "blasted":
        return _normal(
            cv2.GaussianBlur(noise, (0, 0), 0.9) * 2
            + 3 * cv2.GaussianBlur(rng.standard_normal((TILE, TILE)), (0, 0), 2.5)
        )
    if kind == "brushed":
        return _normal(cv2.GaussianBlur(noise, (0, 0), sigmaX=26, sigmaY=0.7) * 6 + 0.04 * noise)
    if kind == "smooth":
        return _normal(cv2.GaussianBlur(noise, (0, 0), 7))
    if kind == "cloth":
        ys, xs = np.mgrid[0:TILE, 0:TILE]
        weave = np.sin(xs * 2 * np.pi / 8) * (np.sin(ys * 2 * np.pi / 16) > 0) + np.sin(ys * 2 * np.pi / 8) * (
            np.sin(xs * 2 * np.pi / 16) > 0
        )
        return _normal(weave + 0.7 * cv2.GaussianBlur(noise, (0, 0), 1.5) * 3)
    if kind == "wood":
        warp = cv2.GaussianBlur(noise, (0, 0), sigmaX=120, sigmaY=14) * 220
        ys = np.mgrid[0:TILE, 0:TILE][0]
        grain = np.sin((ys + warp * 9) * 2 * np.pi / 34) + cv2.GaussianBlur(noise, (0, 0), sigmaX=40, sigmaY=1.0) * 5
        return _normal(grain.astype(np.float32))
    if kind == "cardboard":
        fibres = cv2.GaussianBlur(noise, (0, 0), sigmaX=5, sigmaY=1) + 0.5 * cv2.GaussianBlur(
            noise.T.copy(), (0, 0), sigmaX=1, sigmaY=4
        )
        return _normal(fibres)
    if kind == "granite":
        return _normal((cv2.GaussianBlur(noise, (0, 0), 2.2) > 0.12).astype(np.float32) * 2 + noise * 0.3)
    raise ValueError(f"no texture {kind}")


def lay_texture(kind: str, homography: np.ndarray, size, unit: float, angle: float, rng) -> np.ndarray:
    """The texture over the whole photo; `unit` sheet pixels to one texture pixel, turned by `angle` degrees."""
    c, s = np.cos(np.radians(angle)) * unit, np.sin(np.radians(angle)) * unit
    shift = rng.uniform(-TILE, TILE, 2) * unit
    place = np.array([[c, -s, shift[0]], [s, c, shift[1]], [0, 0, 1]])
    return cv2.warpPerspective(
        tile(kind), homography @ place, tuple(size), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP
    )


def metal(
    name: str, finish: str, homography: np.ndarray, size, cap: float, strength: float, angle: float, rng
) -> np.ndarray:
    """A metal surface over the whole photo, float BGR; `cap` is the capital height on the sheet, in sheet pixels."""
    colour = np.array(METALS[name][0], np.float32) * rng.uniform(0.88, 1.08)
    grain = lay_texture(finish, homography, size, cap / rng.uniform(7, 13), angle, rng)
    broad = lay_texture("smooth", homography, size, cap / 2.5, angle, rng)
    return colour * (1 + strength * grain + 0.015 * broad)[..., None]


DESKS = {
    "wood": [(60, 98, 148), (40, 66, 100), (110, 150, 190), (30, 40, 58)],
    "cloth": [(90, 80, 70), (60, 60, 64), (140, 120, 96), (70, 84, 60)],
    "granite": [(120, 120, 122), (160, 164, 168), (58, 58, 62)],
    "cardboard": [(110, 150, 180), (96, 138, 172)],
    "smooth": [(214, 216, 218), (40, 40, 42), (120, 118, 96), (150, 90, 40), (60, 110, 70)],
}


def desk(homography: np.ndarray, size, cap: float, rng) -> np.ndarray:
    """A table top over the whole photo."""
    kind = str(rng.choice(list(DESKS)))
    colour = np.array(DESKS[kind][rng.integers(len(DESKS[kind]))], np.float32) * rng.uniform(0.7, 1.15)
    grain = lay_texture(kind, homography, size, cap / rng.uniform(3, 9), rng.uniform(0, 180), rng)
    depth = {"smooth": 0.02, "wood": 0.1, "cloth": 0.12, "granite": 0.12, "cardboard": 0.05}[kind]
    return np.clip(colour * (1 + depth * grain)[..., None], 0, 255)
