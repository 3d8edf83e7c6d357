"""Signs of use: marker pen, fingerprints, scratches, dust, and fingers in the picture."""

import cv2
import numpy as np

from . import textures
from .sheet import Sheet

PENS = [(40, 30, 30), (35, 35, 160), (30, 30, 30), (120, 60, 20), (50, 50, 200)]
NOTES = [
    "RM {0}",
    "Rm - {0}",
    "{0}",
    "iCloud on",
    "OK",
    "SSD Note",
    "no batt",
    "LCD ?",
    "B{0}",
    "8/256",
    "locked",
    "Lot 7",
    "PW 1234",
]


def handwriting(rng: np.random.Generator, sheet: Sheet, x: float, y: float, height: float) -> None:
    """A note in marker pen, `height` millimetres high, somewhat shaky."""
    note = str(rng.choice(NOTES)).format(rng.integers(10000, 99999))
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX]))
    scale = height * sheet.ppm / 22
    thick = max(2, round(height * sheet.ppm * rng.uniform(0.09, 0.16)))
    (width, tall), base = cv2.getTextSize(note, font, scale, thick)
    pad = tall
    ink = np.zeros((tall + base + 2 * pad, width + 2 * pad), np.uint8)
    cv2.putText(ink, note, (pad, pad + tall), font, scale, 255, thick, cv2.LINE_AA)
    rows, columns = ink.shape
    shake = tall * 0.10
    grid_y, grid_x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    grid_x += textures.field(rng, rows, columns, tall * 0.6) * shake + (grid_y - rows / 2) * rng.uniform(-0.2, 0.4)
    grid_y += textures.field(rng, rows, columns, tall * 0.8) * shake + (grid_x - columns / 2) * rng.uniform(-0.12, 0.12)
    ink = cv2.remap(ink, grid_x, grid_y, cv2.INTER_LINEAR)
    streaks = np.clip(1 + 0.25 * textures.field(rng, rows, columns, max(2, thick / 3), 3), 0.4, 1)
    left, top = sheet.px(x, y)
    sheet.stamp((ink * streaks).astype(np.uint8), left, top, PENS[rng.integers(0, len(PENS))], rng.uniform(0.75, 0.95))


def scratches(rng: np.random.Generator, sheet: Sheet, count: int, light: bool) -> None:
    """Fine lines, lighter or darker than the ground."""
    layer = np.zeros(sheet.image.shape[:2], np.float32)
    height, width = layer.shape
    for _ in range(count):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        angle, length = rng.uniform(0, np.pi), rng.exponential(4 * sheet.ppm) + sheet.ppm
        end = (int(x + length * np.cos(angle)), int(y + length * np.sin(angle)))
        cv2.line(layer, (int(x), int(y)), end, float(rng.uniform(10, 45)), 1, cv2.LINE_AA)
    textures.grained(sheet.image, layer if light else -layer)


def smudges(rng: np.random.Generator, sheet: Sheet, count: int) -> None:
    """Fingerprints and grease: pale patches with ridges."""
    height, width = sheet.image.shape[:2]
    for _ in range(count):
        half = int(sheet.ppm * rng.uniform(4, 9))
        cx, cy = int(rng.uniform(0, width)), int(rng.uniform(0, height))
        y0, y1, x0, x1 = max(0, cy - half), min(height, cy + half), max(0, cx - half), min(width, cx + half)
        if y1 - y0 < 8 or x1 - x0 < 8:
            continue
        y, x = np.mgrid[y0:y1, x0:x1].astype(np.float32)
        radius = np.hypot((x - cx) / rng.uniform(0.6, 1), y - cy)
        wobble = textures.field(rng, y1 - y0, x1 - x0, half / 2) * half * 0.12
        ridges = 0.5 + 0.5 * np.sin((radius + wobble) * 2 * np.pi / (0.5 * sheet.ppm))
        patch = (
            np.clip(1 - radius / half, 0, 1) ** 0.7 * (0.5 + 0.5 * ridges) * rng.uniform(6, 20) * rng.choice([1, -1])
        )
        textures.grained(sheet.image[y0:y1, x0:x1], patch)


def dust(rng: np.random.Generator, sheet: Sheet, count: int) -> None:
    """Specks and crumbs."""
    height, width = sheet.image.shape[:2]
    for _ in range(count):
        tone = int(rng.choice([40, 70, 225, 245]))
        place = (int(rng.uniform(0, width)), int(rng.uniform(0, height)))
        cv2.circle(
            sheet.image, place, max(1, round(abs(rng.normal(0, 0.12)) * sheet.ppm)), (tone, tone, tone), -1, cv2.LINE_AA
        )


def fingers(rng: np.random.Generator, photo: np.ndarray, away_from: np.ndarray | None) -> np.ndarray:
    """One to three fingertips that come in from an edge of the photo, clear of the serial."""
    height, width = photo.shape[:2]
    thick = rng.uniform(0.13, 0.24) * min(height, width)
    skin = np.array(
        [[150, 180, 225], [95, 130, 180], [60, 85, 130], [120, 155, 205], [45, 65, 100]][rng.integers(0, 5)], np.float32
    )
    mask, nails = np.zeros((height, width), np.uint8), np.zeros((height, width), np.uint8)
    edge, along = rng.integers(0, 4), rng.uniform(0.1, 0.9)
    inward = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)][edge], float)
    across = np.array([-inward[1], inward[0]])
    origin = np.array(
        [(0, along * height), (along * width, 0), (width, along * height), (along * width, height)][edge], float
    )
    lean = across * rng.uniform(-0.35, 0.35)
    direction = (inward + lean) / np.linalg.norm(inward + lean)
    nailed = rng.random() < 0.6
    for finger in range(int(rng.integers(1, 4))):
        base = origin + across * finger * thick * 1.05
        tip = base + direction * thick * rng.uniform(1.0, 2.2)
        half = thick / 2
        side = np.array([-direction[1], direction[0]])
        outline = [base - direction * thick + side * half, tip - direction * half + side * half * 0.95]
        arc = [
            tip - direction * half + side * half * 0.95 * np.cos(a) + direction * half * 1.15 * np.sin(a)
            for a in np.linspace(0, np.pi, 14)
        ]
        outline += arc + [tip - direction * half - side * half * 0.95, base - direction * thick - side * half]
        cv2.fillPoly(mask, [np.array(outline).astype(np.int32)], 255, cv2.LINE_AA)
        if nailed:
            centre = tuple((tip - direction * half * 0.35).astype(int).tolist())
            angle = float(np.degrees(np.arctan2(direction[1], direction[0])))
            cv2.ellipse(nails, centre, (int(half * 0.62), int(half * 0.5)), angle, 0, 360, 255, -1, cv2.LINE_AA)
    if away_from is not None:
        reach = int(thick * 0.3)
        x0, y0 = np.maximum(away_from.min(0).astype(int) - reach, 0)
        x1, y1 = np.maximum(away_from.max(0).astype(int) + reach, 0)
        if mask[y0:y1, x0:x1].any():
            return photo
    return _flesh(rng, photo, mask, nails, skin, thick)


def _flesh(
    rng: np.random.Generator, photo: np.ndarray, mask: np.ndarray, nails: np.ndarray, skin: np.ndarray, thick: float
) -> np.ndarray:
    """Shade the fingers: darker rims, creases, paler nails, and a soft shadow beside them."""
    height, width = mask.shape
    small = cv2.resize(mask, (max(1, width // 8), max(1, height // 8)), interpolation=cv2.INTER_AREA)
    inner = (
        cv2.resize(cv2.GaussianBlur(small, (0, 0), thick / 8 * 0.22), (width, height)).astype(np.float32)[:, :, None]
        / 255
    )
    shadow = (
        cv2.resize(cv2.GaussianBlur(small, (0, 0), thick / 8 * 0.35), (width, height)).astype(np.float32)[:, :, None]
        / 255
    )
    soft = cv2.GaussianBlur(mask, (0, 0), thick * 0.02 + 0.5).astype(np.float32)[:, :, None] / 255
    creases = textures.field(rng, height, width, max(2, thick / 14), 3)[:, :, None]
    flesh = skin * (0.25 + 0.85 * inner**1.5) * (1 + 0.05 * creases)
    nail = cv2.GaussianBlur(nails, (0, 0), thick * 0.015 + 0.5).astype(np.float32)[:, :, None] / 255 * 0.8
    flesh = flesh * (1 - nail) + (skin * 0.6 + np.array([95, 95, 110], np.float32)) * inner * nail
    return photo * (1 - 0.45 * shadow) * (1 - soft) + flesh * soft
