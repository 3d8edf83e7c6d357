"""A display as a camera sees it: bezel, backlight, subpixels and their moiré, reflections, fingerprints, cracks."""

import cv2
import numpy as np

from . import light, surfaces
from . import wording as w
from .camera import Photo, map_points
from .compose import fill_polygon, lay, outline_in_photo, region
from .conditions import Conditions
from .etched import place
from .sheet import Sheet


def subpixels(image: np.ndarray, sheet: Sheet, homography: np.ndarray, dots: float, strength: float, rng) -> None:
    """Modulates the colours like a panel with `dots` display pixels per sheet pixel, sampled at the photo's grid.

    Sampling the stripes at the photo's pixels aliases them, which creates the moiré.
    """
    box = region(homography, sheet.size, (image.shape[1], image.shape[0]))
    if box is None:
        return
    left, top, right, bottom = box
    back = np.linalg.inv(homography)
    xs, ys = np.meshgrid(np.arange(left, right, dtype=np.float32), np.arange(top, bottom, dtype=np.float32))
    depth = back[2, 0] * xs + back[2, 1] * ys + back[2, 2]
    u = (back[0, 0] * xs + back[0, 1] * ys + back[0, 2]) / depth
    v = (back[1, 0] * xs + back[1, 1] * ys + back[1, 2]) / depth
    turn = 2 * np.pi * dots
    rows = 0.5 * np.cos((v * turn).astype(np.float32))
    view = image[top:bottom, left:right]
    sway = rng.uniform(0.5, 1.0)
    for channel in range(3):
        stripes = np.cos((u * turn + channel * 2 * np.pi / 3 * sway).astype(np.float32))
        view[..., channel] *= 1 + strength * (stripes + rows)


def reflections(image: np.ndarray, strength: float, rng) -> None:
    """Windows and lamps mirrored in the glass, in place."""
    height, width = image.shape[:2]
    glow = np.zeros((90, 120), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(0, 120), rng.uniform(0, 90)
        if rng.random() < 0.5:
            a, b = rng.uniform(8, 30), rng.uniform(8, 30)
            lean = rng.uniform(-6, 6)
            cv2.fillPoly(
                glow,
                [np.int32([[x, y], [x + a, y + lean], [x + a + lean, y + b], [x + lean, y + b - lean]])],
                float(rng.uniform(0.3, 1)),
            )
        else:
            cv2.ellipse(
                glow,
                (int(x), int(y)),
                (int(rng.uniform(3, 18)), int(rng.uniform(3, 12))),
                0,
                0,
                360,
                float(rng.uniform(0.4, 1)),
                -1,
            )
    glow = cv2.GaussianBlur(glow, (0, 0), rng.uniform(0.8, 5))
    image += cv2.resize(glow, (width, height))[..., None] * (90 * strength) * np.array([1.05, 1, 0.95], np.float32)


def cracks(image: np.ndarray, quad, rng) -> None:
    """A broken glass: rays and rings from a point of impact, in place."""
    height, width = image.shape[:2]
    layer = np.zeros((height, width), np.float32)
    centre = rng.uniform([0, 0], [width, height])
    ends = []
    for angle in np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(6, 15)))):
        points, at = [centre], centre.copy()
        for _ in range(9):
            angle += rng.normal(0, 0.16)
            at = at + np.array([np.cos(angle), np.sin(angle)]) * max(width, height) * rng.uniform(0.03, 0.09)
            points.append(at)
        ends.append(points)
        cv2.polylines(
            layer,
            [np.round(np.array(points) * 8).astype(np.int32)],
            False,
            float(rng.uniform(0.4, 1)),
            1,
            cv2.LINE_AA,
            3,
        )
    for step in (1, 2, 4):
        for a, b in zip(ends, ends[1:]):
            if rng.random() < 0.6:
                cv2.line(
                    layer,
                    np.int32(a[step] * 8).tolist(),
                    np.int32(b[step] * 8).tolist(),
                    float(rng.uniform(0.3, 0.9)),
                    1,
                    cv2.LINE_AA,
                    3,
                )
    image += layer[..., None] * 130
    image -= np.roll(layer, 1, axis=1)[..., None] * 60


def dead_lines(image: np.ndarray, sheet: Sheet, homography: np.ndarray, rng) -> None:
    """Coloured lines of a faulty panel, away from the serial, in place."""
    for _ in range(int(rng.integers(1, 4))):
        x = rng.uniform(0, sheet.size[0])
        if sheet.box and sheet.box[0] - sheet.cap < x < sheet.box[2] + sheet.cap:
            continue
        ends = map_points([[x, 0], [x, sheet.size[1]]], homography)
        cv2.line(
            image,
            np.int32(ends[0]).tolist(),
            np.int32(ends[1]).tolist(),
            w.pick(rng, ((255.0, 60.0, 255.0), (60.0, 255.0, 60.0), (255.0, 255.0, 255.0))),
            1,
            cv2.LINE_AA,
        )


def _surroundings(sheet: Sheet, homography: np.ndarray, size, device: str, rng) -> np.ndarray:
    """The photo without the panel's content: room, bezel, keyboard."""
    cap = sheet.cap
    image = surfaces.desk(homography, size, cap, rng) * rng.uniform(0.08, 0.7)
    width, height = sheet.size
    rim = rng.uniform(0.6, 3.5) * cap
    outer = np.array([[-rim, -rim], [width + rim, -rim], [width + rim, height + rim], [-rim, height + rim]], float)
    if device in ("MacBook", "iMac", "Mac Mini"):
        chin = rim + cap * rng.uniform(1, 6)
        outer[2:, 1] = height + chin
        shell = outer + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * cap * 0.6
        shell[2:, 1] += cap * rng.uniform(2, 12)
        fill_polygon(image, outline_in_photo(shell, homography), np.array((150, 150, 152)) * rng.uniform(0.2, 0.9), 1.2)
    else:
        rounded = []
        r = cap * rng.uniform(1, 4)
        for (x, y), sx, sy, start in zip(outer, (1, -1, -1, 1), (1, 1, -1, -1), (180, 270, 0, 90)):
            for a in np.radians(np.linspace(start, start + 90, 8)):
                rounded.append([x + sx * r + r * np.cos(a), y + sy * r + r * np.sin(a)])
        outer = np.array(rounded)
        edge = (outer - [width / 2, height / 2]) * (1 + 0.8 * cap / max(width, height)) + [width / 2, height / 2]
        fill_polygon(
            image,
            outline_in_photo(edge, homography),
            np.array(w.pick(rng, ((160, 160, 164), (60, 60, 64), (150, 180, 210)))) * rng.uniform(0.3, 1),
            1.2,
        )
    fill_polygon(image, outline_in_photo(outer, homography), (10, 10, 11), 1.0)
    return image


def photograph(sheet: Sheet, device: str, conditions: Conditions, size, shrink: float, rng) -> Photo:
    """The panel in a room, seen by a camera."""
    working = round(size[0] / shrink), round(size[1] / shrink)
    homography = place(sheet, conditions, working, conditions.cap / shrink / sheet.cap, rng)
    image = _surroundings(sheet, homography, working, device, rng)
    glow = np.percentile(sheet.image, 90)
    shown = Sheet(sheet.image, sheet.cap, sheet.box, sheet.alpha)
    bright = rng.uniform(0.4, 0.7) if rng.random() < 0.5 * conditions.damage else rng.uniform(0.85, 1.15)
    black = rng.uniform(0, 26) if glow > 40 else rng.uniform(0, 10)
    tint = 1 + rng.normal(0, 0.05, 3)
    shown.image = np.clip(sheet.image.astype(np.float32) * (bright * tint) + black, 0, 255).astype(np.uint8)
    lay(image, shown, homography)
    scale = conditions.cap / shrink / sheet.cap
    # Two to three display pixels per photo pixel alias most; near one, the stripes themselves are visible.
    dots = scale * rng.choice([rng.uniform(0.35, 0.62), rng.uniform(0.85, 1.25), rng.uniform(1.9, 2.1)])
    if rng.random() < 0.75:
        subpixels(image, sheet, homography, dots, rng.uniform(0.02, 0.08 + 0.14 * conditions.light), rng)
    quad = map_points(sheet.corners, homography) if sheet.box else None
    if conditions.damage > 0.45 and rng.random() < 0.35:
        cracks(image, quad, rng)
    if conditions.damage > 0.5 and rng.random() < 0.25:
        dead_lines(image, sheet, homography, rng)
    if rng.random() < 0.5:
        reflections(image, rng.uniform(0.2, 1) * conditions.light, rng)
    if rng.random() < 0.4:
        light.smudges(image, conditions.damage, rng)
    light.uneven(image, conditions.light * 0.5, rng)
    if rng.random() < 0.15:
        light.finger(image, quad, rng)
    light.vignette(image, rng.uniform(0, 0.5) * conditions.light)
    return Photo(image, quad)
