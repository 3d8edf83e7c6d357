#!/usr/bin/env python3
"""Draws docs/tracking.png: four frames of a generated video with the program's output as an overlay.

usage: picture.py VIDEO [--program PATH] [--frames 0 27 63 88] [--out docs/tracking.png]

VIDEO is a folder written by make_videos.py; the default frames suit the kind `covered`.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

TILE, GAP, COLORS = (480, 270), 4, 96


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("--program", default=str(root / ".build/release/serialscan"))
    parser.add_argument("--frames", type=int, nargs=4, default=[0, 27, 63, 88])
    parser.add_argument("--out", type=Path, default=root / "docs/tracking.png")
    options = parser.parse_args()
    truth = json.loads((options.video / "truth.json").read_text())
    boxes = [word for box in truth["boxes"] for word in ("--box", ",".join(map(str, box)))]
    sheet = Image.new("RGB", (2 * TILE[0] + GAP, 2 * TILE[1] + GAP), "white")
    with tempfile.TemporaryDirectory() as drawn:
        command = [options.program, "track", str(options.video), *boxes, "--overlay", drawn]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for place, frame in enumerate(options.frames):
            tile = Image.open(Path(drawn) / f"{frame:05d}.jpg").convert("RGB").resize(TILE, Image.Resampling.LANCZOS)
            sheet.paste(tile, (place % 2 * (TILE[0] + GAP), place // 2 * (TILE[1] + GAP)))
    # Few colours without dithering, because noise takes most of a PNG's size.
    few = sheet.quantize(COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(options.out, optimize=True)


if __name__ == "__main__":
    main()
