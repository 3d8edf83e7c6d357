"""Print along a circle: the places of its characters and of the serial."""

from dataclasses import dataclass

import cv2
import numpy as np

from . import legibility, lettering
from .sheet import Sheet
from .view import View

# Factor by which characters are drawn larger than on the sheet, so that rotation leaves them sharp.
OVERSAMPLE = 4
# Height of capitals in pixels at which widths are measured.
MEASURED = 60


@dataclass(frozen=True)
class Arc:
    """A line of print round (0, 0), in millimetres. Characters keep their widths at half the capitals' height.

    radius     of the baseline.
    start      where the line begins: radians clockwise from the top.
    clockwise  reading clockwise, the feet inside; else anticlockwise, the feet outside.
    capital    height of the capitals.
    """

    radius: float
    start: float
    clockwise: bool
    capital: float

    @property
    def _turn(self) -> int:
        return 1 if self.clockwise else -1

    @property
    def middle(self) -> float:
        """Radius of the circle at half the capitals' height."""
        return self.radius + self._turn * self.capital / 2

    def point(self, along, above) -> np.ndarray:
        """Points of the plane, `along` millimetres into the line and `above` its baseline; both may be arrays."""
        angle = self.start + self._turn * np.asarray(along, float) / self.middle
        radius = self.radius + self._turn * np.asarray(above, float)
        return np.stack([radius * np.sin(angle), -radius * np.cos(angle)], -1)

    def directions(self, along: float) -> tuple[np.ndarray, np.ndarray]:
        """Unit vectors in reading direction and from the feet upwards."""
        angle = self.start + self._turn * along / self.middle
        right, up = np.array([np.cos(angle), np.sin(angle)]), np.array([np.sin(angle), -np.cos(angle)])
        return self._turn * right, self._turn * up


@dataclass(frozen=True)
class Stretch:
    """A part of an arc between two places, in millimetres along it."""

    arc: Arc
    begin: float
    end: float

    def outline(self) -> np.ndarray:
        """Points of the plane along the feet and the tops of the capitals."""
        along = np.linspace(self.begin, self.end, 25)
        return np.concatenate([self.arc.point(along, 0.0), self.arc.point(along, self.arc.capital)])

    def chord_quad(self) -> np.ndarray:
        """The rectangle along the chord that contains the stretch: corners in reading order, millimetres."""
        right, up = self.arc.directions((self.begin + self.end) / 2)
        along, above = self.outline() @ right, self.outline() @ up
        left, far, top, foot = along.min(), along.max(), above.max(), above.min()
        return np.array([x * right + y * up for x, y in ((left, top), (far, top), (far, foot), (left, foot))])

    def unrolled(self, photo: np.ndarray, view: View) -> tuple[np.ndarray, np.ndarray]:
        """The stretch of the photo laid out straight, and the quad of its text in that strip."""
        unit = self.arc.capital / legibility.CAPITAL
        margin = 8
        width = round((self.end - self.begin) / unit)
        columns = self.begin + (np.arange(width + 2 * margin) - margin) * unit
        rows = self.arc.capital - (np.arange(legibility.CAPITAL + 2 * margin) - margin) * unit
        places = view.to_photo(self.arc.point(*np.meshgrid(columns, rows)).reshape(-1, 2))
        grid = places.reshape(len(rows), len(columns), 2).astype(np.float32)
        strip = cv2.remap(photo, grid, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        corners = np.array([[0, 0], [width, 0], [width, legibility.CAPITAL], [0, legibility.CAPITAL]], float)
        return strip, corners + margin


def edges(text: str, face: str, capital: float, tracking: float) -> np.ndarray:
    """The starts of a line's characters and the end of the last one, in the unit of `capital`."""
    line = lettering.render(text, face, MEASURED, tracking)
    return np.array(line.edges) * (capital / line.capital)


def write(ink: Sheet, arc: Arc, along: float, text: str, face: str, tracking: float) -> None:
    """Write a line into the sheet's first channel, each character upright on its own radius."""
    places = along + edges(text, face, arc.capital, tracking)
    for character, begin, end in zip(text, places[:-1], places[1:], strict=True):
        if character != " ":
            _character(ink, arc, (begin + end - tracking * arc.capital) / 2, character, face)


def _character(ink: Sheet, arc: Arc, along: float, character: str, face: str) -> None:
    tile = lettering.render(character, face, OVERSAMPLE * arc.capital * ink.ppm)
    scale = arc.capital * ink.ppm / tile.capital
    right, up = arc.directions(along)
    centre = (arc.point(along, arc.capital / 2) - (ink.extent.left, ink.extent.top)) * ink.ppm
    reach = int(np.hypot(*tile.ink.shape) * scale / 2) + 2
    low = np.maximum(np.floor(centre).astype(int) - reach, 0)
    high = np.minimum(np.floor(centre).astype(int) + reach, ink.image.shape[1::-1])
    if (low >= high).any():
        return
    matrix = np.column_stack([scale * right, -scale * up, np.zeros(2)])
    middle = (tile.left + tile.width / 2, tile.baseline - tile.capital / 2)
    matrix[:, 2] = centre - low - matrix[:, :2] @ middle
    soft = cv2.GaussianBlur(tile.ink, (0, 0), 0.4 / scale)
    turned = cv2.warpAffine(soft, matrix, tuple(int(side) for side in high - low), flags=cv2.INTER_LINEAR)
    part = ink.image[low[1] : high[1], low[0] : high[0], 0]
    np.maximum(part, turned, out=part)
