#!/usr/bin/env python3
"""Starts a server and measures /track, with frames written by make_videos.py (1280 x 720).

usage: tracking.py VIDEO [--program PATH] [--frames 80] [--rate 15]

VIDEO is a folder of frames with truth.json, as `make tracking` writes them to .build-videos. Measures five cases:
round trips of one session with one object; with five objects (the first object's box and four parts of it); both again
with frames that contain none of them (their squares of 40 pixels are shuffled); four sessions of one object each at a
frame rate; and one such session without and with reading serials. Each line also shows the CPU time per frame of
server, trackers and readers, which depends less on the machine's load than the wall-clock time.
"""

import argparse
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Tools/torture")]

from measure import at, load, processor  # noqa: E402
from server import Server, children  # noqa: E402


class Session:
    """A client with its own connection."""

    def __init__(self, server, name):
        self.name = name
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)

    def send(self, path, frame, **fields):
        """Posts a frame; returns the status, the response and the round-trip time in seconds."""
        boundary = "frame-boundary"
        parts = {"session_id": self.name, **{name: json.dumps(value) for name, value in fields.items()}}
        body = b"".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in parts.items()
        )
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="f.jpg"\r\n\r\n'
        body += head.encode() + frame + f"\r\n--{boundary}--\r\n".encode()
        began = time.perf_counter()
        self.connection.request("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
        reply = self.connection.getresponse()
        answer = json.loads(reply.read())
        return reply.status, answer, time.perf_counter() - began


def spent(server):
    """Seconds of CPU time used by the server and its children."""
    return sum(processor(pid) for pid in [server.pid, *children(server.pid)])


def begin(server, name, frame, boxes, reads=False):
    session = Session(server, name)
    status, answer, _ = session.send("/initialize", frame, bounding_boxes=boxes, read_serials=reads)
    if status != 200:
        sys.exit(f"/initialize: {status} {answer}")
    return session


def smaller(sides):
    """Counts the frames tracked at less than the full working size."""
    return sum(1 for side in sides if side is not None and side < 640)


def round_trips(server, frames, boxes, name=""):
    """Sends frames one after another, each as soon as the previous one is answered."""
    session = begin(server, f"{name}objects-{len(boxes)}", frames[0], boxes)
    before, times, seen, sides = spent(server), [], 0, []
    for frame in frames[1:]:
        status, answer, seconds = session.send("/track", frame)
        if status != 200:
            sys.exit(f"/track: {status} {answer}")
        times.append(seconds)
        sides.append(answer["working_size"])
        seen += sum(place is not None for place in answer["bounding_boxes"])
    cost = (spent(server) - before) / len(times) * 1000
    print(
        f"{len(boxes)} object(s): p50 {at(times, 0.5):.1f} ms, p95 {at(times, 0.95):.1f} ms, "
        f"processor {cost:.1f} ms a frame, {seen} of {len(times) * len(boxes)} places answered, "
        f"{smaller(sides)} frames smaller than 640; {load()}"
    )


def shuffled(frame, side=40):
    """Returns a frame with its squares shuffled: as much texture, but without the objects."""
    picture = cv2.imdecode(np.frombuffer(frame, np.uint8), cv2.IMREAD_COLOR)
    height, width = (length // side * side for length in picture.shape[:2])
    places = [(x, y) for y in range(0, height, side) for x in range(0, width, side)]
    others = random.Random(1).sample(places, len(places))
    result = picture.copy()
    for (x, y), (u, v) in zip(places, others):
        result[y : y + side, x : x + side] = picture[v : v + side, u : u + side]
    return cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes()


def at_a_rate(server, frames, box, rate, cameras, reads=False):
    """Runs sessions at a frame rate. Skips a frame whose time has passed when the previous one is answered."""
    before, times, refused, left_out, sides = spent(server), [], [], [], []

    def film(number):
        session = begin(server, f"camera-{cameras}-{number}-{reads}", frames[0], [box], reads)
        start = time.perf_counter() + number / rate / cameras
        for index, frame in enumerate(frames[1:]):
            wait = start + index / rate - time.perf_counter()
            if wait < -1 / rate:
                left_out.append(index)
                continue
            time.sleep(max(0, wait))
            status, answer, seconds = session.send("/track", frame)
            (times if status == 200 else refused).append(seconds)
            sides.append(answer.get("working_size"))

    threads = [threading.Thread(target=film, args=[number]) for number in range(cameras)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = cameras * (len(frames) - 1)
    cost = (spent(server) - before) / max(1, len(times)) * 1000
    print(
        f"{cameras} session(s) at {rate} frames a second{', serials read' if reads else ''}: {len(times)} of {total} tracked "
        f"({smaller(sides)} of them smaller than 640), "
        f"{len(refused)} refused, {len(left_out)} left out, p50 {at(times, 0.5):.1f} ms, p95 {at(times, 0.95):.1f} ms, "
        f"processor {cost:.1f} ms a frame; {load()}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("video", type=Path)
    parser.add_argument("--program", default=str(ROOT / ".build/release/serialscan"))
    parser.add_argument("--frames", type=int, default=80)
    parser.add_argument("--rate", type=float, default=15)
    options = parser.parse_args()
    frames = [path.read_bytes() for path in sorted(options.video.glob("*.jpg"))[: options.frames]]
    x0, y0, x1, y1 = box = json.loads((options.video / "truth.json").read_text())["boxes"][0]
    (x, y) = ((x0 + x1) / 2, (y0 + y1) / 2)
    five = [box, [x0, y0, x, y], [x, y0, x1, y], [x0, y, x, y1], [x, y, x1, y1]]
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.program, os.path.join(data, "data"))
        try:
            round_trips(server, frames, [box])
            round_trips(server, frames, five)
            print("out of sight:")
            absent = frames[:10] + [shuffled(frame) for frame in frames[10:]]
            round_trips(server, absent, [box], "lost-")
            round_trips(server, absent, five, "lost-")
            at_a_rate(server, frames, box, options.rate, cameras=4)
            for reads in (False, True):
                at_a_rate(server, frames, box, options.rate, cameras=1, reads=reads)
        finally:
            server.process.terminate()
            server.process.wait(30)


if __name__ == "__main__":
    main()
