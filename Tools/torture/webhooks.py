#!/usr/bin/env python3
"""Kills servers repeatedly while results are sent to an unreliable receiver, and checks that each result arrives.

Each round starts a server (two with --store), sends photos with callback_url, and kills a server with SIGKILL at a
step: when the photo is accepted, during or after the transaction that ends the job, when the webhook arrives at the
receiver, when the receiver has answered, while it does not respond, or at a random moment. The receiver answers some
requests with 500, disconnects some, lets some time out, and accepts the rest. Then a server runs until nothing is
pending. The result of every stored job must have arrived at least once, with a valid signature and the content of
/result.

usage: webhooks.py --program .build/release/serialscan --faulty .build/release/FaultyServer [--rounds 300] [--seed 1]
                   [--store postgresql://...]
"""

import argparse
import base64
import collections
import hashlib
import hmac
import http.server
import json
import os
import random
import shutil
import struct
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

from server import Server, ServerGone

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
KEY = base64.b64decode(SECRET[6:])
# Fault points of the program inside and after the transaction that ends a job, then moments observed by the receiver.
FAULTS = ["enqueued", "completing", "saving", "completed", "refusing", "refused"]
STEPS = FAULTS + ["arrival", "answered", "silence", "random"]
TIMEOUT = 1.5


def blank():
    """Returns a PNG without text."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"\xff" * 64 for _ in range(64)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


with open(os.path.join(ROOT, "testdata/pictures/etched_clean_1.jpg"), "rb") as photo:
    PICTURES = [photo.read(), blank()]


class Receiver(http.server.ThreadingHTTPServer):
    """Receives webhooks, and makes some fail."""

    daemon_threads = True

    def __init__(self, rng):
        super().__init__(("127.0.0.1", 0), Handler)
        self.rng, self.lock = rng, threading.Lock()
        self.taken = collections.defaultdict(list)  # id: bodies that were answered 200
        self.counts = collections.Counter()
        self.problems = []
        self.harm = 0.0
        self.on = {}  # step: what to do when it comes

    def handle_error(self, request, address):
        """A killed server resets its connections."""

    def fire(self, step):
        with self.lock:
            action = self.on.pop(step, None)
        if action:
            action()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        receiver = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name, at = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        with receiver.lock:
            receiver.counts["requests"] += 1
            kind = receiver.rng.choice(["500", "cut", "silence"]) if receiver.rng.random() < receiver.harm else "200"
            receiver.counts[kind] += 1
        try:
            expected = hmac.new(KEY, f"{name}.{at}.".encode() + body, hashlib.sha256).digest()
            if self.headers["webhook-signature"] != "v1," + base64.b64encode(expected).decode():
                receiver.problems.append(f"{name}: wrong signature")
            if json.loads(body)["job_id"] != name or json.loads(body)["status"] not in ("completed", "failed"):
                receiver.problems.append(f"{name}: wrong body")
            receiver.fire("arrival")
            if kind == "silence":
                receiver.fire("silence")
                time.sleep(TIMEOUT + 0.5)
            if kind in ("silence", "cut"):
                self.close_connection = True
                return
            if kind == "200":
                with receiver.lock:
                    receiver.taken[name].append(body)
            self.send_response(int(kind))
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.wfile.flush()
            receiver.fire("answered")
        except OSError:
            pass


class Round:
    """One round; ends its servers."""

    def __init__(self, options, number, rng, receiver):
        self.options, self.number, self.rng, self.receiver = options, number, rng, receiver
        self.step = STEPS[number % len(STEPS)]
        self.kills = self.unanswered = 0
        self.accepted = []

    def start(self, data, faults=()):
        settings = [
            f"webhooks.allow=http://127.0.0.1:{self.receiver.server_port}",
            f"webhooks.secret={SECRET}",
            f"webhooks.timeout={TIMEOUT}",
            "log.level=warning",
            "workers=1",
        ]
        arguments = ["--store", self.options.store] if self.options.store else []
        return Server(
            self.options.faulty if faults else self.options.program,
            data,
            settings,
            log=os.path.join(self.options.folder, "log"),
            faults=faults,
            arguments=arguments,
        )

    def kill(self, server):
        if server.is_running():
            self.kills += 1
            server.kill()

    def run(self, folders):
        """Sends photos, and kills a server at this round's step."""
        is_fault = self.step in FAULTS
        faults = [f"{self.step}:{self.rng.randint(1, 2)}:server"] if is_fault else ()
        self.receiver.harm = 0.7 if self.step == "silence" else self.rng.choice([0, 0.3, 0.6])
        servers = [self.start(folders[0], faults)] + [self.start(folder) for folder in folders[1:]]
        victim = servers[0] if is_fault else self.rng.choice(servers)
        if self.step == "random":
            threading.Timer(self.rng.uniform(0.05, 2), self.kill, [victim]).start()
        elif not is_fault:
            self.receiver.on[self.step] = lambda: self.kill(victim)
        for number in range(self.options.photos):
            self.send(self.rng.choice(servers), PICTURES[number % len(PICTURES)])
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and victim.is_running() and self.waits(victim):
            time.sleep(0.05)
        self.receiver.on.clear()
        if is_fault and not victim.is_running():
            self.kills += 1
        for server in servers:
            self.kill(server) if self.rng.random() < 0.5 else server.stop()
            server.end()

    def send(self, server, picture):
        address = urllib.parse.quote(f"http://127.0.0.1:{self.receiver.server_port}/{self.number}", safe="")
        try:
            status, answer = server.upload(picture, path=f"/scan?callback_url={address}")
        except ServerGone:
            self.unanswered += 1
            return
        if status != 200:
            raise SystemExit(f"{status}: {answer}")
        self.accepted.append(answer["job_id"])

    @staticmethod
    def items(server, path):
        return server.request("GET", path)[1]["items"]

    def waits(self, server):
        """Whether work is pending. Jobs may be requeued, and each end of a job adds a webhook."""
        states = ("processing", "queued", "processing")
        try:
            return any(
                self.items(server, path)
                for path in [*(f"/jobs?status={state}" for state in states), "/webhooks?status=waiting"]
            )
        except ServerGone:
            return True

    def finish(self, folder, known):
        """Lets a server send the pending webhooks; returns the problems and this round's jobs."""
        self.receiver.harm = 0
        server = self.start(folder)
        try:
            deadline = time.monotonic() + 120
            while self.waits(server):
                if time.monotonic() > deadline:
                    return ["something still waits after two minutes"], []
                # The next attempt may be due only in minutes.
                for item in self.items(server, "/webhooks?status=waiting&limit=500"):
                    if item["attempts"] and item["next_attempt_at"] > time.strftime(
                        "%Y-%m-%dT%H:%M:%SZ", time.gmtime()
                    ):
                        server.request("POST", f"/webhooks/{item['job_id']}/retry", b"")
                time.sleep(0.2)
            jobs = {
                item["job_id"]: item["status"]
                for item in self.items(server, "/jobs?limit=500")
                if item["job_id"] not in known
            }
            wrong = [f"{job}: accepted and gone" for job in self.accepted if job not in jobs]
            states = {item["job_id"]: item["status"] for item in self.items(server, "/webhooks?limit=500")}
            for job, state in jobs.items():
                taken = self.receiver.taken.get(job, [])
                if not taken:
                    wrong.append(f"{job}: never arrived, and has {state}")
                if states.get(job) != "delivered":
                    wrong.append(f"{job}: its webhook is {states.get(job)}")
                result = {**server.result(job)[1], "seen_before": None}
                if any({**json.loads(body), "seen_before": None} != result for body in taken):
                    wrong.append(f"{job}: another result arrived")
            return wrong + self.receiver.problems, jobs
        finally:
            server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--faulty", required=True)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--photos", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", help="address of a PostgreSQL for two servers; by default one server with SQLite")
    options = parser.parse_args()
    table = collections.defaultdict(collections.Counter)
    known, failed = set(), 0
    for number in range(options.rounds):
        rng = random.Random(f"{options.seed} {number}")
        options.folder = tempfile.mkdtemp(prefix="serialscan-webhooks-")
        receiver = Receiver(rng)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        folders = [os.path.join(options.folder, name) for name in (("a", "b") if options.store else ("a",))]
        this = Round(options, number, rng, receiver)
        this.run(folders)
        wrong, jobs = this.finish(folders[0], known)
        known.update(jobs)
        receiver.shutdown()
        receiver.server_close()
        row = table[this.step]
        row["rounds"] += 1
        row["kills"] += this.kills
        row["jobs"] += len(jobs)
        row["unanswered"] += this.unanswered
        for kind in ("requests", "500", "cut", "silence"):
            row[kind] += receiver.counts[kind]
        row["twice"] += sum(len(receiver.taken[job]) > 1 for job in jobs)
        row["wrong"] += len(wrong)
        if wrong:
            failed += 1
            print(f"round {number} ({this.step}), kept in {options.folder}:", *wrong, sep="\n  ", flush=True)
        else:
            shutil.rmtree(options.folder)
    columns = ["rounds", "kills", "jobs", "unanswered", "requests", "500", "cut", "silence", "twice", "wrong"]
    print("| killed at | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for step in STEPS:
        print(f"| {step} | " + " | ".join(str(table[step][column]) for column in columns) + " |")
    sums = {column: sum(row[column] for row in table.values()) for column in columns}
    print("| all | " + " | ".join(str(sums[column]) for column in columns) + " |")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
