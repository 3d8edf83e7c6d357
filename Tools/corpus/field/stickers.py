"""Photos of serials on labels: the surface, bending, fading, dirt and light."""

import cv2
import numpy as np

from . import light, marks, surfaces
from . import wording as w
from .asset_tag import asset_tag, wear
from .box_label import box_label
from .camera import Photo, map_points
from .compose import fill_polygon, lay, outline_in_photo
from .conditions import Conditions
from .etched import place
from .sheet import Sheet
from .small_labels import accessory_label, repair_ticket

SIZES = (
    (1600, 1200),
    (1200, 1600),
    (1600, 900),
    (900, 1600),
    (1280, 960),
    (1000, 1000),
    (800, 600),
    (640, 480),
    (420, 300),
)


def frame(extent, rng) -> tuple[int, int]:
    """Size of the finished picture of a label of `extent` pixels, which mostly fills a large part of it."""
    if rng.random() < 0.3:
        return w.pick(rng, SIZES)
    aspect = w.pick(rng, (4 / 3, 4 / 3, 16 / 9, 3 / 4, 3 / 4, 9 / 16, 1.0, 2.2))
    room = rng.uniform(1.05, 2.6)
    width = max(extent[0] * room, extent[1] * room * aspect, 300)
    height = width / aspect
    fit = min(1.0, 2000 / max(width, height))
    return round(width * fit), round(height * fit)


def tag(serial: str, cap: float, rng, damage: float) -> tuple[Sheet, str, str]:
    sheet, held = asset_tag(serial, cap, rng, damage)
    return sheet, "asset-tag-" + held, w.pick(rng, ("MacBook", "MacBook", "iPad", "iMac", "iPhone", "Mac Mini"))


def label(serial: str, cap: float, rng, damage: float) -> tuple[Sheet, str, str]:
    """Any label with the serial; its kind and device."""
    choice = rng.random()
    if choice < 0.38:
        sheet, kind, device = box_label(serial, cap, rng)
    elif choice < 0.72:
        return tag(serial, cap, rng, damage)
    elif choice < 0.86:
        sheet, kind, device = accessory_label(serial, cap, rng)
    else:
        sheet, kind, device = repair_ticket(serial, cap, rng)
    wear(sheet, damage * 0.8, rng, spare=sheet.box)
    return sheet, kind, device


def fade(sheet: Sheet, amount: float, rng) -> None:
    """Fades thermal print in stripes along the print head, in place."""
    height, width = sheet.image.shape[:2]
    stripes = cv2.GaussianBlur(rng.standard_normal((1, width)).astype(np.float32), (0, 0), rng.uniform(1, 30))
    stripes = stripes / max(1e-3, np.abs(stripes).max())
    pale = np.clip(amount * (0.75 + 0.35 * stripes), 0, 0.85)[..., None]
    paper = np.median(sheet.image.reshape(-1, 3), axis=0)
    sheet.image[:] = np.clip(sheet.image + (paper - sheet.image) * pale, 0, 255).astype(np.uint8)


def deface(sheet: Sheet, rng) -> None:
    """Damage a part of the codes but not the serial's text: scribbles, a cut, a patch. In place."""
    height, width = sheet.image.shape[:2]
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.integers(0, width), rng.integers(0, height)
        reach = sheet.cap * rng.uniform(2, 7)
        if sheet.context and abs((sheet.context[1] + sheet.context[3]) / 2 - y) < reach * 0.4 + 1.6 * sheet.cap:
            continue
        end = int(x + rng.uniform(-1, 1) * reach * 2), int(y + rng.uniform(-0.3, 0.3) * reach)
        colour = w.pick(rng, ((245, 245, 245), (60, 40, 160), (30, 30, 30), (200, 215, 225)))
        cv2.line(
            sheet.image, (int(x), int(y)), end, colour, max(1, int(sheet.cap * rng.uniform(0.2, 1.2))), cv2.LINE_AA
        )


def wrinkle(sheet: Sheet, amount: float, rng) -> None:
    """Bend the sheet a little and shade its folds, in place."""
    height, width = sheet.image.shape[:2]
    angle = rng.uniform(0, np.pi)
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (xs * np.cos(angle) + ys * np.sin(angle)) / sheet.cap
    phase, period = rng.uniform(0, 6), rng.uniform(9, 26)
    wave = np.sin(2 * np.pi * along / period + phase)
    amplitude = amount * sheet.cap * 0.35
    dx, dy = (np.float32(way * amplitude) * wave for way in (-np.sin(angle), np.cos(angle)))
    sheet.image = cv2.remap(
        sheet.image,
        (xs + dx).astype(np.float32),
        (ys + dy).astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if sheet.alpha is not None:
        sheet.alpha = cv2.remap(
            sheet.alpha,
            (xs + dx).astype(np.float32),
            (ys + dy).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
        )
    fold = np.cos(2 * np.pi * along / period + phase)
    creases = np.zeros((height, width), np.float32)
    for _ in range(int(rng.poisson(3 * amount))):
        a, b = rng.uniform([0, 0], [width, height]), rng.uniform([0, 0], [width, height])
        cv2.line(creases, np.int32(a).tolist(), np.int32(b).tolist(), 1.0, max(1, int(sheet.cap * 0.08)), cv2.LINE_AA)
    shade = 1 + 0.12 * amount * fold - 0.25 * cv2.GaussianBlur(creases, (0, 0), max(0.5, sheet.cap * 0.08))
    sheet.image = np.clip(sheet.image * shade[..., None], 0, 255).astype(np.uint8)


def backdrop(sheet: Sheet, homography: np.ndarray, size, kind: str, rng) -> np.ndarray:
    """The surface below the label: a box, a metal lid, a desk."""
    cap = sheet.cap
    width, height = sheet.size
    image = surfaces.desk(homography, size, cap, rng)
    if kind.startswith("box") and rng.random() < 0.85:
        left, top = rng.uniform(0.5, 12, 2) * cap
        right, bottom = width + rng.uniform(0.5, 12) * cap, height + rng.uniform(0.5, 12) * cap
        face = [[-left, -top], [right, -top], [right, bottom], [-left, bottom]]
        under = np.array(face) + np.array([1.2, 3.0]) * cap
        fill_polygon(image, outline_in_photo(under, homography), np.array((40, 40, 44)), 6.0)
        colour = np.array(w.pick(rng, ((240, 240, 240), (232, 234, 236), (70, 70, 74), (120, 160, 190)))) * rng.uniform(
            0.85, 1
        )
        fill_polygon(image, outline_in_photo(face, homography), colour, 1.2)
    elif kind.startswith(("asset", "accessory")) and rng.random() < 0.75:
        name = w.pick(rng, list(surfaces.METALS))
        metal = surfaces.metal(
            name, w.pick(rng, ("blasted", "brushed", "smooth")), homography, size, cap, rng.uniform(0.01, 0.05), 0, rng
        )
        if rng.random() < 0.5:
            image[:] = metal
        else:
            edge = rng.uniform(2, 30, 4) * cap
            plate = [
                [-edge[0], -edge[1]],
                [width + edge[2], -edge[1]],
                [width + edge[2], height + edge[3]],
                [-edge[0], height + edge[3]],
            ]
            fill_polygon(image, outline_in_photo(plate, homography), metal, 1.5)
    return image


def photograph(sheet: Sheet, kind: str, conditions: Conditions, size, shrink: float, rng) -> Photo:
    working = round(size[0] / shrink), round(size[1] / shrink)
    if rng.random() < conditions.damage * 0.5:
        fade(sheet, rng.uniform(0.15, 0.72) * conditions.damage, rng)
    if rng.random() < conditions.damage * 0.7:
        deface(sheet, rng)
    if rng.random() < conditions.damage:
        wrinkle(sheet, rng.uniform(0.3, 1) * conditions.damage, rng)
    homography = place(sheet, conditions, working, conditions.cap / shrink / sheet.cap, rng)
    image = backdrop(sheet, homography, working, kind, rng)
    lay(image, sheet, homography, shadow=rng.uniform(0.5, 3))
    cap = sheet.cap
    if rng.random() < 0.25:
        x, y = rng.uniform(-30, 40) * cap, sheet.size[1] + rng.uniform(1, 6) * cap
        note = marks.handwriting(cap * rng.uniform(2, 5), rng)
        lay(image, note, homography @ np.array([[1, 0, x], [0, 1, y], [0, 0, 1]]), opacity=0.85)
    quad = map_points(sheet.corners, homography) if sheet.box else None
    if rng.random() < 0.3 * conditions.damage:
        strip = marks.tape(sheet.size[0] * 1.3, cap * rng.uniform(6, 16), rng)
        lay(
            image,
            strip,
            homography @ np.array([[1, 0.02, -0.15 * sheet.size[0]], [0, 1, rng.uniform(0, sheet.size[1])], [0, 0, 1]]),
            opacity=rng.uniform(0.08, 0.3),
        )
    light.uneven(image, conditions.light * 0.8, rng)
    near = quad.mean(axis=0) if quad is not None else None
    if rng.random() < 0.5 * conditions.light:
        light.band(image, rng.uniform(0, 180), rng.uniform(0.3, 1.1) * conditions.light, rng, near)
    if rng.random() < 0.35 * conditions.light:
        light.blob_shadow(image, rng, rng.uniform(0.25, 0.6))
    exposure = rng.uniform(1.15, 1.5) if rng.random() < 0.15 + 0.2 * conditions.light else rng.uniform(0.6, 1.05)
    image *= exposure
    if rng.random() < 0.2:
        light.finger(image, quad, rng)
    if rng.random() < 0.2:
        light.scratches(image, conditions.damage * 0.4, rng, quad)
    light.vignette(image, rng.uniform(0, 0.4) * conditions.light)
    return Photo(image, quad)
