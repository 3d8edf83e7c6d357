"""Light on a photo: unevenness, glare, shadows, vignettes, fingers and smudges."""

import cv2
import numpy as np

from .compose import fill_polygon


def field(size, coarse: int, rng) -> np.ndarray:
    """A smooth random field over the photo, about -1...1."""
    grid = rng.standard_normal((coarse + 2, coarse + 2)).astype(np.float32)
    big = cv2.resize(grid, (64, 64), interpolation=cv2.INTER_CUBIC)
    big = cv2.GaussianBlur(big, (0, 0), 4)
    big /= max(1e-3, np.abs(big).max())
    return cv2.resize(big, tuple(size), interpolation=cv2.INTER_CUBIC)


def uneven(image: np.ndarray, amount: float, rng) -> None:
    """Brightness and colour that change slowly over the picture, in place."""
    size = image.shape[1], image.shape[0]
    shade = field(size, int(rng.integers(1, 4)), rng)
    tint = field(size, 1, rng)[..., None] * rng.normal(0, 0.05, 3).astype(np.float32) * amount
    image *= np.clip(1 + 0.55 * amount * shade[..., None] + tint, 0.12, 1.9)


def band(image: np.ndarray, homography_angle: float, strength: float, rng, near=None) -> None:
    """Adds a glare band as from lamps on metal, in place. `near` is a point that the brightest part avoids."""
    height, width = image.shape[:2]
    ys, xs = np.mgrid[0:90, 0:90].astype(np.float32) / 89
    angle = np.radians(homography_angle + rng.normal(0, 18))
    across = xs * np.cos(angle) + ys * np.sin(angle)
    middle = rng.uniform(across.min(), across.max())
    if near is not None:
        point = near[0] / width * np.cos(angle) + near[1] / height * np.sin(angle)
        wide = rng.uniform(0.08, 0.25)
        if abs(middle - point) < 1.5 * wide:
            middle = point + 1.5 * wide * (1 if rng.random() < 0.5 else -1)
    else:
        wide = rng.uniform(0.04, 0.2)
    glow = np.exp(-((across - middle) ** 2) / (2 * wide * wide)) * strength
    image += cv2.resize(glow, (width, height), interpolation=cv2.INTER_LINEAR)[..., None] * np.array(
        [118, 122, 126], np.float32
    )


def vignette(image: np.ndarray, amount: float) -> None:
    height, width = image.shape[:2]
    ys, xs = np.mgrid[0:60, 0:60].astype(np.float32) / 29.5 - 1
    image *= cv2.resize(1 - amount * np.clip(xs * xs + ys * ys, 0, 2) / 2, (width, height))[..., None]


def blob_shadow(image: np.ndarray, rng, depth: float) -> None:
    """The shadow of a hand or a phone over part of the picture, in place."""
    height, width = image.shape[:2]
    mask = np.zeros((120, 120), np.float32)
    x, y = rng.uniform(10, 110, 2)
    for _ in range(int(rng.integers(2, 6))):
        axes = rng.integers(10, 45), rng.integers(8, 30)
        cv2.ellipse(mask, (int(x), int(y)), (int(axes[0]), int(axes[1])), float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
        x, y = x + rng.normal(0, 22), y + rng.normal(0, 22)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(2, 7))
    image *= 1 - depth * cv2.resize(mask, (width, height))[..., None]


SKIN = [(112, 142, 196), (150, 178, 224), (62, 84, 128), (42, 58, 92), (96, 120, 178)]


def finger(image: np.ndarray, keep_off, rng) -> None:
    """A fingertip that comes in from an edge, away from the points `keep_off` (n x 2), in place."""
    height, width = image.shape[:2]
    thick = rng.uniform(0.05, 0.11) * max(width, height)
    for _ in range(12):
        side = rng.integers(4)
        along = rng.uniform(0.05, 0.95)
        start = [(0, along * height), (width, along * height), (along * width, 0), (along * width, height)][side]
        inward = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)][side], float)
        swing = np.radians(rng.uniform(-35, 35))
        turn = np.array([[np.cos(swing), -np.sin(swing)], [np.sin(swing), np.cos(swing)]])
        way = turn @ inward
        length = rng.uniform(0.6, 2.4) * thick
        tip = np.array(start) + way * length
        base = np.array(start) - way * thick
        spans = np.linspace(base, tip, 14)
        if (
            keep_off is None
            or np.min(np.linalg.norm(spans[:, None] - np.asarray(keep_off)[None], axis=2)) > 0.95 * thick
        ):
            break
    else:
        return
    colour = np.array(SKIN[rng.integers(len(SKIN))], np.float32) * rng.uniform(0.75, 1.1)
    side_way = np.array([-way[1], way[0]])
    angles = np.linspace(-np.pi / 2, np.pi / 2, 18)
    outline = [base - side_way * thick * 0.55] + [
        tip + way * np.cos(a) * thick * 0.55 + side_way * np.sin(a) * thick * 0.5 for a in angles
    ]
    outline.append(base + side_way * thick * 0.55)
    outline = np.array(outline)
    fill_polygon(image, outline + side_way * thick * 0.12, (18, 18, 18), soft=thick * 0.16)
    left, top = np.maximum(0, outline.min(axis=0) - 4).astype(int)
    right, bottom = np.minimum([width, height], outline.max(axis=0) + 4).astype(int)
    if right - left < 4 or bottom - top < 4:
        return
    ys, xs = np.mgrid[top:bottom, left:right].astype(np.float32)
    off = ((xs - tip[0]) * side_way[0] + (ys - tip[1]) * side_way[1]) / (0.55 * thick)
    deep = (xs - tip[0]) * way[0] + (ys - tip[1]) * way[1]
    shade = np.clip(1.08 - 0.45 * off * off - 0.12 * np.sin(deep / thick * 9) * (deep < -0.9 * thick), 0.3, 1.2)
    skin = np.zeros_like(image)
    skin[top:bottom, left:right] = colour * shade[..., None]
    fill_polygon(image, outline, skin, soft=1.5)
    if rng.random() < 0.6:
        nail = np.array(
            [
                tip + way * thick * (0.1 + 0.3 * np.cos(a)) + side_way * thick * 0.27 * np.sin(a)
                for a in np.linspace(0, 2 * np.pi, 24)
            ]
        )
        fill_polygon(image, nail, np.minimum(colour * 1.15 + 18, 245), soft=1.5)


def smudges(image: np.ndarray, amount: float, rng) -> None:
    """Fingerprints and dust on glass or metal, in place."""
    height, width = image.shape[:2]
    layer = np.zeros((height // 2 + 1, width // 2 + 1), np.float32)
    for _ in range(int(1 + 5 * amount)):
        x, y = rng.integers(0, layer.shape[1]), rng.integers(0, layer.shape[0])
        radius = rng.uniform(0.02, 0.07) * max(width, height)
        turn = rng.uniform(0, 180)
        for ring in np.arange(0.15, 1, 0.11):
            cv2.ellipse(
                layer,
                (int(x), int(y)),
                (max(1, int(radius * ring * 0.5)), max(1, int(radius * ring * 0.75))),
                turn,
                rng.uniform(0, 60),
                rng.uniform(250, 360),
                float(rng.uniform(0.3, 1)),
                1,
                cv2.LINE_AA,
            )
    layer = cv2.GaussianBlur(layer, (0, 0), 1.2)
    image += cv2.resize(layer, (width, height))[..., None] * (26 * amount)


def scratches(image: np.ndarray, amount: float, rng, keep_off=None) -> None:
    """Thin bright or dark lines and specks, in place. The region `keep_off` (a quad) gets only faint ones."""
    height, width = image.shape[:2]
    layer = np.zeros((height, width), np.float32)
    for _ in range(int(rng.poisson(14 * amount))):
        start = rng.uniform([0, 0], [width, height])
        way = rng.normal(0, 0.08 * max(width, height), 2)
        bend = rng.normal(0, 0.1, 2) * np.abs(way).max()
        points = [start + way * t + bend * t * (1 - t) for t in np.linspace(0, 1, 8)]
        cv2.polylines(
            layer,
            [np.round(np.array(points) * 16).astype(np.int32)],
            False,
            float(rng.normal(0, 0.7)),
            1,
            cv2.LINE_AA,
            4,
        )
    for _ in range(int(rng.poisson(30 * amount))):
        x, y = rng.integers(0, width), rng.integers(0, height)
        cv2.circle(layer, (int(x), int(y)), int(rng.integers(1, 3)), float(rng.normal(0.3, 0.8)), -1, cv2.LINE_AA)
    if keep_off is not None:
        cover = np.ones((height, width), np.float32)
        cv2.fillConvexPoly(cover, np.round(keep_off).astype(np.int32), 0.3)
        layer *= cover
    image += layer[..., None] * 60
