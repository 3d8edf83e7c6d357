#!/usr/bin/env python3
"""Writes a copy of a drawn set with worse pictures: small, out of focus, moved, or dark and noisy.

usage: worsen.py FOLDER OUT

FOLDER is a set of `Tools/corpus/make.py`. Copies are scaled down as messengers and web pages do, until capitals of the serial are
at most 22 pixels high, *small* ones at most 13, and compressed once more. File names are kept, apart from their extension. The same set
results in the same copies. Requires OpenCV.
"""

import csv
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np

# Heights of the capitals in pixels. Blur is a share of it, in the standard deviation, or in the length of the way.
SMALL, OTHERS = (6, 13), (13, 22)
FOCUS, WAY = (0.07, 0.15), (0.15, 0.35)
LIGHT, NOISE = (0.25, 0.5), (4, 10)
QUALITIES = (50, 90)
# Pictures without a serial are scaled as if their capitals were this high.
CAPITALS_OF_OTHERS = 28
FILTERS = [cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_CUBIC, cv2.INTER_LINEAR]


def capitals(quad: str) -> float:
    """Returns the height of a serial's capitals in pixels, from its quadrilateral."""
    if not quad:
        return CAPITALS_OF_OTHERS
    corners = np.array([float(value) for value in quad.split(";")]).reshape(4, 2)
    return max(1.0, min(np.linalg.norm(corners[3] - corners[0]), np.linalg.norm(corners[2] - corners[1])))


def worse(picture: np.ndarray, height: float, rng: np.random.Generator) -> np.ndarray:
    """Returns a worse copy of a picture whose capitals have a height in pixels."""
    way = rng.integers(4)
    wanted = min(height, float(np.exp(rng.uniform(*np.log(OTHERS if way else SMALL)))))
    copy = cv2.resize(
        picture, None, fx=wanted / height, fy=wanted / height, interpolation=FILTERS[rng.integers(len(FILTERS))]
    )
    if way == 1:
        copy = cv2.GaussianBlur(copy, (0, 0), wanted * rng.uniform(*FOCUS))
    elif way == 2:
        length, angle = wanted * rng.uniform(*WAY), rng.uniform(0, np.pi)
        kernel, middle = np.zeros((33, 33), np.float32), np.array([16, 16])
        step = np.array([np.cos(angle), np.sin(angle)]) * length / 2
        ends = [tuple(int(v) for v in (middle + sign * step) * 16) for sign in (-1, 1)]
        cv2.line(kernel, *ends, 1, 1, cv2.LINE_AA, 4)
        copy = cv2.filter2D(copy, -1, kernel / kernel.sum())
    elif way == 3:
        dark = copy * rng.uniform(*LIGHT) + rng.normal(0, rng.uniform(*NOISE), copy.shape)
        copy = np.clip(dark, 0, 255).astype(np.uint8)
    return copy


def main() -> None:
    source, out = (Path(path) for path in sys.argv[1:3])
    for labels in sorted(source.glob("*/labels.csv")):
        folder = out / labels.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        with open(labels, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rng = np.random.default_rng(
                    zlib.crc32(f"{labels.parent.name}/{row['filename']}/{row['serial']}".encode())
                )
                copy = worse(cv2.imread(str(labels.parent / row["filename"])), capitals(row["quad"]), rng)
                rows.append([Path(row["filename"]).stem + ".jpg", row["serial"]])
                cv2.imwrite(str(folder / rows[-1][0]), copy, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*QUALITIES))])
        with open(folder / "labels.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([["filename", "serial"], *rows])


if __name__ == "__main__":
    main()
