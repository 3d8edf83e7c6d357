#!/usr/bin/env python3
"""Scores reading every serial of a photo: montages of labelled pictures, and drawn lists of ten devices and of three.

    montage.py PROGRAM FOLDER [--seed 1] [--each 4] [--keep DIR]

FOLDER contains labelled folders, such as those written by Tools/corpus/make.py. For 2, 3, 4, 6, 9 and 12 pictures at a
time, creates `--each` montages of pictures with a serial and reads them with `PROGRAM scan --all`; also reads each
picture alone. Prints by number of devices how many are read alone and together, how many are accepted, the reported
and accepted serials that are in no picture (invented), and the montage's CPU time as a share of the sum of its parts.
Requires Pillow and NumPy, and for the lists the fonts of Tools/corpus/install-fonts.sh.
"""

import argparse
import csv
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
import serials as corpus_serials  # noqa: E402

GRIDS = {2: (2, 1), 3: (3, 1), 4: (2, 2), 6: (3, 2), 9: (3, 3), 12: (4, 3)}
FONTS = ["DejaVuSans.ttf", "LiberationSans-Regular.ttf", "Roboto-Regular.ttf"]


def labelled(folder):
    """Returns the pictures with a serial in a folder of labelled folders."""
    found = []
    for labels in sorted(pathlib.Path(folder).glob("**/labels.csv")):
        with open(labels, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["serial"]:
                    found.append((labels.parent / row["filename"], row["serial"]))
    return found


def scan(program, files, *options):
    """Returns the result of each file with its verdict, and the total CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "scan", *map(str, files), "--json", "--set", "reading.time_budget=60", *options]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    told = []
    for line in lines:
        results = json.loads(line)["results"] or {"serials": [], "verdict": "refused"}
        told.append([(read["serial"], read.get("verdict")) for read in results["serials"]])
    return told, seconds


def grid(files, columns, cell):
    """Arranges pictures in a grid at their own sizes, in cells of the largest one's size."""
    pictures = [Image.open(file).convert("RGB") for file in files]
    for picture in pictures:
        if max(picture.size) > cell:
            picture.thumbnail((cell, cell), Image.LANCZOS)
    width, height = max(p.width for p in pictures), max(p.height for p in pictures)
    rows = -(-len(pictures) // columns)
    montage = Image.new("RGB", (columns * width, rows * height), (128, 128, 128))
    for index, picture in enumerate(pictures):
        montage.paste(picture, (index % columns * width, index // columns * height))
    return montage


def drawn_list(chance, kind):
    """Draws a list of devices on a light page; returns it with the serials."""
    font_name = chance.choice(FONTS)
    size = chance.choice([18, 22, 28])
    font = ImageFont.truetype(font_name, size)
    numbers = batch(chance, 3 if kind == "page" else 10)
    line = int(size * chance.uniform(1.7, 2.4))
    page = Image.new("RGB", (size * 52, line * (3 * len(numbers) + 6 if kind == "page" else len(numbers) + 6)), "white")
    pen = ImageDraw.Draw(page)
    left, top = size * 2, line
    models = ["MacBook Pro 14", "MacBook Air 13", "iMac 24", "Mac mini", "Mac Studio"]
    if kind == "inventory":
        pen.text((left, top), "Inventory", font=font, fill="black")
        for index, serial in enumerate(numbers):
            pen.text(
                (left, top + line * (index + 2)),
                f"{index + 1}. {chance.choice(models)}   Serial Number: {serial}",
                font=font,
                fill=(20, 20, 20),
            )
    elif kind == "table":
        columns = [left, left + size * 13, left + size * 27, left + size * 38]
        for x, title in zip(columns, ["Model", "Serial Number", "Assigned", "Room"], strict=True):
            pen.text((x, top), title, font=font, fill="black")
        for index, serial in enumerate(numbers):
            cells = [
                chance.choice(models),
                serial,
                chance.choice(["Ada", "Grace", "Alan", "Edsger"]),
                f"{chance.randint(1, 4)}.{chance.randint(10, 99)}",
            ]
            for x, text in zip(columns, cells, strict=True):
                pen.text((x, top + line * (index + 2)), text, font=font, fill=(30, 30, 30))
    else:
        for index, (serial, name) in enumerate(
            zip(numbers, ["Charging case", "Left earbud", "Right earbud"], strict=True)
        ):
            pen.text((left, top + line * 3 * index), name, font=font, fill="black")
            pen.text((left, top + line * (3 * index + 1)), "Serial Number", font=font, fill=(60, 60, 60))
            pen.text((left + size * 28, top + line * (3 * index + 1)), serial, font=font, fill=(90, 90, 90))
    return page, numbers


def batch(chance, count):
    """Returns serials of devices bought together: half of the time they differ only in three characters."""
    rng = numpy.random.default_rng(chance.randrange(2**32))
    length = chance.choice([10, 12])
    first = corpus_serials.serial_of_length(length, rng)
    numbers = {first: None}
    while len(numbers) < count:
        other = corpus_serials.serial_of_length(length, rng)
        numbers[first[:5] + other[5:8] + first[8:] if len(numbers) < count / 2 else other] = None
    return list(numbers)


class Score:
    """The results for one number of devices."""

    def __init__(self):
        self.devices = self.alone = self.together = self.kept = self.accepted = 0
        self.alone_accepted = self.invented = self.invented_accepted = 0
        self.cpu_alone = self.cpu = 0.0

    def add(self, truth, told, alone, cpu, cpu_alone):
        found = {serial for serial, _ in told}
        self.devices += len(truth)
        self.alone += len(alone)
        self.together += len(found & set(truth))
        self.kept += len(found & set(alone))
        self.accepted += sum(1 for serial, verdict in told if serial in truth and verdict == "accepted")
        self.invented += len(found - set(truth))
        self.invented_accepted += sum(1 for serial, verdict in told if serial not in truth and verdict == "accepted")
        self.alone_accepted += sum(1 for serial in alone if alone[serial] == "accepted")
        self.cpu += cpu
        self.cpu_alone += cpu_alone

    @staticmethod
    def table(scores):
        """Prints a row for each kind."""
        print(
            f"{'devices':>10} {'of':>4} {'alone':>6} {'together':>9} {'of alone':>9} {'accepted':>9} {'invented':>9} {'accepted':>9} {'CPU':>7} {'of parts':>9}"
        )
        for name, score in scores.items():
            kept = f"{100 * score.kept / score.alone:.0f} %" if score.alone else "-"
            share = f"{score.cpu / score.cpu_alone:.2f}" if score.cpu_alone else "-"
            print(
                f"{name:>10} {score.devices:4} {score.alone:6} {score.together:9} {kept:>9} {score.accepted:4}/{score.alone_accepted:<4} "
                f"{score.invented:9} {score.invented_accepted:9} {score.cpu:7.1f} {share:>9}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=4, help="number of montages for each number of pictures")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(GRIDS))
    parser.add_argument("--lists", type=int, default=4, help="number of drawn lists of each kind")
    parser.add_argument("--cell", type=int, default=1600, help="maximum pixels of a picture's longer side")
    parser.add_argument("--keep", help="a folder to keep the montages in")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    pictures = labelled(options.folder)
    scores = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for count in options.sizes:
            for number in range(options.each):
                chosen = chance.sample(pictures, count)
                file = folder / f"montage_{count}_{number}.png"
                grid([path for path, _ in chosen], GRIDS[count][0], options.cell).save(file)
                single, cpu_alone = scan(options.program, [path for path, _ in chosen])
                (together,), cpu = scan(options.program, [file], "--all")
                alone = {
                    serial: reads[0][1]
                    for (_, serial), reads in zip(chosen, single, strict=True)
                    if reads and reads[0][0] == serial
                }
                truth = [serial for _, serial in chosen]
                scores.setdefault(str(count), Score()).add(truth, together, alone, cpu, cpu_alone)
                report(options, file.name, truth, together, alone)
        for kind in ["inventory", "table", "page"]:
            for number in range(options.lists):
                page, truth = drawn_list(chance, kind)
                file = folder / f"{kind}_{number}.png"
                page.save(file)
                (together,), cpu = scan(options.program, [file], "--all")
                scores.setdefault(kind, Score()).add(truth, together, {}, cpu, 0)
                report(options, file.name, truth, together, {})
    Score.table(scores)


def report(options, name, truth, told, alone):
    """Prints the missed and the invented serials of a picture."""
    if not options.verbose:
        return
    found = dict(told)
    print(
        name,
        "missed",
        [serial for serial in truth if serial not in found and (not alone or serial in alone)],
        "invented",
        [(serial, verdict) for serial, verdict in told if serial not in truth],
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
