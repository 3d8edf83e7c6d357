#!/usr/bin/env python3
"""Counts the fields read on generated pictures: right, wrong, missed, and wrong with valid check digits.

usage: fields.py PROGRAM [PROGRAM ...] --corpus DIR [--corpus DIR ...] [--list]

DIR is the output of Tools/corpus/make.py: folders with labels.csv, and with texts.csv, which lists every line and code
drawn. A value is right if it was drawn as this kind of field. A field is missed if it was drawn but not reported, even
if the picture cuts it off or it is illegible. Programs read each folder one after another, so that their times are
comparable; serials that differ from those of the first program are listed. --list shows every wrong value. The exit
status is 1 if the check digits of a wrong value are valid.
"""

import argparse
import csv
import json
import re
import resource
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ADDRESS = re.compile(r"(?<![0-9A-F:])(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![0-9A-F:])", re.IGNORECASE)
KINDS = (
    "model_number",
    "emc",
    "part_number",
    "model_identifier",
    "imei",
    "meid",
    "eid",
    "iccid",
    "wifi_address",
    "bluetooth_address",
    "upc",
    "capacity",
    "color",
    "os_version",
)
# A line of text alone does not identify these kinds: a reported value is checked against the drawn text, but missed
# values are not counted.
UNCOUNTED = {"capacity", "color", "os_version"}


def luhn(digits: str) -> bool:
    total = 0
    for place, figure in enumerate(reversed(digits)):
        value = int(figure) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def trade_item(digits: str) -> bool:
    return sum(int(figure) * (3 if place % 2 else 1) for place, figure in enumerate(reversed(digits))) % 10 == 0


def truth(lines: list[str]) -> dict[str, set[str]]:
    """Returns the fields in the drawn lines, by kind."""
    found: dict[str, set[str]] = defaultdict(set)
    for place, line in enumerate(lines):
        before = (lines[place - 1] if place else "") + " " + line
        found["model_number"] |= set(re.findall(r"(?<![A-Z0-9-])A\d{4}(?![0-9A-Z])", line))
        found["model_number"] |= (
            set(re.findall(r"(?:BCG-?|579C-)(A\d{4})(?![0-9A-Z])", line)) if "Model" not in line else set()
        )
        found["emc"] |= set(re.findall(r"EMC(?:\s*No\.?)?:?\s*(\d{4})(?!\d)", line))
        found["part_number"] |= set(
            re.findall(r"(?<![A-Z0-9])(?:1P)?([MFNPZ3][A-Z0-9]{3,4}[A-Z]{1,2}/[A-Z])(?![A-Z0-9])", line)
        )
        found["model_identifier"] |= set(
            re.findall(r"(?:MacBook(?:Pro|Air)?|Macmini|MacPro|Mac|iMac(?:Pro)?|iPhone|iPad|iPod|Watch)\d+,\d+", line)
        )
        for address in ADDRESS.findall(line):
            kind = "bluetooth_address" if "bluetooth" in before.lower() else "wifi_address"
            if kind == "bluetooth_address" or re.search(r"wi-?fi|wlan|airport", before, re.IGNORECASE):
                found[kind].add(address.upper())
        plain = re.search(r"(wi-?fi|wlan|bluetooth)[^0-9A-F]*([0-9A-F]{12})$", before, re.IGNORECASE)
        if plain:
            kind = "bluetooth_address" if plain.group(1).lower() == "bluetooth" else "wifi_address"
            found[kind].add(":".join(plain.group(2)[place : place + 2] for place in range(0, 12, 2)).upper())
        for run in re.findall(r"\d(?:[ -]?\d)*", line):
            digits = re.sub(r"\D", "", run)
            if len(digits) == 15 and luhn(digits):
                found["imei"].add(digits)
            elif len(digits) == 32 and digits.startswith("89"):
                found["eid"].add(digits)
            elif len(digits) in (19, 20) and digits.startswith("89"):
                found["iccid"].add(digits)
            elif len(digits) == 14 and "MEID" in before and "IMEI" not in line:
                found["meid"].add(digits)
            elif (
                len(digits) in (12, 13)
                and trade_item(digits)
                and re.fullmatch(r"(?:UPC|EAN)?[:\s]*" + re.escape(run), line.strip())
            ):
                found["upc"].add(digits)
        meant = re.search(r"MEID\W+(\d{14})(?!\d)", line)
        if meant:
            found["meid"].add(meant.group(1))
    return found


def pictures(folder: Path) -> dict[str, list[str]]:
    with open(folder / "texts.csv", newline="", encoding="utf-8") as file:
        lines = defaultdict(list)
        for row in csv.DictReader(file):
            lines[row["filename"]].append(row["text"])
        return lines


def read(program: str, folder: Path) -> tuple[dict[str, dict], float]:
    """Returns the results of a folder's pictures, and their CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [program, "scan", "--json", "--workers", "1", str(folder)], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {Path(answer["filename"]).name: answer for answer in answers}, seconds


def told(answer: dict) -> list[tuple[str, dict]]:
    results = answer.get("results") or answer.get("refusal") or {}
    of = [results.get("fields") or {}] + [serial.get("fields") or {} for serial in (results.get("serials") or [])[:1]]
    return [("imei" if kind == "imei2" else kind, field) for fields in of for kind, field in fields.items()]


def compact(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", text.upper())


class Counts:
    def __init__(self) -> None:
        self.right, self.wrong, self.missed, self.checked_wrong = (defaultdict(int) for _ in range(4))
        self.seconds = 0.0
        self.serials: dict[tuple[str, str], tuple] = {}
        self.mistakes: list[str] = []

    def add(self, folder: Path, name: str, lines: list[str], answer: dict) -> None:
        true = truth(lines)
        drawn = compact(" ".join(lines))
        seen = defaultdict(set)
        for kind, field in told(answer):
            value = field["text"]
            fits = value in true[kind] or (
                kind == "meid" and any(value.startswith(digits) for digits in true[kind] | true["imei"])
            )
            if kind in UNCOUNTED:
                fits = compact(value) in drawn
            if kind == "upc":
                fits = any(value.zfill(14) == digits.zfill(14) for digits in true[kind])
            (self.right if fits else self.wrong)[kind] += 1
            if fits:
                seen[kind].add(value)
            else:
                checked = field["check"] is True
                self.checked_wrong[kind] += checked
                self.mistakes.append(
                    f"{folder.name}/{name}: {kind} {value} ({field['confidence']}{', checked' if checked else ''}), drawn {sorted(true[kind])}"
                )
        for kind in KINDS:
            if true[kind] and not seen[kind] and kind not in UNCOUNTED:
                self.missed[kind] += 1
        top = (answer.get("results") or {}).get("top_result") or {}
        self.serials[(str(folder), name)] = (top.get("serial"), answer.get("verdict"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--corpus", action="append", required=True)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    counts = [Counts() for _ in options.programs]
    folders = [path.parent for corpus in options.corpus for path in sorted(Path(corpus).rglob("texts.csv"))]
    for folder in folders:
        lines = pictures(folder)
        for program, count in zip(options.programs, counts, strict=True):
            answers, seconds = read(program, folder)
            count.seconds += seconds
            for name, answer in answers.items():
                count.add(folder, name, lines.get(name, []), answer)
    print(f"{'field':<18}" + "".join(f"{'right':>8}{'wrong':>7}{'missed':>8}{'checked wrong':>15}" for _ in counts))
    for kind in KINDS:
        row = "".join(
            f"{c.right[kind]:>8}{c.wrong[kind]:>7}{c.missed[kind]:>8}{c.checked_wrong[kind]:>15}" for c in counts
        )
        if any(c.right[kind] + c.wrong[kind] + c.missed[kind] for c in counts):
            print(f"{kind:<18}{row}")
    first = counts[0]
    for program, count in zip(options.programs, counts, strict=True):
        print(
            f"{program}: {len(count.serials)} pictures, {count.seconds:.1f} s of CPU time, {count.seconds / first.seconds:.3f} of the first"
        )
        for key, value in count.serials.items():
            if first.serials.get(key) != value:
                print(f"  {key[0]}/{key[1]}: {first.serials.get(key)} became {value}")
        if options.list:
            for mistake in count.mistakes:
                print("  " + mistake)
    sys.exit(any(sum(count.checked_wrong.values()) for count in counts))


if __name__ == "__main__":
    main()
