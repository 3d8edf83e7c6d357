#!/usr/bin/env python3
"""Measures the cost of a shared PostgreSQL. Each figure is printed beside its baseline, measured in the same run.

usage: shared_store.py claims     claims and ends by a hundred workers with instant readers, and by pgbench with the
                                  same statements
       shared_store.py uploads    uploads with the photo in PostgreSQL, and into SQLite's folder
       shared_store.py waking     from an upload's response to the reading on another machine, and from a job's end to
                                  the response of a long poll on a third
       shared_store.py plans      every statement of the queue at 1,000 and at 1,000,000 jobs
       shared_store.py costs      the costs of single steps, as costs.json for fleet.py
       shared_store.py fleet      a run of many workers whose readers sleep, for `fleet.py check`

Requires the built product and StoreLoad; creates and removes a cluster.
"""

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tools/torture"))

from cluster import Cluster  # noqa: E402
from server import Server  # noqa: E402
from torture import load_photos  # noqa: E402

CONNECTIONS = 16
FILL = """
SET session_replication_role = replica;
INSERT INTO jobs (id, state, message, created_at, updated_at, started_at, ended_at, photo, photo_bytes, persist, annotate,
  verdict, worker)
SELECT 'job-' || n, CASE WHEN n % {nth} = 0 THEN 'queued' ELSE 'completed' END, '', n, n, n,
  CASE WHEN n % {nth} = 0 THEN NULL ELSE n END, n || '.jpg', 1000, true, false,
  CASE WHEN n % {nth} = 0 THEN NULL ELSE 'accepted' END, 'w'
FROM generate_series(1, {count}) AS n;
"""


class Bench:
    def __init__(self, options):
        self.options = options
        self.cluster = Cluster()
        self.address = f"postgresql://serialscan@127.0.0.1:{self.cluster.port}/serialscan"
        self.folder = tempfile.mkdtemp(prefix="serialscan-bench-")
        self.processes = []

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.cluster.end()

    def server(self, name, *arguments, settings=()):
        server = Server(
            self.options.program,
            os.path.join(self.folder, name),
            ["log.level=warning", "queue.max_waiting=1000000", *settings],
            None,
            os.path.join(self.folder, name + ".log"),
            arguments=arguments,
        )
        self.processes.append(server.process)
        return server

    def worker(self, name, workers):
        log = open(os.path.join(self.folder, name + ".log"), "ab")
        process = subprocess.Popen(
            [
                self.options.program,
                "work",
                "--data",
                os.path.join(self.folder, name),
                "--store",
                self.address,
                "--workers",
                str(workers),
                "--set",
                "log.level=warning",
            ],
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        self.processes.append(process)
        return process

    def make_tables(self):
        subprocess.run([self.options.load, self.address, "0", "1", "1"], check=True, stdout=subprocess.DEVNULL)

    def fill(self, count, nth):
        self.cluster.rows(FILL.format(count=count, nth=nth).replace("\n", " "))
        self.cluster.rows("VACUUM ANALYZE jobs")

    # --- claims

    def claims(self):
        self.make_tables()
        jobs = self.options.jobs
        rates = {}
        for turn in range(self.options.turns):
            for who in ("store", "pgbench"):
                self.cluster.rows("TRUNCATE jobs, blobs, serials")
                self.fill(jobs, 1)
                rates.setdefault(who, []).append(self.by_store(jobs) if who == "store" else self.by_pgbench(jobs))
        for who, values in rates.items():
            print(f"{who}: {statistics.median(values):.0f} a second (" + ", ".join(f"{v:.0f}" for v in values) + ")")
        print(f"ratio {statistics.median(rates['store']) / statistics.median(rates['pgbench']):.2f} (goal 0.50)")

    def by_store(self, jobs):
        answer = subprocess.run(
            [self.options.load, self.address, str(jobs), "100", str(CONNECTIONS)],
            check=True,
            capture_output=True,
            text=True,
        )
        told = json.loads(answer.stdout.splitlines()[-1])
        assert told["ended"] == jobs, told
        return told["per_second"]

    def by_pgbench(self, jobs):
        script = os.path.join(self.folder, "claim.sql")
        with open(script, "w") as file:
            file.write(
                subprocess.run([self.options.load, "statements"], check=True, capture_output=True, text=True).stdout
            )
        answer = subprocess.run(
            [
                os.path.join(self.cluster.programs, "pgbench"),
                "-n",
                "-M",
                "prepared",
                "-c",
                str(CONNECTIONS),
                "-j",
                "2",
                "-t",
                str(jobs // CONNECTIONS),
                "-f",
                script,
                "-h",
                "127.0.0.1",
                "-p",
                str(self.cluster.port),
                "-U",
                "serialscan",
                "serialscan",
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        line = next(line for line in answer.stdout.splitlines() if line.startswith("tps"))
        return float(line.split()[2])

    # --- uploads

    def uploads(self):
        with open(self.options.photo, "rb") as file:
            photo = file.read()
        sqlite = self.server("sqlite", "--workers", "0")
        shared = self.server("shared", "--workers", "0", "--store", self.address)
        rates = {"sqlite": [], "postgresql": []}
        for turn in range(self.options.turns):
            rates["sqlite"].append(self.upload_rate(sqlite, photo))
            rates["postgresql"].append(self.upload_rate(shared, photo))
        for name, values in rates.items():
            print(
                f"{name}: {statistics.median(values):.0f} uploads of {len(photo)} bytes a second ("
                + ", ".join(f"{value:.0f}" for value in values)
                + ")"
            )
        print(f"ratio {statistics.median(rates['postgresql']) / statistics.median(rates['sqlite']):.2f} (goal 0.40)")

    def upload_rate(self, server, photo, clients=16):
        boundary = "serialscan-benchmark"
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="photo.jpg"\r\n'
            "Content-Type: image/jpeg\r\n\r\n"
        )
        body = head.encode() + photo + f"\r\n--{boundary}--\r\n".encode()
        fields = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        deadline, counts = time.monotonic() + self.options.seconds, [0] * clients

        def send(number):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            while time.monotonic() < deadline:
                connection.request("POST", "/scan", body, fields)
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200, answer.status
                counts[number] += 1

        began = time.monotonic()
        threads = [threading.Thread(target=send, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(counts) / (time.monotonic() - began)

    # --- waking

    def waking(self):
        takes = self.server("takes", "--workers", "0", "--store", self.address)
        tells = self.server("tells", "--workers", "0", "--store", self.address)
        self.worker("works", 1)
        time.sleep(3)
        photos = load_photos(os.path.join(ROOT, "testdata/pictures"))
        begins, ends = [], []
        for number in range(self.options.photos):
            status, answer = takes.upload(photos[number % len(photos)][1])
            answered = time.time()
            assert status == 200, answer
            status, result = tells.result(answer["job_id"], wait=30)
            told = time.time()
            row = self.cluster.rows(f"SELECT started_at, ended_at FROM jobs WHERE id = '{answer['job_id']}'")[0]
            begins.append(int(row[0]) / 1e6 - answered)
            ends.append(told - int(row[1]) / 1e6)
            time.sleep(0.05)
        for name, values, goal in (
            ("an upload's answer to the reading elsewhere", begins, 20),
            ("a job's end to the answer held elsewhere", ends, 50),
        ):
            values.sort()
            print(
                f"from {name}: p50 {statistics.median(values) * 1000:.1f} ms, p95 "
                f"{values[int(len(values) * 0.95)] * 1000:.1f} ms of {len(values)} (goal p50 {goal} ms)"
            )

    # --- plans

    def plans(self):
        self.make_tables()
        statements = subprocess.run([self.options.load, "queue"], check=True, capture_output=True, text=True).stdout
        slow = 0
        for count in (1_000, 1_000_000):
            self.cluster.rows("TRUNCATE jobs")
            self.fill(count, 100)
            for number, sql in enumerate(statements.split("\0")):
                if not sql.strip():
                    continue
                parameters = max((n for n in range(1, 20) if f"${n}" in sql), default=0)
                values = f"({', '.join(['NULL'] * parameters)})" if parameters else ""
                rows = self.cluster.rows(
                    f"SET plan_cache_mode = force_generic_plan; PREPARE plan AS {sql}; EXPLAIN EXECUTE plan{values}"
                )
                plan = "\n".join(row[0] for row in rows)
                if "Seq Scan on jobs" in plan:
                    slow += 1
                    print(f"at {count} jobs:\n{sql}\n{plan}")
        print(f"statements that look at every job: {slow}")

    # --- costs

    def costs(self):
        """Measures the CPU time and the duration of each step, on one connection at a time. The kernel counts the
        database's CPU time, so other work on the machine hardly affects it."""
        self.make_tables()
        size = os.path.getsize(self.options.photo)
        self.fill(4000, 1)
        statements = self.load("statements")
        pair, seconds = self.pgbench("claim", statements, 2000)
        claims, ends = pair[1], sum(pair[2:])
        told = {"claim": share(seconds, claims, claims + ends), "finish": share(seconds, ends, claims + ends)}
        self.cluster.rows("TRUNCATE jobs, blobs, blob_parts")
        claim = statements[: statements.index(" \\gset")] + ";\n"
        told["empty_claim"] = self.cost("empty_claim", claim, 3000)
        self.cluster.rows("CREATE TABLE random_bytes (bytes bytea)")
        self.cluster.rows(
            f"INSERT INTO random_bytes SELECT string_agg(uuid_send(gen_random_uuid()), '') "
            f"FROM generate_series(1, {size // 16 + 1})"
        )
        self.cluster.rows("ALTER TABLE random_bytes ALTER COLUMN bytes SET STORAGE EXTERNAL")
        told["upload"] = self.cost("upload", f"\\set bytes {size}\n" + self.load("upload"), 1000)
        told["photo"] = self.cost(
            "photo",
            "\\set part random(1, 400)\nSELECT substring(bytes FROM 1 FOR 1048576) FROM blob_parts "
            "WHERE blob = :part;\n",
            3000,
        )
        told["look"] = self.cost(
            "look", "SELECT * FROM jobs WHERE id = ANY(ARRAY(SELECT id FROM jobs LIMIT 1));\n", 3000
        )
        told["notify"], told["hearing"] = self.notifying()
        told["second"] = self.seconds_of_rest()
        told["database_cores"] = os.cpu_count()
        self.count_whole_photos(told)
        self.cluster.rows("TRUNCATE jobs, blobs, blob_parts, serials")
        readings, _ = self.readings()
        told["reading"] = [round(reading, 4) for reading in readings]
        print(json.dumps(rounded(told)))

    def count_whole_photos(self, told):
        """Measures whole uploads and whole photos, which include further queries such as the queue position: uploads
        photos one after another, then lets a worker with an instant reader process them."""
        self.cluster.rows("TRUNCATE jobs, blobs, blob_parts, serials")
        with open(self.options.photo, "rb") as file:
            photo = file.read()
        server = self.server("whole", "--workers", "0", "--store", self.address)
        time.sleep(2)
        note, count = told["notify"][0], 300
        before, began = self.cluster.seconds(), time.monotonic()
        for _ in range(count):
            server.upload(photo)
        rest = told["second"][0] * (time.monotonic() - began)
        told["upload"][0] = (self.cluster.seconds() - before - rest) / count - note - told["hearing"]
        before, began = self.cluster.seconds(), time.monotonic()
        fleet = self.sleepers(1, 1, 0)
        while self.cluster.number("SELECT count(*) FROM jobs WHERE ended_at IS NULL"):
            time.sleep(0.5)
        rest = 2 * told["second"][0] * (time.monotonic() - began)
        spent = (self.cluster.seconds() - before - rest) / count
        told["photo"][0] = spent - told["claim"][0] - told["finish"][0] - note - 2 * told["hearing"]
        self.let_go(fleet)
        server.process.kill()

    def notifying(self):
        """Measures the cost of a notification with one listening process, and of each further listener. Pauses between
        notifications prevent the listeners from receiving several at once."""
        note = json.dumps({"from": "bench", "arrived": 0, "ended": ["00000000-0000-0000-0000-000000000000"]})
        script, costs = f"SELECT pg_notify('serialscan_jobs', '{note}');\n", []
        for count in (1, 61):
            fleet = self.sleepers(count, 0, 1)
            before, began = self.cluster.seconds(), time.monotonic()
            time.sleep(5)
            rest = (self.cluster.seconds() - before) / (time.monotonic() - began)
            whole = self.cost("notify", script, 1000)[1]
            began = time.monotonic()
            core = self.cost("notify", script, 1000, "-R", "200")[0]
            costs.append((core - rest * (time.monotonic() - began) / 1000, whole))
            self.let_go(fleet)
        more = max(0.0, costs[1][0] - costs[0][0]) / 60
        return [costs[0][0] - more, costs[0][1]], more

    def seconds_of_rest(self):
        """Measures the cost of an idle process per second: fixed, per process in the fleet, and per job being read
        anywhere."""
        found = {}
        for others, reading in ((0, 0), (200, 0), (200, 1000)):
            self.cluster.rows("TRUNCATE jobs")
            self.cluster.rows("DELETE FROM servers")
            fleet = self.sleepers(20, 0, 1)
            # Machines with permanent heartbeats, and the jobs that they read.
            self.cluster.rows(
                "INSERT INTO servers (id, name, since, beat_at, workers, hears) SELECT 'm' || n, 'm', store_now(), "
                f"store_now() + 3600000000, 8, true FROM generate_series(1, {others}) AS n"
            )
            self.fill(reading, 1)
            self.cluster.rows(
                "SET session_replication_role = replica; UPDATE jobs SET state = 'processing', token = 't', "
                "lease_until = store_now() + 3600000000, holder = 'm' || (seq % 200 + 1)"
            )
            self.cluster.rows("VACUUM ANALYZE jobs")
            time.sleep(1)
            before, began = self.cluster.seconds(), time.monotonic()
            time.sleep(10)
            found[others, reading] = (self.cluster.seconds() - before) / (time.monotonic() - began) / 20
            self.let_go(fleet)
        by_process = max(0.0, found[200, 0] - found[0, 0]) / 200
        return [found[0, 0] - 20 * by_process, by_process, max(0.0, found[200, 1000] - found[200, 0]) / 1000]

    def sleepers(self, machines, workers, reading):
        """Starts this many machines of workers whose readers only sleep."""
        fleet = subprocess.Popen(
            [self.options.load, "fleet", self.address, str(machines), str(workers), str(reading)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes.append(fleet)
        assert fleet.stdout.readline() == "ready\n"
        time.sleep(3)
        return fleet

    def let_go(self, fleet):
        """Stops a fleet and returns its output."""
        told, _ = fleet.communicate()
        self.processes.remove(fleet)
        return json.loads(told.splitlines()[-1])

    def load(self, what):
        return subprocess.run([self.options.load, what], check=True, capture_output=True, text=True).stdout

    def cost(self, name, script, count, *options):
        statements, seconds = self.pgbench(name, script, count, *options)
        return [seconds, sum(statements)]

    def pgbench(self, name, script, count, *options):
        """Returns the seconds that each statement of a script takes on one connection, and the CPU time of all of
        them."""
        path = os.path.join(self.folder, name + ".sql")
        with open(path, "w") as file:
            file.write(script)
        before = self.cluster.seconds()
        answer = subprocess.run(
            [
                os.path.join(self.cluster.programs, "pgbench"),
                "-n",
                "-r",
                "-M",
                "prepared",
                "-c",
                "1",
                "-t",
                str(count),
                "-f",
                path,
                *options,
                "-h",
                "127.0.0.1",
                "-p",
                str(self.cluster.port),
                "-U",
                "serialscan",
                "serialscan",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        seconds = (self.cluster.seconds() - before) / count
        lines = answer[answer.index("statement latencies") :].splitlines()[1:]
        return [float(line.split()[0]) / 1000 for line in lines if line.strip()], seconds

    def readings(self):
        """Returns the seconds of each reading and of each wait, for photos that arrive at random times."""
        takes = self.server("arrivals", "--workers", "0", "--store", self.address)
        self.worker("readers", self.options.workers)
        time.sleep(3)
        photos = load_photos(os.path.join(ROOT, "testdata/pictures"))
        self.send([takes], [photo for _, photo, *_ in photos])
        rows = self.cluster.rows("SELECT ended_at - started_at, started_at - created_at FROM jobs")
        return [int(row[0]) / 1e6 for row in rows], sorted(int(row[1]) / 1e6 for row in rows)

    def send(self, servers, photos):
        """Sends photos at random times and waits until all are read."""
        chance, due, threads = random.Random(1), time.monotonic(), []
        for number in range(self.options.photos):
            server, photo = servers[number % len(servers)], photos[number % len(photos)]
            threads.append(threading.Thread(target=server.upload, args=(photo,)))
            threads[-1].start()
            # By absolute time, so that the next pause compensates for one that was too long.
            due += chance.expovariate(self.options.rate)
            time.sleep(max(0.0, due - time.monotonic()))
        for thread in threads:
            thread.join()
        while self.cluster.number("SELECT count(*) FROM jobs WHERE ended_at IS NULL"):
            time.sleep(0.1)

    # --- fleet

    def fleet(self):
        """Measures a real run for `fleet.py check`: two HTTP servers, and machines of workers whose readers only
        sleep, so that more workers than cores fit on the machine."""
        servers = [self.server(f"answers-{n}", "--workers", "0", "--store", self.address) for n in range(2)]
        machines = max(1, self.options.workers // 8)
        fleet = self.sleepers(machines, self.options.workers // machines, self.options.reading)
        with open(self.options.photo, "rb") as file:
            photo = file.read()
        before, began = self.cluster.seconds(), time.monotonic()
        self.send(servers, [photo])
        spent = (self.cluster.seconds() - before) / (time.monotonic() - began)
        rows = self.cluster.rows("SELECT started_at - created_at, ended_at - started_at FROM jobs ORDER BY 1")
        waits = [int(row[0]) / 1e3 for row in rows]
        measured = [waits[min(len(waits) - 1, int(len(waits) * q))] for q in (0.5, 0.95, 0.99)]
        vain = self.let_go(fleet)["vain"]
        print(
            json.dumps(
                {
                    "workers": self.options.workers,
                    "machines": machines,
                    "servers": len(servers),
                    "rate": self.options.rate,
                    "photos": len(rows),
                    "reading": [self.options.reading],
                    "measured": [*measured, vain / len(rows), spent],
                }
            )
        )


def share(seconds, part, whole):
    """Returns one statement's share of the CPU time of two, in proportion to their durations."""
    return [seconds * part / whole, part]


def rounded(told):
    """Microseconds are enough."""
    return {
        name: [round(v, 7) for v in value] if isinstance(value, list) else round(value, 7)
        for name, value in told.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["claims", "uploads", "waking", "plans", "costs", "fleet"])
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/serialscan"))
    parser.add_argument("--load", default=os.path.join(ROOT, ".build/release/StoreLoad"))
    parser.add_argument("--photo", default=os.path.join(ROOT, "testdata/pictures/etched_clean_1.jpg"))
    parser.add_argument("--jobs", type=int, default=8000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--photos", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=4)
    parser.add_argument("--reading", type=float, default=0.15, help="seconds that a sleeping reader takes per photo")
    options = parser.parse_args()
    bench = Bench(options)
    try:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr)
        getattr(bench, options.what)()
    finally:
        bench.end()


if __name__ == "__main__":
    main()
