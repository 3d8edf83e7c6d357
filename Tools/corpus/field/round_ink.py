"""Print along circles, as coverage: straight ribbons of text, each bent around the centre of a sheet."""

from dataclasses import dataclass

import cv2
import numpy as np

from .etched_ink import paint
from .etched_wording import Block, Line
from .round_wording import Circle
from .sheet import Sheet

# Factor by which ribbons are painted larger than on the sheet.
FINER = 1.6
# Points along each edge of the serial.
STEPS = 24


@dataclass
class Ribbon:
    """One sentence, straight. alpha: coverage; baseline: its row; box: columns of the serial, None without it; cap in pixels."""

    alpha: np.ndarray
    cap: float
    baseline: float
    box: tuple[float, float] | None

    @property
    def margin(self) -> float:
        return 2 * self.cap

    @property
    def length(self) -> float:
        return self.alpha.shape[1] - 2 * self.margin


@dataclass
class Ring:
    """sheet   alpha is the coverage of the whole print; the circles stand round its middle
    serial   edges of the serial on the sheet: tops, then feet, each n points in reading order
    phrase   the same of the serial with its label
    ink      coverage of the straight serial
    radii    minimum and maximum radius with print, in sheet pixels
    """

    sheet: Sheet
    serial: np.ndarray
    phrase: np.ndarray
    ink: np.ndarray
    radii: tuple[float, float]

    @property
    def centre(self) -> np.ndarray:
        return np.array(self.sheet.size) / 2


@dataclass
class Bend:
    """A circle that a ribbon follows. radius: at half the capitals, sheet pixels; start: degrees from three o'clock,
    growing clockwise; turn: 1 where the print reads clockwise, -1 where anticlockwise with its feet outside."""

    centre: np.ndarray
    radius: float
    start: float
    turn: int

    def at(self, along, rise) -> np.ndarray:
        """Sheet points `along` pixels into the line and `rise` pixels above half the capitals."""
        angle = np.radians(self.start) + self.turn * np.asarray(along, float) / self.radius
        reach = self.radius + self.turn * np.asarray(rise, float)
        return self.centre + np.stack([reach * np.cos(angle), reach * np.sin(angle)], -1)

    def edges(self, begin: float, end: float, cap: float) -> np.ndarray:
        """Tops, then feet, of a stretch of the line."""
        along = np.linspace(begin, end, STEPS)
        return np.concatenate([self.at(along, cap / 2), self.at(along, -cap / 2)])


def ribbon(sentence: str, serial: str, face, cap: float, tracking: float, rng) -> Ribbon:
    """A sentence with capitals `cap` sheet pixels high."""
    fine = cap * FINER
    flat = paint(Block("", "", [[Line(sentence, gap=0)]]), serial, face, fine, tracking * fine, rng)
    return Ribbon(flat.alpha, fine, 3 * fine, (flat.box[0], flat.box[2]) if flat.box else None)


def lay_round(alpha: np.ndarray, strip: Ribbon, bend: Bend) -> None:
    """Bend the ribbon into the sheet's coverage, in place."""
    cap = strip.cap / FINER
    length = strip.length / FINER
    along = np.linspace(-cap, length + cap, 40)
    rim = np.concatenate([bend.at(along, 1.5 * cap), bend.at(along, -1.5 * cap)])
    left, top = np.maximum(np.floor(rim.min(axis=0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(rim.max(axis=0)).astype(int), alpha.shape[::-1])
    xs, ys = np.meshgrid(
        np.arange(left, right, dtype=np.float32) - bend.centre[0],
        np.arange(top, bottom, dtype=np.float32) - bend.centre[1],
    )
    half = np.radians(bend.start) + bend.turn * length / bend.radius / 2
    angle = np.mod(np.arctan2(ys, xs) - half + np.pi, 2 * np.pi) - np.pi
    columns = strip.margin + FINER * (length / 2 + bend.turn * angle * bend.radius)
    rows = strip.baseline - strip.cap / 2 - FINER * bend.turn * (np.hypot(xs, ys) - bend.radius)
    bent = cv2.remap(
        cv2.GaussianBlur(strip.alpha, (0, 0), 0.35 * FINER),
        columns.astype(np.float32),
        rows.astype(np.float32),
        cv2.INTER_LINEAR,
    )
    view = alpha[top:bottom, left:right]
    np.maximum(view, bent, out=view)


def _lines(strips: list[Ribbon], whole: int, double: bool) -> list[list[int]]:
    """Places of the ribbons by line, outer line first; the serial's place `whole` is in one of them."""
    if not double or len(strips) < 2:
        return [list(range(len(strips)))]
    cut = max(1, min(len(strips) - 1, whole if whole >= len(strips) / 2 else whole + 1))
    return [list(range(cut)), list(range(cut, len(strips)))]


def _fitting(places: list[int], strips: list[Ribbon], whole: int, room: float, gap: float) -> list[int]:
    """The places that fit on `room` sheet pixels, always including the serial's."""
    kept = {whole} & set(places)
    used = sum(strips[i].length / FINER + gap for i in kept)
    for i in places:
        wide = strips[i].length / FINER + gap
        if i not in kept and used + wide <= room:
            kept.add(i)
            used += wide
    return sorted(kept)


def print_round(circle: Circle, serial: str, face, cap: float, sweep: float, double: bool, turn: int, rng) -> Ring:
    """The print over `sweep` degrees (360: a whole ring), capitals `cap` sheet pixels high."""
    tracking = float(rng.choice([0.03, 0.07, 0.12, 0.2]))
    strips = [ribbon(sentence, serial, face, cap, tracking, rng) for sentence in circle.sentences]
    whole = next(i for i, strip in enumerate(strips) if strip.box)
    outer = circle.radius * cap
    side = round(2 * (outer + 3 * cap))
    alpha = np.zeros((side, side), np.uint8)
    start, pitch, gap = rng.uniform(0, 360), cap * rng.uniform(1.8, 2.6), cap * rng.uniform(1.5, 4)
    ring = None
    for line, places in enumerate(_lines(strips, whole, double and circle.radius > 15)):
        bend = Bend(np.array([side / 2, side / 2]), outer - line * pitch, start, turn)
        room = np.radians(sweep) * bend.radius
        kept = _fitting(places, strips, whole, room, gap)
        lengths = [strips[i].length / FINER for i in kept]
        spare = room - sum(lengths) - gap * len(kept)
        # A whole ring is closed; on part of a ring, the lines are centred above each other.
        between = gap + (max(0.0, spare) / len(kept) if sweep >= 360 else 0.0)
        along = 0.0 if sweep >= 360 else -(sum(lengths) + between * (len(kept) - 1)) / 2
        for i, length in zip(kept, lengths):
            own = Bend(bend.centre, bend.radius, start + turn * np.degrees(along / bend.radius), turn)
            lay_round(alpha, strips[i], own)
            if i == whole:
                ring = _ring(alpha, strips[i], own, cap)
            along += length + between
    ring.radii = (bend.radius - cap / 2, outer + cap / 2)
    return ring


def _ring(alpha: np.ndarray, strip: Ribbon, bend: Bend, cap: float) -> Ring:
    """The ring with the serial on this ribbon; its radii are still those of this one line."""
    left, right = strip.box
    serial = bend.edges((left - strip.margin) / FINER, (right - strip.margin) / FINER, cap)
    phrase = bend.edges(0, strip.length / FINER, cap)
    ink = strip.alpha[round(strip.baseline - strip.cap) : round(strip.baseline), round(left) : round(right)]
    sheet = Sheet(np.zeros((*alpha.shape, 3), np.uint8), cap, None, alpha)
    return Ring(sheet, serial, phrase, ink, (bend.radius - cap / 2, bend.radius + cap / 2))
