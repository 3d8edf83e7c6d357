#!/usr/bin/env python3
"""Score the serials that a server reads of generated videos (Tools/corpus/make_videos.py), by kind.

    serials.py --videos FOLDER [--program PATH] [--rate 15] [--json FILE]

A server is started, and each video is filmed at it as a client does: /initialize with read_serials, then a frame at a time at the
rate, or as fast as it answers, and its last frame for two seconds more. What the last answer says of each object is held against
its serial. Ends with 1 where a wrong serial is accepted.
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
from pathlib import Path

OUTCOMES = ["right accepted", "right uncertain", "nothing", "wrong uncertain", "wrong accepted"]
KINDS = ["steady", "turn", "blur", "light", "shake", "covered", "leave", "alike"]
PATIENCE = 2.0


def ask(address, path, fields, picture):
    """The answer to a frame; None where the frame before is still under way."""
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
    """What the server says at last of each object's serial."""
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


def outcome(said, serial):
    """What became of one object."""
    if not said:
        return "nothing"
    return f"{'right' if said['serial'] == serial else 'wrong'} {said['verdict']}"


def started(program, data):
    """A server on a free port, and its address."""
    command = [program, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data]
    command += ["--set", "server.requests_per_minute=0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if "listening on " in line:
            return server, line.split("listening on ")[1].strip()
    raise RuntimeError("the server did not start")


def table(kinds):
    """The counts as a table in Markdown."""
    print("| kind | objects | " + " | ".join(OUTCOMES) + " |")
    print("|---" * (len(OUTCOMES) + 2) + "|")
    for name, counts in kinds.items():
        print(f"| {name} | {sum(counts.values())} | " + " | ".join(str(counts[one]) for one in OUTCOMES) + " |")


def main():
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--videos", required=True, type=Path)
    parser.add_argument("--program", default=str(root / ".build/release/serialscan"))
    parser.add_argument("--rate", type=float, default=15)
    parser.add_argument("--json")
    options = parser.parse_args()
    kinds = {name: dict.fromkeys(OUTCOMES, 0) for name in [*KINDS, "all"]}
    with tempfile.TemporaryDirectory() as data:
        server, address = started(options.program, data)
        try:
            for path in sorted(options.videos.glob("*/truth.json")):
                truth = json.loads(path.read_text())
                if truth["kind"] not in KINDS:
                    continue
                said = film(address, path.parent, truth, options.rate)
                for serial, one in zip(truth["serials"], said):
                    kinds[truth["kind"]][outcome(one, serial)] += 1
                    kinds["all"][outcome(one, serial)] += 1
        finally:
            server.terminate()
            server.wait()
    table(kinds)
    if options.json:
        Path(options.json).write_text(json.dumps(kinds, indent=1))
    sys.exit(1 if kinds["all"]["wrong accepted"] else 0)


if __name__ == "__main__":
    main()
