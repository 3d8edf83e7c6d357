"""Pictures without a serial that can be read: other numbers, hidden or hopeless serials, and nothing at all."""

from dataclasses import replace

import cv2
import numpy as np
from picture import GRADES, Picture
from serials import random_serial

from . import (
    etched,
    etched_wording,
    foreign_labels,
    light,
    mac_screen,
    marks,
    panel,
    paper_and_keys,
    phone_screen,
    stickers,
    surfaces,
)
from . import wording as w
from .box_label import box_label
from .camera import Photo, develop, pose
from .compose import lay
from .conditions import conditions
from .etched_wording import Line

OVERSAMPLE = 1.25
ANY_LENGTH = {12: 0.6, 10: 0.3, 11: 0.1}


def _finish(
    photo: Photo, c, shrink: float, rng, kind: str, preset: str, device: str, screenshot: bool = False
) -> Picture:
    done, quality = develop(Photo(photo.image), c, shrink, rng, screenshot)
    return Picture(done.image, quality, "", device, kind, None, preset)


def _without_serial(block: etched_wording.Block) -> etched_wording.Block:
    """The block without the serial and its label."""
    for column in block.columns:
        for line in column:
            if "{s}" in line.text:
                words = line.text.replace("{s}", "")
                for name in ("Serial Number", "Serial No.:", "Serial No.", "Serial No:", "Serial:", "Serial", "S/N"):
                    words = words.replace(name, "")
                line.text = words.rstrip() or "TM and © Apple Inc."
            if line.text in ("Serial No.", "Serial", "Serial Number"):
                line.text = "All rights reserved"
    return block


def etched_without(rng) -> Picture:
    """A device's back whose text has no serial."""
    c = conditions("etched", w.pick(rng, GRADES), rng)
    block = _without_serial(etched_wording.block(rng))
    if rng.random() < 0.3:
        m = w.model(rng)
        block.columns = [
            [
                Line(t)
                for t in (
                    f"FCC ID: BCG{m} and IC: 579C-{m}",
                    f"EMC {w.emc(rng)}  CMIIT ID: {w.code(rng, '20##@@####')}",
                    "IS 13252(Part 1)/IEC 60950-1",
                    f"R-{w.digits(rng, 8)}",
                )
            ]
        ]
    size, _ = etched.photo_size("hard", c.cap, rng)
    photo, _ = etched.photograph(block, "", c, size, 1.0, rng)
    return _finish(photo, c, 1.0, rng, "etched-without-serial", "etched", block.device)


def etched_hidden(rng) -> Picture:
    """A serial under tape, a sticker or a finger."""
    c = conditions("etched", w.pick(rng, GRADES), rng)
    c = replace(c, pitch=c.pitch * 0.5, yaw=c.yaw * 0.5)
    block = etched_wording.block(rng)
    serial = random_serial(rng, block.lengths)
    size, _ = etched.photo_size("hard", c.cap, rng)
    photo, _ = etched.photograph(block, serial, c, size, 1.0, rng, company=False)
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    to_quad = cv2.getPerspectiveTransform(flat.astype(np.float32), photo.quad.astype(np.float32))
    strip = marks.opaque_strip(400, 100, rng)
    spread = np.array([[1.16 / 400, 0, -0.08], [0, 2.6 / 100, -0.8], [0, 0, 1]])
    lay(photo.image, strip, to_quad @ spread, shadow=2)
    return _finish(photo, c, 1.0, rng, "serial-covered", "etched", block.device)


def etched_far(rng) -> Picture:
    """A whole device from afar: its serial is a few gray pixels."""
    c = replace(
        conditions("etched", "medium", rng),
        cap=float(rng.uniform(2.2, 3.6)),
        chat=True,
        sharpen=0.5,
        defocus=0,
        motion=0,
    )
    block = etched_wording.block(rng)
    size = w.pick(rng, ((1280, 720), (960, 1280), (800, 600)))
    photo, _ = etched.photograph(block, random_serial(rng, block.lengths), c, size, 1.0, rng, company=False)
    return _finish(photo, c, 1.0, rng, "serial-too-small", "etched", block.device)


def etched_cut(rng) -> Picture:
    """The text of a device's back, cut off before the serial."""
    c = replace(conditions("etched", w.pick(rng, GRADES), rng), roll=float(rng.normal(0, 3)), pitch=0.0, yaw=0.0)
    block = etched_wording.macbook(rng)
    photo, _ = etched.photograph(block, random_serial(rng, block.lengths), c, (1400, 800), 1.0, rng, company=False)
    # Keeps only the part of the block well before the serial's first character.
    cut = int(photo.quad[:, 0].min() - 1.0 * c.cap)
    top = int(photo.quad[:, 1].min() - 1.5 * c.cap)
    image = photo.image[:, :cut] if cut > 420 else photo.image[:top] if top > 220 else None
    if image is None:
        raise ValueError("nothing left before the serial")
    return _finish(Photo(image), c, 1.0, rng, "serial-cut-off", "etched", "MacBook")


def foreign(rng) -> Picture:
    """Another object with numbers on it."""
    c = conditions("sticker", w.pick(rng, GRADES), rng)
    kind = w.pick(rng, list(foreign_labels.MAKERS))
    sheet = foreign_labels.label(kind, c.cap * OVERSAMPLE, rng)
    size = stickers.frame([side / OVERSAMPLE for side in sheet.size], rng)
    photo = stickers.photograph(
        sheet,
        "asset" if kind in ("battery-label", "asset-number-only", "other-laptop-label") else kind,
        c,
        size,
        1.0,
        rng,
    )
    return _finish(photo, c, 1.0, rng, kind, "sticker", w.pick(rng, ("MacBook", "Accessory", "iPhone")))


def carton(rng) -> Picture:
    """A retail box whose label shows part number, IMEI, EID and UPC only."""
    c = conditions("sticker", w.pick(rng, GRADES), rng)
    sheet, kind, device = box_label("", c.cap * OVERSAMPLE, rng)
    size = stickers.frame([side / OVERSAMPLE for side in sheet.size], rng)
    return _finish(
        stickers.photograph(sheet, kind, c, size, 1.0, rng), c, 1.0, rng, "box-label-without-serial", "sticker", device
    )


def screen(rng) -> Picture:
    """A screen like those with a serial, without one."""
    c = conditions("screen", w.pick(rng, GRADES), rng)
    painter = w.pick(
        rng,
        (
            phone_screen.settings_about,
            phone_screen.settings_about,
            phone_screen.setup_information,
            phone_screen.watch,
            mac_screen.about_small,
            mac_screen.about_wide,
            mac_screen.about_classic,
            mac_screen.system_information,
            mac_screen.terminal,
            mac_screen.coverage_page,
        ),
    )
    sheet, kind, device = painter("", c.cap * OVERSAMPLE, rng)
    if rng.random() < 0.25:
        image = sheet.image.astype(np.float32)
        return _finish(
            Photo(image), replace(c, turns=0), 1 / OVERSAMPLE, rng, "screenshot-without-serial", "screen", device, True
        )
    photo = panel.photograph(sheet, device, c, w.pick(rng, ((1280, 960), (960, 1280), (900, 1600))), 1.0, rng)
    return _finish(photo, c, 1.0, rng, "screen-without-serial", "screen", device)


def paper(rng) -> Picture:
    """A book page or a keyboard."""
    c = conditions("sticker", w.pick(rng, GRADES), rng)
    kind, paint = w.pick(rng, (("book-page", paper_and_keys.page), ("keyboard", paper_and_keys.keyboard)))
    sheet = paint(c.cap * OVERSAMPLE, rng)
    c = replace(c, pitch=c.pitch * 0.6, yaw=c.yaw * 0.6)
    photo = stickers.photograph(
        sheet,
        kind,
        replace(c, damage=c.damage * 0.5),
        stickers.frame([s / OVERSAMPLE for s in sheet.size], rng),
        1.0,
        rng,
    )
    return _finish(photo, c, 1.0, rng, kind, w.pick(rng, ("etched", "screen", "sticker")), "MacBook")


def scene(rng) -> Picture:
    """A desk, empty or cluttered, or a bare lid."""
    c = conditions("etched", w.pick(rng, GRADES), rng)
    size = w.pick(rng, ((1280, 960), (900, 1600), (1600, 900), (640, 480)))
    view = pose((0, 0), 1.0, (size[0] / 2, size[1] / 2), size, c.pitch, c.yaw, rng.uniform(-30, 30))
    choice = rng.integers(3)
    if choice == 0:
        image = surfaces.metal(
            w.pick(rng, list(surfaces.METALS)),
            w.pick(rng, ("blasted", "brushed", "smooth")),
            view,
            size,
            c.cap,
            0.03,
            0,
            rng,
        )
    else:
        image = surfaces.desk(view, size, c.cap * 1.5, rng)
    if choice == 2:
        paper_and_keys.clutter(image, rng)
    for _ in range(int(rng.integers(0, 3))):
        note = marks.handwriting(c.cap * rng.uniform(3, 8), rng)
        spot = rng.uniform([0, 0], [size[0] * 0.7, size[1] * 0.8])
        lay(image, note, np.array([[1, 0, spot[0]], [0, 1, spot[1]], [0, 0, 1]], float), opacity=0.85)
    light.scratches(image, c.damage, rng)
    light.uneven(image, c.light, rng)
    if rng.random() < 0.5:
        light.band(image, rng.uniform(0, 180), c.light, rng)
    if rng.random() < 0.3:
        light.finger(image, None, rng)
    return _finish(
        Photo(image),
        c,
        1.0,
        rng,
        ("bare-metal", "empty-desk", "cluttered-desk")[choice],
        w.pick(rng, ("etched", "screen", "sticker")),
        "MacBook",
    )


MAKERS = (
    (foreign, 0.36),
    (screen, 0.16),
    (etched_without, 0.12),
    (etched_hidden, 0.07),
    (etched_far, 0.05),
    (etched_cut, 0.06),
    (carton, 0.05),
    (paper, 0.06),
    (scene, 0.07),
)


def make(rng: np.random.Generator) -> Picture:
    """One look-alike of any kind."""
    weights = np.array([weight for _, weight in MAKERS])
    maker = MAKERS[int(rng.choice(len(MAKERS), p=weights / weights.sum()))][0]
    for _ in range(30):
        try:
            return maker(rng)
        except ValueError:
            continue
    raise RuntimeError(f"{maker.__name__} did not come about")
