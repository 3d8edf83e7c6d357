#!/usr/bin/env python3
"""How often an accepted serial of live video is wrong, over as many generated films as one has time for.

    accepted.py [--family field] [--kinds bench poor strange] [--seeds 7001-7008] [--each 32] [--frames 60]
                [--program PATH] [--jobs 2] [--json FILE]

For each seed films of these kinds are made (a quarter as many of `strange`), scored by serials.py and thrown away; a
film of four things takes some 20 s of processor. The table is of all seeds together, and below it stands how many
accepted serials are wrong at most, with 95 % certainty.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from serials import STRANGE, table

ROOT = Path(__file__).resolve().parents[2]
STRANGE_SHARE = 4


def counted(options, seed):
    """The counts of one seed's films, by kind."""
    with tempfile.TemporaryDirectory(prefix="serialscan-films-") as folder:
        for kind in options.kinds:
            each = max(1, options.each // STRANGE_SHARE) if kind == STRANGE else options.each
            words = ["--out", folder, "--kinds", kind, "--each", each, "--frames", options.frames, "--seed", seed]
            done = run("corpus/make_videos.py", "--family", options.family, "--jobs", options.jobs, *words)
            done.check_returncode()
        figures = Path(folder) / "serials.json"
        # It ends with 1 where a wrong one is accepted, which is what is counted here.
        words = ["--videos", folder, "--program", options.program, "--jobs", options.jobs, "--json", figures]
        run("tracking/serials.py", *words)
        return json.loads(figures.read_text())


def run(tool, *words):
    """Runs a tool beside this one, whose output is ignored."""
    command = [sys.executable, ROOT / "Tools" / tool, *words]
    return subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def most(wrong, of):
    """The share that is exceeded with 5 % chance, where `wrong` were seen (Clopper and Pearson)."""
    low, high = wrong / max(1, of), 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = sum(math.comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(wrong + 1))
        low, high = (middle, high) if chance > 0.05 else (low, middle)
    return high


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--family", default="field")
    parser.add_argument("--kinds", nargs="+", default=["bench", "poor", STRANGE])
    parser.add_argument("--seeds", default="7001-7008")
    parser.add_argument("--each", type=int, default=32)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--program", default=str(ROOT / ".build/release/serialscan"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    options = parser.parse_args()
    first, last = (int(seed) for seed in options.seeds.split("-"))
    sums = {}
    for seed in range(first, last + 1):
        for kind, counts in counted(options, seed).items():
            kept = sums.setdefault(kind, dict.fromkeys(counts, 0))
            for name, count in counts.items():
                kept[name] += count
        print(f"seed {seed}: {sums['all']['right accepted']} accepted so far", file=sys.stderr, flush=True)
    table(sums)
    wrong = sum(sums[kind]["wrong accepted"] for kind in ("all", STRANGE))
    accepted = sums["all"]["right accepted"] + wrong
    print(
        f"{wrong} of {accepted} accepted serials wrong; at most 1 in {1 / most(wrong, accepted):.0f} are, "
        "with 95 % certainty"
    )
    if options.json:
        Path(options.json).write_text(json.dumps(sums, indent=1))


if __name__ == "__main__":
    main()
