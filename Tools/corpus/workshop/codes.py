"""Barcodes as small black-and-white bitmaps, one pixel per module."""

import cv2
import drawn
import numpy as np
import zxingcpp

FORMATS = {
    "code128": zxingcpp.BarcodeFormat.Code128,
    "code39": zxingcpp.BarcodeFormat.Code39,
    "qr": zxingcpp.BarcodeFormat.QRCode,
    "datamatrix": zxingcpp.BarcodeFormat.DataMatrix,
    "upc": zxingcpp.BarcodeFormat.UPCA,
    "ean": zxingcpp.BarcodeFormat.EAN13,
    "pdf417": zxingcpp.BarcodeFormat.PDF417,
}
LINEAR = {"code128", "code39", "upc", "ean"}


def code(kind: str, payload: str) -> np.ndarray:
    """The code's modules, uint8 0 or 255, without a quiet zone; linear codes are one row high."""
    drawn.note(payload)
    barcode = zxingcpp.create_barcode(payload, FORMATS[kind])
    modules = np.array(barcode.to_image(scale=1, add_quiet_zones=False, add_hrt=False))
    if modules.ndim == 3:
        modules = modules[:, :, 0]
    return modules[:1] if kind in LINEAR else modules


def faded(rng: np.random.Generator, modules: np.ndarray, scale: int = 4) -> np.ndarray:
    """The code enlarged with white streaks, as from a worn thermal head: often no longer decodable."""
    big = cv2.resize(modules, None, fx=scale, fy=scale if modules.shape[0] > 1 else 40, interpolation=cv2.INTER_NEAREST)
    for _ in range(int(rng.integers(1, 4))):
        row = int(rng.integers(0, big.shape[0]))
        big[row : row + max(1, big.shape[0] // 30)] = 255
    return big
