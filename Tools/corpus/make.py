#!/usr/bin/env python3
"""Writes a corpus of generated pictures: three presets x three grades, print along a curve, photos from the side, and
look-alikes.

A family is a package beside this file with four functions:

    make_picture(preset, grade, rng) -> Picture     always with a serial
    make_round(grade, rng) -> Picture               always with a serial, etched or printed along a circle
    make_oblique(preset, grade, rng) -> Picture     always with a serial, photographed from the side
    make_look_alike(rng) -> Picture                 never with a serial

The same seed results in the same pictures for any number of processes: each picture has its own generator, seeded with
(seed, family, folder, index).
"""

import argparse
import csv
import importlib
import os
import sys
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2  # noqa: E402  (the thread count must stand before the libraries load)
import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))
import drawn  # noqa: E402
from picture import GRADES, PRESETS, Picture  # noqa: E402

HEADER = ["filename", "serial", "preset", "device_type", "grade", "kind", "quad"]
ROUND = "etched-round"
OBLIQUE = "oblique"
LOOK_ALIKES = "look-alikes"
# Noise makes PNG files large, so only small pictures are stored losslessly.
LARGEST_PNG_PIXELS = 1_200_000


def generator(seed: int, family: str, folder: str, index: int, attempt: int = 0) -> np.random.Generator:
    """The random generator of one picture, independent of all others."""
    return np.random.default_rng([seed, zlib.crc32(family.encode()), zlib.crc32(folder.encode()), index, attempt])


def draw_serial(scenes, folder: str, rng: np.random.Generator) -> tuple[str, str, Picture]:
    """A picture with a serial for a folder, with its preset and grade."""
    if folder == ROUND:
        grade = GRADES[rng.integers(len(GRADES))]
        return "etched", grade, scenes.make_round(grade, rng)
    if folder == OBLIQUE:
        preset, grade = PRESETS[rng.integers(len(PRESETS))], GRADES[rng.integers(len(GRADES))]
        return preset, grade, scenes.make_oblique(preset, grade, rng)
    preset, grade = folder.split("-")
    return preset, grade, scenes.make_picture(preset, grade, rng)


def draw(family: str, folder: str, index: int, seed: int, excluded: frozenset[str]) -> tuple[Picture, str, str]:
    """One checked picture with its preset and grade."""
    scenes = importlib.import_module(family)
    for attempt in range(20):
        rng = generator(seed, family, folder, index, attempt)
        drawn.begin()
        if folder == LOOK_ALIKES:
            picture, grade = scenes.make_look_alike(rng), ""
            preset = picture.preset
            if picture.serial:
                raise ValueError(f"{picture.kind}: a look-alike must not carry a serial")
        else:
            preset, grade, picture = draw_serial(scenes, folder, rng)
            if not picture.serial:
                raise ValueError(f"{picture.kind}: a picture of {folder} must carry a serial")
        picture.check()
        if picture.serial not in excluded:
            return picture, preset, grade
    raise RuntimeError(f"{folder} {index}: every attempt drew an excluded serial")


def encode(picture: Picture, stem: str, index: int) -> tuple[str, bytes]:
    """File name and bytes: mostly JPEG, one in twenty-five each WebP and (small ones) PNG."""
    height, width = picture.image_bgr.shape[:2]
    if index % 25 == 7 and height * width <= LARGEST_PNG_PIXELS:
        extension, options = ".png", []
    elif index % 25 == 16:
        extension, options = ".webp", [cv2.IMWRITE_WEBP_QUALITY, picture.jpeg_quality]
    else:
        extension, options = ".jpg", [cv2.IMWRITE_JPEG_QUALITY, picture.jpeg_quality]
    done, data = cv2.imencode(extension, picture.image_bgr, options)
    if not done:
        raise RuntimeError(f"{stem}{extension} could not be encoded")
    return stem + extension, data.tobytes()


def write_one(job: tuple[str, str, str, int, int, frozenset[str]]) -> tuple[str, list[str], list[str]]:
    """Draws and writes one picture; returns its folder, its row of labels.csv and the texts drawn on it."""
    out, family, folder, index, seed, excluded = job
    cv2.setNumThreads(1)
    picture, preset, grade = draw(family, folder, index, seed, excluded)
    name, data = encode(picture, f"{folder.replace('-', '_')}_{index + 1:03d}", index)
    (Path(out) / folder / name).write_bytes(data)
    row = [name, picture.serial, preset, picture.device_type, grade, picture.kind, picture.quad_text()]
    return folder, row, drawn.lines()


def write_corpus(out: str, family: str, counts: dict[str, int], seed: int, jobs: int, excluded: frozenset[str]) -> None:
    """Write every folder of `counts` with its labels.csv and texts.csv, in `jobs` processes."""
    work = []
    for folder, count in counts.items():
        (Path(out) / folder).mkdir(parents=True, exist_ok=True)
        work += [(out, family, folder, index, seed, excluded) for index in range(count)]
    rows: dict[str, list[list[str]]] = {folder: [] for folder in counts}
    texts: dict[str, list[list[str]]] = {folder: [] for folder in counts}
    with ProcessPoolExecutor(jobs) as pool:
        for done, (folder, row, lines) in enumerate(pool.map(write_one, work, chunksize=4), start=1):
            rows[folder].append(row)
            texts[folder] += [[row[0], line] for line in lines]
            if done % 50 == 0 or done == len(work):
                print(f"{done}/{len(work)}", file=sys.stderr, flush=True)
    for folder, lines in rows.items():
        for name, header, table in (("labels.csv", HEADER, lines), ("texts.csv", ["filename", "text"], texts[folder])):
            with open(Path(out) / folder / name, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(header)
                writer.writerows(table)


def serials_of_photos() -> frozenset[str]:
    """Serials of real photos, which must never be drawn: labels.csv in the folder SERIALSCAN_PHOTOS, if set."""
    folder = os.environ.get("SERIALSCAN_PHOTOS")
    labels = Path(folder) / "labels.csv" if folder else None
    if labels is None or not labels.exists():
        return frozenset()
    with open(labels, newline="", encoding="utf-8") as file:
        return frozenset(row["serial"] for row in csv.DictReader(file) if row["serial"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--family", required=True, help="package of scenes beside this file: workshop or field")
    parser.add_argument("--out", required=True, help="folder to write to")
    parser.add_argument("--per-folder", type=int, default=100)
    parser.add_argument("--look-alikes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="comma-separated folders, e.g. etched-hard,look-alikes")
    options = parser.parse_args()
    counts = {f"{preset}-{grade}": options.per_folder for preset in PRESETS for grade in GRADES}
    counts[ROUND] = counts[OBLIQUE] = options.per_folder
    counts[LOOK_ALIKES] = options.look_alikes
    if options.only:
        wanted = options.only.split(",")
        unknown = [folder for folder in wanted if folder not in counts]
        if unknown:
            parser.error(f"no such folder: {', '.join(unknown)}; there are {', '.join(counts)}")
        counts = {folder: counts[folder] for folder in wanted}
    counts = {folder: count for folder, count in counts.items() if count > 0}
    start = time.monotonic()
    write_corpus(options.out, options.family, counts, options.seed, options.jobs, serials_of_photos())
    print(f"{sum(counts.values())} pictures in {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
