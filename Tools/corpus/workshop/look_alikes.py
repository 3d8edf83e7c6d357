"""Pictures without a legible serial: other numbers, other objects, and illegible serials."""

import cv2
import numpy as np
from picture import Picture
from serials import random_serial

from . import camera, etched, fonts, legibility, lid, marks, plain_things, screen_photo, sticker
from . import screen as screens
from .regulations import Regulations, regulations, without_serial
from .sheet import Sheet
from .view import View, inside, turned

GRADES = ["easy", "medium", "hard"]
ETCHED_DEVICES = ["MacBook", "iMac", "Mac Mini"]


def make_look_alike(rng: np.random.Generator) -> Picture:
    """A picture without a serial; `kind` describes its content or why the serial is illegible."""
    makers = {
        lid_without_serial: 0.13,
        bare_lid: 0.05,
        spoilt_lid: 0.16,
        screen_without_serial: 0.12,
        spoilt_screen: 0.05,
        label_without_serial: 0.17,
        spoilt_label: 0.09,
        thing: 0.23,
    }
    names = list(makers)
    for _ in range(40):
        picture = names[int(rng.choice(len(names), p=list(makers.values())))](rng)
        if picture is not None:
            picture.serial, picture.quad = "", None
            return picture
    raise RuntimeError("no look-alike came out")


def _quality(rng: np.random.Generator) -> int:
    return int(rng.integers(55, 95))


def _finish(
    rng: np.random.Generator, photo: np.ndarray, grade: str, capital: float, kind: str, preset: str, device: str
) -> Picture:
    """Exposed, turned, and with a label of its own."""
    taken = camera.exposure(rng, grade, capital)
    middle = np.array([[0.3, 0.3], [0.7, 0.3], [0.7, 0.7], [0.3, 0.7]]) * photo.shape[1::-1]
    photo = camera.metered(photo, middle, 40, 215, rng)
    photo, _ = turned(camera.shoot(rng, photo, taken, capital), None, int(rng.choice(4, p=[0.5, 0.2, 0.1, 0.2])))
    return Picture(photo, _quality(rng), "", device, kind, None, preset)


def _grade(rng: np.random.Generator) -> str:
    return str(rng.choice(GRADES, p=[0.4, 0.4, 0.2]))


def lid_without_serial(rng: np.random.Generator) -> Picture | None:
    """All the regulatory text except the serial."""
    grade, (size, _) = _grade(rng), etched.frame_size(rng, "easy")
    capital = rng.uniform(9, 18)
    lit, _, _, look, _ = etched.draw_scene(rng, grade, without_serial(regulations(rng), rng), size, capital)
    return _finish(rng, lit, grade, capital, f"lid-without-serial-{look.name}", "etched", "MacBook")


def bare_lid(rng: np.random.Generator) -> Picture | None:
    """Metal with nothing on it but wear, pen and stickers."""
    grade = _grade(rng)
    lit, _, _, _, _ = etched.draw_scene(rng, grade, Regulations("", [("", 1.0, 1.0)]), (1280, 960), 14.0)
    return _finish(rng, lit, grade, 14.0, "empty-metal", "etched", "MacBook")


def spoilt_lid(rng: np.random.Generator) -> Picture | None:
    """An etched serial painted over, cut off by the picture's edge, or blurred away."""
    way = str(rng.choice(["painted-over", "cropped", "blurred"]))
    text, grade = regulations(rng), "medium"
    capital = rng.uniform(9, 16)
    size, _ = etched.frame_size(rng, grade)
    if max(size) > 2000:
        size = (1280, 960)
    view_scale = capital / lid.CAPITAL
    view = View(
        size, view_scale, (rng.uniform(0, 25), 0), None, rng.normal(0, 5), rng.uniform(-10, 10), rng.uniform(-10, 10)
    )
    sheet = Sheet(view.extent(), 1.15 * view_scale)
    look = lid.finish(rng, rng.uniform(0.7, 1.1))
    lid.draw_lid(rng, sheet, look)
    marks.scratches(rng, sheet, 8, True)
    lid.etch(rng, sheet, look, text, str(rng.choice(fonts.ETCHED)))
    if sheet.serial_quad is None:
        return None
    if way == "painted-over":
        plain_things.scribble(rng, sheet, sheet.serial_quad)
    clean, quad = view.take(sheet)
    device = str(rng.choice(ETCHED_DEVICES))
    if way == "cropped":
        cut = _cut_off(rng, clean, quad)
        return (
            None
            if cut is None
            else _finish(rng, cut.astype(np.float32), grade, capital, "serial-cropped", "etched", device)
        )
    if way == "painted-over":
        return _finish(rng, clean.astype(np.float32), grade, capital, "serial-painted-over", "etched", device)
    return _blurred(rng, clean, quad, capital, "serial-blurred", "etched", device)


def _cut_off(rng: np.random.Generator, photo: np.ndarray, quad: np.ndarray) -> np.ndarray | None:
    """The photo cropped through the serial, so that at least 40% of its characters are missing."""
    (x0, y0), (x1, y1) = quad.min(0), quad.max(0)
    height, width = photo.shape[:2]
    if x0 < 0 or y0 < 0 or x1 > width or y1 > height:
        return None
    if x1 - x0 >= y1 - y0:
        if rng.random() < 0.7:
            edge = int(x0 + (x1 - x0) * rng.uniform(0.15, 0.6))
            cut = photo[:, :edge]
        else:
            edge = int(x0 + (x1 - x0) * rng.uniform(0.4, 0.85))
            cut = photo[:, edge:]
    else:
        cut = photo[: int(y0 + (y1 - y0) * rng.uniform(0.15, 0.5))]
    return np.ascontiguousarray(cut) if min(cut.shape[:2]) >= 160 else None


def _blurred(
    rng: np.random.Generator, clean: np.ndarray, quad: np.ndarray, capital: float, kind: str, preset: str, device: str
) -> Picture | None:
    """Blurred or shaken until no part of the serial is legible; None if it might still be."""
    if not inside(quad, clean):
        return None
    lit = clean.astype(np.float32)
    if rng.random() < 0.7:
        lit = cv2.GaussianBlur(lit, (0, 0), capital * rng.uniform(0.55, 0.85))
    else:
        small = max(0.1, 2.1 / capital)
        height, width = clean.shape[:2]
        tiny = cv2.resize(lit, (int(width * small), int(height * small)), interpolation=cv2.INTER_AREA)
        lit = cv2.resize(tiny, (width, height), interpolation=cv2.INTER_CUBIC)
    taken = camera.exposure(rng, "medium", capital)
    taken.sharpen = 0.0
    photo = camera.shoot(rng, lit, taken, capital)
    if legibility.score(clean, photo, quad) > 0.25:
        return None
    photo, _ = turned(photo, None, int(rng.choice(4, p=[0.6, 0.15, 0.1, 0.15])))
    return Picture(photo, _quality(rng), "", device, kind, None, preset)


def screen_without_serial(rng: np.random.Generator) -> Picture | None:
    """An About screen without its serial row, or a display with other things."""
    grade = _grade(rng)
    if rng.random() < 0.35:
        content, capital, device, kind, glass = (
            plain_things.other_screen(rng),
            8.0,
            "MacBook",
            "other-screen",
            (20.0, 0.0),
        )
    else:
        content, capital, device, kind, glass = screens.draw_screen(rng, "", False)
        kind = f"{kind}-without-serial"
    if rng.random() < 0.2:
        return Picture(content.image, _quality(rng), "", device, f"{kind}-screenshot", None, "screen")
    _aim_anywhere(rng, content, capital)
    picture = screen_photo.photographed(rng, grade, content, capital, device, kind, glass, False)
    return _of_preset(picture, "screen")


def _aim_anywhere(rng: np.random.Generator, content: Sheet, capital: float) -> None:
    """Aims the camera at a place where a serial might have been."""
    edge = content.extent
    x = edge.left + (edge.right - edge.left) * rng.uniform(0.35, 0.55)
    y = edge.top + (edge.bottom - edge.top) * rng.uniform(0.35, 0.6)
    content.serial_quad = np.array([[x, y - capital], [x + 8 * capital, y - capital], [x + 8 * capital, y], [x, y]])


def _of_preset(picture: Picture | None, preset: str) -> Picture | None:
    if picture is not None:
        picture.preset = preset
    return picture


def spoilt_screen(rng: np.random.Generator) -> Picture | None:
    """A serial on a display painted over, or blurred away."""
    serial = random_serial(rng, {12: 0.5, 10: 0.4, 11: 0.1})
    content, capital, device, kind, glass = screens.draw_screen(rng, serial, False)
    if content.serial_quad is None or content.serial_quad[2, 1] > content.extent.bottom - 2:
        return None
    if rng.random() < 0.5:
        plain_things.scribble(rng, content, content.serial_quad)
        photo = content.image if rng.random() < 0.3 else None
        if photo is not None:
            return Picture(photo, _quality(rng), "", device, f"{kind}-painted-over", None, "screen")
        picture = screen_photo.photographed(
            rng, "medium", content, capital, device, f"{kind}-painted-over", glass, False
        )
        return _of_preset(picture, "screen")
    view = View(
        (1280, 960),
        12 / capital,
        tuple(content.serial_quad.mean(0)),
        None,
        rng.normal(0, 5),
        rng.uniform(-12, 12),
        rng.uniform(-12, 12),
    )
    clean, quad = view.take(content)
    return _blurred(rng, clean, quad, 12.0, f"{kind}-blurred", "screen", device)


def label_without_serial(rng: np.random.Generator, kind: str = "") -> Picture | None:
    """The same labels as with a serial, but with only the other numbers; `kind` is from sticker.KINDS, or random."""
    kind = kind or str(rng.choice(list(sticker.KINDS)))
    label, mask, device = sticker.draw_label(rng, kind, "")
    return _of_preset(
        sticker.photographed(rng, _grade(rng), label, mask, f"{kind}-without-serial", device, 1.8), "sticker"
    )


def spoilt_label(rng: np.random.Generator) -> Picture | None:
    """A label whose serial is painted over or blurred; no code on it contains the serial."""
    serial = random_serial(rng, {12: 0.5, 10: 0.3, 11: 0.2})
    kind = str(rng.choice(["retail-box", "device-label", "ticket", "asset"]))
    label, mask, device = sticker.draw_label(rng, kind, serial, with_code=False)
    if rng.random() < 0.6:
        plain_things.scribble(rng, label, label.serial_quad)
        return _of_preset(sticker.photographed(rng, "medium", label, mask, f"{kind}-painted-over", device), "sticker")
    tall = float(np.linalg.norm(label.serial_quad[3] - label.serial_quad[0]))
    view = View(
        (1200, 900),
        12 / tall,
        tuple(label.serial_quad.mean(0)),
        None,
        rng.normal(0, 6),
        rng.uniform(-12, 12),
        rng.uniform(-12, 12),
    )
    clean, quad = view.take(label)
    return _blurred(rng, clean, quad, 12.0, f"{kind}-blurred", "sticker", device)


def thing(rng: np.random.Generator, kind: str = "") -> Picture | None:
    """A different object, of a given or a random kind."""
    drawings = {
        "text-page": (plain_things.text_page, 1.8),
        "keyboard": (plain_things.keyboard, 3.0),
        "logic-board": (plain_things.logic_board, 1.5),
        "parcel": (plain_things.parcel, 2.1),
        "router-label": (plain_things.router, 1.6),
        "other-numbers": (plain_things.numbers, 2.2),
        "other-code": (plain_things.code_only, 2.0),
    }
    names = list(drawings)
    kind = kind or str(rng.choice(names, p=[0.13, 0.09, 0.14, 0.12, 0.14, 0.26, 0.12]))
    draw, capital = drawings[kind]
    device = str(rng.choice(["MacBook", "iPhone", "Accessory", "Apple Watch"]))
    preset = {"MacBook": "etched", "iPhone": "screen"}.get(device, "sticker")
    return _of_preset(sticker.photographed(rng, _grade(rng), draw(rng), None, kind, device, capital), preset)
