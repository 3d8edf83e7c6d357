#!/usr/bin/env python3
"""Breaks machines, connections and the database of servers and workers that share one PostgreSQL, and checks every
guarantee.

Two servers and three workers each connect to the database through a separate proxy. While photos arrive, each round
does one of the following: kills a server, a worker or a reader; stops the database immediately and restarts it; fills
its disk and frees it again; cuts a machine's connections; blocks them; suspends a worker past its lease; runs a worker
whose clock is an hour off. Clients send each photo under an Idempotency-Key until a server returns 200. In the end,
every photo must be one job that ended once, with one saved serial.

usage: machines.py --program .build/release/serialscan [--rounds 300] [--seed 1] [--silence 30] [--lease 3] [--deeds kill]
"""

import argparse
import collections
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from cluster import Cluster, Wire
from server import Server, ServerGone, children, send
from torture import load_photos

SETTINGS = [
    "queue.max_attempts=1000",
    "queue.backoff=0.1",
    "reading.time_budget=25",
    "log.level=warning",
    "store.pool=4",
    "store.statement_timeout=5",
]
DEEDS = {
    "kill a server": 3,
    "kill a worker": 3,
    "kill a reader": 2,
    "stop the database": 4,
    "fill the database's disk": 2,
    "cut a server's wire": 2,
    "cut a worker's wire": 2,
    "silence a server's wire": 1,
    "silence a worker's wire": 1,
    "suspend a worker": 2,
    "a worker's clock is off": 2,
}
RESUMES_WITHIN = 5.0
FAKE_CLOCK = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
MOST_WAITING = 60


class Machine:
    """A server or a worker, restarted whenever it was killed."""

    def __init__(self, name, torture, workers):
        self.name, self.torture, self.workers = name, torture, workers
        self.wire = Wire(torture.cluster.port)
        self.data = os.path.join(torture.folder, name)
        self.log = os.path.join(torture.folder, name + ".log")
        self.server = None
        self.process = None

    @property
    def is_server(self):
        return self.name.startswith("server")

    def start(self, environment=None):
        arguments = ["--store", self.wire.address, "--workers", str(self.workers)]
        if self.is_server:
            self.server = Server(
                self.torture.options.program, self.data, self.torture.settings, None, self.log, arguments=arguments
            )
            self.process = self.server.process
            if self.server.port is None:
                self.torture.problem(f"{self.name} did not start; see {self.log}")
            return
        command = [self.torture.options.program, "work", "--data", self.data, *arguments]
        for setting in self.torture.settings:
            command += ["--set", setting]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **(environment or {})},
            )

    def last_words_tell_of_no_database(self):
        with open(self.log, "rb") as log:
            lines = log.read().splitlines()
        return self.process.returncode == 1 and any(b"can't be reached" in line for line in lines[-1:])

    def kill(self):
        send(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        send(self.process.pid, signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            return None


class Torture:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.settings = [*SETTINGS, f"queue.lease={options.lease}"]
        self.folder = tempfile.mkdtemp(prefix="serialscan-machines-")
        self.photos = load_photos(options.photos)
        self.cluster = Cluster()
        self.servers = [Machine("server-a", self, 0), Machine("server-b", self, 1)]
        self.workers = [Machine(f"worker-{number}", self, 1) for number in (1, 2, 3)]
        self.machines = self.servers + self.workers
        self.lock = threading.Lock()
        self.accepted = {}  # job id -> expected serial
        self.sent = 0
        self.deeds = collections.Counter()
        self.answers = collections.Counter()
        self.problems = []
        self.resumed = []
        self.taken_over = []
        self.gave_up = 0
        self.refused_starts = 0
        self.is_over = False

    def problem(self, text):
        self.problems.append(text)
        print(f"  PROBLEM: {text}", flush=True)

    def start(self):
        for machine in self.machines:
            machine.start()
        self.clients = [threading.Thread(target=self.client, args=(self.random.random(),)) for _ in range(2)]
        for client in self.clients:
            client.start()

    # --- clients

    def client(self, seed):
        chance = random.Random(seed)
        while not self.is_over:
            if self.sent - self.ended() > MOST_WAITING:
                time.sleep(0.2)
                continue
            serial, photo = chance.choice(self.photos)
            with self.lock:
                self.sent += 1
            # Make each photo different, because a photo sent again is saved only once. Bytes after a picture's end are
            # ignored.
            job = self.deliver(photo + b"%x" % chance.getrandbits(64), str(uuid.uuid4()), chance)
            if job:
                with self.lock:
                    self.accepted[job] = serial
            time.sleep(chance.uniform(0, 0.4))

    def ended(self):
        try:
            return self.cluster.number("SELECT count(*) FROM jobs WHERE ended_at IS NOT NULL")
        except subprocess.CalledProcessError:
            return 0

    def deliver(self, photo, key, chance):
        """Sends a photo until a server accepts it, as a persistent client would."""
        for _ in range(600):
            server = chance.choice(self.servers).server
            try:
                status, headers, answer = server.answer_to(photo, headers={"Idempotency-Key": key}, timeout=30)
            except (ServerGone, TypeError):
                time.sleep(0.1)
                continue
            with self.lock:
                self.answers[status] += 1
            if status == 200:
                return answer["job_id"]
            if status not in (503, 507) or not headers.get("Retry-After"):
                self.problem(f"an upload was answered {status} {headers.get('Retry-After')}: {answer}")
                return None
            time.sleep(0.2)
        self.problem("a photo was refused for two minutes")
        return None

    # --- one round

    def round(self, number):
        deeds = list(DEEDS)
        # The first dozen rounds do everything once; later ones choose by weight.
        deed = deeds[number - 1] if number <= len(deeds) else self.random.choices(deeds, list(DEEDS.values()))[0]
        self.deeds[deed] += 1
        server, worker = self.random.choice(self.servers), self.random.choice(self.workers)
        time.sleep(self.random.uniform(0, 0.5))
        if deed == "kill a server":
            self.restart(server)
        elif deed == "kill a worker":
            self.restart(worker)
        elif deed == "kill a reader":
            for reader in children(worker.process.pid):
                send(reader, signal.SIGKILL)
        elif deed == "stop the database":
            self.cluster.crash()
            self.expect_refusal()
            time.sleep(self.random.uniform(0, 2))
            self.cluster.start()
            self.expect_resumption()
        elif deed == "fill the database's disk":
            self.fill_disk()
        elif deed.startswith("cut"):
            machine = server if "server" in deed else worker
            machine.wire.cut()
            time.sleep(self.random.uniform(0, 2))
            machine.wire.mend()
        elif deed.startswith("silence"):
            machine = server if "server" in deed else worker
            machine.wire.is_silent = True
            time.sleep(self.options.silence)
            machine.wire.mend()
        elif deed == "suspend a worker":
            pid = worker.process.pid
            send(pid, signal.SIGSTOP)
            time.sleep(self.options.lease + 1)
            send(pid, signal.SIGCONT)
        elif deed == "a worker's clock is off":
            offset = self.random.choice(["-3600", "+3600"])
            worker.kill()
            worker.start({"LD_PRELOAD": FAKE_CLOCK, "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
            time.sleep(2)
            self.restart(worker)
        for machine in self.machines:
            if machine.process.poll() is not None:
                # A program that finds no database at its start exits with a message; restart it, as systemd would.
                if machine.last_words_tell_of_no_database():
                    self.refused_starts += 1
                else:
                    self.problem(f"round {number}, {deed}: {machine.name} ended unexpectedly; see {machine.log}")
                machine.start()
        self.check(number, deed)

    def restart(self, machine):
        machine.kill()
        held = self.held_by(machine)
        machine.start()
        self.expect_takeover(machine, held)

    def held_by(self, machine):
        """Returns the jobs that a machine's workers hold, each with its claim's token."""
        return {
            tuple(row)
            for row in self.cluster.rows(
                f"SELECT id, token FROM jobs WHERE state = 'processing' AND worker LIKE '%:{machine.process.pid}/%'"
            )
        }

    def expect_takeover(self, machine, held):
        """Checks that others take over a dead machine's jobs within seconds."""
        began = time.monotonic()
        while held and time.monotonic() < began + 60:
            left = {tuple(row) for row in self.cluster.rows("SELECT id, token FROM jobs WHERE state = 'processing'")}
            if not held & left:
                took = time.monotonic() - began
                self.taken_over.append(took)
                if took > RESUMES_WITHIN and not self.is_busy():
                    self.problem(f"the jobs of {machine.name} were taken over only {took:.1f} s after its death")
                return
            time.sleep(0.05)
        if held:
            self.problem(f"the jobs of {machine.name} were not taken over within 60 s of its death")

    def fill_disk(self):
        """Checks that photos are rejected while the disk is full and accepted again afterwards, without restarting a
        server.

        The database shuts down if it has no space for its log; after freeing space, restart it."""
        disk = self.cluster.disk
        if not disk.fill():
            return self.problem("the disk could not be filled")
        try:
            self.expect_no_room()
            if self.random.random() < 0.5:
                self.gave_up += self.cluster.use_up_log()
                self.expect_refusal()
            time.sleep(self.random.uniform(0, 4))
        finally:
            disk.free()
        self.cluster.see_running()
        self.expect_resumption()

    def expect_no_room(self):
        # The free space in the tables' files is used up first.
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            serial, photo = self.photos[0]
            try:
                status, headers, answer = self.servers[0].server.answer_to(photo, timeout=30)
            except ServerGone as error:
                return self.problem(f"no answer while the disk was full: {error}")
            if status == 200:
                with self.lock:
                    self.sent += 1
                    self.accepted[answer["job_id"]] = serial
                continue
            with self.lock:
                self.answers[status] += 1
            if status not in (503, 507) or not headers.get("Retry-After"):
                self.problem(f"{status}, Retry-After {headers.get('Retry-After')} on a full disk: {answer}")
            return None
        return self.problem("photos were still taken on a full disk")

    def expect_refusal(self):
        """Checks that without the database a server responds immediately with an error and Retry-After."""
        server = self.servers[0].server
        began = time.monotonic()
        try:
            status, headers, answer = server.answer_to(self.photos[0][1], timeout=30)
        except ServerGone as error:
            return self.problem(f"no answer while the database was gone: {error}")
        took = time.monotonic() - began
        if status not in (503, 507) or not headers.get("Retry-After") or took > 8:
            self.problem(f"{status}, Retry-After {headers.get('Retry-After')} after {took:.1f} s: {answer}")

    def expect_resumption(self):
        """Checks that work resumes within seconds of the database's return, without restarting anything."""
        began = time.monotonic()
        begun_at = self.cluster.number("SELECT store_now()")
        # Slowness proves nothing on a machine so busy that PostgreSQL itself hardly runs.
        while time.monotonic() < began + 60 or self.is_busy() and time.monotonic() < began + 600:
            if self.cluster.number(f"SELECT count(*) FROM jobs WHERE started_at > {begun_at}") > 0:
                took = time.monotonic() - began
                self.resumed.append(took)
                if took > RESUMES_WITHIN and not self.is_busy():
                    self.problem(f"work resumed only {took:.1f} s after the database's return")
                return
            time.sleep(0.05)
        self.problem("work did not resume within 60 s of the database's return")

    @staticmethod
    def is_busy():
        """Whether more than two processes per core are runnable."""
        return os.getloadavg()[0] > 2 * os.cpu_count()

    def check(self, number, deed):
        # Only photos accepted by now, because more arrive during the query.
        with self.lock:
            accepted = list(self.accepted)
        stored = {row[0] for row in self.cluster.rows("SELECT id FROM jobs")}
        lost = [job for job in accepted if job not in stored]
        if lost:
            self.problem(f"round {number}, {deed}: {len(lost)} accepted jobs are not stored: {lost[:3]}")
        doubled = self.cluster.number(
            "SELECT count(*) FROM (SELECT job_id FROM serials GROUP BY job_id HAVING count(*) > 1) AS twice"
        )
        if doubled:
            self.problem(f"round {number}, {deed}: {doubled} jobs are saved more than once")

    # --- the end

    def finish(self):
        self.is_over = True
        for client in self.clients:
            client.join()
        deadline = time.monotonic() + 60 + 2 * len(self.accepted)
        open_jobs = "SELECT count(*) FROM jobs WHERE ended_at IS NULL"
        while self.cluster.number(open_jobs) > 0 and time.monotonic() < deadline:
            time.sleep(0.2)
        jobs = {
            row[0]: row[1:]
            for row in self.cluster.rows(
                "SELECT jobs.id, state, coalesce(reading::json -> 'serials' -> 0 ->> 'serial', ''), "
                "coalesce(serial, '') = CASE WHEN saved THEN reading::json -> 'serials' -> 0 ->> 'serial' ELSE '' END, "
                "coalesce(error_detail, ''), size = photo_bytes FROM jobs "
                "LEFT JOIN serials ON serials.job_id = jobs.id "
                "LEFT JOIN blobs ON blobs.kind = 'photo' AND blobs.name = jobs.photo"
            )
        }
        self.doubled = len(jobs) - len(self.accepted)
        if self.doubled:
            self.problem(f"{len(jobs)} jobs are stored of {len(self.accepted)} photos that were accepted")
        for job, serial in self.accepted.items():
            state, read, is_saved, error, has_photo = jobs.get(job, ("lost", "", "f", "", "f"))
            # An uncertain read is reported but not saved; an accepted one is saved once.
            if state != "completed" or read != serial or is_saved != "t" or has_photo != "t":
                self.problem(
                    f"job {job} of {serial}: {state}, read {read}, saved as told {is_saved}, photo {has_photo} {error}"
                )
        parts = self.cluster.number(
            "SELECT count(*) FROM blob_parts WHERE blob NOT IN (SELECT blob FROM blobs UNION "
            "SELECT blob FROM blob_part_removals)"
        )
        if parts:
            self.problem(f"{parts} parts belong to no photo")
        for machine in self.machines:
            if machine.stop() != 0:
                self.problem(f"{machine.name} did not end with status 0")

    def end(self):
        self.is_over = True
        for machine in self.machines:
            if machine.process and machine.process.poll() is None:
                machine.kill()
        self.cluster.end()

    def report(self, seconds):
        print(f"rounds {self.options.rounds} in {seconds:.0f} s, seed {self.options.seed}")
        for deed, count in sorted(self.deeds.items()):
            print(f"  {deed}: {count}")
        print(f"accepted {len(self.accepted)}, doubled {self.doubled}, answers to uploads {dict(self.answers)}")
        if self.resumed:
            print(
                f"the database's return to resumed work: median {statistics.median(self.resumed):.2f} s, longest "
                f"{max(self.resumed):.2f} s of {len(self.resumed)}"
            )
        if self.taken_over:
            print(
                f"a machine's death to its jobs' return to the queue: median {statistics.median(self.taken_over):.2f} s, "
                f"longest {max(self.taken_over):.2f} s of {len(self.taken_over)}"
            )
        print(f"starts that met no database: {self.refused_starts}")
        print(f"times that the database gave up on a full disk: {self.gave_up}")
        print(f"problems: {len(self.problems)}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(os.path.dirname(here))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(root, ".build/release/serialscan"))
    parser.add_argument("--photos", default=os.path.join(root, "testdata/pictures"))
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--silence", type=float, default=30, help="seconds for which connections are blocked")
    parser.add_argument("--lease", type=int, default=3, help="duration of a lease in seconds")
    parser.add_argument("--deeds", default="", help="only actions whose names contain this, such as kill")
    options = parser.parse_args()
    for deed in [deed for deed in DEEDS if options.deeds not in deed]:
        DEEDS.pop(deed)
    if not os.path.exists(FAKE_CLOCK):
        sys.exit("there is no libfaketime here. Install it: Tools/install-packages.sh --with-tests")
    torture = Torture(options)
    if not torture.cluster.disk.is_mounted:
        # Continuous integration must not skip any.
        if os.environ.get("RUN_EVERY_TEST"):
            torture.problem("no right to mount a file system")
        print("no right to mount a file system: no disk is filled", flush=True)
        DEEDS.pop("fill the database's disk", None)
    began = time.monotonic()
    try:
        torture.start()
        for number in range(1, options.rounds + 1):
            torture.round(number)
            if number % 10 == 0:
                print(f"round {number}: {len(torture.accepted)} accepted", flush=True)
        torture.finish()
        torture.report(time.monotonic() - began)
    finally:
        torture.end()
    if torture.problems:
        print(f"logs are kept in {torture.folder}")
    else:
        shutil.rmtree(torture.folder)
    sys.exit(1 if torture.problems else 0)


if __name__ == "__main__":
    main()
