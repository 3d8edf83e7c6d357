#!/usr/bin/env python3
"""Fits the weights of the reader's confidence, and reports their calibration on held-out pictures.

usage: calibrate.py freeze --commit COMMIT TABLE.csv... > judged.csv
       calibrate.py report judged.csv --weights CalibrationWeights.swift --report calibration.md [--take]

`freeze` extracts the fit's input from tables written by `serialscan evaluate DIR --table FILE`: one row per judged
serial, no pictures. A table's file name is FAMILY-SEED, with `-worse` for the copies of `worsen.py`.

`report` compares the program's weights with ones fitted to the table, and writes the latter into the program with
`--take`. Take them only if no more of the accepted serials are wrong, and the calibration error is smaller.

The fit is that of a logistic model of monotone features (`Calibration.Feature`) by Newton's method, one weight after
the other; no weight may be negative. A penalty pulls the weights towards `PRIOR`: values set by hand on some 8,000
generated pictures read before November 2026, which no longer exist as tables. A weight keeps that value if no serial
in the table has its feature, such as a known configuration code. Wrong serials count one and a half times. Serials in codes, and
serials competing with another one at the same place, have rules of their own and are not fitted. Requires NumPy.
"""

import argparse
import csv
import math
import random
import re
import sys
import zlib
from collections import defaultdict

import numpy as np
from report import calibration_error, interval

PRIOR = {
    "margin_low": 1.0,
    "margin_high": 1.0,
    "strokes": 0.7,
    "held": 0.5,
    "lattice": 0.5,
    "ground": 1.0,
    "label": 3.5,
    "plant": 0.5,
    "format": 2.5,
    "whole": 2.5,
    "second_agrees": 1.0,
    "known_code": 1.0,
}
NAMES = list(PRIOR)
SERVED = ["has_text", "code", "doubt_of_label", "trust", "veto"]
PENALTY = 3.0
WEIGHT_OF_WRONG = 1.5
FOLDS = 10
MOST_OF_TEXT = 0.998
ACCEPT, REFUSE = 0.97, 0.4
DRAWS = 2000


def freeze(paths: list[str], commit: str) -> None:
    """Writes the judged serials in several tables, read by the program of a commit."""
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([f"# read by the program of commit {commit}"])
    out.writerow(["set", "picture", "serial", "right", "confidence", *NAMES, *SERVED])
    for path in paths:
        name = path.rsplit("/", 1)[-1].removesuffix(".csv")
        with open(path, newline="", encoding="utf-8-sig") as file:
            for row in csv.DictReader(file):
                if row["row"] == "serial":
                    right = 1 if row["is_hit"] == "true" else 0
                    numbers = [
                        f"{round(float(row.get(key) or 0), 4) + 0.0:.4g}" for key in ["confidence", *NAMES, *SERVED]
                    ]
                    out.writerow([name, row["filename"].partition(".")[0], row["predicted"], right, *numbers])


def load(path: str) -> tuple[list[dict], str]:
    """Returns the rows of a frozen table, and the commit of the program that read its pictures."""
    with open(path, newline="", encoding="utf-8") as file:
        commit = file.readline().split()[-1]
        rows = list(csv.DictReader(file))
    for row in rows:
        for key in ["right", "confidence", *NAMES, *SERVED]:
            row[key] = float(row.get(key) or 0)
        row["family"], row["seed"] = row["set"].split("-")[:2]
        # A copy belongs to the fold of the picture that it was made from.
        row["fold"] = zlib.crc32(f"{row['family']}-{row['seed']}/{row['picture']}".encode()) % FOLDS
        row["kind"] = row["picture"].partition("_")[0].replace("look", "look-alikes")
        row["picture"] = (row["set"], row["picture"])
    return rows, commit


Weights = tuple[float, np.ndarray]


def fitted(rows: list[dict]) -> Weights:
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
            best[row["picture"]] = {
                "confidence": confidence,
                "outcome": "right" if row["right"] else "misread",
                "row": row,
            }
    return list(best.values())


def error_interval(shown: list[dict]) -> str:
    draw = random.Random(1)
    errors = sorted(calibration_error([draw.choice(shown) for _ in shown]) for _ in range(DRAWS))
    return f"{calibration_error(shown):.3f} ({errors[DRAWS // 40]:.3f} to {errors[-DRAWS // 40]:.3f})"


def summary(name: str, shown: list[dict]) -> str:
    accepted = [lead for lead in shown if lead["confidence"] >= ACCEPT]
    wrong = sum(lead["outcome"] != "right" for lead in accepted)
    right = sum(lead["outcome"] == "right" for lead in shown)
    return (
        f"| {name} | {right} | {len(shown) - right} | {len(accepted)} | {wrong} | {interval(wrong, len(accepted))} | "
        f"{error_interval(shown) if shown else '-'} |"
    )


HEADER = ["right", "misread", "accepted", "of these wrong", "per cent, with its 95 % interval", "calibration error"]


def table(columns: list[str], rows: list[str]) -> list[str]:
    return ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *rows]


def grouped(shown: list[dict], group) -> list[str]:
    """Returns the summaries of groups of serials."""
    groups = defaultdict(list)
    for lead in shown:
        groups[group(lead["row"])].append(lead)
    return [summary(name, leads) for name, leads in sorted(groups.items())]


def report(rows: list[dict], commits: list[str], program: Weights, fit: Weights) -> list[str]:
    own = [served(row, *program) for row in rows]
    ways = [
        ("in the program", own),
        ("fitted to all pictures", [served(row, *fit) for row in rows]),
        ("fitted without the tenth with the picture", held_out(rows, "fold")),
        ("fitted without the family", held_out(rows, "family")),
    ]
    sets = sorted({row["set"] for row in rows})
    out = [
        "# Calibration",
        "",
        "Written by `make calibration` from `Tools/accuracy/judged.csv`: do not edit. The features are described in `Calibration.swift`,",
        "how the sets are drawn in [Tools/corpus](../Tools/corpus/README.md). `make judged` draws and reads them again (family and seed; *worse*:",
        "their copies by `Tools/accuracy/worsen.py`).",
        "",
        f"{len(rows)} serials judged in {len({row['picture'] for row in rows})} pictures of {', '.join(sets)};",
        f"{sum(row['right'] == 0 for row in rows)} of them are wrong. Read by the program of commit {', '.join(sorted(set(commits)))}.",
        "",
        "Each picture counts by its most probable serial, if that is shown.",
    ]
    out += table(["weights", *HEADER], [summary(name, leaders(rows, told)) for name, told in ways])
    shown = leaders(rows, own)
    out += ["", "With the weights in the program, by kind, by set and by confidence:"]
    out += table(["kind", *HEADER], grouped(shown, lambda row: row["kind"]))
    out += table(["set", *HEADER], grouped(shown, lambda row: row["set"]))
    bins = defaultdict(list)
    for lead in shown:
        bins[min(9, int(lead["confidence"] * 10))].append(lead)
    out += table(
        ["confidence", "serials", "right", "mean confidence"],
        [
            f"| {number / 10} to {(number + 1) / 10} | {len(leads)} | {sum(lead['outcome'] == 'right' for lead in leads)} "
            f"| {sum(lead['confidence'] for lead in leads) / len(leads):.3f} |"
            for number, leads in sorted(bins.items())
        ],
    )
    out += table(
        ["feature", "serials with it", "in the program", "fitted", "drawn to"],
        [
            f"| constant | | {program[0]:.3f} | {fit[0]:.3f} | |",
            *(
                f"| {name} | {sum(row[name] != 0 for row in rows)} | {own:.3f} | {new:.3f} | {PRIOR[name]} |"
                for name, own, new in zip(NAMES, program[1], fit[1], strict=True)
            ),
        ],
    )
    return out


def swift(constant: float, weights: np.ndarray) -> str:
    cases = "\n".join(f"    case .{camel(name)}: {weight:.3f}" for name, weight in zip(NAMES, weights, strict=True))
    return f"""// Written by `make calibration TAKE=1`: do not edit.

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


def weights_of(path: str) -> Weights:
    """Returns the constant and the weights that `swift` wrote into a file; 0 for a feature that it lacks."""
    with open(path, encoding="utf-8") as file:
        found = dict(re.findall(r"(constant =|case \.\w+:) (-?[0-9.]+)", file.read()))
    return float(found["constant ="]), np.array([float(found.get(f"case .{camel(name)}:", 0)) for name in NAMES])


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["freeze", "report"])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--weights")
    parser.add_argument("--report")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--take", action="store_true")
    options = parser.parse_args()
    if options.what == "freeze":
        return freeze(options.tables, options.commit)
    loaded = [load(path) for path in options.tables]
    rows = [row for table, _ in loaded for row in table]
    fit = fitted(rows)
    if options.take:
        with open(options.weights, "w", encoding="utf-8") as file:
            file.write(swift(*fit))
    text = "\n".join(report(rows, [commit for _, commit in loaded], weights_of(options.weights), fit)) + "\n"
    with open(options.report, "w", encoding="utf-8") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
