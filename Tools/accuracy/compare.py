#!/usr/bin/env python3
"""Compare two tables of the same pictures, picture by picture: `serialscan evaluate DIR --table FILE` (or `--csv FILE`).

usage: compare.py BEFORE.csv AFTER.csv [--labels DIR] [--changes]

For all pictures, each kind and each grade, prints how many are right, misread, silent, accepted, or accepted and
wrong; how many are right in only one table, with the two-sided exact p of McNemar's test; and the ratio of CPU time,
both of the sums and the median over pictures. The kind and the grade come from labels.csv below --labels DIR,
otherwise from the name of the picture's folder (`etched-easy`). --changes lists the pictures whose outcome or verdict
changed. The exit status is 1 if a picture is accepted and wrong in AFTER, but not in BEFORE.
"""

import argparse
import csv
import math
import statistics
import sys
from collections import defaultdict
from pathlib import Path

GOOD = ("right", "rightly_silent")
COUNTED = ("right", "misread", "silent", "rightly_silent", "unreadable")


def pictures(path: str) -> dict[tuple[str, str], dict[str, str]]:
    """Returns the rows of the pictures, by folder and file name."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row.get("row", "picture") == "picture"]
    return {(row["folder"], row["filename"]): row for row in rows}


def labels(directory: str) -> dict[tuple[str, str], dict[str, str]]:
    """Returns the rows of every labels.csv below a folder, by folder and file name."""
    found = {}
    for path in sorted(Path(directory).rglob("labels.csv")):
        folder = path.parent.relative_to(directory).as_posix()
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                found[("" if folder == "." else folder, row["filename"])] = row
    return found


def groups(key: tuple[str, str], label: dict[str, str] | None) -> list[str]:
    """Returns the groups in which a picture is counted."""
    folder = key[0].rsplit("/", 1)[-1]
    kind, _, grade = folder.partition("-")
    if label:
        kind, grade = (label.get("preset") or kind) if label.get("serial") else "without", label.get("grade") or ""
    return ["all"] + ([f"kind {kind}"] if kind else []) + ([f"grade {grade}"] if grade else [])


def mcnemar(gained: int, lost: int) -> float:
    """Returns the two-sided exact p of these numbers of changes in either direction, if both are equally likely."""
    total = gained + lost
    tail = sum(math.comb(total, k) for k in range(min(gained, lost) + 1)) / 2**total
    return min(1.0, 2 * tail)


def is_accepted_wrong(row: dict[str, str]) -> bool:
    return row["is_accepted"] == "true" and row["outcome"] != "right"


def line(name: str, pairs: list[tuple[dict[str, str], dict[str, str]]]) -> str:
    """Returns the line of one group."""
    cells = []
    for side in (0, 1):
        rows = [pair[side] for pair in pairs]
        counts = [sum(row["outcome"] == outcome for row in rows) for outcome in COUNTED]
        accepted = sum(row["is_accepted"] == "true" for row in rows)
        cells.append((counts, accepted, sum(map(is_accepted_wrong, rows))))
    gained = sum(a["outcome"] not in GOOD and b["outcome"] in GOOD for a, b in pairs)
    lost = sum(a["outcome"] in GOOD and b["outcome"] not in GOOD for a, b in pairs)
    times = [(float(a["cpu_seconds"]), float(b["cpu_seconds"])) for a, b in pairs]
    times = [(a, b) for a, b in times if a > 0 and b > 0]
    ratio = sum(b for _, b in times) / sum(a for a, _ in times) if times else math.nan
    median = statistics.median(b / a for a, b in times) if times else math.nan
    shown = [f"{a}>{b}" for a, b in zip(cells[0][0][:4], cells[1][0][:4])]
    shown += [f"{cells[0][1]}>{cells[1][1]}", f"{cells[0][2]}>{cells[1][2]}"]
    return (
        f"{name:22}{len(pairs):6}"
        + "".join(f"{cell:>11}" for cell in shown)
        + f"{f'+{gained} -{lost}':>10}{mcnemar(gained, lost):8.3f}{ratio:8.2f}{median:8.2f}"
    )


def changes(pairs: dict[tuple[str, str], tuple[dict[str, str], dict[str, str]]]) -> list[str]:
    """Returns a line for each picture whose outcome or verdict changed."""

    def told(row: dict[str, str]) -> str:
        read = f" {row['predicted']} {row['confidence']}" if row["predicted"] else ""
        return f"{row['outcome']}{' accepted' if row['is_accepted'] == 'true' else ''}{read}"

    return [
        f"{'/'.join(filter(None, key))}: {told(a)} > {told(b)} (is {a['expected'] or 'none'})"
        for key, (a, b) in pairs.items()
        if (a["outcome"], a["is_accepted"]) != (b["outcome"], b["is_accepted"])
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--labels", help="the labelled folder that was read")
    parser.add_argument("--changes", action="store_true", help="list the pictures that changed")
    options = parser.parse_args()
    before, after = pictures(options.before), pictures(options.after)
    pairs = {key: (row, after[key]) for key, row in before.items() if key in after}
    if not pairs:
        parser.error("the tables have no picture in common")
    if len(pairs) < max(len(before), len(after)):
        print(f"{len(pairs)} pictures are in both tables, of {len(before)} and {len(after)}", file=sys.stderr)
    known = labels(options.labels) if options.labels else {}
    grouped = defaultdict(list)
    for key, pair in pairs.items():
        for group in groups(key, known.get(key)):
            grouped[group].append(pair)
    header = ["right", "misread", "silent", "rightly", "accepted", "acc wrong"]
    print(
        f"{'':22}{'n':>6}"
        + "".join(f"{name:>11}" for name in header)
        + f"{'changed':>10}{'p':>8}{'CPU':>8}{'median':>8}"
    )
    for name in sorted(grouped, key=lambda name: (name != "all", name)):
        print(line(name, grouped[name]))
    if options.changes:
        print("\n".join(changes(pairs)))
    return int(any(is_accepted_wrong(b) and not is_accepted_wrong(a) for a, b in pairs.values()))


if __name__ == "__main__":
    sys.exit(main())
