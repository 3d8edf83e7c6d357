"""Photos of serials on boxes, labels and stickers."""

import cv2
import numpy as np
from picture import Picture
from serials import random_serial

from . import asset_label, box_label, camera, case_print, chat, device_label, light, marks, plain_things, textures
from .sheet import Sheet
from .view import View, inside, lean, lens_bend, turned

FRAMES = [
    (1600, 1200),
    (1200, 1600),
    (1280, 960),
    (960, 1280),
    (1600, 900),
    (900, 1600),
    (1024, 768),
    (1000, 1000),
    (640, 480),
]
KINDS = {"retail-box": 0.28, "carton": 0.11, "asset": 0.22, "device-label": 0.16, "ticket": 0.12, "case-print": 0.11}


def draw_label(
    rng: np.random.Generator, kind: str, serial: str, with_code: bool | None = None
) -> tuple[Sheet, np.ndarray | None, str]:
    """A label, its cover mask (None: all of it), and its device type. Codes usually contain the serial, or the given
    content."""
    with_code = bool(rng.random() < 0.7) if with_code is None else with_code
    ppm = 16.0
    if kind == "retail-box":
        return (
            box_label.retail(rng, serial, ppm, with_code),
            None,
            str(rng.choice(["iPhone", "MacBook", "iPad", "Apple Watch", "Accessory"])),
        )
    if kind == "carton":
        return box_label.carton(rng, serial, ppm, with_code), None, str(rng.choice(["MacBook", "iMac", "Accessory"]))
    if kind == "asset":
        label, mask = asset_label.asset_label(rng, serial, rng.uniform(1.6, 2.8), with_code)
        return label, mask, str(rng.choice(["MacBook", "iMac", "Mac Mini", "Accessory", "iPad"]))
    if kind == "device-label":
        label, _ = device_label.small(rng, serial, 24.0, with_code and rng.random() < 0.5)
        return label, None, str(rng.choice(["Apple Watch", "Accessory", "Accessory"]))
    if kind == "case-print":
        return case_print.draw(rng, serial, 26.0), None, str(rng.choice(["Accessory", "Apple Watch"]))
    return (
        device_label.ticket(rng, serial, ppm, with_code),
        None,
        str(rng.choice(["MacBook", "iPhone", "iPad", "Apple Watch"])),
    )


def make_sticker(grade: str, rng: np.random.Generator, oblique: bool = False) -> Picture:
    """A picture of a label with a legible serial, from the side if `oblique`."""
    names = list(KINDS)
    for _ in range(40):
        kind = str(rng.choice(names, p=[KINDS[name] for name in names]))
        serial = random_serial(rng, {12: 0.45, 10: 0.35, 11: 0.2})
        label, mask, device = draw_label(rng, kind, serial)
        picture = photographed(rng, grade, label, mask, kind, device, oblique=oblique)
        if picture is not None:
            picture.serial = serial
            return picture
    raise RuntimeError("no label held its serial")


def photographed(
    rng: np.random.Generator,
    grade: str,
    label: Sheet,
    mask: np.ndarray | None,
    kind: str,
    device: str,
    capital_mm: float | None = None,
    oblique: bool = False,
) -> Picture | None:
    """A photo of the label on its surface; for labels without a serial, pass `capital_mm`."""
    low, high = {"easy": (14, 30), "medium": (10, 19), "hard": (8, 12)}[grade]
    capital = rng.uniform(low, high)
    tall = capital_mm or float(np.linalg.norm(label.serial_quad[3] - label.serial_quad[0]))
    scale = capital / tall
    size = FRAMES[rng.integers(0, len(FRAMES))]
    if grade == "easy" and rng.random() < 0.03:
        size, scale = (4032, 3024), scale * 2.2
        capital *= 2.2
    size = _filled(rng, size, (label.extent.right - label.extent.left) * scale)
    focus = label.serial_quad.mean(0) if label.serial_quad is not None else np.zeros(2)
    angle = rng.normal(0, {"easy": 2, "medium": 7, "hard": 12}[grade])
    if rng.random() < 0.12:
        angle += rng.choice([-1, 1]) * rng.uniform(20, 45)
    aim = tuple(focus * rng.uniform(0.3, 0.9))
    at = (size[0] * rng.uniform(0.42, 0.58), size[1] * rng.uniform(0.42, 0.58))
    leaning = lean(rng, {"easy": 8, "medium": 20, "hard": 30}[grade], oblique)
    scale *= leaning.nearer
    view = View(size, scale, aim, at, angle, leaning.x, leaning.y, lens_bend(rng))
    scene = _ground(rng, view, scale, label, kind)
    if kind != "case-print":
        textures.paper(rng, label.image, label.ppm)
        if rng.random() < 0.5:
            _edge_shadow(scene, label)
    if kind in ("retail-box", "asset", "ticket", "carton") and rng.random() < 0.15:
        _neighbour(rng, scene, label)
    scene.place(label, 0, 0, 0, mask)
    if rng.random() < 0.12:
        marks.handwriting(rng, scene, rng.uniform(-30, 10), label.extent.bottom + rng.uniform(1, 10), rng.uniform(4, 9))
    if grade != "easy":
        marks.scratches(rng, scene, int(rng.poisson(3)), rng.random() < 0.5)
        marks.dust(rng, scene, int(rng.poisson(4)))
    clean, quad = view.take(scene)
    if kind == "case-print":
        clean, quad = rolled(rng, clean, quad, capital)
    elif grade != "easy" and rng.random() < 0.4:
        clean, quad = crumpled(rng, clean, quad, capital * {"medium": 0.35, "hard": 0.6}[grade])
    if quad is not None and not inside(quad, clean, 0.6 * capital):
        return None
    photo = _lit(rng, clean.astype(np.float32), grade, quad)
    taken = camera.exposure(rng, grade, capital)
    if quad is None:
        photo = camera.shoot(rng, photo, taken, capital)
    else:
        low_tone, high_tone = (40, 120) if clean[quad_box(quad, clean)].mean() < 110 else (110, 232)
        photo = camera.metered(photo, quad, low_tone, high_tone, rng)
        photo = camera.shoot_legibly(rng, photo, clean, quad, grade, taken, capital)
    if photo is None:
        return None
    photo, quad = turned(photo, quad, int(rng.choice([0, 1, 2, 3], p=[0.66, 0.12, 0.1, 0.12])))
    if rng.random() < 0.04:
        photo, quad = chat.shown_in_chat(rng, photo, quad)
    quality = int(rng.integers(*{"easy": (82, 96), "medium": (62, 92), "hard": (45, 82)}[grade]))
    return Picture(photo, quality, "", device, kind, quad)


def _filled(rng: np.random.Generator, size: tuple[int, int], label_pixels: float) -> tuple[int, int]:
    """A smaller frame if the label would be tiny in the picture: most people move closer, or crop."""
    if label_pixels > 0.4 * size[0] or rng.random() < 0.3:
        return size
    share = max(label_pixels / (size[0] * rng.uniform(0.4, 0.85)), 360 / min(size))
    return (round(size[0] * share), round(size[1] * share)) if share < 1 else size


def quad_box(quad: np.ndarray, image: np.ndarray) -> tuple[slice, slice]:
    """The rows and columns that the quad spans."""
    (x0, y0), (x1, y1) = np.maximum(quad.min(0), 0).astype(int), quad.max(0).astype(int) + 1
    return slice(y0, min(y1, image.shape[0])), slice(x0, min(x1, image.shape[1]))


def _ground(rng: np.random.Generator, view: View, scale: float, label: Sheet, kind: str) -> Sheet:
    """The surface below the label: box board, a metal lid, a plastic case, a desk."""
    scene = Sheet(view.extent(), min(1.15 * scale, 30))
    box = label.extent.grown(rng.uniform(2, 30))
    if kind in ("retail-box", "carton"):
        textures.desk(rng, scene.image, scene.ppm)
        x0, y0 = scene.px(box.left, box.top)
        x1, y1 = scene.px(box.right, box.bottom)
        part = scene.image[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)]
        if part.size:
            textures.cardboard(rng, part, scene.ppm)
        if kind == "retail-box" and rng.random() < 0.5:
            # Printed straight onto the box: no edge between label and board.
            tone = part.reshape(-1, 3).mean(0) if part.size else np.full(3, 240)
            if tone.min() > 190:
                label.image = np.clip(label.image * (tone / 250), 0, 255).astype(np.uint8)
    elif kind == "asset" or (kind == "ticket" and rng.random() < 0.5):
        scene.image[:] = int(rng.uniform(60, 210))
        textures.metal(rng, scene.image, scene.ppm)
        marks.scratches(rng, scene, 6, True)
    elif kind in ("device-label", "case-print"):
        tone = (
            label.image[0, 0]
            if kind == "case-print" or rng.random() < 0.6
            else rng.uniform(30, 235) + rng.normal(0, 20, 3)
        )
        scene.image[:] = np.clip(tone, 5, 250).astype(np.uint8)
        if kind != "case-print":
            textures.grained(scene.image, textures.field(rng, *scene.image.shape[:2], cell=2) * 2)
    else:
        textures.desk(rng, scene.image, scene.ppm)
    return scene


def _neighbour(rng: np.random.Generator, scene: Sheet, label: Sheet) -> None:
    """Another label beside this one, with numbers that do not belong to it."""
    draw = [plain_things.parcel, plain_things.numbers, plain_things.router, plain_things.code_only][rng.integers(0, 4)]
    other = draw(rng)
    edge = other.extent
    half_width, half_height = (edge.right - edge.left) / 2, (edge.bottom - edge.top) / 2
    gap = rng.uniform(2, 8)
    if rng.random() < 0.5:
        place = (rng.choice([-1, 1]) * (label.extent.right + half_width + gap), rng.uniform(-8, 8))
    else:
        place = (rng.uniform(-12, 12), rng.choice([-1, 1]) * (label.extent.bottom + half_height + gap))
    scene.place(other, float(place[0]), float(place[1]), rng.normal(0, 3))


def rolled(
    rng: np.random.Generator, photo: np.ndarray, quad: np.ndarray | None, capital: float
) -> tuple[np.ndarray, np.ndarray | None]:
    """The picture on a rounded case: rows bend by a few capital heights, and the light falls off at the sides."""
    rows, columns = photo.shape[:2]
    bow = capital * rng.uniform(-2.0, 2.0)
    middle = columns * rng.uniform(0.35, 0.65)
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    away = (x - middle) / columns
    bent = cv2.remap(photo, x, y + 4 * bow * away**2, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shade = 1.05 - rng.uniform(0.2, 0.9) * away**2
    bent = np.clip(bent * shade[:, :, None], 0, 255).astype(np.uint8)
    if quad is not None:
        quad = quad - np.column_stack([np.zeros(4), 4 * bow * ((quad[:, 0] - middle) / columns) ** 2])
    return bent, quad


def _edge_shadow(scene: Sheet, label: Sheet) -> None:
    """A thin dark line where the label ends."""
    edge = label.extent.grown(0.25)
    scene.rect(
        edge.left,
        edge.top,
        edge.right - edge.left,
        edge.bottom - edge.top,
        tuple(int(v) for v in scene.image.mean((0, 1)) * 0.6),
        1.0,
    )


def crumpled(
    rng: np.random.Generator, photo: np.ndarray, quad: np.ndarray | None, height: float
) -> tuple[np.ndarray, np.ndarray | None]:
    """Creases and waves: smooth shifts of up to about `height` pixels, with the shading they bring."""
    rows, columns = photo.shape[:2]
    cell = max(rows, columns) / rng.uniform(3, 9)
    shift_x = textures.field(rng, rows, columns, cell) * height
    shift_y = textures.field(rng, rows, columns, cell) * height
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    bent = cv2.remap(photo, x + shift_x, y + shift_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shade = 1 + 0.02 * textures.field(rng, rows, columns, cell / 2)
    for _ in range(int(rng.integers(0, 4))):
        angle, place = rng.uniform(0, np.pi), rng.uniform(-0.4, 0.4) * columns
        ridge = (x - columns / 2) * np.cos(angle) + (y - rows / 2) * np.sin(angle) - place
        shade += rng.uniform(-0.12, 0.12) * np.exp(-np.abs(ridge) / (0.004 * columns)) + rng.uniform(-0.05, 0.05) * (
            ridge > 0
        )
    bent = np.clip(bent * shade[:, :, None], 0, 255).astype(np.uint8)
    if quad is not None:
        inside_x = np.clip(quad[:, 0], 0, columns - 1).astype(int)
        inside_y = np.clip(quad[:, 1], 0, rows - 1).astype(int)
        quad = quad - np.column_stack([shift_x[inside_y, inside_x], shift_y[inside_y, inside_x]])
    return bent, quad


def _lit(rng: np.random.Generator, photo: np.ndarray, grade: str, quad: np.ndarray | None) -> np.ndarray:
    depth = {"easy": 0.4, "medium": 0.9, "hard": 1.2}[grade]
    photo = light.falloff(rng, photo, depth)
    if rng.random() < 0.5 * depth:
        photo = light.cast(rng, photo, rng.uniform(0.2, 0.7))
    if rng.random() < 0.4 * depth:
        photo = light.glare(rng, photo, rng.uniform(0.2, 0.7), quad, 1.1)
    if grade != "easy" and rng.random() < 0.3:
        photo = light.shadow(rng, photo, rng.uniform(0.2, 0.6))
    if rng.random() < 0.1:
        photo = marks.fingers(rng, photo, quad)
    return photo
