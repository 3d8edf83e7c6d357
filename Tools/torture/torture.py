#!/usr/bin/env python3
"""Kills the server and its readers repeatedly while photos arrive, and checks every guarantee.

Each round starts the server on the same data folder, uploads photos from several threads and kills the server, its
readers or both: at a random moment; at a named system call of the server (strace kills it as it enters the call:
before a photo is durable, before it has its name, before a commit is durable, ...); or at a fault point, a step
between two states of a job. Fault points require the faulty executable, the same program with these points armed; all
other rounds run the real one. In the end, every accepted job must have ended exactly once.

usage: torture.py --program .build/release/serialscan [--faulty .build/release/FaultyServer] [--rounds 300] [--seed 1]
"""

import argparse
import collections
import csv
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import attacks
from faults import Rotation, unknown_points
from server import Server, ServerGone, is_alive

# Where strace kills the server: the system call, and what would happen in it.
SYSTEM_CALLS = {
    "openat": "a file is opened",
    "fsync": "a photo or its folder is durable",
    "rename": "a photo gets its name",
    "fdatasync": "a commit is durable",
    "pwrite64": "the database or its log is written",
    "write": "bytes of a photo, of an answer or of a request to a reader are written",
    "unlink": "a photo is removed",
    "sendmsg": "an answer goes out",
    "writev": "an answer goes out",
    "wait4": "a dead reader is buried",
    "clone3": "a thread or a reader starts",
}
# Here jobs survive many kills that their photos do not cause, and on a busy machine the deadline may pass before a read
# starts.
SETTINGS = ["queue.max_attempts=1000", "queue.backoff=0.1", "reading.time_budget=25", "log.level=warning"]
RESUMES_WITHIN = 5.0
# Above this number of waiting jobs, few photos are uploaded, because a round is too short to read all of them.
MOST_WAITING = 150


class Torture:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.data = tempfile.mkdtemp(prefix="serialscan-torture-")
        self.log = os.path.join(self.data, "server.log")
        self.folder = os.path.join(self.data, "data")
        self.photos = load_photos(options.photos)
        self.strange = attacks.StrangePhotos(options.photos)
        self.rotation = Rotation(self.random)
        self.lock = threading.Lock()
        self.accepted = {}  # job id -> expected serial, None where the photo shows none
        self.doomed = set()  # jobs that were to be deleted when the server died
        self.past = set()  # jobs past their time, which have to go
        self.backdated = set()  # jobs whose photos are past their time, and their thumbnails with them
        self.ended = {}  # job id -> the answer of a job that has ended
        self.ends = {}  # job id -> how and when it ended, as stored in the database
        self.refused = collections.Counter()
        self.kills = collections.Counter()
        self.figures = collections.Counter()
        self.problems = []
        self.starts = []
        self.resumed = []
        self.unknown = 0
        self.given_up = set()
        self.is_left = False  # whether the last run left anything that may be read at once

    def problem(self, text):
        self.problems.append(text)
        print(f"  PROBLEM: {text}", flush=True)

    # --- one round

    def round(self, number):
        mode = self.random.choices(
            ["fault", "server", "readers", "both", "call", "stop", "double"], [55, 10, 8, 7, 12, 5, 3]
        )[0]
        if mode == "fault" and self.options.faulty:
            return self.fault_round(number)
        if mode == "fault" or (mode == "call" and not self.options.strace):
            mode = "server"
        strace = None
        if mode == "call":
            call = self.random.choice(list(SYSTEM_CALLS))
            nth = self.random.choice([1, 1, 1, 2, 2, 3, 4, 6, 9, 15])
            mode = f"{call}#{nth}"
            strace = ["-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]
        self.kills[mode.split("#")[0]] += 1
        is_left = self.is_left
        server = Server(self.options.program, self.folder, SETTINGS, strace, self.log)
        try:
            if server.port is None:
                if not strace:
                    self.problem(f"round {number}: the server did not start; see {self.log}")
                return
            self.starts.append(time.monotonic() - server.began)
            if is_left and not strace:
                self.await_resumption(server)
            readers = self.attack(server, mode)
        finally:
            server.end()
        self.check_readers_gone(number, readers)
        self.check_database(number)

    def fault_round(self, number):
        """Makes the server reach a fault point and kills it there."""
        fault = self.rotation.next()
        if attacks.prepare(self, fault):
            self.check_database(number)
        is_left = self.is_left
        server = Server(self.options.faulty, self.folder, SETTINGS + fault.settings, None, self.log, faults=fault.armed)
        readers, threads = [], []
        try:
            if server.port is not None:
                self.starts.append(time.monotonic() - server.began)
                threads = self.clients(server)
                # A server that is suspended continues on SIGCONT.
                if is_left and fault.way != "a server later than its lease":
                    self.await_resumption(server)
                readers = server.readers
            attacks.provoke(self, server, fault)
            was_reached = server.has_fired(fault.point, fault.victim, 12)
            self.rotation.note(fault, was_reached)
            if not was_reached:
                print(f"  round {number}: {fault} was not reached", flush=True)
            if server.is_running() and fault.victim != "reader" and was_reached and server.wait(10) is None:
                self.problem(f"round {number}: the server outlived {fault}")
            if fault.victim == "reader":
                time.sleep(self.random.random())
            readers += server.readers
        finally:
            server.end()
        for thread in threads:
            thread.join()
        self.check_readers_gone(number, readers)
        self.check_database(number)

    def clients(self, server):
        is_behind = len(self.accepted) - len(self.ends) > MOST_WAITING
        clients, photos = (1, 1) if is_behind else (self.random.randrange(1, 5), self.random.randrange(1, 6))
        threads = [
            threading.Thread(target=self.client, args=(server, photos, self.random.random())) for _ in range(clients)
        ]
        for thread in threads:
            thread.start()
        return threads

    def attack(self, server, mode):
        threads = self.clients(server)
        if "#" in mode:
            server.wait(self.random.uniform(1, 4))
        else:
            time.sleep(self.random.choice([0, 0.05, 0.2, 0.5, 1, 2]) * self.random.random())
        readers = server.readers
        if mode in ("readers", "both"):
            server.kill_readers()
        if mode == "readers":
            time.sleep(self.random.random())
            readers = server.readers
        if mode == "stop":
            if server.stop() != 0:
                self.problem("SIGTERM did not end the server with status 0 in 60 s")
        elif mode == "double":
            server.kill(signal.SIGTERM)
            time.sleep(0.05)
            server.kill(signal.SIGTERM)
            if server.wait(10) is None:
                self.problem("a second SIGTERM did not stop the server at once")
        server.end()
        for thread in threads:
            thread.join()
        return readers

    def client(self, server, count, seed):
        chance = random.Random(seed)
        for _ in range(count):
            serial, photo = chance.choice(self.photos)
            if chance.random() < 0.03:
                serial, photo = None, self.strange.without_serial
            # A photo of its own: one that is sent again is saved once. What follows a picture's end is not read.
            photo += b"%x" % chance.getrandbits(64)
            try:
                status, answer = server.upload(photo)
            except ServerGone:
                # Stored or not: only a response is a guarantee.
                with self.lock:
                    self.unknown += 1
                return
            with self.lock:
                if status == 200:
                    self.accepted[answer["job_id"]] = serial
                else:
                    self.refused[f"{status} {answer.get('error_code') if isinstance(answer, dict) else ''}"] += 1
            if status == 200 and chance.random() < 0.5:
                try:
                    self.look(server, answer["job_id"], chance.choice([0, 0, 1]))
                except ServerGone:
                    return

    def look(self, server, job, wait=0):
        """Polls a job, and compares its state with earlier ones."""
        status, answer = server.result(job, wait)
        if status != 200:
            self.problem(f"job {job} answered {status}: {answer}")
            return None
        with self.lock:
            before = self.ended.get(job)
            if before is not None and job in self.backdated:
                before = {**before, "thumbnail_url": answer["thumbnail_url"]}
            if before is not None and before != answer:
                changes = {key: (before.get(key), answer[key]) for key in answer if before.get(key) != answer[key]}
                self.problem(f"job {job} had ended and changed: {changes}")
            if answer["status"] in ("completed", "failed"):
                self.ended[job] = answer
        return answer

    def await_resumption(self, server):
        """Checks that unfinished work resumes within seconds of the start: this run starts or ends a job."""
        database = sqlite3.connect(f"file:{self.folder}/serialscan.sqlite?mode=ro", uri=True)
        deadline = server.began + 60
        try:
            while time.monotonic() < deadline and server.is_running():
                if database.execute("SELECT 1 FROM jobs WHERE started_at > ? LIMIT 1", (server.began_at,)).fetchone():
                    took = time.monotonic() - server.began
                    self.resumed.append(took)
                    if took > RESUMES_WITHIN:
                        self.note_late(took)
                    return
                time.sleep(0.01)
        except sqlite3.OperationalError:
            # The server was killed during a recovery, which a read-only connection can't perform.
            if server.is_running():
                raise
        finally:
            database.close()
        # The kill may have preceded any work.
        if server.is_running():
            self.problem("work did not resume within 60 s of the start")

    def note_late(self, took):
        """Records lateness as a fault unless the machine is busy: more than two runnable processes per core."""
        load = os.getloadavg()[0]
        if load > 2 * os.cpu_count():
            self.figures["late while busy"] += 1
            print(f"  work resumed {took:.1f} s after the start, at a load of {load:.0f}", flush=True)
        else:
            self.problem(f"work resumed only {took:.1f} s after the start, load {load:.0f}")

    # --- what must hold after a round

    def check_readers_gone(self, number, readers):
        deadline = time.monotonic() + 5
        while any(is_alive(reader) for reader in readers):
            if time.monotonic() > deadline:
                self.problem(f"round {number}: a reader outlived its server")
                return
            time.sleep(0.02)

    def check_database(self, number):
        """Checks a copy, because opening the original would perform the recovery that the server must do."""
        copy = tempfile.mkdtemp(prefix="serialscan-copy-")
        try:
            for name in os.listdir(self.folder):
                if name.startswith("serialscan.sqlite") and not name.endswith("-shm"):
                    shutil.copy(os.path.join(self.folder, name), copy)
            if not os.path.exists(os.path.join(copy, "serialscan.sqlite")):
                return
            database = sqlite3.connect(os.path.join(copy, "serialscan.sqlite"))
            result = database.execute("PRAGMA integrity_check").fetchall()
            self.figures["integrity checks"] += 1
            if result != [("ok",)]:
                self.figures["integrity failures"] += 1
                self.problem(f"round {number}: integrity_check says {result[:3]}")
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'jobs'").fetchone():
                self.check_rows(number, database)
            database.close()
        finally:
            shutil.rmtree(copy)

    def check_rows(self, number, database):
        stored = {row[0] for row in database.execute("SELECT id FROM jobs")}
        lost = [job for job in self.accepted if job not in stored]
        self.figures["lost"] = max(self.figures["lost"], len(lost))
        if lost:
            self.problem(f"round {number}: {len(lost)} accepted jobs are not stored: {lost[:3]}")
        # A photo that was being read at more than three deaths of the server is delayed, because it may have been the
        # cause.
        self.is_left = (
            database.execute(
                "SELECT 1 FROM jobs WHERE state IN ('queued', 'processing') AND abandonments < 3"
            ).fetchone()
            is not None
        )
        ends = {
            row[0]: row[1:]
            for row in database.execute(
                "SELECT id, state, ended_at, reading, error_code, saved FROM jobs WHERE ended_at IS NOT NULL"
            )
            if row[0] not in self.past
        }
        changed = [job for job, end in self.ends.items() if ends.get(job) != end]
        self.figures["doubled"] += len(changed)
        if changed:
            self.problem(f"round {number}: {len(changed)} jobs had ended and changed: {changed[:3]}")
        self.ends.update(ends)
        # The documented end of a photo that was being read at twenty deaths of the server.
        self.given_up = {row[0] for row in database.execute("SELECT id FROM jobs WHERE abandonments >= 20")}
        twice = database.execute(
            "SELECT job_id, count(*) FROM serials WHERE job_id IS NOT NULL GROUP BY job_id HAVING count(*) > 1"
        ).fetchall()
        self.figures["doubled"] += len(twice)
        if twice:
            self.problem(f"round {number}: saved more than once: {twice[:3]}")

    # --- the end

    def finish(self):
        """Waits until everything is read, then compares every accepted job with its photo."""
        self.age_photos()
        server = Server(self.options.program, self.folder, SETTINGS, None, self.log)
        try:
            deadline = time.monotonic() + 60 + 2 * len(self.accepted)
            for job in list(self.accepted):
                while job not in self.ended and time.monotonic() < deadline:
                    self.look(server, job, wait=20)
            for job in self.accepted:
                self.look(server, job)
            for job in self.past:
                if server.result(job)[0] != 404:
                    self.problem(f"job {job} is past its time and still there")
            status = server.stop()
            if status != 0:
                self.problem(f"the last stop ended with {status}")
        finally:
            server.end()
        self.check_database("end")
        for job, serial in self.accepted.items():
            self.check_end(job, serial)
        self.check_folder()

    def age_photos(self):
        """Checks that photos whose upload was killed before they had a job are deleted at a start after
        retention.photos."""
        for place, _, names in os.walk(os.path.join(self.folder, "photos")):
            for name in names:
                old = time.time() - 31 * 86400
                os.utime(os.path.join(place, name), (old, old))

    def check_end(self, job, serial):
        answer = self.ended.get(job)
        if answer is None:
            self.problem(f"job {job} has not ended")
        elif job in self.given_up and "never finished" in (answer["error"] or ""):
            print(f"  job {job} was being read at twenty deaths of the server and was given up, as documented")
        elif serial is None:
            if answer["status"] != "failed" or not answer["error"]:
                self.problem(f"job {job} shows no serial and ended otherwise: {answer}")
        elif answer["status"] != "completed":
            self.problem(f"job {job} failed: {answer['error']}")
        elif answer["results"]["top_result"]["serial"] != serial:
            self.problem(f"job {job} read {answer['results']['top_result']} instead of {serial}")

    def check_folder(self):
        database = sqlite3.connect(f"file:{self.folder}/serialscan.sqlite?mode=ro", uri=True)
        known = {os.path.basename(row[0]) for row in database.execute("SELECT photo FROM jobs WHERE photo_pruned = 0")}
        saved = dict(database.execute("SELECT job_id, count(*) FROM serials GROUP BY job_id"))
        promised = {job for job, answer in self.ended.items() if (answer["results"] or {}).get("saved_to_database")}
        wrong = [job for job in self.ended if saved.get(job, 0) != (1 if job in promised else 0)]
        self.figures["unsaved"] = len([job for job in promised if job not in saved])
        if wrong:
            self.problem(f"{len(wrong)} jobs say otherwise than the table of serials: {wrong[:3]}")
        # The last start has deleted the remains of killed uploads.
        files = [
            name
            for place, _, names in os.walk(self.folder)
            for name in names
            if os.path.basename(place) != "annotations" and not name.startswith("serialscan.")
        ]
        left = [name for name in files if name not in known]
        missing = known - set(files)
        if missing:
            self.problem(f"{len(missing)} photos of jobs are gone: {list(missing)[:3]}")
        if left:
            self.problem(f"{len(left)} files belong to no job: {left[:3]}")

    def report(self, seconds):
        ended = collections.Counter(answer["status"] for answer in self.ended.values())
        print(f"rounds {self.options.rounds} in {seconds:.0f} s, seed {self.options.seed}")
        faults = sum(self.rotation.kills.values())
        print(f"killed at fault points: {faults} of {sum(self.rotation.tries.values())} tries")
        for line in self.rotation.table():
            print(f"  {line}")
        print("other rounds: " + ", ".join(f"{mode} {count}" for mode, count in sorted(self.kills.items())))
        never = self.rotation.never_reached
        if never:
            self.problem(f"never reached: {', '.join(never)}")
        print(
            f"accepted {len(self.accepted)}, ended {dict(ended)}, refused {dict(self.refused)}, cut off {self.unknown}"
        )
        print(
            f"lost {self.figures['lost']}, doubled {self.figures['doubled']}, unsaved {self.figures['unsaved']}; deleted "
            f"or past their time {len(self.doomed | self.past)}"
        )
        print(f"integrity checks {self.figures['integrity checks']}, failed {self.figures['integrity failures']}")
        for name, times in (("start to listening", self.starts), ("start to resumed work", self.resumed)):
            if times:
                print(f"{name}: median {statistics.median(times):.2f} s, longest {max(times):.2f} s of {len(times)}")
        print(f"resumed after more than {RESUMES_WITHIN:.0f} s on a busy machine: {self.figures['late while busy']}")
        print(f"problems: {len(self.problems)}")


def load_photos(folder):
    """Returns (serial, bytes) of labelled pictures that are always read correctly."""
    with open(os.path.join(folder, "labels.csv"), newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["serial"] and "clean" in row["filename"]]
    photos = []
    for row in rows:
        with open(os.path.join(folder, row["filename"]), "rb") as file:
            photos.append((row["serial"], file.read()))
    return photos


def can_trace():
    probe = ["strace", "-f", "-qqq", "-o", "/dev/null", "--seccomp-bpf", "-e", "trace=fsync", "true"]
    try:
        return subprocess.run(probe, capture_output=True).returncode == 0
    except OSError:
        return False


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(root, ".build/release/serialscan"))
    parser.add_argument("--faulty", help="the executable with fault points; without it, these are skipped")
    parser.add_argument("--photos", default=os.path.join(root, "testdata/pictures"))
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the data folder even on success")
    options = parser.parse_args()
    options.strace = can_trace()
    if not options.strace:
        print("strace can't trace here: kills at named system calls are left out", flush=True)
    if not options.faulty:
        print("no faulty executable: kills at fault points are left out", flush=True)
    elif unknown_points(root):
        sys.exit(f"Tools/torture/faults.py and Sources/Support differ in {', '.join(sorted(unknown_points(root)))}")
    torture = Torture(options)
    began = time.monotonic()
    for number in range(1, options.rounds + 1):
        torture.round(number)
        if number % 10 == 0:
            print(f"round {number}: {len(torture.accepted)} accepted, {len(torture.ends)} ended", flush=True)
    torture.finish()
    torture.report(time.monotonic() - began)
    if torture.problems or options.keep:
        print(f"data and log are kept in {torture.data}")
    else:
        shutil.rmtree(torture.data)
    sys.exit(1 if torture.problems else 0)


if __name__ == "__main__":
    main()
