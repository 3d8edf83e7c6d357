"""Places flat objects in a photo."""

import cv2
import numpy as np

from .camera import map_points
from .sheet import Sheet


def region(homography: np.ndarray, size, photo_size) -> tuple[int, int, int, int] | None:
    """Bounding box in the photo of a sheet of `size`: left, top, right, bottom; None if it is not visible."""
    width, height = size
    points = map_points([[0, 0], [width, 0], [width, height], [0, height]], homography)
    left, top = np.floor(points.min(axis=0)).astype(int) - 2
    right, bottom = np.ceil(points.max(axis=0)).astype(int) + 2
    left, top, right, bottom = max(0, left), max(0, top), min(photo_size[0], right), min(photo_size[1], bottom)
    return (left, top, right, bottom) if right > left and bottom > top else None


def warped(layer: np.ndarray, homography: np.ndarray, box, border: int = 0) -> np.ndarray:
    """`layer` as seen inside `box` of the photo, smoothed first if it shrinks by more than half."""
    left, top, right, bottom = box
    middle = np.array([layer.shape[1] / 2, layer.shape[0] / 2])
    ends = map_points([middle, middle + [4, 0], middle + [0, 4]], homography)
    scale = min(np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[2] - ends[0])) / 4
    if 0 < scale < 0.62:
        layer = cv2.GaussianBlur(layer, (0, 0), 0.36 / max(scale, 0.08))
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]], float)
    return cv2.warpPerspective(
        layer,
        shift @ homography,
        (right - left, bottom - top),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=border,
    )


def lay(image: np.ndarray, sheet: Sheet, homography: np.ndarray, opacity: float = 1.0, shadow: float = 0.0) -> None:
    """Places `sheet` in the float photo, in place; a soft shadow of `shadow` pixels darkens the area around it."""
    box = region(homography, sheet.size, (image.shape[1], image.shape[0]))
    if box is None:
        return
    alpha = sheet.alpha if sheet.alpha is not None else np.full(sheet.image.shape[:2], 255, np.uint8)
    if shadow > 0.5:
        left, top, right, bottom = box
        reach = int(4 * shadow) + 1
        wide = (
            max(0, left - reach),
            max(0, top - reach),
            min(image.shape[1], right + reach),
            min(image.shape[0], bottom + reach),
        )
        dark = cv2.GaussianBlur(warped(alpha, homography, wide), (0, 0), shadow).astype(np.float32)[..., None] / 255
        view = image[wide[1] : wide[3], wide[0] : wide[2]]
        view *= 1 - 0.35 * dark
    left, top, right, bottom = box
    cover = warped(alpha, homography, box).astype(np.float32)[..., None] * (opacity / 255)
    colour = warped(sheet.image, homography, box).astype(np.float32)
    if sheet.alpha is None:
        cover_safe = np.maximum(cover / max(opacity, 1e-3), 1e-3)
        colour = np.minimum(colour / cover_safe, 255)
    view = image[top:bottom, left:right]
    view += (colour - view) * cover


def outline_in_photo(points, homography: np.ndarray) -> np.ndarray:
    """A polygon of the sheet's plane in the photo, cut where the plane runs behind the camera; may be empty."""
    points = np.asarray(points, float)
    depth = points @ homography[2, :2] + homography[2, 2]
    near = 0.12
    kept = []
    for i in range(len(points)):
        a, b, da, db = points[i], points[(i + 1) % len(points)], depth[i], depth[(i + 1) % len(points)]
        if da >= near:
            kept.append(a)
        if (da >= near) != (db >= near):
            kept.append(a + (b - a) * (near - da) / (db - da))
    return map_points(kept, homography) if len(kept) > 2 else np.zeros((0, 2))


def fill_polygon(image: np.ndarray, points: np.ndarray, colour, soft: float = 0.8) -> None:
    """A polygon of one colour (or of a picture as large as the photo), with a soft edge, in place."""
    height, width = image.shape[:2]
    if len(points) < 3:
        return
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(np.asarray(points) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    if soft > 0.3:
        mask = cv2.GaussianBlur(mask, (0, 0), soft)
    cover = mask.astype(np.float32)[..., None] / 255
    image += (np.asarray(colour, np.float32) - image) * cover
