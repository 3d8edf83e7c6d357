"""Where the camera stands: a plane in millimetres seen in perspective as a photo in pixels."""

import cv2
import numpy as np

from .sheet import Extent, Sheet


class View:
    """A homography from the plane (millimetres) to the photo (pixels).

    size     (width, height) of the photo.
    scale    pixels a millimetre at the point looked at.
    aim      the point of the plane that is looked at.
    at       where that point appears in the photo, in pixels.
    roll     turn in the photo's plane; tilt_x, tilt_y: leaning of the plane; all in degrees.
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
    ):
        self.size, self.scale = size, scale
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
        return cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), self.matrix).reshape(-1, 2)

    def extent(self) -> Extent:
        """The part of the plane that the photo shows, as a box."""
        width, height = self.size
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64).reshape(-1, 1, 2)
        plane = cv2.perspectiveTransform(corners, np.linalg.inv(self.matrix)).reshape(-1, 2)
        # A steep view would ask for an endless plane.
        limit = 2.2 * max(width, height) / self.scale
        (left, top), (right, bottom) = plane.min(0), plane.max(0)
        middle = plane.mean(0)
        return Extent(
            max(left, middle[0] - limit), max(top, middle[1] - limit), min(right, middle[0] + limit), min(bottom, middle[1] + limit)
        ).grown(2 / self.scale)

    def take(self, sheet: Sheet) -> tuple[np.ndarray, np.ndarray | None]:
        """The photo of the sheet (BGR) and the serial's quad in it."""
        move = np.array([[1 / sheet.ppm, 0, sheet.extent.left], [0, 1 / sheet.ppm, sheet.extent.top], [0, 0, 1.0]])
        matrix = self.matrix @ move
        source = sheet.image
        if sheet.ppm > 1.6 * self.scale:
            source = cv2.GaussianBlur(source, (0, 0), 0.4 * sheet.ppm / self.scale)
        photo = cv2.warpPerspective(source, matrix, self.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        quad = None if sheet.serial_quad is None else self.to_photo(sheet.serial_quad)
        return photo, quad


def turned(photo: np.ndarray, quad: np.ndarray | None, quarter_turns: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Photo and quad turned counterclockwise by quarter turns."""
    for _ in range(quarter_turns % 4):
        width = photo.shape[1]
        photo = np.ascontiguousarray(np.rot90(photo))
        if quad is not None:
            quad = np.column_stack([quad[:, 1], width - quad[:, 0]])
    return photo, quad


def inside(quad: np.ndarray, photo: np.ndarray, margin: float = 2.0) -> bool:
    """Whether the whole quad stands in the photo with a margin in pixels."""
    height, width = photo.shape[:2]
    low, high = quad.min(0), quad.max(0)
    return bool(low.min() >= margin and high[0] <= width - margin and high[1] <= height - margin)
