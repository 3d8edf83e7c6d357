"""A display as a camera sees it: its pixels, moiré, reflections, the room around it; or a clean screenshot."""

import cv2
import numpy as np
from picture import Picture

from . import camera, light, textures
from .sheet import Sheet
from .view import View, inside, lean, lens_bend, turned

FRAMES = [(1600, 1200), (1200, 1600), (1280, 960), (960, 1280), (1600, 900), (900, 1600), (1000, 1000), (1500, 1125)]


def display_coordinates(view: View, density: float) -> tuple[np.ndarray, np.ndarray]:
    """For every photo pixel, where it falls on the display in display pixels."""
    width, height = view.size
    inverse = np.linalg.inv(view.matrix).astype(np.float32)
    x, y = np.mgrid[0:width, 0:height].astype(np.float32).transpose(0, 2, 1)
    depth = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    u = (inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2]) / depth * density
    v = (inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2]) / depth * density
    return u, v


def moire(rng: np.random.Generator, view: View, density: float, amplitude: float) -> np.ndarray:
    """Gains of each photo pixel and colour: the display's stripes sampled by the camera's pixels.

    The beats are those that a camera would record.
    """
    u, v = display_coordinates(view, density)
    # A lens bends straight rows a little, which curves the fringes.
    middle = float(u.mean())
    u = u + (u - middle) ** 2 * (rng.uniform(-0.004, 0.004) / max(1.0, float(np.abs(u - middle).max())))
    gains = [1 + amplitude * np.cos(2 * np.pi * (u + channel / 3)) for channel in range(3)]
    rows = 1 + 0.6 * amplitude * np.cos(2 * np.pi * v)
    return (np.dstack(gains) * rows[:, :, None]).astype(np.float32)


def photographed(
    rng: np.random.Generator,
    grade: str,
    screen: Sheet,
    capital_points: float,
    device: str,
    kind: str,
    glass: tuple[float, float],
    to_be_read: bool = True,
    oblique: bool = False,
) -> Picture | None:
    """A photo of a display.

    screen  its content in points, with the serial's quad; screen.ppm is the display's pixels a point.
    glass   width of the bezel around the content, and its corner radius, in points.
    to_be_read  whether the text in the quad must stay legible (returns None if it can't).
    oblique     whether it is seen from the side.
    """
    low, high = {"easy": (15, 30), "medium": (10.5, 20), "hard": (8.5, 13)}[grade]
    capital = rng.uniform(low, high)
    size = FRAMES[rng.integers(0, len(FRAMES))]
    focus = screen.serial_quad.mean(0)
    middle = np.array([(screen.extent.left + screen.extent.right) / 2, (screen.extent.top + screen.extent.bottom) / 2])
    # The camera is close to the screen, but keeps the row in the picture.
    aim = tuple(focus + (middle - focus) * rng.uniform(0.1, 0.8))
    at = (size[0] * rng.uniform(0.42, 0.58), size[1] * rng.uniform(0.42, 0.58))
    roll = rng.normal(0, {"easy": 1.5, "medium": 5, "hard": 10}[grade])
    leaning = lean(rng, {"easy": 7, "medium": 18, "hard": 28}[grade], oblique)
    scale = leaning.nearer * capital / capital_points
    view = View(size, scale, aim, at, roll, leaning.x, leaning.y, lens_bend(rng))
    dark_room = rng.random() < (0.15 if grade == "easy" else 0.35)
    scene = _room(rng, view, scale, dark_room)
    bezel, radius = glass
    body = screen.extent.grown(bezel)
    shell = [(14, 14, 14), (30, 30, 32), (190, 190, 192), (60, 58, 58)][rng.integers(0, 4)]
    scene.rect(
        body.left - 3, body.top - 3, body.right - body.left + 6, body.bottom - body.top + 6, shell, radius + bezel + 3
    )
    scene.rect(body.left, body.top, body.right - body.left, body.bottom - body.top, (9, 9, 9), radius + bezel)
    cover = Sheet(screen.extent, screen.ppm, (0, 0, 0))
    width, height = screen.extent.right - screen.extent.left, screen.extent.bottom - screen.extent.top
    cover.rect(screen.extent.left, screen.extent.top, width, height, (255, 255, 255), radius)
    scene.place(screen, float(middle[0]), float(middle[1]), 0, cover.image[:, :, 0])
    clean, quad = view.take(scene)
    if quad is None or not inside(quad, clean, 0.7 * capital):
        return None
    photo = clean.astype(np.float32)
    photo = photo * rng.uniform(0.75, 1.0) + rng.uniform(0, 10)
    photo = _glassy(rng, photo, view, grade, screen, quad, dark_room)
    taken = camera.exposure(rng, grade, capital)
    if to_be_read:
        photo = camera.shoot_legibly(rng, photo, clean, quad, grade, taken, capital)
    else:
        photo = camera.shoot(rng, photo, taken, capital)
    if photo is None:
        return None
    photo, quad = turned(photo, quad, int(rng.choice([0, 1, 2, 3], p=[0.8, 0.08, 0.04, 0.08])))
    quality = int(rng.integers(*{"easy": (82, 96), "medium": (65, 92), "hard": (50, 85)}[grade]))
    return Picture(photo, quality, "", device, kind, quad)


def _room(rng: np.random.Generator, view: View, scale: float, dark: bool) -> Sheet:
    """The desk or wall around a display, out of focus."""
    scene = Sheet(view.extent(), 1.1 * scale)
    textures.desk(rng, scene.image, 1.1 * scale * 3)
    small = cv2.resize(scene.image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), rng.uniform(0.6, 4))
    tone = rng.uniform(0.05, 0.25) if dark else rng.uniform(0.5, 1.0)
    scene.image = (cv2.resize(small, (scene.image.shape[1], scene.image.shape[0])) * tone).astype(np.uint8)
    return scene


def _glassy(
    rng: np.random.Generator,
    photo: np.ndarray,
    view: View,
    grade: str,
    screen: Sheet,
    quad: np.ndarray,
    dark_room: bool,
) -> np.ndarray:
    """Adds the effects of the glass and the pixels."""
    ratio = view.scale / screen.ppm
    if grade != "easy" or rng.random() < 0.4:
        strongest = 0.22 if ratio > 1.7 else 0.13 if ratio > 0.6 else 0.05
        amplitude = strongest * rng.uniform(0.1, 1.0) * {"easy": 0.5, "medium": 0.8, "hard": 1.0}[grade]
        lit = np.zeros(photo.shape[:2], np.uint8)
        edge = screen.extent
        corners = view.to_photo(
            [[edge.left, edge.top], [edge.right, edge.top], [edge.right, edge.bottom], [edge.left, edge.bottom]]
        )
        cv2.fillConvexPoly(lit, corners.astype(np.int32), 1)
        photo = np.where(lit[:, :, None] == 1, photo * moire(rng, view, screen.ppm, amplitude), photo)
    if not dark_room and rng.random() < 0.6:
        photo = light.reflection(rng, photo, rng.uniform(0.02, {"easy": 0.06, "medium": 0.13, "hard": 0.2}[grade]))
    if grade != "easy" and rng.random() < 0.35:
        photo = light.glare(rng, photo, rng.uniform(0.2, 0.7), quad, 1.2)
    if rng.random() < 0.5:
        photo = light.falloff(rng, photo, 0.4)
    if rng.random() < 0.4:
        photo = light.cast(rng, photo, rng.uniform(0.1, 0.5))
    return photo


def screenshot(
    rng: np.random.Generator, grade: str, screen: Sheet, device: str, kind: str, upload: bool = True
) -> Picture | None:
    """A screenshot: original, or reduced by a messenger (with capitals of at least 8 pixels)."""
    photo = screen.image
    quad = (screen.serial_quad - (screen.extent.left, screen.extent.top)) * screen.ppm
    capital = np.linalg.norm(quad[3] - quad[0])
    quality = int(rng.integers(85, 98))
    if upload and grade != "easy":
        least = {"medium": 10.5, "hard": 8.0}[grade] / capital
        share = 1.0 if least >= 1 else float(rng.uniform(least, min(1.0, 1.8 * least)))
        if share < 1:
            photo = cv2.resize(photo, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
            quad = quad * share
        quality = int(rng.integers(*{"medium": (60, 90), "hard": (38, 70)}[grade]))
    if not inside(quad, photo, 0.0):
        return None
    return Picture(np.ascontiguousarray(photo), quality, "", device, f"{kind}-screenshot", quad)
