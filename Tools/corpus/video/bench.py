"""A camera moving over a bench with four flat objects: many serials in few frames."""

import importlib
import zlib

import cv2
import numpy as np

from video.camera import HEIGHT, WIDTH, exposed, motion_blur, quad_truth
from video.motion import plane_map, shake, smooth_curve
from video.things import PRESETS, flat_thing, strange_thing

BENCH = ("bench", "poor", "strange")
# Factor by which the bench is drawn at a higher resolution than the film.
FINENESS = 2
PLACES = [(0.27, 0.27), (0.73, 0.27), (0.27, 0.73), (0.73, 0.73)]


class Bench:
    """One film. In a `poor` one, objects are smaller, out of focus, dark and noisy, to a degree that varies between
    films. In a `strange` one, they have no serials.
    """

    is_soft = False

    def __init__(self, kind: str, index: int, frames: int, seed: int, family: str):
        self.frames = frames
        rng = np.random.default_rng([seed, zlib.crc32(kind.encode()), index])
        scenes = importlib.import_module(family)
        self.is_poor = kind == "poor"
        wide, high = WIDTH * FINENESS, HEIGHT * FINENESS
        margin = 400
        self.table = cv2.resize(
            scenes.make_look_alike(rng).image_bgr,
            (wide + 2 * margin, high + 2 * margin),
            interpolation=cv2.INTER_AREA,
        )
        self.serials, self.outlines = [], []
        for place, (across, down) in enumerate(PLACES):
            preset = PRESETS[(index + place) % 3]
            thing = strange_thing(scenes, rng) if kind == "strange" else flat_thing(scenes, preset, rng)
            middle = np.array([across * wide, down * high]) + margin
            room = rng.uniform(0.32, 0.42) if not self.is_poor else rng.uniform(0.2, 0.36)
            self.lay(thing, middle, (wide * room, high * 0.42), rng.uniform(-7, 7))
        self.table = cv2.GaussianBlur(self.table, (0, 0), 0.4 * FINENESS)
        self.paths(rng)
        self.outlines = [self.boxed(outline) for outline in self.outlines]

    def lay(self, thing, middle: np.ndarray, room: tuple[float, float], turn: float) -> None:
        """Places an object on the table, as large as fits."""
        height, width = thing.image.shape[:2]
        scale = min(room[0] / width, room[1] / height)
        image = thing.image
        if scale < 1:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            height, width = image.shape[:2]
            scale = 1.0
        cos, sin = scale * np.cos(np.radians(turn)), scale * np.sin(np.radians(turn))
        matrix = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
        matrix[:2, 2] = middle - matrix[:2, :2] @ [width / 2, height / 2]
        rows, columns = self.table.shape[:2]
        cv2.warpPerspective(
            image, matrix, (columns, rows), dst=self.table, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_TRANSPARENT
        )
        self.serials.append(thing.serial)
        corners = np.float32([[0, 0], [width, 0], [width, height], [0, height]]).reshape(-1, 1, 2)
        self.outlines.append(cv2.perspectiveTransform(corners, matrix))

    def paths(self, rng: np.random.Generator) -> None:
        n = self.frames
        self.center = np.stack([WIDTH / 2 + smooth_curve(rng, n, 5, 45), HEIGHT / 2 + smooth_curve(rng, n, 5, 30)], 1)
        self.turn = smooth_curve(rng, n, 4, 9)
        self.zoom = 2 ** smooth_curve(rng, n, 4, 0.12)
        self.tilt = np.stack([smooth_curve(rng, n, 4, 12), smooth_curve(rng, n, 4, 12)], 1)
        self.tremble = shake(rng, n, rng.uniform(1, 5) if self.is_poor else 0.8)
        dark = rng.uniform(0.35, 0.8) if self.is_poor else 1
        self.light = dark * (1 + smooth_curve(rng, n, 6, 0.08))
        self.noise = rng.uniform(4, 10) if self.is_poor else rng.uniform(1, 4)
        self.defocus = rng.uniform(0.6, 1.5) if self.is_poor else 0
        # The autofocus searches continuously.
        self.focus = 1 + smooth_curve(rng, n, 9, 0.4)

    def view(self, t: int) -> np.ndarray:
        """The map from the table to the frame."""
        rows, columns = self.table.shape[:2]
        center = self.center[t] + self.tremble[t]
        return plane_map((columns, rows), center, self.zoom[t] / FINENESS, self.turn[t], self.tilt[t])

    def boxed(self, outline: np.ndarray) -> np.ndarray:
        """The tracked area of a rotated object: its bounding box in the first frame, on the table."""
        seen = cv2.perspectiveTransform(outline, self.view(0)).reshape(-1, 2)
        (left, top), (right, bottom) = seen.min(0), seen.max(0)
        corners = np.float32([[left, top], [right, top], [right, bottom], [left, bottom]]).reshape(-1, 1, 2)
        return cv2.perspectiveTransform(corners, np.linalg.inv(self.view(0)))

    def frame(self, t: int):
        """The frame, the ground truth of each object, and the mask of the first one, 0...1."""
        rng = np.random.default_rng([t, int(self.noise * 1e6)])
        matrix = self.view(t)
        frame = cv2.warpPerspective(self.table, matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
        quads = [cv2.perspectiveTransform(outline, matrix).reshape(-1, 2) for outline in self.outlines]
        masks = [self.mask(quad) for quad in quads]
        truth = [quad_truth(quad, mask) for quad, mask in zip(quads, masks)]
        if self.defocus:
            frame = cv2.GaussianBlur(frame, (0, 0), float(self.defocus * self.focus[t]))
        frame = motion_blur(frame, (self.tremble[t] - self.tremble[max(0, t - 1)]) * 0.4)
        return exposed(frame, self.light[t], self.noise, rng), truth, masks[0]

    def mask(self, quad: np.ndarray) -> np.ndarray:
        mask = np.zeros((HEIGHT, WIDTH), np.float32)
        cv2.fillConvexPoly(mask, np.round(quad).astype(int), 1)
        return mask
