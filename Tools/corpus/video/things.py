"""The filmed objects: flat pieces of corpus pictures with a serial, soft coloured blobs, solids and hands."""

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


# The extent of an object before the serial's text, where its label is, in widths of the serial (minimum and maximum).
# On a screen's row the label is far away.
ROOM_FOR_LABEL = {"sticker": (1.1, 1.8), "screen": (1.5, 3.0), "etched": (1.1, 1.8)}


def flat_thing(scenes, preset: str, rng: np.random.Generator) -> FlatThing:
    """A part of an easy picture around its serial, with the label before it, as far as the picture extends."""
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
    """A part of a picture without a serial."""
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
    """Whether it has hardly any detail."""
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


def soft_texture(rng: np.random.Generator, base, height: int, width: int, marks: int) -> np.ndarray:
    """A surface of one colour, hardly uneven, with some marks on it."""
    uneven = cv2.resize(
        rng.uniform(-9, 9, (6, 8, 1)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    image = np.clip(np.asarray(base) + uneven[..., None], 0, 255).astype(np.uint8)
    for _ in range(marks):
        place = tuple(int(v) for v in rng.uniform(0.1, 0.9, 2) * [width, height])
        end = tuple(int(v) for v in np.array(place) + rng.uniform(-0.25, 0.25, 2) * [width, height * 0.4])
        colour = [int(v) for v in np.clip(np.asarray(base) + rng.uniform(-90, 90, 3), 0, 255)]
        cv2.line(image, place, end, colour, int(rng.integers(2, 9)), cv2.LINE_AA)
    return image


class SolidThing:
    """A case or a cup of one colour with a few marks, which rotates so that other sides become visible."""

    def __init__(self, rng: np.random.Generator, side: int = 420):
        self.side = side
        dull = rng.random() < 0.5
        base = np.full(3, rng.uniform(40, 225)) + rng.uniform(-8, 8, 3) if dull else rng.uniform(30, 225, 3)
        self.faces = self.cup(rng, base) if rng.random() < 0.5 else self.case(rng, base)
        self.light = np.array([rng.uniform(-0.6, 0.6), -0.6, -0.8])
        self.light /= np.linalg.norm(self.light)
        self.reach = rng.uniform([0.5, 0.25, 0.2], [1.4, 0.6, 0.5])
        self.speed = rng.uniform(0.7, 1.6, 3)
        self.phases = rng.uniform(0, 2 * np.pi, 3)

    @staticmethod
    def case(rng, base):
        """The six sides of a box, from the upper left corner on as seen from outside."""
        x, y, z = rng.uniform([0.6, 0.45, 0.22], [0.75, 0.7, 0.45])
        faces = []
        for axis in range(3):
            for sign in (-1, 1):
                u, v = np.roll([1, 0, 0], axis + 1), np.roll([1, 0, 0], axis + 2) * sign
                out = np.roll([1, 0, 0], axis) * sign
                corners = [(out + a * u + b * v) * [x, y, z] for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                faces.append((np.array(corners), soft_texture(rng, base, 160, 160, int(rng.integers(1, 5)))))
        return faces

    @staticmethod
    def cup(rng, base, parts: int = 28):
        """The wall of a cup, its rim and its foot."""
        top, foot, half = rng.uniform([0.42, 0.3, 0.55], [0.55, 0.42, 0.75])
        wall = soft_texture(rng, base, 200, parts * 24, int(rng.integers(4, 14)))
        angles = np.linspace(0, 2 * np.pi, parts + 1)
        faces = []
        for index, (a, b) in enumerate(zip(angles[:-1], angles[1:])):
            corners = [
                [top * np.cos(a), -half, top * np.sin(a)],
                [top * np.cos(b), -half, top * np.sin(b)],
                [foot * np.cos(b), half, foot * np.sin(b)],
                [foot * np.cos(a), half, foot * np.sin(a)],
            ]
            faces.append((np.array(corners), np.ascontiguousarray(wall[:, index * 24 : (index + 1) * 24])))
        for height, radius, shade in ((-half, top, 0.6), (half, foot, 1.0)):
            disc = np.array([[radius * np.cos(a), height, radius * np.sin(a)] for a in angles[:-1]])
            faces.append((disc, np.clip(np.asarray(base) * shade, 0, 255)))
        return faces

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Picture and mask (0...255) at a time in seconds."""
        y, x, z = self.reach * np.sin(self.speed * time * 1.3 + self.phases)
        turn = cv2.Rodrigues(np.array([x, 0, 0]))[0] @ cv2.Rodrigues(np.array([0, y, 0]))[0]
        turn = cv2.Rodrigues(np.array([0, 0, z]))[0] @ turn
        side = self.side
        image = np.zeros((side, side, 3), np.uint8)
        mask = np.zeros((side, side), np.uint8)
        for corners, texture in self.faces:
            placed = corners @ turn.T + [0, 0, 4]
            normal = np.cross(placed[1] - placed[0], placed[2] - placed[0])
            normal /= np.linalg.norm(normal)
            # The solids are convex: faces turned away from the camera are invisible, and the others do not overlap.
            if normal @ (placed.mean(0) - [0, 0, 4]) < 0:
                normal = -normal
            if normal @ placed.mean(0) >= 0:
                continue
            shade = 0.6 + 0.5 * max(0, float(normal @ self.light))
            flat = (placed[:, :2] / placed[:, 2:] * 2.6 + 1) * side / 2
            area = np.zeros((side, side), np.uint8)
            cv2.fillConvexPoly(area, np.round(flat * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
            if texture.ndim == 1:
                shown = np.broadcast_to(texture * shade, image.shape)
            else:
                rows, columns = texture.shape[:2]
                corners_of_texture = np.float32([[0, 0], [columns, 0], [columns, rows], [0, rows]])
                matrix = cv2.getPerspectiveTransform(corners_of_texture, flat.astype(np.float32))
                shown = cv2.warpPerspective(texture, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE) * shade
            share = area[..., None] / 255.0
            image = np.clip(image * (1 - share) + shown * share, 0, 255).astype(np.uint8)
            mask = np.maximum(mask, area)
        return image, mask


class Hand:
    """A palm with five fingers that bend, in one colour with its shades."""

    def __init__(self, rng: np.random.Generator, side: int = 420):
        self.side = side
        self.base = rng.uniform([60, 90, 130], [170, 200, 240])
        self.shade = soft_texture(rng, np.full(3, 128), side, side, int(rng.integers(2, 7))).astype(np.float32) / 128
        self.phases = rng.uniform(0, 2 * np.pi, (5, 2))
        self.speed = rng.uniform(1.2, 3.2, (5, 2))

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Picture and mask (0...255) at a time in seconds."""
        side = self.side
        mask = np.zeros((side, side), np.uint8)
        depth = np.zeros((side, side), np.float32)

        def limb(start, end, thick, light):
            part = np.zeros((side, side), np.uint8)
            ends = [tuple(int(v * side * 16) for v in point) for point in (start, end)]
            cv2.line(part, *ends, 255, int(thick * side), cv2.LINE_AA, 4)
            np.maximum(mask, part, out=mask)
            depth[part > 0] = light

        limb((0.5, 0.62), (0.5, 0.72), 0.36, 0.95)
        for finger in range(5):
            bend = 0.5 + 0.5 * np.sin(self.speed[finger] * time * 1.6 + self.phases[finger])
            angle = -np.pi / 2 + (finger - 2) * 0.3 + 0.2 * (bend[0] - 0.5)
            root = np.array([0.5 + (finger - 2) * 0.085, 0.5 + 0.03 * abs(finger - 2)])
            if finger == 0:
                angle, root = angle - 0.5, np.array([0.36, 0.66])
            knuckle = root + np.array([np.cos(angle), np.sin(angle)]) * 0.17 * (1 - 0.4 * bend[0])
            angle += (bend[1] - 0.5) * 1.2
            tip = knuckle + np.array([np.cos(angle), np.sin(angle)]) * 0.16 * (1 - 0.7 * bend[1])
            limb(root, knuckle, 0.085, 1.0 - 0.08 * finger / 4)
            limb(knuckle, tip, 0.075, 1.05 - 0.25 * bend[1])
        rim = cv2.GaussianBlur(mask, (0, 0), side / 45).astype(np.float32) / 255
        image = self.base * self.shade * (depth * (0.55 + 0.5 * rim))[..., None]
        return np.clip(image, 0, 255).astype(np.uint8), mask
