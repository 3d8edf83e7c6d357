#!/usr/bin/env python3
"""Scores tracking on real films, in the folder named by SERIALSCAN_FILMS or --films.

    films.py [--films FOLDER] [--program PATH] [--gates film_gates.csv] [--only CLIP ...] [--blur FIRST,COUNT,SIGMA]
             [--json FILE] [--drawn FOLDER]

The films are not in this repository. Without them, the tool says that it skips them and exits with 0.

An object counts as visible in a frame if its place is known and nothing covers it. The place is known from the corners
in CLIP.csv or, for unmoving objects, from the first box.
- IoU: of the reported box and the true one, mean over visible frames with a reported box.
- lost: visible frames reported as null; if no place is known, all frames reported as null.
- false: covered frames with a reported place, and places with an IoU below 0.2, of all frames.
- found again: of the times that an object was uncovered, those after which it was found within 10 frames.
- doubled: frames in which two ids are at one place (IoU above 0.6).
- flat: places whose corners rotate with the object (the tracker of soft objects reports upright boxes).
- ms seen, ms lost: CPU time per frame including decoding, if all objects were found and if one was lost.
"""

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import cv2
from gates import broken
from score import overlap

FALSE_IOU, DOUBLE_IOU, PATIENCE = 0.2, 0.6, 10


@dataclass
class Clip:
    """A film, its objects, and their known places."""

    name: str
    boxes: list
    first: int = 0
    last: int = 10**6
    # By object: the frame up to which it does not move, and the frames in which it is covered (first, last).
    still: dict = field(default_factory=dict)
    covered: dict = field(default_factory=dict)
    # By object: frames in which it is partly covered.
    unclear: dict = field(default_factory=dict)


CLIPS = [
    Clip("book_small", [[137, 371, 251, 545]]),
    Clip("book1", [[301, 284, 470, 523]], last=400),
    Clip(
        "blocks",
        [[486, 306, 566, 397], [566, 303, 634, 394], [634, 300, 714, 391], [677, 543, 766, 640], [1117, 86, 1206, 189]],
        last=200,
        still={0: 189, 1: 195, 2: 197, 3: 197, 4: 84},
        covered={0: [(42, 48)], 1: [(39, 72)], 2: [(37, 75)]},
        unclear={0: [(36, 41), (49, 75)], 1: [(36, 38), (73, 77)], 2: [(33, 36), (76, 80)], 3: [(37, 52)]},
    ),
    Clip("cups", [[309, 263, 474, 529], [571, 289, 734, 543], [831, 289, 997, 543]], first=30, last=230),
]


def within(frame, ranges):
    return any(first <= frame <= last for first, last in ranges)


def truth(clip, films):
    """Returns the true boxes by object and frame of the film."""
    known = {}
    path = films / f"{clip.name}.csv"
    if path.exists():
        with open(path) as file:
            for row in csv.DictReader(file):
                xs = [float(row[f"x{corner}"]) for corner in range(4)]
                ys = [float(row[f"y{corner}"]) for corner in range(4)]
                known[0, int(row["frame"])] = [min(xs), min(ys), max(xs), max(ys)]
    for index, end in clip.still.items():
        for frame in range(clip.first, end):
            if not within(frame, clip.unclear.get(index, [])):
                known[index, frame] = clip.boxes[index]
    return known


def split(film, clip, folder, blur):
    """Writes the clip's frames to a folder, each frame of the file once."""
    passthrough = ["-fps_mode", "passthrough"]
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", film, *passthrough, "-q:v", "2", f"{folder}/%05d.jpg"]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
        # ffmpeg before 5.1
        command[command.index("-fps_mode")] = "-vsync"
        subprocess.run(command, check=True)
    for path in sorted(Path(folder).iterdir()):
        frame = int(path.stem) - 1
        if not clip.first <= frame <= clip.last:
            path.unlink()
        elif blur and blur[0] <= frame - clip.first < blur[0] + blur[1]:
            picture = cv2.GaussianBlur(cv2.imread(str(path)), (0, 0), blur[2])
            cv2.imwrite(str(path), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])


def processor(pid):
    """Returns the nanoseconds of CPU time of a process, by the clock of clock_getcpuclockid(3)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def tracked(program, folder, clip, drawn):
    """Returns the program's output lines, and the milliseconds of CPU time before each."""
    boxes = [word for box in clip.boxes for word in ("--box", ",".join(map(str, box)))]
    command = [program, "track", folder, *boxes, *(["--overlay", drawn] if drawn else [])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    lines, times, before = [], [], 0
    for line in process.stdout:
        now = processor(process.pid)
        lines.append(json.loads(line))
        times.append((now - before) / 1e6)
        before = now
    if process.wait() != 0:
        sys.exit(f"{clip.name}: the program ended with {process.returncode}")
    return lines, times


def is_turned(quad):
    """Whether a quadrilateral is not an upright box."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    return max(abs(y0 - y1), abs(x1 - x2), abs(y2 - y3), abs(x3 - x0)) > 0.1


def score(clip, films, lines, times):
    """Returns the values of a clip's row."""
    known = truth(clip, films)
    count = visible = lost = false = returns = found = answered = flat = 0
    sum_iou = 0.0
    unknown = not known
    for index in range(len(clip.boxes)):
        covers = clip.covered.get(index, [])
        waiting, until = None, -1
        for number in range(1, len(lines)):
            frame = clip.first + number
            place, true = lines[number]["bounding_boxes"][index], known.get((index, frame))
            count += 1
            if place:
                flat += is_turned(lines[number]["quads"][index])
            if within(frame, covers):
                false += place is not None
                until = frame
                continue
            if unknown:
                visible += 1
                lost += place is None
            if not true:
                continue
            iou = overlap(place, true) if place else 0
            visible += 1
            lost += place is None
            if place:
                answered += 1
                sum_iou += iou
                false += iou < FALSE_IOU
            if until >= 0 and waiting is None:
                waiting, until = PATIENCE, -1
                returns += 1
            if waiting is not None and waiting > 0:
                waiting -= 1
                if iou >= FALSE_IOU:
                    found += 1
                    waiting = None
                elif waiting == 0:
                    waiting = None
    doubled = 0
    for line in lines[1:]:
        places = [place for place in line["bounding_boxes"] if place]
        doubled += any(overlap(a, b) > DOUBLE_IOU for i, a in enumerate(places) for b in places[:i])
    times_seen = [time for time, line in list(zip(times, lines))[2:] if all(line["bounding_boxes"])]
    times_lost = [time for time, line in list(zip(times, lines))[2:] if not all(line["bounding_boxes"])]

    def mean(values):
        return sum(values) / len(values) if values else None

    return {
        "kind": clip.name,
        "frames": count,
        "iou": sum_iou / answered if answered else None,
        "lost_pct": 100 * lost / max(1, visible),
        "false_pct": 100 * false / max(1, count),
        "found_again": f"{found} of {returns}" if returns else "",
        "found_pct": 100 * found / returns if returns else None,
        "doubled": doubled,
        "flat_pct": 100 * flat / max(1, count),
        "ms_seen": mean(times_seen),
        "ms_lost": mean(times_lost),
        "ms_most": max(times[2:], default=0),
    }


def table(rows):
    """Returns the rows as a Markdown table."""

    def shown(value, pattern):
        return "" if value is None else format(value, pattern)

    print("| clip | frames | IoU | lost | false | found again | doubled | flat | ms seen | ms lost | ms at most |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for one in rows:
        print(
            f"| {one['kind']} | {one['frames']} | {shown(one['iou'], '.3f')} | {one['lost_pct']:.1f} % "
            f"| {one['false_pct']:.2f} % | {one['found_again']} | {one['doubled']} | {one['flat_pct']:.0f} % "
            f"| {shown(one['ms_seen'], '.1f')} | {shown(one['ms_lost'], '.1f')} | {one['ms_most']:.1f} |"
        )


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--films", default=os.environ.get("SERIALSCAN_FILMS"))
    parser.add_argument("--program", default=str(root / ".build/release/serialscan"))
    parser.add_argument("--gates")
    parser.add_argument("--only", nargs="*", help="names of clips (default: all)")
    parser.add_argument("--blur", help="FIRST,COUNT,SIGMA: blur COUNT frames from FIRST on, counted from 0")
    parser.add_argument("--json")
    parser.add_argument("--drawn", help="write annotated frames to this folder, by clip")
    parser.add_argument("--lines", help="write the program's output to this folder, as CLIP.jsonl")
    options = parser.parse_args()
    if not options.films or not Path(options.films).is_dir():
        print("skipped: SERIALSCAN_FILMS names no folder of films")
        return
    if not shutil.which("ffmpeg"):
        print("skipped: ffmpeg, which takes the films apart, is not installed")
        return
    films = Path(options.films)
    blur = [float(number) for number in options.blur.split(",")] if options.blur else None
    rows = []
    for clip in CLIPS:
        film = films / f"{clip.name}.mp4"
        if options.only and clip.name not in options.only:
            continue
        if not film.exists():
            print(f"skipped: {film} is missing")
            continue
        with tempfile.TemporaryDirectory() as folder:
            split(film, clip, folder, blur)
            drawn = f"{options.drawn}/{clip.name}" if options.drawn else None
            lines, times = tracked(options.program, folder, clip, drawn)
        if options.lines:
            Path(options.lines).mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps({"ms": ms, **line}) + "\n" for ms, line in zip(times, lines))
            (Path(options.lines) / f"{clip.name}.jsonl").write_text(text)
        rows.append(score(clip, films, lines, times))
    table(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    problems = list(broken(rows, options.gates)) if options.gates and not options.only else []
    for problem in problems:
        print(f"gate broken: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
