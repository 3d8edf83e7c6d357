#!/usr/bin/env python3
"""Fits the weights of the reader's confidence, and reports their calibration on held-out pictures.

usage: calibrate.py freeze TABLE.csv... > judged.csv
       calibrate.py fit judged.csv --weights CalibrationWeights.swift --report calibration.md

`freeze` extracts the fit's input from tables written by `serialscan evaluate DIR --table FILE`: one row per judged
serial, no pictures. The family of a table is the part of its file name before the first hyphen.

`fit` fits a logistic model of monotone features (`Calibration.Feature`) by Newton's method, one weight after the other; no weight may be
negative. A penalty pulls the weights towards `PRIOR`: values set by hand on some 8,000 generated pictures read before
November 2026, which no longer exist as tables. A weight keeps that value if no serial in the table has its feature,
such as a known configuration code. Wrong serials count twice. Serials in codes, and serials competing with another one
at the same place, have rules of their own and are not fitted. Requires NumPy.
"""

import argparse
import csv
import math
import random
import sys
import zlib
from collections import defaultdict

import numpy as np

from report import calibration_error, interval

PRIOR = {
    "margin_low": 1.0, "margin_high": 1.0, "strokes_low": 0.7, "strokes_high": 0.7, "held": 0.5, "lattice": 0.5, "ground": 1.0, "label": 3.5,
    "plant": 0.5, "format": 2.5, "shapes": 1.0, "whole": 2.5, "second_agrees": 1.0, "second_doubts": 1.0, "known_code": 1.0,
}
NAMES = list(PRIOR)
SERVED = ["has_text", "code", "doubt_of_label", "trust", "veto"]
PENALTY = 3.0
WEIGHT_OF_WRONG = 2.0
FOLDS = 10
MOST_OF_TEXT = 0.998
ACCEPT, REFUSE = 0.97, 0.4
DRAWS = 2000


def freeze(paths: list[str]) -> None:
    """Writes the judged serials in several tables."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["set", "folder", "filename", "serial", "right", "confidence", *NAMES, *SERVED])
    for path in paths:
        name = path.rsplit("/", 1)[-1].removesuffix(".csv")
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                if row["row"] == "serial":
                    right = 1 if row["is_hit"] == "true" else 0
                    numbers = [f"{float(row.get(key) or 0):.4g}" for key in ["confidence", *NAMES, *SERVED]]
                    out.writerow([name, row["folder"], row["filename"], row["predicted"], right, *numbers])


def load(path: str) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in ["right", "confidence", *NAMES, *SERVED]:
            row[key] = float(row.get(key) or 0)
        row["picture"] = (row["set"], row["folder"], row["filename"])
        row["family"] = row["set"].split("-")[0]
        row["fold"] = zlib.crc32("/".join(row["picture"]).encode()) % FOLDS
    return rows


def fitted(rows: list[dict]) -> tuple[float, np.ndarray]:
    """Fits and returns the constant and the weights."""
    rows = [row for row in rows if row["has_text"] and not row["code"] and row["trust"] > 0.85]
    x = np.array([[row[name] for name in NAMES] for row in rows])
    y = np.array([row["right"] for row in rows])
    share = np.where(y == 1, 1.0, WEIGHT_OF_WRONG)
    prior = np.array([PRIOR[name] for name in NAMES])
    weights, constant, z = np.zeros(len(NAMES)), 0.0, np.zeros(len(y))
    for _ in range(1000):
        p = 1 / (1 + np.exp(-z))
        step = -np.clip((share * (p - y)).sum() / ((share * p * (1 - p)).sum() + 1e-6), -1, 1)
        constant, z, most = constant + step, z + step, abs(step)
        for j in range(len(NAMES)):
            p = 1 / (1 + np.exp(-z))
            slope = (share * (p - y) * x[:, j]).sum() + PENALTY * (weights[j] - prior[j])
            curve = (share * p * (1 - p) * x[:, j] ** 2).sum() + PENALTY
            new = max(0.0, weights[j] - float(np.clip(slope / curve, -1, 1)))
            z, most, weights[j] = z + (new - weights[j]) * x[:, j], max(most, abs(new - weights[j])), new
        if most < 1e-6:
            break
    return constant, weights


def served(row: dict, constant: float, weights: np.ndarray) -> float:
    """Returns the confidence that the reader reports, computed as in `SerialJudgement`."""
    text = 0.0
    if row["has_text"]:
        z = constant + sum(weight * row[name] for weight, name in zip(weights, NAMES, strict=True))
        text = min(MOST_OF_TEXT, 1 / (1 + math.exp(-z)))
    if row["code"]:
        text = 1 - (1 - row["code"]) * min(1 - text, row["doubt_of_label"])
    return min(row["veto"], text * row["trust"])


def held_out(rows: list[dict], group: str) -> list[float]:
    """Returns the confidence of each serial, with weights fitted without its group."""
    told = [0.0] * len(rows)
    for value in {row[group] for row in rows}:
        constant, weights = fitted([row for row in rows if row[group] != value])
        for index, row in enumerate(rows):
            if row[group] == value:
                told[index] = served(row, constant, weights)
    return told


def leaders(rows: list[dict], told: list[float]) -> list[dict]:
    """Returns the most probable serial of each picture, if it is shown."""
    best: dict[tuple, dict] = {}
    for row, confidence in zip(rows, told, strict=True):
        if confidence >= REFUSE and confidence > best.get(row["picture"], {"confidence": 0})["confidence"]:
            best[row["picture"]] = {"confidence": confidence, "outcome": "right" if row["right"] else "misread", "row": row}
    return list(best.values())


def error_interval(shown: list[dict]) -> str:
    draw = random.Random(1)
    errors = sorted(calibration_error([draw.choice(shown) for _ in shown]) for _ in range(DRAWS))
    return f"{calibration_error(shown):.3f} ({errors[DRAWS // 40]:.3f} to {errors[-DRAWS // 40]:.3f})"


def summary(name: str, shown: list[dict]) -> str:
    accepted = [lead for lead in shown if lead["confidence"] >= ACCEPT]
    wrong = sum(lead["outcome"] != "right" for lead in accepted)
    right = sum(lead["outcome"] == "right" for lead in shown)
    return (f"| {name} | {right} | {len(shown) - right} | {len(accepted)} | {wrong} | {interval(wrong, len(accepted))} | "
            f"{error_interval(shown) if shown else '-'} |")


def report(rows: list[dict], constant: float, weights: np.ndarray) -> list[str]:
    read = [row["confidence"] for row in rows]
    ways = [("as read", read), ("all pictures", [served(row, constant, weights) for row in rows]),
            ("without the tenth with the picture", held_out(rows, "fold")), ("without the family", held_out(rows, "family"))]
    pictures = {row["picture"] for row in rows}
    out = ["# Calibration", "",
           "Written by `make calibration` from `Tools/accuracy/judged.csv`: do not edit. The features are described in `Calibration.swift`,",
           "how the sets are drawn in [Tools/corpus](../Tools/corpus/README.md).", "",
           f"{len(rows)} serials judged in {len(pictures)} pictures of {', '.join(sorted({row['set'] for row in rows}))}; "
           f"{sum(row['right'] == 0 for row in rows)} of them are wrong.", "",
           "| weights fitted on | right | misread | accepted | of these wrong | per cent, with its 95 % interval | calibration error |",
           "|---|---|---|---|---|---|---|"]
    out += [summary(name, leaders(rows, told)) for name, told in ways]
    held = ways[2][1]
    out += ["", "By kind, with the weights fitted without the tenth that holds the picture:", "",
            "| kind | right | misread | accepted | of these wrong | per cent, with its 95 % interval | calibration error |", "|---|---|---|---|---|---|---|"]
    kinds = defaultdict(list)
    for lead in leaders(rows, held):
        kinds[lead["row"]["folder"].partition("-")[0]].append(lead)
    out += [summary(kind, shown) for kind, shown in sorted(kinds.items())]
    out += ["", "| confidence | serials | right | mean confidence |", "|---|---|---|---|"]
    bins = defaultdict(list)
    for lead in leaders(rows, held):
        bins[min(9, int(lead["confidence"] * 10))].append(lead)
    for number, shown in sorted(bins.items()):
        mean = sum(lead["confidence"] for lead in shown) / len(shown)
        out.append(f"| {number / 10} to {(number + 1) / 10} | {len(shown)} | {sum(lead['outcome'] == 'right' for lead in shown)} | {mean:.3f} |")
    out += ["", "| feature | weight | drawn to |", "|---|---|---|", f"| constant | {constant:.3f} | |"]
    out += [f"| {name} | {weight:.3f} | {PRIOR[name]} |" for name, weight in zip(NAMES, weights, strict=True)]
    return out


def swift(constant: float, weights: np.ndarray) -> str:
    cases = "\n".join(f"    case .{camel(name)}: {weight:.3f}" for name, weight in zip(NAMES, weights, strict=True))
    return f"""// Written by `make calibration`: do not edit.

/// The weights of the features of a read.
enum CalibrationWeights {{
  /// The log-odds of a read whose features are all 0.
  static let constant = {constant:.3f}

  /// The log-odds per unit of a feature, 0 or more.
  static func weight(of feature: Calibration.Feature) -> Double {{
    switch feature {{
{cases}
    }}
  }}
}}
"""


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["freeze", "fit"])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--weights")
    parser.add_argument("--report")
    options = parser.parse_args()
    if options.what == "freeze":
        return freeze(options.tables)
    rows = [row for path in options.tables for row in load(path)]
    constant, weights = fitted(rows)
    if options.weights:
        with open(options.weights, "w", encoding="utf-8") as file:
            file.write(swift(constant, weights))
    text = "\n".join(report(rows, constant, weights)) + "\n"
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write(text)
    print(text)


if __name__ == "__main__":
    main()
