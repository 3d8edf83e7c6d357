#!/usr/bin/env python3
"""Writes generated videos for measuring tracking, each a folder of frames with truth.json.

    make_videos.py --out DIR [--family field] [--kinds KIND ...] [--each 3] [--frames 90] [--seed 1] [--jobs 2]

Kinds of flat things: steady, turn, blur, light, shake, covered, leave, alike; bench, poor and strange show four at a
time, of which the last bear no serial. Kinds of soft ones: soft, soft-covered, soft-leave. Of cases and cups that turn and
of hands that bend, only if --kinds names them: solid, hand, and both -covered and -leave. truth.json: kind, model (planar
or soft), serials (of each object), width, height, boxes (the first frame's), and of every frame a list with the box, the
quad (planar) and the share in sight of each object. masks/NNN.png are the truth of the first object in every fifteenth
frame.
"""

import argparse
import importlib
import json
import os
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))
from video.bench import BENCH, Bench  # noqa: E402
from video.camera import HEIGHT, WIDTH, exposed, motion_blur, quad_truth, seen_truth  # noqa: E402
from video.motion import plane_map, shake, smooth_curve  # noqa: E402
from video.things import PRESETS, Hand, SoftThing, SolidThing, flat_thing  # noqa: E402

PLANAR = ("steady", "turn", "blur", "light", "shake", "covered", "leave", "alike")
SOFT = ("soft", "soft-covered", "soft-leave")
SOLID = ("solid", "solid-covered", "solid-leave", "hand", "hand-covered", "hand-leave")
KINDS = PLANAR + BENCH + SOFT


def place_over(frame: np.ndarray, image: np.ndarray, mask: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Places an image over the frame; returns its mask in the frame, 0...1."""
    shrink = np.sqrt(abs(np.linalg.det((matrix / matrix[2, 2])[:2, :2])))
    if shrink < 0.7:
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / shrink)
    warped = cv2.warpPerspective(
        image, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    cover = cv2.warpPerspective(mask, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR).astype(np.float32) / 255
    frame[:] = (frame * (1 - cover[..., None]) + warped * cover[..., None]).astype(np.uint8)
    return cover


class Video:
    """One video: its objects, their paths, and its camera."""

    def __init__(self, kind: str, index: int, frames: int, seed: int, family: str):
        self.kind, self.frames = kind, frames
        self.rng = rng = np.random.default_rng([seed, zlib.crc32(kind.encode()), index])
        scenes = importlib.import_module(family)
        self.background = cv2.resize(
            scenes.make_look_alike(rng).image_bgr, (WIDTH + 240, HEIGHT + 240), interpolation=cv2.INTER_AREA
        )
        self.is_soft = kind in SOFT + SOLID
        preset = PRESETS[index % 3]
        if self.is_soft:
            things = {"solid": SolidThing, "hand": Hand}
            self.soft = things.get(kind.split("-")[0], SoftThing)(rng)
            self.size = (self.soft.side, self.soft.side)
            self.serials = [""]
            self.scale = rng.uniform(0.45, 0.8)
        else:
            self.thing = flat_thing(scenes, preset, rng)
            height, width = self.thing.image.shape[:2]
            self.size = (width, height)
            self.serials = [self.thing.serial]
            self.scale = min(rng.uniform(340, 720) / width, 0.75 * HEIGHT / height)
            if kind == "alike":
                other = flat_thing(scenes, preset, rng)
                self.alike = cv2.resize(other.image, (width, height), interpolation=cv2.INTER_AREA)
                self.serials.append(other.serial)
        self.paths(rng)

    def paths(self, rng: np.random.Generator) -> None:
        n, wide = self.frames, self.kind == "turn" or self.kind.endswith("leave")
        reach = 170 if not wide else 210
        self.center = np.stack(
            [WIDTH / 2 + smooth_curve(rng, n, 5, reach), HEIGHT / 2 + smooth_curve(rng, n, 5, reach * 0.5)], 1
        )
        if self.kind.endswith("leave"):
            # Out over one edge and back, in the middle third.
            away = np.clip(np.sin(np.linspace(-0.9, np.pi + 0.9, n)), 0, 1) ** 2
            direction = np.array([1, 0]) if rng.random() < 0.5 else np.array([-1, 0])
            self.center += away[:, None] * direction * (WIDTH * 1.3)
        if self.kind == "alike":
            self.center += [[-WIDTH * 0.22, 0]]
        turn = 40 if self.kind == "turn" else 9
        self.turn = smooth_curve(rng, n, 4, turn)
        self.zoom = 2 ** smooth_curve(rng, n, 4, 0.7 if self.kind == "turn" else 0.2)
        tilt = 0 if self.is_soft else 28 if self.kind == "turn" else 14
        self.tilt = np.stack([smooth_curve(rng, n, 4, tilt), smooth_curve(rng, n, 4, tilt)], 1)
        self.view = np.stack([smooth_curve(rng, n, 4, 70), smooth_curve(rng, n, 4, 70)], 1)
        trembling = {"shake": 14.0, "blur": 3.0}.get(self.kind, 0.8)
        self.tremble = shake(rng, n, trembling)
        self.light = 1 + smooth_curve(rng, n, 6, 0.55 if self.kind == "light" else 0.08)
        self.noise = rng.uniform(1, 4)

    def frame(self, t: int):
        rng = np.random.default_rng([t, int(self.noise * 1e6)])
        shift = np.float32(
            [[1, 0, self.view[t, 0] - 120 + self.tremble[t, 0]], [0, 1, self.view[t, 1] - 120 + self.tremble[t, 1]]]
        )
        frame = cv2.warpAffine(self.background, shift, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REFLECT)
        center = self.center[t] + self.tremble[t]
        matrix = plane_map(self.size, center, self.scale * self.zoom[t], self.turn[t], self.tilt[t])
        if self.is_soft:
            image, mask = self.soft.at(t / 30)
        else:
            image, mask = self.thing.image, np.full(self.thing.image.shape[:2], 255, np.uint8)
        beside = []
        if self.kind == "alike":
            other = plane_map(
                self.size,
                center + [WIDTH * 0.42, 30 * np.sin(t / 9)],
                self.scale * 0.9,
                -self.turn[t],
                self.tilt[t][::-1],
            )
            whole_mask = np.full(self.alike.shape[:2], 255, np.uint8)
            alike_seen = place_over(frame, self.alike, whole_mask, other)
            beside = [(whole_mask, other, alike_seen)]
        cover = place_over(frame, image, mask, matrix)
        seen = cover.copy()
        for _, _, other_seen in beside:
            other_seen *= 1 - cover
        if self.kind.endswith("covered"):
            self.cover(frame, seen, t, center)
        truth = [self.truth(*one) for one in [(mask, matrix, seen), *beside]]
        way = (self.tremble[t] - self.tremble[max(0, t - 1)]) * 0.4
        if self.kind == "blur" and t > 4:
            way = way + np.array([np.cos(t / 7), np.sin(t / 5)]) * (6 + 5 * np.sin(t / 6))
        return exposed(motion_blur(frame, way), self.light[t], self.noise, rng), truth, seen

    def cover(self, frame, seen, t, center) -> None:
        """A hand-like bar passes over the object twice, covering first part of it, then all."""
        phase = t / self.frames
        width = np.array(self.size) * self.scale * self.zoom[t]
        for begin, share in ((0.15, 0.45), (0.55, 1.7)):
            part = (phase - begin) / 0.3
            if not 0 < part < 1:
                continue
            middle = center[0] + width[0] * (-1.6 + 3.2 * part)
            half = width[0] * share / 2
            left, right = int(max(0, middle - half)), int(min(WIDTH, middle + half))
            if right > left:
                frame[:, left:right] = (90, 130, 190)
                frame[:, left:right:23] = (70, 105, 160)
                seen[:, left:right] = 0

    def truth(self, mask, matrix, seen):
        if self.is_soft:
            inside = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
            points = max(inside, key=len).reshape(-1, 1, 2).astype(np.float32)
            return seen_truth(cv2.perspectiveTransform(points, matrix).reshape(-1, 2), seen)
        width, height = self.size
        corners = np.float32([[0, 0], [width, 0], [width, height], [0, height]]).reshape(-1, 1, 2)
        return quad_truth(cv2.perspectiveTransform(corners, matrix).reshape(-1, 2), seen)


def write_video(job) -> str:
    out, kind, index, frames, seed, family = job
    cv2.setNumThreads(1)
    make = Bench if kind in BENCH else Video
    for attempt in range(20):
        video = make(kind, index + 1000 * attempt, frames, seed, family)
        if all(one["visible"] > 0.97 for one in video.frame(0)[1]):
            break
    folder = Path(out) / f"{kind}_{index + 1}"
    (folder / "masks").mkdir(parents=True, exist_ok=True)
    rows = []
    for t in range(frames):
        frame, truth, seen = video.frame(t)
        cv2.imwrite(str(folder / f"{t:03d}.jpg"), frame, [cv2.IMWRITE_JPEG_QUALITY, 82])
        if t % 15 == 0:
            cv2.imwrite(str(folder / "masks" / f"{t:03d}.png"), ((seen > 0.5) * 255).astype(np.uint8))
        rows.append(truth)
    summary = {
        "kind": kind,
        "model": "soft" if video.is_soft else "planar",
        "serials": video.serials,
        "width": WIDTH,
        "height": HEIGHT,
        "boxes": [one["box"] for one in rows[0]],
        "frames": rows,
    }
    (folder / "truth.json").write_text(json.dumps(summary))
    return folder.name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, help="folder to write to")
    parser.add_argument("--family", default="field", help="corpus family that the objects are cut from")
    parser.add_argument("--kinds", nargs="+", choices=KINDS + SOLID, default=KINDS, metavar="KIND")
    parser.add_argument("--each", type=int, default=3, help="number of videos of each kind")
    parser.add_argument("--frames", type=int, default=90)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    work = [
        (options.out, kind, index, options.frames, options.seed, options.family)
        for kind in options.kinds
        for index in range(options.each)
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        for name in pool.map(write_video, work):
            print(name, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
