#!/usr/bin/env python3
"""Scores tracking on generated videos (Tools/corpus/make_videos.py) by kind, and checks gates.

    score.py --videos FOLDER [--program PATH] [--gates gates.csv] [--jobs 2] [--json FILE]

An object counts as visible in a frame if at least 60 % of it can be seen, and as hidden below 5 %.
- IoU: of the reported box and the true one, mean over visible frames with a reported box.
- lost: visible frames reported as null.
- falsely tracked: hidden frames with a reported place, and places with an IoU below 0.2, of all frames.
- found again: of the times that an object became visible again, those after which it was found within 10 frames.
- id switches: frames in which an object's place overlaps another object more than itself.
- mask IoU: of the reported mask and the true one, in every fifteenth frame, if the object is visible and was found.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cv2
from gates import broken

VISIBLE, HIDDEN, FALSE_IOU, PATIENCE = 0.6, 0.05, 0.2, 10
KINDS = ["steady", "turn", "blur", "light", "shake", "covered", "leave", "alike"]
KINDS += ["bench", "poor", "strange", "all planar"]
KINDS += ["soft", "soft-covered", "soft-leave", "all soft"]
KINDS += ["solid", "solid-covered", "solid-leave", "hand", "hand-covered", "hand-leave", "all solid"]
COUNTS = ["frames", "visible", "lost", "false", "returns", "found", "switches", "answered", "iou", "masks", "mask_iou"]


def overlap(one, other):
    """Returns the intersection over union of two boxes."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(0, wide) * max(0, high)
    united = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)) - shared
    return shared / united if united > 0 else 0


def tracked(program, folder, truth, masks):
    """Runs the program on a video; returns its output lines and writes the masks to a folder."""
    boxes = [word for box in truth["boxes"] for word in ("--box", ",".join(map(str, box)))]
    command = [program, "track", str(folder), *boxes, "--masks", masks]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def score(program, folder):
    """Returns the counts of one video."""
    truth = json.loads((folder / "truth.json").read_text())
    with tempfile.TemporaryDirectory() as masks:
        lines = tracked(program, folder, truth, masks)
        counts = dict.fromkeys(COUNTS, 0)
        for index in range(len(truth["boxes"])):
            score_object(index, truth["frames"], lines, counts)
        score_masks(folder, truth["frames"], masks, counts)
    return truth["kind"], counts


def score_object(index, frames, lines, counts):
    """Adds the results of one object, without the first frame."""
    hidden_since, waiting = False, None
    for number in range(1, len(frames)):
        true, place = frames[number][index], lines[number]["bounding_boxes"][index]
        others = [one["box"] for other, one in enumerate(frames[number]) if other != index and one["box"]]
        counts["frames"] += 1
        is_visible, is_hidden = true["visible"] >= VISIBLE and true["box"], true["visible"] < HIDDEN
        iou = overlap(place, true["box"]) if place and true["box"] else 0
        if place and (is_hidden or iou < FALSE_IOU):
            counts["false"] += 1
        if place and any(overlap(place, other) > iou for other in others):
            counts["switches"] += 1
        if is_visible:
            counts["visible"] += 1
            counts["lost" if place is None else "answered"] += 1
            counts["iou"] += iou
            if hidden_since:
                hidden_since, waiting = False, PATIENCE
                counts["returns"] += 1
        if is_hidden:
            hidden_since, waiting = True, None
        if waiting is not None:
            if place and iou >= FALSE_IOU:
                counts["found"] += 1
                waiting = None
            else:
                waiting = waiting - 1 if waiting > 1 else None


def score_masks(folder, frames, masks, counts):
    """Adds the mask results of the first object."""
    for path in sorted((folder / "masks").glob("*.png")):
        number = int(path.stem)
        answered = Path(masks) / f"{number:05d}-0.png"
        if number == 0 or frames[number][0]["visible"] < VISIBLE or not answered.exists():
            continue
        true, mine = cv2.imread(str(path), 0) > 127, cv2.imread(str(answered), 0) > 127
        united = (true | mine).sum()
        counts["masks"] += 1
        counts["mask_iou"] += float((true & mine).sum() / united) if united else 1.0


def row(name, counts):
    """Returns the values of a table row."""

    def share(part, whole):
        return counts[part] / counts[whole] if counts[whole] else None

    return {
        "kind": name,
        "frames": counts["frames"],
        "iou": share("iou", "answered"),
        "lost_pct": None if not counts["visible"] else 100 * counts["lost"] / counts["visible"],
        "false_pct": 100 * counts["false"] / max(1, counts["frames"]),
        "found_again": f"{counts['found']} of {counts['returns']}",
        "found_pct": None if not counts["returns"] else 100 * counts["found"] / counts["returns"],
        "id_switches": counts["switches"],
        "mask_iou": share("mask_iou", "masks"),
    }


def table(rows):
    """Returns the rows as a Markdown table."""

    def shown(value, pattern):
        return "" if value is None else format(value, pattern)

    print("| kind | frames | IoU | lost | falsely tracked | found again | id switches | mask IoU |")
    print("|---|---|---|---|---|---|---|---|")
    for one in rows:
        print(
            f"| {one['kind']} | {one['frames']} | {shown(one['iou'], '.3f')} | {shown(one['lost_pct'], '.1f')} % "
            f"| {one['false_pct']:.2f} % | {one['found_again']} | {one['id_switches']} "
            f"| {shown(one['mask_iou'], '.3f')} |"
        )


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--videos", required=True, type=Path)
    parser.add_argument("--program", default=str(root / ".build/release/serialscan"))
    parser.add_argument("--gates")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    options = parser.parse_args()
    folders = sorted(path.parent for path in options.videos.glob("*/truth.json"))
    kinds = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for kind, counts in pool.map(lambda folder: score(options.program, folder), folders):
            family = kind.split("-")[0]
            model = "all soft" if family == "soft" else "all solid" if family in ("solid", "hand") else "all planar"
            for name in (kind, model):
                sums = kinds.setdefault(name, dict.fromkeys(COUNTS, 0))
                for key, value in counts.items():
                    sums[key] += value
    order = {name: index for index, name in enumerate(KINDS)}
    rows = [row(name, kinds[name]) for name in sorted(kinds, key=lambda name: (order.get(name, 99), name))]
    table(rows)
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1))
    problems = list(broken(rows, options.gates)) if options.gates else []
    for problem in problems:
        print(f"gate broken: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
