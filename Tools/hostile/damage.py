#!/usr/bin/env python3
"""Makes damaged copies of the pictures in testdata, for `send.py --folder`. Deterministic for each seed.

Transfers cut files short, disks lose blocks, and attackers change single values: bits are flipped, runs are
overwritten, removed, repeated or taken from another file of the format, and integers in the headers take extreme
values.

usage: damage.py DIRECTORY [--count 5000] [--seed 1] [--format jpg]...
"""

import argparse
import os
import random

from make import PICTURES, picture

FORMATS = ("jpg", "png", "webp", "tiff", "heic")
EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
# All five formats have sizes, offsets, counts and tables here.
HEADER = 1024


def place(draw, content):
    """Returns a random offset, in half of the cases within the header."""
    return draw.randrange(min(HEADER, len(content)) if draw.random() < 0.5 else len(content))


def run_length(draw, content):
    return min(len(content), int(2 ** draw.uniform(0, 14)))


def flip(draw, content, _):
    for _ in range(int(2 ** draw.uniform(0, 6))):
        content[place(draw, content)] ^= 1 << draw.randrange(8)


def overwrite(draw, content, _):
    start, count = place(draw, content), run_length(draw, content)
    filling = draw.choice((b"\0", b"\xff", None))
    count = min(count, len(content) - start)
    content[start : start + count] = filling * count if filling else draw.randbytes(count)


def cut(draw, content, _):
    del content[place(draw, content) :]


def remove(draw, content, _):
    start = place(draw, content)
    del content[start : start + run_length(draw, content)]


def repeat(draw, content, _):
    start = place(draw, content)
    run = content[start : start + run_length(draw, content)]
    content[start:start] = run * draw.randint(1, 4)


def splice(draw, content, other):
    start, source = place(draw, content), draw.randrange(len(other))
    run = other[source : source + run_length(draw, content)]
    content[start : start + len(run)] = run


def extreme(draw, content, _):
    width = draw.choice((1, 2, 4))
    start = draw.randrange(max(1, min(HEADER, len(content)) - width))
    value = draw.choice(EXTREMES) & (256**width - 1)
    content[start : start + width] = value.to_bytes(width, draw.choice(("big", "little")))


DAMAGES = (flip, overwrite, cut, remove, repeat, splice, extreme)


def damaged(draw, sources):
    """Returns a picture with one to four kinds of damage."""
    content, other = bytearray(draw.choice(sources)), draw.choice(sources)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        if content:
            draw.choice(DAMAGES)(draw, content, other)
    return bytes(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory")
    parser.add_argument("--count", type=int, default=5000, help="number of pictures of each format (default 5000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", action="append", choices=FORMATS, help="only this format; repeatable")
    options = parser.parse_args()
    os.makedirs(options.directory, exist_ok=True)
    for kind in options.format or FORMATS:
        names = sorted(name for name in os.listdir(PICTURES) if name.endswith("." + kind))
        sources = [picture(name) for name in names]
        draw = random.Random(f"{options.seed} {kind}")
        for number in range(options.count):
            with open(os.path.join(options.directory, f"{kind}_{number:05}.{kind}"), "wb") as file:
                file.write(damaged(draw, sources))


if __name__ == "__main__":
    main()
