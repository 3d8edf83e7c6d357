#!/usr/bin/env python3
"""Kills `serialscan watch` repeatedly while photos arrive, and checks that each is read once.

Each round puts photos into a folder as cameras and shares do (renamed, written slowly, copied), starts the watch, and
kills it at a step of a photo or at a random moment. In half of the rounds the photos are sent to a server, which is
sometimes killed too. Some rounds move photos to another file system, some leave them in place. In the end, every photo
must have one row in the spreadsheet, one saved serial and one file.

usage: watch.py --program .build/release/serialscan --faulty .build/release/FaultyServer [--rounds 300] [--seed 1]
"""

import argparse
import collections
import csv
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PICTURES = ["etched_clean_1.jpg", "etched_clean_2.jpg", "sticker_qr.jpg"]


class Bench:
    """A watched folder, its store or server, and the photos put there."""

    def __init__(self, options, random, name, with_server, other_disk=False, moves=True):
        self.options, self.random, self.name = options, random, name
        self.root = tempfile.mkdtemp(prefix=f"serialscan-watch-{name}-")
        self.folder = os.path.join(self.root, "in")
        self.other = tempfile.mkdtemp(prefix="serialscan-watch-", dir="/dev/shm") if other_disk else None
        self.done = os.path.join(self.other or self.root, "done") if moves else None
        self.data = os.path.join(self.root, "data")
        self.sheet = os.path.join(self.root, "rows.csv")
        self.log = open(os.path.join(self.root, "log"), "ab")
        os.mkdir(self.folder)
        self.photos = []
        self.server = self.address = None
        self.with_server = with_server
        self.kills = collections.Counter()

    def start_server(self):
        if not self.with_server or (self.server and self.server.poll() is None):
            return
        self.server = subprocess.Popen(
            [
                self.options.program,
                "serve",
                "--host",
                "127.0.0.1",
                "--data",
                self.data,
                "--port",
                self.address.rsplit(":", 1)[1] if self.address else "0",
                "--set",
                "log.level=warning",
            ],
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        for line in self.server.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found:
                self.address = found.group()
                break

    def put(self):
        name = f"{self.name}-{len(self.photos)}.jpg"
        with open(os.path.join(ROOT, "testdata/pictures", self.random.choice(PICTURES)), "rb") as file:
            content = file.read() + name.encode()
        path = os.path.join(self.folder, name)
        way = self.random.randrange(3)
        if way == 0:
            with open(path + ".part", "wb") as file:
                file.write(content)
            os.rename(path + ".part", path)
        else:
            with open(path, "wb") as file:
                if way == 2:
                    half = self.random.randrange(len(content))
                    file.write(content[:half])
                    file.flush()
                    time.sleep(self.random.uniform(0, 0.6))
                    content = content[half:]
                file.write(content)
        self.photos.append(name)

    def watch(self, *more, faulty=False, fault=None):
        environment = dict(os.environ)
        if fault:
            environment["SERIALSCAN_FAULT"] = fault
        where = ["--server", self.address, "--data", f"{self.root}/list"] if self.with_server else ["--data", self.data]
        return subprocess.Popen(
            [
                self.options.faulty if faulty else self.options.program,
                "watch",
                self.folder,
                *(["--done", self.done] if self.done else []),
                "--output",
                self.sheet,
                "--settle",
                "0.2",
                "--set",
                "log.level=warning",
                *where,
                *more,
            ],
            stdout=self.log,
            stderr=self.log,
            env=environment,
        )

    def round(self, point):
        self.start_server()
        for _ in range(self.random.randint(1, 2)):
            self.put()
        if point:
            process = self.watch(faulty=True, fault=f"{point}:{self.random.randint(1, 2)}:server")
            what = point
        else:
            process = self.watch()
            what = "a random moment"
        try:
            self.random.random() < 0.4 and self.put()
            if self.server and self.random.random() < 0.15:
                time.sleep(self.random.uniform(0, 1))
                self.server.kill()
                self.server.wait()
                self.kills["the server"] += 1
                self.start_server()
            process.wait(timeout=8 if point else self.random.uniform(0.1, 3))
        except subprocess.TimeoutExpired:
            what = "a random moment"
        # A crash in FoundationNetworking counts as a kill.
        process.kill()
        process.wait()
        self.kills[what] += 1

    def finish(self):
        self.start_server()
        for _ in range(5):
            if self.watch("--once").wait(timeout=600) == 0:
                break
        if self.server:
            self.server.terminate()
            self.server.wait()
        export = os.path.join(self.root, "saved.csv")
        subprocess.run(
            [self.options.program, "export", export, "--data", self.data], check=True, stdout=subprocess.DEVNULL
        )
        counts = {
            "rows": self.names(self.sheet),
            "saved serials": self.names(export),
            "files": [name for name in os.listdir(self.done or self.folder) if name != "unreadable"],
        }
        problems = []
        left = os.listdir(self.folder) if self.done else []
        if left:
            problems.append(f"{self.name}: left in the folder: {left}")
        for what, names in counts.items():
            lost = set(self.photos) - set(names)
            twice = [name for name, count in collections.Counter(names).items() if count > 1]
            others = set(names) - set(self.photos)
            print(f"{self.name}: {len(self.photos)} photos, {len(names)} {what}: {len(lost)} lost, {len(twice)} twice")
            for kind, found in (("lost", lost), ("twice", twice), ("unknown", others)):
                if found:
                    problems.append(f"{self.name}: {what} {kind}: {sorted(found)}")
        return problems

    @staticmethod
    def names(path):
        with open(path, newline="", encoding="utf-8-sig") as file:
            return [row["File"] for row in csv.DictReader(file)]

    def close(self):
        if self.server and self.server.poll() is None:
            self.server.kill()
        for folder in (self.root, self.other):
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


def points():
    source = os.path.join(ROOT, "Sources/Support/WatchPoint.swift")
    with open(source, encoding="utf-8") as file:
        return re.findall(r"^  case (watch\w+)$", file.read(), re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--faulty", required=True)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    benches = [
        Bench(options, chance, "store", False),
        Bench(options, chance, "server", True),
        Bench(options, chance, "disk", False, other_disk=True),
        Bench(options, chance, "far", True, other_disk=True),
        Bench(options, chance, "mark", False, moves=False),
    ]
    steps = points() + [None, None]
    try:
        for number in range(options.rounds):
            bench = benches[number % len(benches)]
            bench.round(steps[number // len(benches) % len(steps)])
            if number % 20 == 19:
                print(f"{number + 1} rounds", flush=True)
        problems = [problem for bench in benches for problem in bench.finish()]
        kills = sum((bench.kills for bench in benches), collections.Counter())
        for what, count in sorted(kills.items()):
            print(f"killed at {what}: {count}")
        print(f"{sum(kills.values())} kills")
        for problem in problems:
            print(f"PROBLEM: {problem}")
        if not problems:
            print("no photo lost, none read twice")
    finally:
        for bench in benches:
            bench.close()
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
