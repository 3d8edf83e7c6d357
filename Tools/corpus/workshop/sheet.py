"""A flat object to photograph, drawn in millimetres (or points): lids, labels, displays."""

from dataclasses import dataclass

import cv2
import numpy as np

from . import lettering

Colour = tuple[int, int, int]


@dataclass
class Extent:
    """The part of the plane that is drawn, in millimetres, y down."""

    left: float
    top: float
    right: float
    bottom: float

    def grown(self, margin: float) -> "Extent":
        return Extent(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)


class Sheet:
    """A drawing surface; `ppm` is pixels per millimetre. Colours are BGR. Text is positioned by its baseline y."""

    def __init__(self, extent: Extent, ppm: float, fill: Colour = (255, 255, 255), crisp: bool = False):
        self.extent, self.ppm, self.crisp = extent, ppm, crisp
        height = max(8, round((extent.bottom - extent.top) * ppm))
        width = max(8, round((extent.right - extent.left) * ppm))
        self.image = np.empty((height, width, 3), np.uint8)
        self.image[:] = fill
        self.serial_quad: np.ndarray | None = None

    def px(self, x: float, y: float) -> tuple[int, int]:
        """The pixel of a point of the plane."""
        return round((x - self.extent.left) * self.ppm), round((y - self.extent.top) * self.ppm)

    def rect(self, x: float, y: float, width: float, height: float, fill: Colour, radius: float = 0.0) -> None:
        """A filled rectangle with rounded corners."""
        left, top = self.px(x, y)
        right, bottom = self.px(x + width, y + height)
        r = round(min(radius * self.ppm, (right - left) / 2, (bottom - top) / 2))
        if r <= 0:
            cv2.rectangle(self.image, (left, top), (right - 1, bottom - 1), fill, -1)
            return
        line = cv2.LINE_8 if self.crisp else cv2.LINE_AA
        cv2.rectangle(self.image, (left + r, top), (right - r, bottom - 1), fill, -1)
        cv2.rectangle(self.image, (left, top + r), (right - 1, bottom - r), fill, -1)
        for cx, cy in ((left + r, top + r), (right - r, top + r), (left + r, bottom - r), (right - r, bottom - r)):
            cv2.circle(self.image, (cx, cy), r, fill, -1, line)

    def frame(self, x: float, y: float, width: float, height: float, colour: Colour, thickness: float) -> None:
        """An outline."""
        thick = max(1, round(thickness * self.ppm))
        cv2.rectangle(self.image, self.px(x, y), self.px(x + width, y + height), colour, thick, cv2.LINE_AA)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: Colour, thickness: float) -> None:
        thick = max(1, round(thickness * self.ppm))
        cv2.line(self.image, self.px(x1, y1), self.px(x2, y2), colour, thick, cv2.LINE_AA)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        cv2.circle(self.image, self.px(x, y), max(1, round(radius * self.ppm)), colour, -1, cv2.LINE_AA)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        face: str,
        capital: float,
        colour: Colour = (0, 0, 0),
        anchor: str = "l",
        tracking: float = 0.0,
        stretch: float = 1.0,
        serial: str = "",
        strength: float = 1.0,
    ) -> float:
        """Write a line and return its width in millimetres.

        anchor  l, m or r: where x is on the line. serial: the part of `text` whose place is kept.
        """
        line = lettering.render(text, face, capital * self.ppm, tracking, stretch, self.crisp)
        shift = {"l": 0.0, "m": -line.width / 2, "r": -line.width}[anchor]
        left = round((x - self.extent.left) * self.ppm + shift)
        base = round((y - self.extent.top) * self.ppm)
        self.stamp(line.ink, left - line.left, base - line.baseline, colour, strength)
        if serial:
            start = text.index(serial)
            x0, x1 = left + line.edges[start], left + line.edges[start + len(serial)]
            corners = np.array([[x0, base - line.capital], [x1, base - line.capital], [x1, base], [x0, base]])
            self.serial_quad = corners / self.ppm + (self.extent.left, self.extent.top)
        return line.width / self.ppm

    def text_width(self, text: str, face: str, capital: float, tracking: float = 0.0, stretch: float = 1.0) -> float:
        """The width in millimetres that `text` would take."""
        return lettering.render(text, face, capital * self.ppm, tracking, stretch).width / self.ppm

    def stamp(self, ink: np.ndarray, left: int, top: int, colour: Colour, strength: float = 1.0) -> None:
        """Blends a colour in by the uint8 mask `ink`, clipped to the sheet."""
        height, width = self.image.shape[:2]
        y0, y1 = max(0, top), min(height, top + ink.shape[0])
        x0, x1 = max(0, left), min(width, left + ink.shape[1])
        if y0 >= y1 or x0 >= x1:
            return
        alpha = ink[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) * (strength / 255)
        part = self.image[y0:y1, x0:x1]
        part[:] = (part * (1 - alpha) + np.array(colour, np.float32) * alpha + 0.5).astype(np.uint8)

    def bitmap(self, picture: np.ndarray, x: float, y: float, width: float, height: float) -> None:
        """Place a picture (BGR, or gray) upright, without smoothing its edges (codes stay sharp)."""
        left, top = self.px(x, y)
        size = (max(1, round(width * self.ppm)), max(1, round(height * self.ppm)))
        if picture.ndim == 2:
            picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
        shrinks = size[0] < picture.shape[1] or size[1] < picture.shape[0]
        resized = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_NEAREST)
        full_height, full_width = self.image.shape[:2]
        y0, y1 = max(0, top), min(full_height, top + size[1])
        x0, x1 = max(0, left), min(full_width, left + size[0])
        if y0 < y1 and x0 < x1:
            self.image[y0:y1, x0:x1] = resized[y0 - top : y1 - top, x0 - left : x1 - left]

    def place(self, child: "Sheet", x: float, y: float, degrees: float = 0.0, mask: np.ndarray | None = None) -> None:
        """Places another sheet on this one, rotated, with its centre at (x, y), and adopts its serial's quad.

        mask  uint8, of the child's size: where the child covers (default everywhere).
        """
        scale = self.ppm / child.ppm
        height, width = child.image.shape[:2]
        cx, cy = (x - self.extent.left) * self.ppm, (y - self.extent.top) * self.ppm
        matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, scale)
        matrix[:, 2] += (cx - width / 2, cy - height / 2)
        reach = int(np.hypot(width, height) * scale / 2) + 3
        x0, y0 = max(0, int(cx) - reach), max(0, int(cy) - reach)
        x1, y1 = min(self.image.shape[1], int(cx) + reach), min(self.image.shape[0], int(cy) + reach)
        if x0 >= x1 or y0 >= y1:
            return
        local = matrix.copy()
        local[:, 2] -= (x0, y0)
        size = (x1 - x0, y1 - y0)
        source = child.image if scale >= 0.9 else cv2.GaussianBlur(child.image, (0, 0), 0.35 / scale)
        cover = np.full((height, width), 255, np.uint8) if mask is None else mask
        warped = cv2.warpAffine(source, local, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        alpha = cv2.warpAffine(cover, local, size, flags=cv2.INTER_LINEAR)[:, :, None].astype(np.float32) / 255
        part = self.image[y0:y1, x0:x1]
        part[:] = (part * (1 - alpha) + warped * alpha + 0.5).astype(np.uint8)
        if child.serial_quad is not None:
            pixels = (child.serial_quad - (child.extent.left, child.extent.top)) * child.ppm
            moved = pixels @ matrix[:, :2].T + matrix[:, 2]
            self.serial_quad = moved / self.ppm + (self.extent.left, self.extent.top)
