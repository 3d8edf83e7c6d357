"""One generated picture, as passed from a family to the writer."""

from dataclasses import dataclass

import numpy as np

PRESETS = ("etched", "screen", "sticker")
GRADES = ("easy", "medium", "hard")


@dataclass
class Picture:
    """A finished picture with its ground truth.

    image_bgr     uint8, height x width x 3, as the camera or the screen would give it.
    jpeg_quality  0...100, used when the picture is written as JPEG (or WebP).
    serial        the expected serial number; empty if there is none.
    device_type   as an app would send it: MacBook, iMac, Mac Mini, iPhone, iPad, Apple Watch, Accessory.
    kind          a short kebab-case word for the scene, e.g. "macbook-underside" or "imei-label".
    quad          4 x 2 pixel coordinates around the serial (x right, y down), in reading order of the
                  text: top left, top right, bottom right, bottom left. None when there is no serial.
    preset        only for look-alikes: the preset an app would have sent. Else the writer fills it.
    """

    image_bgr: np.ndarray
    jpeg_quality: int
    serial: str
    device_type: str
    kind: str
    quad: np.ndarray | None
    preset: str = ""

    def check(self) -> None:
        """Raises ValueError if the picture is inconsistent, so that no wrong label is written."""
        image = self.image_bgr
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(f"{self.kind}: image must be uint8 BGR, is {image.dtype} {image.shape}")
        if bool(self.serial) != (self.quad is not None):
            raise ValueError(f"{self.kind}: a serial and its quad come together")
        if self.quad is not None:
            quad = np.asarray(self.quad, float).reshape(4, 2)
            height, width = image.shape[:2]
            if quad.min() < 0 or quad[:, 0].max() > width or quad[:, 1].max() > height:
                raise ValueError(f"{self.kind}: the serial's quad leaves the picture")

    def quad_text(self) -> str:
        """The quad in the format of labels.csv: x1;y1;...;x4;y4, or empty."""
        if self.quad is None:
            return ""
        return ";".join(f"{value:.1f}" for value in np.asarray(self.quad, float).reshape(-1))
