#!/usr/bin/env python3
"""Measures photos read beside live video, and live video beside photos, on a server of its own.

usage: beside.py VIDEO [--program PATH] [--photos testdata/pictures] [--seconds 20] [--rate 15] [--set NAME=VALUE ...]

VIDEO is a folder of frames with truth.json, as `make tracking` writes them to .build-videos. Measures four cases for
the same time: only a queue of photos; only four sessions of one object each; both; and both with serials read in the
sessions. If the settings divide the cores as documented, photos and sessions both continue.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Tools/torture")]

from measure import at, load, pictures  # noqa: E402
from server import Server  # noqa: E402
from tracking import begin  # noqa: E402

CAMERAS, WAITING = 4, 24


class Uploads:
    """Keeps photos waiting until it is stopped."""

    def __init__(self, server, files):
        self.server, self.files, self.is_over = server, files, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        number = 0
        while not self.is_over.wait(0.1):
            waiting = self.server.request("GET", "/queue/status")[1]["queued"]
            for _ in range(max(0, WAITING - waiting)):
                self.server.upload(self.files[number % len(self.files)])
                number += 1

    def stop(self):
        self.is_over.set()
        self.thread.join()


def ended(server):
    """Number of photos read so far, with or without a serial."""
    status = server.request("GET", "/queue/status")[1]
    return status["completed"] + status["failed"]


def film(server, frames, box, options, part, reads):
    """Runs sessions at a frame rate; returns the round-trip times and the numbers of rejected and skipped frames."""
    times, refused, left_out = [], [], []

    def camera(number):
        session = begin(server, f"{part}-{number}", frames[0], [box], reads)
        start, index = time.perf_counter() + number / options.rate / CAMERAS, 0
        while (due := start + index / options.rate) < start + options.seconds:
            index += 1
            wait = due - time.perf_counter()
            if wait < -1 / options.rate:
                left_out.append(index)
                continue
            time.sleep(max(0, wait))
            # Forwards and backwards, so that consecutive frames are similar.
            place = index % (2 * len(frames) - 2)
            status, _, seconds = session.send("/track", frames[min(place, 2 * len(frames) - 2 - place)])
            (times if status == 200 else refused).append(seconds)

    threads = [threading.Thread(target=camera, args=[number]) for number in range(CAMERAS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return times, refused, left_out


def part(server, name, frames, box, options, files=None, cameras=True, reads=False):
    """Measures one case and prints the results."""
    uploads = Uploads(server, files) if files else None
    if uploads:
        time.sleep(2)
    before, began = ended(server), time.monotonic()
    said = []
    if cameras:
        times, refused, left_out = film(server, frames, box, options, name, reads)
        total = len(times) + len(refused) + len(left_out)
        said.append(
            f"{len(times)} of {total} frames tracked, {len(refused)} refused, {len(left_out)} left out, "
            f"p50 {at(times, 0.5):.1f} ms, p95 {at(times, 0.95):.1f} ms"
        )
    else:
        time.sleep(options.seconds)
    if uploads:
        said.append(f"{(ended(server) - before) / (time.monotonic() - began):.2f} photos a second")
        uploads.stop()
    print(f"{name}: {'; '.join(said)}; {load()}", flush=True)
    while uploads and server.request("GET", "/queue/status")[1]["queued"]:
        time.sleep(0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("--program", default=str(ROOT / ".build/release/serialscan"))
    parser.add_argument("--photos", default=str(ROOT / "testdata/pictures"))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=15)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    options = parser.parse_args()
    frames = [path.read_bytes() for path in sorted(options.video.glob("*.jpg"))]
    box = json.loads((options.video / "truth.json").read_text())["boxes"][0]
    files = [Path(path).read_bytes() for path in pictures(options.photos)]
    with tempfile.TemporaryDirectory() as data:
        settings = ["server.requests_per_minute=0", *options.settings]
        server = Server(options.program, os.path.join(data, "data"), settings)
        try:
            part(server, "photos alone", frames, box, options, files, cameras=False)
            part(server, "sessions alone", frames, box, options)
            part(server, "photos and sessions", frames, box, options, files)
            part(server, "photos and sessions, serials read", frames, box, options, files, reads=True)
        finally:
            server.process.terminate()
            server.process.wait(60)


if __name__ == "__main__":
    main()
