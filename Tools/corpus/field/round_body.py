"""Devices with print along a circle, seen through the photo's homography."""

import numpy as np

from . import surfaces
from . import wording as w
from .camera import local_scale
from .compose import fill_polygon, outline_in_photo
from .round_ink import Ring
from .round_wording import Circle


class Body:
    """Shapes around the centre of the sheet, painted into the float photo; lengths are in sheet pixels."""

    def __init__(self, image: np.ndarray, ring: Ring, homography: np.ndarray):
        self.image, self.homography, self.centre = image, homography, ring.centre
        self.cap = ring.sheet.cap

    def _paint(self, points, colour, soft: float) -> None:
        fill_polygon(self.image, outline_in_photo(np.asarray(points) + self.centre, self.homography), colour, soft)

    def disc(self, radius: float, colour, at=(0.0, 0.0), soft: float = 1.0) -> None:
        angles = np.linspace(0, 2 * np.pi, 240, endpoint=False)
        self._paint(np.column_stack([np.cos(angles), np.sin(angles)]) * radius + at, colour, soft)

    def slab(
        self,
        half_wide: float,
        half_high: float,
        corner: float,
        colour,
        turn: float = 0.0,
        at=(0.0, 0.0),
        soft: float = 1.0,
    ) -> None:
        """A rectangle with round corners, turned by `turn` radians."""
        outline = []
        for sx, sy, start in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
            for a in np.radians(np.linspace(start, start + 90, 14)):
                outline.append(
                    [sx * (half_wide - corner) + corner * np.cos(a), sy * (half_high - corner) + corner * np.sin(a)]
                )
        c, s = np.cos(turn), np.sin(turn)
        self._paint(np.array(outline) @ np.array([[c, s], [-s, c]]) + at, colour, soft)

    def shadow(self, half_wide: float, half_high: float, corner: float, turn: float) -> None:
        soft = max(1.5, 0.9 * self.cap * local_scale(self.homography, self.centre))
        self.slab(half_wide, half_high, corner, self.image * 0.35, turn, (0.7 * self.cap, 1.1 * self.cap), soft)

    def edge(self, radius: float, light: float) -> None:
        """The dark joint round a plate and the lit rim within it."""
        self.disc(radius + 0.35 * self.cap, self.image * 0.3)
        self.disc(radius, np.clip(self.image * 0 + light, 0, 255))


def draw_body(circle: Circle, ring: Ring, homography: np.ndarray, size, rng) -> np.ndarray:
    """Desk, device and the plain ground of its ring over the whole photo, float BGR."""
    cap = ring.sheet.cap
    strength = {
        "blasted": rng.uniform(0.015, 0.05),
        "brushed": rng.uniform(0.03, 0.07),
        "smooth": rng.uniform(0.004, 0.015),
    }[circle.finish]
    ground = surfaces.metal(
        circle.ground, circle.finish, homography, size, cap, strength, rng.choice([0, 0, 90, 17]), rng
    )
    body = Body(surfaces.desk(homography, size, cap, rng), ring, homography)
    painter = {"mini-foot": _mini, "watch-back": _watch, "speaker-foot": _speaker, "box-foot": _box}[circle.kind]
    painter(body, ring, ground, homography, size, rng)
    return body.image


def _mini(body: Body, ring: Ring, ground: np.ndarray, homography, size, rng) -> None:
    """An aluminium slab, its foot, and the lock's dots or a bare plate in the middle."""
    inner, outer = ring.radii
    foot = outer + body.cap * rng.uniform(1.5, 6)
    half, turn = foot * rng.uniform(1.1, 1.22), rng.uniform(0, np.pi / 2)
    shell = surfaces.metal(
        w.pick(rng, ("silver", "silver", "space-gray")), "blasted", homography, size, body.cap, 0.03, 0, rng
    )
    body.shadow(half, half, 0.28 * half, turn)
    body.slab(half, half, 0.28 * half, shell * 1.15, turn)
    body.slab(half - 0.4 * body.cap, half - 0.4 * body.cap, 0.28 * half, shell, turn)
    body.edge(foot, float(ground.mean()) * 1.4)
    body.disc(foot - 0.25 * body.cap, ground)
    plate = inner * rng.uniform(0.5, 0.88)
    if rng.random() < 0.5:
        body.disc(plate, ground * 0.6)
        body.disc(plate - 0.3 * body.cap, ground * rng.uniform(0.9, 1.25))
    for side in (-1, 1):
        body.disc(
            0.1 * plate, ground * 0.5, (side * 0.75 * plate * np.cos(turn), side * 0.75 * plate * np.sin(turn)), 1.5
        )


def _watch(body: Body, ring: Ring, ground: np.ndarray, homography, size, rng) -> None:
    """A case on its band, the print round a crystal with lamps and sensors behind it."""
    inner, outer = ring.radii
    half, turn = outer + body.cap * rng.uniform(1.2, 3.2), rng.uniform(0, np.pi)
    tall = half * rng.uniform(1.1, 1.25)
    cloth = np.array(
        w.pick(rng, ((46, 44, 44), (210, 212, 214), (96, 70, 44), (70, 60, 160), (120, 150, 190), (120, 110, 84))),
        np.float32,
    )
    body.slab(0.8 * half, 5 * half, 2, cloth * rng.uniform(0.8, 1.1), turn)
    body.shadow(half, tall, 0.75 * half, turn)
    body.slab(half, tall, 0.75 * half, ground * rng.uniform(0.5, 0.8), turn)
    body.slab(half - 0.5 * body.cap, tall - 0.5 * body.cap, 0.75 * half, np.minimum(ground * 1.2, 250), turn, soft=1.5)
    body.slab(half - 0.8 * body.cap, tall - 0.8 * body.cap, 0.75 * half - 0.5 * body.cap, ground, turn, soft=2)
    crystal = inner - body.cap * rng.uniform(0.8, 2)
    body.disc(crystal + 0.3 * body.cap, ground * 0.55)
    tint = np.array(w.pick(rng, ((26, 22, 20), (16, 16, 18), (40, 36, 34))), np.float32)
    body.disc(crystal, tint)
    body.disc(0.72 * crystal, tint * 1.5 + 6, soft=2)
    body.disc(0.68 * crystal, tint, soft=2)
    lamps = int(w.pick(rng, (3, 4, 6, 8)))
    for i in range(lamps):
        angle = turn + 2 * np.pi * i / lamps
        at = 0.42 * crystal * np.cos(angle), 0.42 * crystal * np.sin(angle)
        body.disc(0.14 * crystal, tint + 14, at)
        body.disc(0.1 * crystal, w.pick(rng, ((70, 96, 64), (46, 44, 60), (40, 60, 48))), at, 1.5)
    if rng.random() < 0.6:
        body.disc(
            0.16 * crystal,
            np.minimum(body.image + rng.uniform(30, 90), 255),
            rng.uniform(-0.4, 0.4, 2) * crystal,
            0.1 * crystal + 1,
        )


def _speaker(body: Body, ring: Ring, ground: np.ndarray, homography, size, rng) -> None:
    """A rubber foot in the middle of a knitted body."""
    inner, outer = ring.radii
    foot = outer + body.cap * rng.uniform(1, 4)
    wide = foot * rng.uniform(1.25, 1.6)
    knit = surfaces.lay_texture("cloth", homography, size, body.cap / rng.uniform(3, 6), 45, rng)[..., None]
    body.shadow(wide, wide, wide, 0)
    body.disc(wide, np.clip(ground * (0.75 + 0.14 * knit), 0, 255), soft=2)
    body.edge(foot, float(ground.mean()) * 1.15)
    body.disc(foot - 0.25 * body.cap, ground)
    if rng.random() < 0.6:
        body.disc(inner * rng.uniform(0.4, 0.8), np.minimum(ground * rng.uniform(0.9, 1.08), 250), soft=1.5)


def _box(body: Body, ring: Ring, ground: np.ndarray, homography, size, rng) -> None:
    """A glossy square box with a round foot that is hardly set off."""
    inner, outer = ring.radii
    foot = outer + body.cap * rng.uniform(1, 5)
    half, turn = foot * rng.uniform(1.06, 1.3), rng.uniform(0, np.pi / 2)
    corner = half * rng.uniform(0.18, 0.4)
    body.shadow(half, half, corner, turn)
    body.slab(half, half, corner, np.minimum(ground * 1.25 + 8, 250), turn)
    body.slab(half - 0.5 * body.cap, half - 0.5 * body.cap, corner, ground * rng.uniform(0.7, 1.02), turn, soft=2)
    body.disc(foot, ground * 0.7, soft=2)
    body.disc(foot - 0.3 * body.cap, ground)
    if rng.random() < 0.4:
        body.disc(inner * rng.uniform(0.3, 0.85), ground * rng.uniform(0.86, 1.1), soft=1.2)
