"""What is filmed: flat pieces of corpus pictures with a serial on them, and soft coloured blobs."""

from dataclasses import dataclass

import cv2
import numpy as np


PRESETS = ("sticker", "screen", "etched")


@dataclass
class FlatThing:
    """A flat piece with its print."""

    image: np.ndarray
    serial: str
    serial_height: float


# How many widths of the serial a thing reaches beyond it before its text (least and most), where its label stands. A
# screen's row has it far away.
ROOM_FOR_LABEL = {"sticker": (1.1, 1.8), "screen": (1.5, 3.0), "etched": (1.1, 1.8)}


def flat_thing(scenes, preset: str, rng: np.random.Generator) -> FlatThing:
    """A part of an easy picture about its serial, with room for the label before it, as far as the picture goes."""
    for _ in range(30):
        picture = scenes.make_picture(preset, "easy", rng)
        quad = np.asarray(picture.quad)
        along = quad[1] - quad[0]
        if abs(along[1]) > 0.2 * abs(along[0]):
            continue
        length = np.linalg.norm(along)
        height = np.linalg.norm(quad[3] - quad[0])
        before, after = length * rng.uniform(*ROOM_FOR_LABEL[preset]), length * rng.uniform(0.15, 0.6)
        if along[0] < 0:
            before, after = after, before
        down = (before + length + after) * rng.uniform(0.35, 0.7)
        middle = quad.mean(0) + [0, rng.uniform(-0.15, 0.15) * down]
        rows, columns = picture.image_bgr.shape[:2]
        left, right = max(0, int(middle[0] - length / 2 - before)), min(columns, int(middle[0] + length / 2 + after))
        top, bottom = max(0, int(middle[1] - down / 2)), min(rows, int(middle[1] + down / 2))
        if right - left < 1.3 * length or bottom - top < 3 * height:
            continue
        part = picture.image_bgr[top:bottom, left:right]
        if shows_little(part):
            continue
        return FlatThing(part, picture.serial, height)
    raise RuntimeError(f"no {preset} picture with room about its serial")


def strange_thing(scenes, rng: np.random.Generator) -> FlatThing:
    """A part of a picture that shows no serial."""
    for _ in range(30):
        image = scenes.make_look_alike(rng).image_bgr
        rows, columns = image.shape[:2]
        across, down = (rng.uniform(0.4, 0.9, 2) * [columns, rows]).astype(int)
        left, top = (rng.uniform(0, 1, 2) * [columns - across, rows - down]).astype(int)
        part = image[top : top + down, left : left + across]
        if not shows_little(part):
            return FlatThing(part, "", 0)
    raise RuntimeError("no look-alike that shows anything")


def shows_little(image: np.ndarray) -> bool:
    """Whether there is hardly anything on it to see."""
    return cv2.Laplacian(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.CV_32F).std() < 4


class SoftThing:
    """A coloured blob with a pattern, whose outline and inside move."""

    def __init__(self, rng: np.random.Generator, side: int = 420):
        self.side = side
        small = rng.uniform(0, 255, (9, 9, 3)).astype(np.float32)
        base = rng.uniform(40, 215, 3)
        pattern = cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)
        self.image = np.clip(0.45 * pattern + 0.55 * base, 0, 255).astype(np.uint8)
        for _ in range(14):
            place = tuple(int(v) for v in rng.uniform(0.15, 0.85, 2) * side)
            cv2.circle(
                self.image, place, int(rng.uniform(6, 26)), [int(v) for v in rng.uniform(0, 255, 3)], -1, cv2.LINE_AA
            )
        self.bumps = rng.uniform(-1, 1, (2, 4))
        self.phases = rng.uniform(0, 2 * np.pi, 8)
        self.waves = rng.uniform(0.5, 1.2, 4)

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Picture and mask (0...255) at a time in seconds."""
        side = self.side
        y, x = np.mgrid[0:side, 0:side].astype(np.float32)
        u, v = (x - side / 2) / (side / 2), (y - side / 2) / (side / 2)
        angle, radius = np.arctan2(v, u), np.hypot(u, v)
        edge = np.full_like(radius, 0.72)
        for k in range(4):
            edge += 0.05 * self.bumps[0, k] * np.cos((k + 2) * angle + self.phases[k])
            edge += 0.05 * np.cos((k + 2) * angle + self.phases[4 + k] + 2 * self.waves[k] * time)
        mask = np.clip((edge - radius) * side / 4, 0, 1)
        sway = 0.055 * side
        from_x = x + sway * np.sin(2.1 * self.waves[0] * time * 1.5 + 3 * v + self.phases[0])
        from_y = y + sway * np.sin(1.7 * self.waves[1] * time * 1.5 + 3 * u + self.phases[1])
        turn = 0.5 * np.sin(0.8 * self.waves[2] * time)
        cx = np.cos(turn) * (from_x - side / 2) - np.sin(turn) * (from_y - side / 2) + side / 2
        cy = np.sin(turn) * (from_x - side / 2) + np.cos(turn) * (from_y - side / 2) + side / 2
        image = cv2.remap(
            self.image, cx.astype(np.float32), cy.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
        )
        shade = np.clip(1.1 - 0.45 * radius, 0.4, 1.2)[..., None]
        return np.clip(image * shade, 0, 255).astype(np.uint8), (mask * 255).astype(np.uint8)
