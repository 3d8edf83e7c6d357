#!/usr/bin/env python3
"""Scores the serials read from generated videos (Tools/corpus/make_videos.py), by kind.

    serials.py --videos FOLDER [--program PATH] [--jobs 2] [--json FILE] [--reads FILE] [--views FOLDER] [--gates FILE]
    serials.py --videos FOLDER --server [--program PATH] [--rate 15] [--json FILE]

Without a server, `serialscan track --serials` reads one in six frames and waits for each read, so that a video gives
the same result on every machine. With --server, starts a server and sends it each video as a client would: /initialize
with read_serials, then one frame at a time at the frame rate or as fast as it responds, and the last frame for two
more seconds. The final result of each object is compared with its serial; objects of `strange` have none, so any
serial is wrong. --reads writes every read as a JSON line with whether it is right, and the final result of each
object. Exits with 1 if a wrong serial is accepted or a gate is not met.
"""

import argparse
import base64
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gates import broken

OUTCOMES = ["right accepted", "right uncertain", "nothing", "wrong uncertain", "wrong accepted"]
KINDS = ["steady", "turn", "blur", "light", "shake", "covered", "leave", "alike", "bench", "poor"]
STRANGE = "strange"
PATIENCE = 2.0


def ask(address, path, fields, picture):
    """Returns the response to a frame; None if the previous frame is still in progress."""
    body = json.dumps({**fields, "image": base64.b64encode(picture).decode()}).encode()
    request = urllib.request.Request(address + path, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 429:
            return None
        raise


def film(address, folder, truth, rate):
    """Returns the server's final result for each object's serial."""
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".jpg", ".png") and path.stem.isdigit())
    session = {"session_id": folder.name}
    begin = {**session, "bounding_boxes": truth["boxes"], "read_serials": True}
    serials = ask(address, "/initialize", begin, paths[0].read_bytes())["serials"]
    start = time.monotonic()
    last = paths[-1].read_bytes()
    frames = [path.read_bytes() for path in paths[1:]] + [last] * round(PATIENCE * rate)
    for number, picture in enumerate(frames, 1):
        time.sleep(max(0, start + number / rate - time.monotonic()))
        serials = (ask(address, "/track", session, picture) or {"serials": serials})["serials"]
    return serials


def tracked(options, folder, truth):
    """Runs the program without a server; returns each object's serial, and every read."""
    boxes = [word for box in truth["boxes"] for word in ("--box", ",".join(map(str, box)))]
    command = [options.program, "track", str(folder), *boxes, "--serials"]
    if options.views:
        command += ["--views", str(options.views / folder.name)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    summary = json.loads(output.splitlines()[-1])
    about = {"video": folder.name, "kind": truth["kind"]}
    reads = [
        {**about, **read, "right": read.get("serial") == truth["serials"][read["object"]]} for read in summary["reads"]
    ]
    reads += [
        {**about, "object": number, "voted": said, "right": bool(said) and said["serial"] == truth["serials"][number]}
        for number, said in enumerate(summary["serials"])
    ]
    return summary["serials"], reads


def outcome(said, serial):
    """Returns the results of one object."""
    if not said:
        return "nothing"
    return f"{'right' if said['serial'] == serial else 'wrong'} {said['verdict']}"


def started(program, data):
    """Starts a server on a free port; yields its address."""
    command = [program, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data]
    command += ["--set", "server.requests_per_minute=0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if "listening on " in line:
            return server, line.split("listening on ")[1].strip()
    raise RuntimeError("the server did not start")


def by_server(options, videos):
    """Returns a server's results for each video, one after another."""
    with tempfile.TemporaryDirectory() as data:
        server, address = started(options.program, data)
        try:
            for folder, truth in videos:
                yield film(address, folder, truth, options.rate), []
        finally:
            server.terminate()
            server.wait()


def by_program(options, videos):
    """Returns the program's results for each video, several concurrently."""
    with ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda video: tracked(options, *video), videos)


def table(kinds):
    """Returns the counts as a Markdown table."""
    print("| kind | objects | " + " | ".join(OUTCOMES) + " |")
    print("|---" * (len(OUTCOMES) + 2) + "|")
    for name, counts in kinds.items():
        objects = sum(counts.values())
        if objects:
            print(f"| {name} | {objects} | " + " | ".join(str(counts[one]) for one in OUTCOMES) + " |")


def figures(kinds):
    """Returns the figures for gates: percentages of a kind's objects."""
    for name, counts in kinds.items():
        objects = max(1, sum(counts.values()))
        read = counts["right accepted"] + counts["right uncertain"]
        yield {
            "kind": name,
            "accepted_pct": 100 * counts["right accepted"] / objects,
            "read_pct": 100 * read / objects,
            "wrong_pct": 100 * (counts["wrong accepted"] + counts["wrong uncertain"]) / objects,
        }


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--videos", required=True, type=Path)
    parser.add_argument("--program", default=str(root / ".build/release/serialscan"))
    parser.add_argument("--server", action="store_true")
    parser.add_argument("--rate", type=float, default=15)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    parser.add_argument("--reads")
    parser.add_argument("--gates")
    parser.add_argument("--views", type=Path, help="write the views that are read to this folder")
    options = parser.parse_args()
    videos = [(path.parent, json.loads(path.read_text())) for path in sorted(options.videos.glob("*/truth.json"))]
    videos = [(folder, truth) for folder, truth in videos if truth["kind"] in [*KINDS, STRANGE]]
    kinds = {name: dict.fromkeys(OUTCOMES, 0) for name in [*KINDS, "all", STRANGE]}
    reads = []
    said_of = by_server if options.server else by_program
    for (_, truth), (said, read) in zip(videos, said_of(options, videos)):
        reads += read
        for serial, one in zip(truth["serials"], said):
            kinds[truth["kind"]][outcome(one, serial)] += 1
            if serial:
                kinds["all"][outcome(one, serial)] += 1
    table(kinds)
    if options.json:
        Path(options.json).write_text(json.dumps(kinds, indent=1))
    if options.reads:
        Path(options.reads).write_text("".join(json.dumps(read) + "\n" for read in reads))
    problems = list(broken(list(figures(kinds)), options.gates)) if options.gates else []
    for problem in problems:
        print(f"gate broken: {problem}")
    sys.exit(1 if problems or any(counts["wrong accepted"] for counts in kinds.values()) else 0)


if __name__ == "__main__":
    main()
