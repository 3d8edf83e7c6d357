#!/usr/bin/env python3
"""Fuzzes a server's API: every endpoint, with each field at and beyond its extremes, and with data that is not HTTP.

The server's process must survive all requests, and every response must match /openapi.json: errors with `detail`,
`error_code` and `status_code`, successes with their schemas; 500 is always an error. First each field of each
operation takes all values while the others are valid, in an order determined by the seed; then several fields are
invalid at once, until the time is over. Requires python3-jsonschema.

usage: ask.py --program .build/release/serialscan [--seconds 60] [--seed 1]
"""

import argparse
import os
import random
import resource
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../torture")]

import raw  # noqa: E402
from connection import Connection, Hung  # noqa: E402
from interface import Interface  # noqa: E402
from requests_at_extremes import Requests  # noqa: E402
from server import Server, resident  # noqa: E402

# Short deadlines, so that an incomplete request does not take a minute.
SETTINGS = [
    "log.level=error",
    "server.header_timeout=2",
    "server.body_timeout=3",
    "server.max_wait=0.5",
    "server.process_timeout=2",
    "reader.deadline=5",
    "reading.time_budget=1",
    "queue.max_waiting=100",
    "upload.max_bytes=3000000",
]


class Asking:
    """A server, the requests sent to it, and the findings."""

    def __init__(self, program, folder, seed):
        random.seed(seed)
        datasets = os.path.join(folder, "datasets")
        make_dataset(os.path.join(datasets, "small"))
        self.server = Server(
            program, os.path.join(folder, "data"), SETTINGS + [f"datasets={datasets}"], log=os.path.join(folder, "log")
        )
        if self.server.port is None:
            sys.exit(f"the server did not start; see {folder}/log")
        self.began_as = identity(self.server.pid)
        self.connection = Connection(self.server.port)
        self.interface = Interface(self.connection.ask(raw.get(b"/openapi.json"), "GET").body)
        self.requests = Requests(self.interface, photos())
        self.asked, self.seen, self.problems = 0, set(), {}
        self.slowest = (0, "")
        self.memory = 0

    def ask(self, operation, method, request, name=None):
        """Sends a request; `operation` is None if it may reach any operation."""
        self.asked += 1
        label = name or str(operation or "no endpoint")
        began = time.monotonic()
        try:
            answer = self.connection.ask(request, method)
        except Hung as error:
            self.note(label, str(error), request)
            return
        took = time.monotonic() - began
        self.slowest = max(self.slowest, (took, label))
        if answer is None:
            # The server may close the connection after data that is not HTTP, but must answer well-formed requests.
            if operation is not None:
                self.note(label, "no answer", request)
            return
        problem = self.interface.problem(operation, method, answer)
        self.seen.add((label, answer.status, answer.error_code))
        if problem:
            self.note(label, problem, request)
        self.requests.learn(answer)

    def note(self, label, problem, request):
        kind = (label, problem.split(":")[0])
        if kind not in self.problems:
            print(f"PROBLEM: {label}: {problem}\n  {request[:300]!r}", flush=True)
        count, first = self.problems.get(kind, (0, request))
        self.problems[kind] = (count + 1, first)

    def stands(self):
        """Whether the server is still the same process."""
        if identity(self.server.pid) == self.began_as and self.server.is_running():
            self.memory = max(self.memory, resident(self.server.pid))
            return True
        print(
            f"PROBLEM: the server ended (status {self.server.process.poll()}) after {self.asked} requests", flush=True
        )
        for request in self.connection.latest:
            print(f"  one of the latest requests: {request[:2000]!r}", flush=True)
        return False

    def half(self):
        """Sends part of a request, then disconnects or waits."""
        operation = random.choice(self.interface.operations)
        request = self.requests.valid(operation)
        self.asked += 1
        try:
            self.connection.abandon(request[: random.randrange(1, len(request))], waits=random.random() < 0.1)
        except Hung as error:
            self.note(str(operation), str(error), request)

    def rawly(self, request):
        method = request.split(b" ", 1)[0].decode("latin-1")
        self.ask(None, method, request, name="no HTTP")

    def run(self, seconds):
        end = time.monotonic() + seconds
        systematic = self.requests.systematic()
        odd = list(raw.lengths()) + list(raw.heads()) + list(raw.several())
        bodies = list(raw.forms())
        random.shuffle(odd)
        while time.monotonic() < end:
            for _ in range(100):
                chance = random.random()
                if chance < 0.05:
                    self.half()
                elif chance < 0.15:
                    self.rawly(odd[self.asked % len(odd)])
                elif chance < 0.25:
                    operation, request = self.requests.form(bodies[self.asked % len(bodies)])
                    self.ask(operation, "POST", request)
                else:
                    operation, method, request = next(systematic, None) or self.requests.mixed()
                    self.ask(operation, method, request)
                if not self.server.is_running():
                    break
            if not self.stands():
                return False
        return self.stands()


def identity(pid):
    """Returns a process's id and start time, which distinguish it from a later process with the same id."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return pid, file.read().rsplit(")", 1)[1].split()[19]
    except OSError:
        return None


def photos():
    """Returns the smallest pictures with a serial, as bytes."""
    folder = os.path.join(HERE, "../../testdata/pictures")
    paths = sorted(
        (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jpg")), key=os.path.getsize
    )
    return [open(path, "rb").read() for path in paths[:2]]


def make_dataset(folder):
    os.makedirs(folder)
    with open(os.path.join(folder, "a.jpg"), "wb") as file:
        file.write(photos()[0])
    with open(os.path.join(folder, "labels.csv"), "w") as file:
        file.write("filename,serial\na.jpg,C02XL0THJHCC\n")


def main():
    root = os.path.dirname(os.path.dirname(HERE))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(root, ".build/release/serialscan"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # Each waiting connection needs a descriptor.
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    folder = tempfile.mkdtemp(prefix="serialscan-asked-")
    asking = Asking(options.program, folder, options.seed)
    memory = resident(asking.server.pid)
    began = time.monotonic()
    try:
        stood = asking.run(options.seconds)
        if stood and asking.server.stop(60) != 0:
            print("PROBLEM: the server did not end well when it was told to")
            stood = False
    finally:
        asking.server.end()
    took = time.monotonic() - began
    print(
        f"requests {asking.asked} in {took:.0f} s with seed {options.seed}, distinct answers {len(asking.seen)}, "
        f"restarts {0 if stood else 1}"
    )
    print(f"slowest answer {asking.slowest[0]:.1f} s: {asking.slowest[1]}")
    print(f"memory {memory >> 20} MiB at the start, {asking.memory >> 20} MiB at most")
    for (label, problem), (count, _) in sorted(asking.problems.items()):
        print(f"PROBLEM x {count}: {label}: {problem}")
    print(f"problems: {len(asking.problems) + (not stood)}")
    if stood and not asking.problems:
        shutil.rmtree(folder)
        return
    print(f"data and log are kept in {folder}")
    sys.exit(1)


if __name__ == "__main__":
    main()
