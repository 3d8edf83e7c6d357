"""Objects with print along a circle: the foot of a Mac mini, a watch's back, the feet of a HomePod, an Apple TV, an
AirPort."""

from dataclasses import dataclass

import cv2
import numpy as np

from . import textures
from .sheet import Sheet

BLACK = (10, 10, 11)


@dataclass
class Ground:
    """The printed surface: BGR colours, and the minimum and maximum radius of its ring in capital heights."""

    name: str
    device: str
    ground: np.ndarray
    ink: np.ndarray
    radius: tuple[float, float]

    @property
    def light_text(self) -> bool:
        return self.ink.mean() > self.ground.mean()


# Name: device, ground, ink, radius in capital heights, share.
GROUNDS = {
    "mini-black": ("Mac Mini", (38, 37, 36), (158, 157, 156), (32, 60), 0.2),
    "mini-gray": ("Mac Mini", (150, 148, 147), (66, 65, 64), (32, 60), 0.12),
    "watch-aluminium": ("Apple Watch", (196, 194, 192), (84, 83, 82), (12, 22), 0.13),
    "watch-steel": ("Apple Watch", (164, 162, 160), (58, 57, 56), (12, 22), 0.1),
    "watch-black": ("Apple Watch", (44, 42, 41), (168, 166, 164), (12, 22), 0.08),
    "homepod-white": ("Accessory", (226, 227, 227), (126, 126, 126), (18, 40), 0.09),
    "homepod-midnight": ("Accessory", (52, 44, 40), (146, 142, 140), (18, 40), 0.08),
    "tv-black": ("Accessory", (31, 30, 30), (138, 138, 138), (16, 40), 0.1),
    "airport-white": ("Accessory", (230, 231, 231), (118, 118, 118), (16, 44), 0.1),
}


def ground(rng: np.random.Generator, contrast: float) -> Ground:
    """A device's ring; `contrast` 0...1 draws the ink nearer to its ground."""
    name = str(rng.choice(list(GROUNDS), p=[entry[-1] for entry in GROUNDS.values()]))
    device, under, ink, radius, _ = GROUNDS[name]
    under = np.clip(np.array(under, np.float32) * rng.uniform(0.85, 1.08), 0, 248)
    ink = np.array(ink, np.float32) * rng.uniform(0.88, 1.1)
    return Ground(name, device, under, under + (ink - under) * contrast, radius)


def draw(rng: np.random.Generator, sheet: Sheet, look: Ground, inner: float, outer: float) -> None:
    """The device over the whole sheet, its ring round (0, 0); print stands between the two radii (millimetres)."""
    textures.desk(rng, sheet.image, sheet.ppm)
    makers = {"mini": _mini, "watch": _watch, "homepod": _homepod, "tv": _box, "airport": _box}
    makers[look.name.split("-")[0]](rng, sheet, look, inner, outer)
    textures.metal(rng, sheet.image, sheet.ppm)


def _tone(colour, factor: float) -> tuple[int, int, int]:
    return tuple(int(v) for v in np.clip(np.asarray(colour, float) * factor, 0, 255))


def _disc(sheet: Sheet, radius: float, colour, middle: tuple[float, float] = (0.0, 0.0)) -> None:
    """A disc whose edge stays round at any size; millimetres."""
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    rim = np.stack([np.cos(angles), np.sin(angles)], -1) * radius + middle - (sheet.extent.left, sheet.extent.top)
    cv2.fillPoly(sheet.image, [np.round(rim * sheet.ppm * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _squircle(sheet: Sheet, half_wide: float, half_high: float, corner: float, colour) -> None:
    """A body with a soft shadow on the desk and a lighter rim."""
    for grown, shade in ((2.0, 0.35), (0.6, 0.2)):
        wide, high = half_wide + grown, half_high + grown
        sheet.rect(-wide, -high + grown, 2 * wide, 2 * high, _tone(colour, shade), corner + grown)
    sheet.rect(-half_wide, -half_high, 2 * half_wide, 2 * half_high, _tone(colour, 1.15), corner)
    rim = 0.5
    sheet.rect(rim - half_wide, rim - half_high, 2 * (half_wide - rim), 2 * (half_high - rim), _tone(colour, 1), corner)


def _plate(sheet: Sheet, radius: float, colour, gap: float = 0.4) -> None:
    """An inset round plate: a dark gap, a lit edge."""
    _disc(sheet, radius + gap, _tone(colour, 0.3))
    _disc(sheet, radius, _tone(colour, 1.2))
    _disc(sheet, radius - 0.25, _tone(colour, 1))


def _sheen(rng: np.random.Generator, sheet: Sheet, depth: float) -> None:
    """Light that turns with the angle, as on turned steel; over the whole sheet."""
    rows, columns = (max(4, side // 8) for side in sheet.image.shape[:2])
    x = np.linspace(sheet.extent.left, sheet.extent.right, columns)
    y = np.linspace(sheet.extent.top, sheet.extent.bottom, rows)[:, None]
    waves = np.cos(2 * np.arctan2(y, x) + rng.uniform(0, 6)) + 0.4 * np.cos(5 * np.arctan2(y, x) + rng.uniform(0, 6))
    gain = cv2.resize((1 + depth * waves).astype(np.float32), sheet.image.shape[1::-1])
    sheet.image[:] = np.clip(sheet.image * gain[:, :, None], 0, 255).astype(np.uint8)


def _mini(rng: np.random.Generator, sheet: Sheet, look: Ground, inner: float, outer: float) -> None:
    """An aluminium body, its round foot, the twist marks and the recess in the middle."""
    foot = outer + rng.uniform(1.5, 9)
    half = foot * rng.uniform(1.12, 1.25)
    _squircle(sheet, half, half, half * 0.3, rng.uniform(120, 205) * np.array([1.0, 0.99, 0.98]))
    _plate(sheet, foot, look.ground, 0.7)
    recess = inner * rng.uniform(0.55, 0.85)
    if rng.random() < 0.6:
        _plate(sheet, recess, look.ground * rng.uniform(0.85, 1.1), 0.2)
    for angle in np.array([0, np.pi]) + rng.uniform(0, np.pi):
        x, y = 0.72 * recess * np.cos(angle), 0.72 * recess * np.sin(angle)
        sheet.disc(x, y, 0.12 * recess, _tone(look.ground, 0.55))
        sheet.disc(x + 0.3, y + 0.3, 0.11 * recess, _tone(look.ground, 0.8))


def _watch(rng: np.random.Generator, sheet: Sheet, look: Ground, inner: float, outer: float) -> None:
    """The case between its bands, and the sensors under glass inside the ring of print."""
    half = outer + rng.uniform(1.5, 4)
    band = _tone(rng.uniform(25, 200) * np.clip(1 + rng.normal(0, 0.2, 3), 0.5, 1.4), 1)
    sheet.rect(-0.85 * half, -6 * half, 1.7 * half, 12 * half, band, 2)
    _squircle(sheet, half, half * rng.uniform(1.08, 1.22), half * 0.7, look.ground)
    if "steel" in look.name or rng.random() < 0.3:
        _sheen(rng, sheet, rng.uniform(0.03, 0.09))
    glass = inner - rng.uniform(0.9, 2.2)
    _disc(sheet, glass + 0.35, _tone(look.ground, 1.15 if look.light_text else 0.6))
    _disc(sheet, glass, BLACK)
    _disc(sheet, 0.8 * glass, (24, 22, 22), (-0.1 * glass, -0.12 * glass))
    _disc(sheet, 0.62 * glass, (16, 15, 18))
    count, away = int(rng.choice([2, 4, 8])), rng.uniform(0, 3)
    for angle in away + np.arange(count) * 2 * np.pi / count:
        x, y = 0.4 * glass * np.cos(angle), 0.4 * glass * np.sin(angle)
        sheet.disc(x, y, 0.13 * glass, (34, 40, 30))
        sheet.disc(x, y, 0.09 * glass, (52, 66, 48) if rng.random() < 0.6 else (40, 36, 44))


def _homepod(rng: np.random.Generator, sheet: Sheet, look: Ground, inner: float, outer: float) -> None:
    """A silicone foot in the middle of woven mesh."""
    foot = outer + rng.uniform(1.2, 5)
    body = foot * rng.uniform(1.3, 1.7)
    _disc(sheet, body + 1.5, (22, 22, 24), (1, 2))
    _disc(sheet, body, _tone(look.ground, 0.8))
    _mesh(sheet, foot, body, _tone(look.ground, 0.55))
    _plate(sheet, foot, look.ground, 0.6)
    if rng.random() < 0.7:
        _plate(sheet, inner * rng.uniform(0.5, 0.8), look.ground * rng.uniform(0.93, 1.05), 0.25)


def _mesh(sheet: Sheet, least: float, greatest: float, colour) -> None:
    """Dark holes between two radii, in rows that follow the circle."""
    pitch = 2.2
    for row, radius in enumerate(np.arange(least + 1, greatest, pitch)):
        count = int(2 * np.pi * radius / (1.2 * pitch))
        for angle in (np.arange(count) + row % 2 / 2) * 2 * np.pi / count:
            x, y = radius * np.cos(angle), radius * np.sin(angle)
            if sheet.extent.left < x < sheet.extent.right and sheet.extent.top < y < sheet.extent.bottom:
                sheet.disc(x, y, 0.55, colour)


def _box(rng: np.random.Generator, sheet: Sheet, look: Ground, inner: float, outer: float) -> None:
    """A square plastic body with round corners and a round foot, of its own colour or a shade off."""
    foot = outer + rng.uniform(1, 6)
    half = foot * rng.uniform(1.08, 1.3)
    _squircle(sheet, half, half, half * rng.uniform(0.2, 0.4), look.ground * rng.uniform(0.75, 1.05))
    _plate(sheet, foot, look.ground, rng.uniform(0.15, 0.6))
    if rng.random() < 0.5:
        _plate(sheet, inner * rng.uniform(0.4, 0.85), look.ground * rng.uniform(0.9, 1.1), 0.2)
