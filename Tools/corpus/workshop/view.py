"""The camera's pose: a plane in millimetres, seen in perspective as a photo in pixels."""

from dataclasses import dataclass

import cv2
import numpy as np

from .sheet import Extent, Sheet


class View:
    """A homography from the plane (millimetres) to the photo (pixels).

    size     (width, height) of the photo.
    scale    pixels per millimetre at the point aimed at.
    aim      the point of the plane in the middle of the view.
    at       where that point appears in the photo, in pixels.
    roll     turn in the photo's plane; tilt_x, tilt_y: leaning of the plane; all in degrees.
    bend     radial distortion of the lens: how much farther out a corner would be without it, as a share.
    """

    def __init__(
        self,
        size: tuple[int, int],
        scale: float,
        aim: tuple[float, float] = (0.0, 0.0),
        at: tuple[float, float] | None = None,
        roll: float = 0.0,
        tilt_x: float = 0.0,
        tilt_y: float = 0.0,
        bend: float = 0.0,
    ):
        self.size, self.scale, self.bend = size, scale, bend
        at = at or (size[0] / 2, size[1] / 2)
        focal = 1.3 * max(size)
        rx, ry, rz = np.radians([tilt_x, tilt_y, roll])
        about_x = np.array([[1, 0, 0], [0, np.cos(rx), -np.sin(rx)], [0, np.sin(rx), np.cos(rx)]])
        about_y = np.array([[np.cos(ry), 0, np.sin(ry)], [0, 1, 0], [-np.sin(ry), 0, np.cos(ry)]])
        about_z = np.array([[np.cos(rz), -np.sin(rz), 0], [np.sin(rz), np.cos(rz), 0], [0, 0, 1]])
        rotation = about_x @ about_y @ about_z
        plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, focal / scale]])
        lens = np.array([[focal, 0, at[0]], [0, focal, at[1]], [0, 0, 1]])
        move = np.array([[1, 0, -aim[0]], [0, 1, -aim[1]], [0, 0, 1.0]])
        self.matrix = lens @ plane @ move

    def to_photo(self, points: np.ndarray) -> np.ndarray:
        """Photo pixels of points of the plane."""
        straight = cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), self.matrix).reshape(
            -1, 2
        )
        if self.bend == 0:
            return straight
        bent = straight.copy()
        for _ in range(6):
            bent = self._middle + (straight - self._middle) / self._stretch(bent)
        return bent

    @property
    def _middle(self) -> np.ndarray:
        return np.array(self.size, float) / 2

    def _stretch(self, photo_points: np.ndarray) -> np.ndarray:
        """The factor by which the lens moves points of the photo towards its centre."""
        away = (photo_points - self._middle) / np.hypot(*self._middle)
        return 1 + self.bend * (away**2).sum(-1, keepdims=True)

    def extent(self) -> Extent:
        """The part of the plane that the photo shows, as a box."""
        width, height = self.size
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        corners = (self._middle + (corners - self._middle) * self._stretch(corners)).reshape(-1, 1, 2)
        plane = cv2.perspectiveTransform(corners, np.linalg.inv(self.matrix)).reshape(-1, 2)
        # A steep view would need an infinite plane.
        limit = 2.2 * max(width, height) / self.scale
        (left, top), (right, bottom) = plane.min(0), plane.max(0)
        middle = plane.mean(0)
        return Extent(
            max(left, middle[0] - limit),
            max(top, middle[1] - limit),
            min(right, middle[0] + limit),
            min(bottom, middle[1] + limit),
        ).grown(2 / self.scale)

    def take(self, sheet: Sheet) -> tuple[np.ndarray, np.ndarray | None]:
        """The photo of the sheet (BGR) and the serial's quad in it."""
        move = np.array([[1 / sheet.ppm, 0, sheet.extent.left], [0, 1 / sheet.ppm, sheet.extent.top], [0, 0, 1.0]])
        matrix = self.matrix @ move
        source = sheet.image
        if sheet.ppm > 1.6 * self.scale:
            source = cv2.GaussianBlur(source, (0, 0), 0.4 * sheet.ppm / self.scale)
        if self.bend == 0:
            photo = cv2.warpPerspective(
                source, matrix, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
        else:
            photo = cv2.remap(source, *self._bent_map(matrix), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        quad = None if sheet.serial_quad is None else self.to_photo(sheet.serial_quad)
        return photo, quad

    def _bent_map(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For every photo pixel the place in the sheet, through the lens and the homography."""
        width, height = self.size
        cx, cy = (np.float32(v) for v in self._middle)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        x, y = x - cx, y - cy
        stretch = 1 + np.float32(self.bend) * (x * x + y * y) / (cx * cx + cy * cy)
        x, y = x * stretch + cx, y * stretch + cy
        h = np.linalg.inv(matrix).astype(np.float32)
        depth = h[2, 0] * x + h[2, 1] * y + h[2, 2]
        return (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / depth, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / depth


@dataclass(frozen=True)
class Lean:
    """How the plane leans away from the camera.

    x, y    degrees about both axes.
    nearer  how much closer the camera is, so that letters keep their height where they are foreshortened most.
    """

    x: float
    y: float
    nearer: float = 1.0


def lean(rng: np.random.Generator, most: float, oblique: bool) -> Lean:
    """A lean of up to `most` degrees about each axis, or of 32 to 50 in any direction: a photo from the side."""
    if not oblique:
        return Lean(rng.uniform(-most, most), rng.uniform(-most, most))
    degrees, towards = rng.uniform(32, 50), rng.uniform(0, 2 * np.pi)
    return Lean(degrees * np.cos(towards), degrees * np.sin(towards), 1 / np.cos(np.radians(degrees)))


def lens_bend(rng: np.random.Generator) -> float:
    """Most phones correct their lens; some photos come through a wide or close one."""
    return float(rng.uniform(-0.05, 0.12)) if rng.random() < 0.2 else 0.0


def turned(photo: np.ndarray, quad: np.ndarray | None, quarter_turns: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Photo and quad turned counterclockwise by quarter turns."""
    for _ in range(quarter_turns % 4):
        width = photo.shape[1]
        photo = np.ascontiguousarray(np.rot90(photo))
        if quad is not None:
            quad = np.column_stack([quad[:, 1], width - quad[:, 0]])
    return photo, quad


def inside(quad: np.ndarray, photo: np.ndarray, margin: float = 2.0) -> bool:
    """Whether the whole quad is inside the photo with a margin in pixels."""
    height, width = photo.shape[:2]
    low, high = quad.min(0), quad.max(0)
    return bool(low.min() >= margin and high[0] <= width - margin and high[1] <= height - margin)
