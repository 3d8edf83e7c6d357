"""A flat object before it is photographed: its picture, and the serial's place on it."""

from dataclasses import dataclass

import numpy as np

Box = tuple[float, float, float, float]


@dataclass
class Sheet:
    """image   uint8 BGR
    alpha     0...255 coverage, None for an opaque rectangle
    box       left, top, right, bottom of the serial's text; None without one
    context   left, top, right, bottom of the part to keep in the frame: the serial with its label
    cap       height of the serial's capitals (or of the main text), in pixels
    """

    image: np.ndarray
    cap: float
    box: Box | None = None
    alpha: np.ndarray | None = None
    context: Box | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.image.shape[1], self.image.shape[0]

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the serial, otherwise of the sheet."""
        if self.box:
            return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2
        return self.size[0] / 2, self.size[1] / 2

    @property
    def corners(self) -> np.ndarray | None:
        """The serial's corners: top left, top right, bottom right, bottom left."""
        if not self.box:
            return None
        return corners_of(self.box)


def corners_of(box: Box) -> np.ndarray:
    """Top left, top right, bottom right, bottom left."""
    left, top, right, bottom = box
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)


def union(a: Box, b: Box | None) -> Box:
    """The smallest box around both."""
    return a if b is None else (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))


def from_pil(image, cap: float, box: Box | None = None, alpha=None, context: Box | None = None) -> Sheet:
    """A sheet from a Pillow RGB picture, with an L picture as its coverage."""
    pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
    return Sheet(pixels, cap, box, None if alpha is None else np.asarray(alpha), context or box)
