#!/usr/bin/env python3
"""Writes docs/accuracy.md from tables of `serialscan evaluate DIR --table FILE`.

usage: report.py --commit COMMIT "NAME=TABLE.csv" ... > docs/accuracy.md

NAME is the set's name in the report, with its seed: `field, seed 31001`. Intervals of shares are exact (Clopper and
Pearson, 95 %); those of the calibration error are the middle 95 % of 2,000 bootstrap samples of whole pictures.
"""

import argparse
import csv
import math
import random
import statistics
from collections import defaultdict

BINS = 10
DRAWS = 2000


def tail(hits: int, total: int, share: float) -> float:
    """Returns the probability of at most this many hits."""
    if share <= 0 or share >= 1:
        return 1.0 if share <= 0 or hits >= total else 0.0
    logs = [
        math.lgamma(total + 1)
        - math.lgamma(k + 1)
        - math.lgamma(total - k + 1)
        + k * math.log(share)
        + (total - k) * math.log1p(-share)
        for k in range(hits + 1)
    ]
    return min(1.0, sum(map(math.exp, logs)))


def bound(hits: int, total: int, probability: float) -> float:
    """Returns the share for which at most this many hits have the given probability, which decreases with the share."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(hits, total, middle) > probability else (low, middle)
    return (low + high) / 2


def interval(hits: int, total: int) -> str:
    """Returns a share in per cent with its exact 95 % interval."""
    if total == 0:
        return "-"
    low = 0.0 if hits == 0 else bound(hits - 1, total, 0.975)
    high = 1.0 if hits == total else bound(hits, total, 0.025)
    return f"{100 * hits / total:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def calibration_error(rows: list[dict[str, str]]) -> float:
    """Returns the mean distance between confidence and share of right reads, weighted by the bins' sizes."""
    bins = defaultdict(list)
    for row in rows:
        confidence = float(row["confidence"])
        bins[min(BINS - 1, int(confidence * BINS))].append((confidence, row["outcome"] == "right"))
    return sum(abs(sum(c for c, _ in b) - sum(r for _, r in b)) for b in bins.values()) / max(1, len(rows))


def section(name: str, rows: list[dict[str, str]]) -> list[str]:
    """Returns the tables of one set."""
    folders = defaultdict(list)
    for row in rows:
        folders[row["folder"]].append(row)
    out = [f"## {name[:1].upper()}{name[1:]}", ""]
    out += [
        "| folder | pictures | correct | wrong | missed or empty | accepted | of these wrong | median CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for folder, group in [*sorted(folders.items()), ("all", rows)]:
        count = defaultdict(int)
        for row in group:
            count[row["outcome"]] += 1
        accepted = [row for row in group if row["is_accepted"] == "true"]
        wrong = sum(row["outcome"] != "right" for row in accepted)
        cpu = [float(row["cpu_seconds"]) for row in group if row["cpu_seconds"]]
        out.append(
            f"| {folder} | {len(group)} | {count['right']} | {count['misread']} | {count['silent'] + count['rightly_silent']} "
            f"| {len(accepted)} | {wrong} | {statistics.median(cpu) if cpu else math.nan:.2f} s |"
        )
    labelled = [row for row in rows if row["expected"]]
    others = [row for row in rows if not row["expected"]]
    accepted = [row for row in rows if row["is_accepted"] == "true"]
    told = [row for row in rows if row["predicted"]]
    wrong = sum(row["outcome"] != "right" for row in accepted)
    chance = random.Random(1)
    draws = sorted(calibration_error(chance.choices(told, k=len(told))) for _ in range(DRAWS)) if told else [math.nan]
    out += [
        "",
        "| share | per cent, with its 95 % interval |",
        "|---|---|",
        f"| correct, of {len(labelled)} pictures with a serial | {interval(sum(r['outcome'] == 'right' for r in labelled), len(labelled))} |",
        f"| correct and accepted, of these | {interval(sum(r['outcome'] == 'right' for r in labelled if r['is_accepted'] == 'true'), len(labelled))} |",
        f"| wrong, of {len(accepted)} accepted | {interval(wrong, len(accepted))} |",
        f"| no serial reported, of {len(others)} pictures without one | {interval(sum(not r['predicted'] for r in others), len(others))} |",
        "",
        f"Expected calibration error of {len(told)} reported serials: {calibration_error(told):.3f} "
        f"({draws[int(0.025 * len(draws))]:.3f} to {draws[min(len(draws) - 1, int(0.975 * len(draws)))]:.3f}).",
        "",
        "| confidence | serials | correct | mean confidence |",
        "|---|---|---|---|",
    ]
    for place in range(BINS):
        group = [row for row in told if min(BINS - 1, int(float(row["confidence"]) * BINS)) == place]
        if group:
            mean = statistics.mean(float(row["confidence"]) for row in group)
            out.append(
                f"| {place / BINS:.1f} to {(place + 1) / BINS:.1f} | {len(group)} | {sum(r['outcome'] == 'right' for r in group)} | {mean:.3f} |"
            )
    return [*out, ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--commit", required=True, help="the commit of the program that read the pictures")
    parser.add_argument("tables", nargs="+", metavar="NAME=TABLE.csv")
    options = parser.parse_args()
    sets = []
    for table in options.tables:
        name, _, path = table.partition("=")
        with open(path, newline="", encoding="utf-8-sig") as file:
            sets.append((name, [row for row in csv.DictReader(file) if row["row"] == "picture"]))
    lines = [
        "# Accuracy",
        "",
        "For operators who want to know how well photos are read, and for those who change the reader. Written by",
        "`Tools/accuracy/report.py` from tables of `serialscan evaluate --table`: do not edit. [Tools/corpus](../Tools/corpus/README.md)",
        "describes how the pictures are drawn, [reading.md](reading.md) how they are read.",
        "",
        f"Read by the program of commit {options.commit}, without a preset. A *reported* serial is accepted or needs review. CPU times were measured",
        "beside other work: compare them only within a table.",
        "",
    ]
    for name, rows in sets:
        lines += section(name, rows)
    print("\n".join(lines).rstrip())


if __name__ == "__main__":
    main()
