#!/usr/bin/env python3
"""Measures how often an accepted serial of live video is wrong, over any number of generated films.

    accepted.py [--family field] [--kinds bench poor strange] [--seeds 7001-7008] [--each 32] [--frames 60]
                [--program PATH] [--jobs 2] [--json FILE]

For each seed, generates films of these kinds (a quarter as many of `strange`), scores them with serials.py and deletes
them; a film of four objects takes about 20 s of CPU time. Prints a table over all seeds, and the upper bound on the
share of wrong accepted serials with 95 % confidence.
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
    """Returns the counts of one seed's films, by kind."""
    with tempfile.TemporaryDirectory(prefix="serialscan-films-") as folder:
        for kind in options.kinds:
            each = max(1, options.each // STRANGE_SHARE) if kind == STRANGE else options.each
            words = ["--out", folder, "--kinds", kind, "--each", each, "--frames", options.frames, "--seed", seed]
            done = run("corpus/make_videos.py", "--family", options.family, "--jobs", options.jobs, *words)
            done.check_returncode()
        figures = Path(folder) / "serials.json"
        # It exits with 1 if a wrong serial is accepted; here these are counted.
        words = ["--videos", folder, "--program", options.program, "--jobs", options.jobs, "--json", figures]
        run("tracking/serials.py", *words)
        return json.loads(figures.read_text())


def run(tool, *words):
    """Runs another tool of this folder, ignoring its output."""
    command = [sys.executable, ROOT / "Tools" / tool, *words]
    return subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def most(wrong, of):
    """Returns the upper bound of the share's one-sided 95 % interval after `wrong` cases (Clopper and Pearson)."""
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
