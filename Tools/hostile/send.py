#!/usr/bin/env python3
"""Starts a server, sends it every file in a folder, and checks that none does harm.

Each must be rejected with the API's error body, or end as a job within the deadlines of its attempts. The server must
stay the same process with bounded memory, a rejected file must leave nothing on disk, and a good photo must be read
afterwards. With labels, only their serials may be accepted.

usage: send.py --program .build/release/serialscan [--folder DIRECTORY] [--labels CSV]
"""

import argparse
import collections
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../torture"))

from server import Server, ServerGone  # noqa: E402
from torture import load_photos  # noqa: E402

DEADLINE = 8
SETTINGS = ["reader.deadline=8", "reading.time_budget=4", "queue.backoff=0.1", "log.level=error"]
# Two attempts with their deadlines, doubled for a busy machine.
LONGEST = 4 * DEADLINE


class Memory(threading.Thread):
    """Monitors the memory of the server and its readers."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.most_server, self.most_reader = server, 0, 0
        self.running = True

    def run(self):
        while self.running:
            own, readers = self.server.resident()
            self.most_server = max(self.most_server, own)
            self.most_reader = max([self.most_reader, *readers])
            time.sleep(0.02)


def check(server, name, content, slowest, serials=None):
    """Returns the result of one file, or a sentence that begins with PROBLEM. An accepted serial must be in
    `serials`; a shown one that is not in them counts as wrong."""
    began = time.monotonic()
    try:
        status, answer = server.upload(content, name)
    except ServerGone as error:
        return f"PROBLEM: no answer: {error}"
    if status != 200:
        fields = answer if isinstance(answer, dict) else {}
        if fields.get("status_code") != status or not fields.get("detail") or not fields.get("error_code"):
            return f"PROBLEM: refused with {status} and {answer!r}"
        return f"refused {status} {fields['error_code']}"
    job = answer["job_id"]
    while True:
        status, answer = server.result(job, wait=30)
        took = time.monotonic() - began
        if status != 200:
            return f"PROBLEM: result answers {status}"
        if answer["status"] in ("completed", "failed"):
            break
        if took > LONGEST:
            return f"PROBLEM: still {answer['status']} after {took:.0f} s"
    slowest[name] = took
    if took > LONGEST:
        return f"PROBLEM: took {took:.0f} s"
    if answer["status"] == "failed":
        kind = "silent" if answer["error_code"] == "NO_TEXT_DETECTED" else f"failed with {answer['error_code']}"
        return f"{kind}: {answer['error'][:70]}"
    top = answer["results"]["top_result"]
    if serials and answer["verdict"] == "accepted" and top["serial"] not in serials:
        return f"PROBLEM: accepted {top['serial']}, which no picture shows"
    if serials is None:
        return f"read {top['serial']}"
    kind = answer["verdict"] if top["serial"] in serials else "wrong but uncertain"
    return f"{kind}: {top['serial']}"


def labelled_serials(path):
    with open(path, newline="") as file:
        return {row["serial"] for row in csv.DictReader(file) if row["serial"]}


def files_of_photos(folder):
    return sum(len(names) for _, _, names in os.walk(os.path.join(folder, "photos"))) + sum(
        len(names) for _, _, names in os.walk(os.path.join(folder, "incoming"))
    )


def main():
    root = os.path.dirname(os.path.dirname(HERE))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(root, ".build/release/serialscan"))
    parser.add_argument("--folder", help="folder of files to send (default: the generated ones)")
    parser.add_argument("--labels", help="CSV file with a column `serial`: the only serials that may be accepted")
    parser.add_argument("--quiet", action="store_true", help="print only problems and the summary")
    options = parser.parse_args()
    folder, data = options.folder, tempfile.mkdtemp(prefix="serialscan-hostile-")
    if folder is None:
        folder = os.path.join(data, "files")
        subprocess.run([sys.executable, os.path.join(HERE, "make.py"), folder], check=True)
    server = Server(options.program, os.path.join(data, "data"), SETTINGS, log=os.path.join(data, "log"))
    if server.port is None:
        sys.exit(f"the server did not start; see {data}/log")
    problems, slowest, outcomes = [], {}, collections.Counter()
    serials = labelled_serials(options.labels) if options.labels else None
    memory = Memory(server)
    memory.start()
    began = time.monotonic()
    stored = 0
    try:
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            outcome = check(server, name, content, slowest, serials)
            if not options.quiet or outcome.startswith("PROBLEM"):
                print(f"{name:34} {slowest.get(name, 0):6.2f} s  {outcome}", flush=True)
            if outcome.startswith("PROBLEM"):
                problems.append(name)
            kind = "refused" if outcome.startswith("refused") else outcome.split(":")[0]
            kind = "read" if outcome.startswith("read") else kind
            outcomes[os.path.splitext(name)[1][1:], kind] += 1
            stored += 0 if outcome.startswith("refused") else 1
            found = files_of_photos(os.path.join(data, "data"))
            if found > stored:
                problems.append(name)
                print(f"PROBLEM: {name} was refused and left {found - stored} files")
                stored = found
            if not server.is_running():
                problems.append(name)
                print(f"PROBLEM: {name} took the server down")
                break
        else:
            check_good(server, problems, root)
    finally:
        memory.running = False
        memory.join()
        server.end()
    print(f"files {sum(outcomes.values())} in {time.monotonic() - began:.0f} s")
    for form in sorted({form for form, _ in outcomes}):
        counts = {kind: count for (other, kind), count in sorted(outcomes.items()) if other == form}
        print(f"{form}: {sum(counts.values())}, " + ", ".join(f"{kind} {count}" for kind, count in counts.items()))
    worst = sorted(slowest.items(), key=lambda pair: -pair[1])[:5]
    print("slowest: " + ", ".join(f"{name} {took:.1f} s" for name, took in worst))
    print(f"most memory: server {memory.most_server >> 20} MiB, reader {memory.most_reader >> 20} MiB")
    print(f"problems: {len(problems)}")
    if problems:
        print(f"data and log are kept in {data}")
    else:
        shutil.rmtree(data)
    sys.exit(1 if problems else 0)


def check_good(server, problems, root):
    serial, photo = load_photos(os.path.join(root, "testdata/pictures"))[0]
    outcome = check(server, "good.jpg", photo, {})
    if outcome != f"read {serial}":
        problems.append("good.jpg")
        print(f"PROBLEM: a good photo afterwards, {serial}: {outcome}")


if __name__ == "__main__":
    main()
