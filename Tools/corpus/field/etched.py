"""Etched serials: undersides and backs of devices, photographed."""

import numpy as np

from . import fonts, light, marks, surfaces
from . import wording as w
from .asset_tag import asset_tag
from .camera import Photo, local_scale, map_points, pose
from .compose import fill_polygon, lay, outline_in_photo, region, warped
from .conditions import Conditions
from .etched_ink import paint
from .etched_wording import Block
from .sheet import Sheet, corners_of

OVERSAMPLE = 1.2

SIZES = {
    "wide": (1600, 900),
    "tall": (900, 1600),
    "photo": (1440, 1080),
    "upright": (1080, 1440),
    "square": (1200, 1200),
    "crop": (900, 380),
    "small": (640, 480),
    "tiny": (330, 250),
}


def photo_size(grade: str, cap: float, rng) -> tuple[tuple[int, int], str]:
    """Width and height of the finished picture."""
    if grade != "hard" and cap > 11 and rng.random() < 0.035:
        return ((4032, 3024) if rng.random() < 0.6 else (3024, 4032)), "original"
    name = str(rng.choice(list(SIZES), p=[0.3, 0.2, 0.13, 0.1, 0.04, 0.13, 0.06, 0.04]))
    width, height = SIZES[name]
    stretch = rng.uniform(0.88, 1.1)
    return (round(width * stretch), round(height * stretch)), name


def place(sheet: Sheet, conditions: Conditions, size, scale: float, rng) -> np.ndarray:
    """Homography that places the serial, mostly with its label, in the photo at about `scale`.

    Reduces tilt and scale if it does not fit; raises ValueError if it never does.
    """
    shown = sheet.context if rng.random() < 0.92 else sheet.box
    corners = corners_of(shown or (0, 0, *sheet.size))
    ease = 1.0
    for attempt in range(24):
        at = np.array(size) * (0.5 + rng.uniform(-0.3, 0.3, 2) * (1 if attempt < 10 else 0.4))
        homography = pose(
            sheet.centre,
            scale,
            at,
            size,
            conditions.pitch * ease,
            conditions.yaw * ease,
            conditions.roll * ease,
            rng.uniform(0.8, 1.6),
        )
        seen = map_points(corners, homography)
        shrunk = local_scale(homography, sheet.centre) / scale
        if shrunk < 0.97:
            homography = pose(
                sheet.centre,
                scale / max(shrunk, 0.6),
                at,
                size,
                conditions.pitch * ease,
                conditions.yaw * ease,
                conditions.roll * ease,
                1.2,
            )
            seen = map_points(corners, homography)
        margin = 0.35 * scale * sheet.cap + 2
        if seen.min() > margin and seen[:, 0].max() < size[0] - margin and seen[:, 1].max() < size[1] - margin:
            return homography
        ease *= 0.92
        if attempt > 12:
            scale *= 0.97
    raise ValueError("the serial does not fit the photo")


def chassis(image: np.ndarray, block: Block, sheet: Sheet, homography: np.ndarray, rng) -> None:
    """Everything around the metal plate: desk, edges, hinge, vents, feet, screws. In place."""
    cap = sheet.cap
    cx, cy = sheet.size[0] / 2, sheet.size[1] / 2
    top = cy - sheet.size[1] / 2 - cap * rng.uniform(2, 14)
    size = image.shape[1], image.shape[0]
    to_photo = lambda points: outline_in_photo(points, homography)
    far = 420 * cap
    if block.device == "MacBook":
        metal = image.copy()
        if rng.random() < 0.75:
            lid_top = top - cap * rng.uniform(4, 16)
            gap = cap * rng.uniform(2, 6)
            fill_polygon(
                image,
                to_photo([[-far, top], [far, top], [far, -far], [-far, -far]]),
                surfaces.desk(homography, size, cap, rng) * rng.uniform(0.3, 1),
                1.0,
            )
            fill_polygon(
                image,
                to_photo([[-far, lid_top], [far, lid_top], [far, top], [-far, top]]),
                np.clip(metal * rng.uniform(0.9, 1.25), 0, 255),
                1.0,
            )
            fill_polygon(
                image, to_photo([[-far, top - gap], [far, top - gap], [far, top], [-far, top]]), (26, 24, 24), 1.2
            )
            fill_polygon(
                image,
                to_photo(
                    [[-far, top - gap * 0.35], [far, top - gap * 0.35], [far, top - gap * 0.1], [-far, top - gap * 0.1]]
                ),
                (84, 80, 78),
                1.0,
            )
            for i in range(int(rng.integers(0, 5))):
                x = cx + cap * (-60 + 30 * i + rng.uniform(-3, 3))
                fill_polygon(
                    image,
                    to_photo(
                        [
                            [x, top + 2 * cap],
                            [x + 9 * cap, top + 2 * cap],
                            [x + 9 * cap, top + 2.7 * cap],
                            [x, top + 2.7 * cap],
                        ]
                    ),
                    (20, 20, 20),
                    1.0,
                )
        if rng.random() < 0.6:
            for sign in (-1, 1):
                x, y, r = (
                    cx + sign * cap * rng.uniform(85, 120),
                    cy + cap * rng.uniform(-2, 18),
                    cap * rng.uniform(5, 8),
                )
                ring = [[x + r * np.cos(a), y + r * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 40)]
                fill_polygon(image, to_photo(ring), (44, 42, 42), 1.0)
                fill_polygon(
                    image,
                    to_photo([[x + 0.9 * (px - x), y + 0.9 * (py - y) - 0.2 * cap] for px, py in ring]),
                    (60, 58, 58),
                    1.5,
                )
        for i in range(int(rng.integers(0, 6))):
            x, y, r = cx + cap * (-150 + 55 * i), top + 4.5 * cap, 1.1 * cap
            ring = [[x + r * np.cos(a), y + r * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 20)]
            fill_polygon(image, to_photo(ring), (70, 70, 70), 0.8)
            fill_polygon(
                image, to_photo([[x + 0.5 * (px - x), y + 0.5 * (py - y)] for px, py in ring]), (24, 24, 24), 0.8
            )
        return
    reach = {"iPad": (60, 130), "iMac": (15, 60), "iPhone": (3, 10), "Mac Mini": (15, 70), "Accessory": (2, 25)}[
        block.device
    ]
    half_wide = sheet.size[0] / 2 + cap * rng.uniform(*reach)
    half_high = sheet.size[1] / 2 + cap * rng.uniform(*reach) * (2.5 if block.device == "iPhone" else 1)
    cy += (half_high - sheet.size[1] / 2) * rng.uniform(-0.9, 0.5)
    corner = min(half_wide, half_high) * rng.uniform(0.1, 0.9)
    outline = []
    for sx, sy, start in ((1, 1, 0), (-1, 1, 90), (-1, -1, 180), (1, -1, 270)):
        for a in np.radians(np.linspace(start, start + 90, 10)):
            outline.append(
                [
                    cx + sx * (half_wide - corner) + corner * np.cos(a),
                    cy + sy * (half_high - corner) + corner * np.sin(a),
                ]
            )
    metal = image.copy()
    image[:] = surfaces.desk(homography, size, cap, rng)
    shifted = to_photo(np.array(outline) + [0.8 * cap, 1.5 * cap])
    fill_polygon(image, shifted, (24, 24, 26), max(1.0, local_scale(homography, (cx, cy)) * cap * 0.8))
    fill_polygon(image, to_photo(outline), np.clip(metal * rng.uniform(0.5, 1.3), 0, 255), 1.0)
    inner = (np.array(outline) - [cx, cy]) * (1 - cap * 0.5 / max(half_wide, half_high)) + [cx, cy]
    fill_polygon(image, to_photo(inner), metal, 1.2)


def put_ink(image: np.ndarray, sheet: Sheet, homography: np.ndarray, light_text: bool, contrast: float, rng) -> None:
    """Etch the block into the metal, in place."""
    box = region(homography, sheet.size, (image.shape[1], image.shape[0]))
    if box is None:
        return
    left, top, right, bottom = box
    cover = warped(sheet.alpha, homography, box).astype(np.float32)[..., None] / 255
    view = image[top:bottom, left:right]
    if light_text:
        view += cover * contrast * np.array([112, 114, 116], np.float32) * rng.uniform(0.75, 1.1)
    else:
        view *= 1 - cover * contrast * rng.uniform(0.55, 0.75)


def scatter(image: np.ndarray, sheet: Sheet, homography: np.ndarray, serial: str, conditions: Conditions, rng) -> None:
    """Marker pen, tags and tape near the block, never over the serial. In place."""
    cap = sheet.cap
    text = sheet.size

    def beside(thing: Sheet, turn: float) -> np.ndarray:
        """Sheet-to-photo homography of `thing` placed below or beside the block."""
        x = sheet.size[0] / 2 + cap * rng.uniform(-55, 40) - thing.size[0] / 2
        y = text[1] + cap * rng.uniform(0, 14) if rng.random() < 0.85 else -thing.size[1] - cap * rng.uniform(0, 6)
        c, s = np.cos(turn), np.sin(turn)
        return homography @ np.array([[c, -s, x], [s, c, y], [0, 0, 1]])

    if rng.random() < 0.16:
        strip = marks.tape(cap * rng.uniform(40, 90), cap * rng.uniform(10, 24), rng)
        lay(image, strip, beside(strip, rng.normal(0, 0.05)), opacity=rng.uniform(0.1, 0.22))
    if rng.random() < 0.3:
        same = serial and rng.random() < 0.4
        tag, _ = asset_tag(
            serial if same else "", cap * rng.uniform(1.2, 1.9), rng, conditions.damage * 0.5, show_serial=bool(same)
        )
        lay(image, tag, beside(tag, rng.normal(0, 0.1)), shadow=cap * 0.2)
    elif rng.random() < 0.15:
        sticker = marks.doodle_sticker(cap, rng)
        lay(image, sticker, beside(sticker, rng.normal(0, 0.5)), shadow=cap * 0.2)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.55, 0.3, 0.15]))):
        note = marks.handwriting(cap * rng.uniform(3, 7), rng)
        lay(image, note, beside(note, rng.normal(0, 0.25)), opacity=rng.uniform(0.65, 0.95))


def photograph(
    block: Block, serial: str, conditions: Conditions, size, shrink: float, rng, company: bool = True
) -> tuple[Photo, Sheet]:
    """The scene before lens effects; the working size is `size` / `shrink`. Without `company`, nothing is beside the
    text."""
    working = round(size[0] / shrink), round(size[1] / shrink)
    cap = conditions.cap / shrink
    face = w.pick(rng, fonts.ETCHED)
    sheet = paint(
        block, serial, face, cap * OVERSAMPLE, cap * OVERSAMPLE * float(rng.choice([0, 0.02, 0.06, 0.1])), rng
    )
    homography = place(sheet, conditions, working, 1 / OVERSAMPLE, rng)
    name = w.pick(rng, block.metals)
    finish = w.pick(rng, block.finish)
    strength = {
        "blasted": rng.uniform(0.015, 0.06),
        "brushed": rng.uniform(0.03, 0.08),
        "smooth": rng.uniform(0.004, 0.015),
    }[finish]
    image = surfaces.metal(name, finish, homography, working, sheet.cap, strength, rng.choice([0, 0, 90, 17]), rng)
    light_text = surfaces.METALS[name][1]
    chassis(image, block, sheet, homography, rng)
    put_ink(image, sheet, homography, light_text, conditions.contrast, rng)
    if company:
        scatter(image, sheet, homography, serial, conditions, rng)
    quad = map_points(sheet.corners, homography) if sheet.box else None
    light.scratches(image, conditions.damage * 0.8, rng, keep_off=quad)
    light.uneven(image, conditions.light, rng)
    near = quad.mean(axis=0) if quad is not None else None
    if rng.random() < 0.25 + 0.45 * conditions.light:
        light.band(image, conditions.roll + rng.choice([0, 90]), rng.uniform(0.3, 1) * conditions.light, rng, near)
    if rng.random() < 0.35 * conditions.light:
        light.blob_shadow(image, rng, rng.uniform(0.25, 0.55))
    if rng.random() < 0.22:
        light.finger(image, quad, rng)
    if rng.random() < 0.2:
        light.smudges(image, conditions.damage, rng)
    light.vignette(image, rng.uniform(0, 0.45) * conditions.light)
    return Photo(image, quad), sheet
