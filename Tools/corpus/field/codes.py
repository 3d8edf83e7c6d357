"""Barcodes as Pillow pictures, black on white."""

from functools import lru_cache

import drawn
import numpy as np
import zxingcpp
from PIL import Image


@lru_cache(maxsize=256)
def _modules(content: str, symbology: str) -> np.ndarray:
    """Draws one pixel per module."""
    format = getattr(zxingcpp.BarcodeFormat, symbology)
    options = {"options": "ForceSquare"} if symbology == "DataMatrix" else {}
    barcode = zxingcpp.create_barcode(content, format, **options)
    return np.array(barcode.to_image(scale=1, add_quiet_zones=False))


def bars(content: str, module: float, height: float, symbology: str = "Code128") -> Image.Image:
    """A linear code; `module` is the width of the narrowest bar in pixels."""
    drawn.note(content)
    row = _modules(content, symbology)[0]
    edges = np.round(np.arange(len(row) + 1) * module).astype(int)
    wide = np.repeat(row, np.diff(edges))
    return Image.fromarray(np.tile(wide, (max(1, round(height)), 1)), "L")


def matrix(content: str, side: float, symbology: str = "QRCode") -> Image.Image:
    """A square code of `side` pixels."""
    drawn.note(content)
    modules = _modules(content, symbology)
    if symbology == "DataMatrix":
        height = max(modules.shape)
        side_y = side * modules.shape[0] / height
        return Image.fromarray(modules).resize((round(side * modules.shape[1] / height), round(side_y)), Image.NEAREST)
    return Image.fromarray(modules).resize((round(side), round(side)), Image.NEAREST)
