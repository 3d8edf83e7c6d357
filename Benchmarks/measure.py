#!/usr/bin/env python3
"""Starts a server on this machine and measures the cost of reading with and without the pipeline, the cost of long
polls, and how costs grow with the number of jobs in the database.

usage: measure.py pipeline [--photos DIRECTORY] [--count 200]
       measure.py long-polls [--count 5000]
       measure.py growth [--jobs 10 1000 100000 1000000]
       measure.py keep-alive [--count 100000]
"""

import argparse
import asyncio
import hashlib
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tools/torture"))

from server import Server  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def processor(pid):
    """Seconds of CPU time used by a process."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def load():
    return f"load {os.getloadavg()[0]:.1f}"


def at(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(share * len(times)))] * 1000


def pictures(folder):
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith((".jpg", ".png", ".webp", ".heic")))
    return [os.path.join(folder, name) for name in names]


# --- Reading, alone and in the pipeline


def pipeline(options, data):
    paths = pictures(options.photos)
    files = [open(path, "rb").read() for path in paths]
    # Twice: the second run excludes the cost of starting.
    once = alone(options, paths)
    reading = (alone(options, paths * 3) - once) / 2 / len(paths)
    print(f"reading alone, {len(paths)} pictures: {reading * 1000:.1f} ms of processor each  ({load()})")
    server = Server(options.program, data, ["log.level=error"])
    try:
        for photo in files:
            finish(server, [server.upload(photo)[1]["job_id"]])
        readers = server.readers
        before = processor(server.pid), sum(map(processor, readers))
        began = time.monotonic()
        jobs = [server.upload(files[number % len(files)])[1]["job_id"] for number in range(options.count)]
        finish(server, jobs)
        took = time.monotonic() - began
        own, read = processor(server.pid) - before[0], sum(map(processor, readers)) - before[1]
        if server.readers != readers:
            sys.exit("a reader was replaced meanwhile; measure again")
        count = len(jobs)
        print(
            f"in the pipeline, {count} photos: {read / count * 1000:.1f} ms of processor in the reader and "
            f"{own / count * 1000:.1f} ms in the server each, uploads and the asking for results among them  ({load()})"
        )
        print(
            f"  around the reading: {own / read:.1%} of it; {count / took:.1f} photos a second with {len(readers)} "
            f"readers, {count / (own + read):.1f} a second of processor"
        )
    finally:
        server.end()


def alone(options, paths):
    """Seconds of CPU time for reading the pictures in one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([options.program, "scan", *paths], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def finish(server, jobs):
    for job in jobs:
        while server.result(job, wait=30)[1]["status"] in ("queued", "processing"):
            pass


# --- Held answers


def add_job(data):
    """Adds a job that no worker may claim yet."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        boot = file.read().strip()
    job, now = str(uuid.uuid4()), int(time.time() * 1e6)
    database = sqlite3.connect(os.path.join(data, "serialscan.sqlite"))
    with database:
        database.execute(
            "INSERT INTO jobs (id, state, message, created_at, updated_at, boot, due_tick, photo, photo_bytes, persist, "
            "annotate) VALUES (?, 'queued', 'Waiting', ?, ?, ?, ?, 'none.jpg', 1, 1, 0)",
            (job, now, now, boot, int((time.clock_gettime(time.CLOCK_BOOTTIME) + 3600) * 1e6)),
        )
    database.close()
    return job


def release(data, job):
    database = sqlite3.connect(os.path.join(data, "serialscan.sqlite"))
    with database:
        database.execute("UPDATE jobs SET due_tick = NULL WHERE id = ?", (job,))
    database.close()


def allow_connections():
    """Raises this program's limit of open files. Start the server before this, because it raises its own limit."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))


def long_polls(options, data):
    server = Server(options.program, data, ["log.level=error", "server.max_connections=20000"])
    allow_connections()
    try:
        job = add_job(data)
        server.result(job)
        asyncio.run(hold(options, data, server, job))
    finally:
        server.end()


async def hold(options, data, server, job):
    memory, used = server.resident()[0], processor(server.pid)
    answers = []

    async def poll():
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET /result/{job}?wait=60 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        answers.append((time.monotonic(), answer.split(b" ", 2)[1], b'"failed"' in answer or b'"completed"' in answer))
        writer.close()

    began = time.monotonic()
    polls = []
    for first in range(0, options.count, 250):
        polls += [asyncio.create_task(poll()) for _ in range(min(250, options.count - first))]
        await asyncio.sleep(0.1)
    await asyncio.sleep(3)
    print(
        f"{options.count} long polls opened in {time.monotonic() - began - 3:.1f} s for "
        f"{processor(server.pid) - used:.2f} s of processor; {(server.resident()[0] - memory) / options.count / 1024:.1f} "
        f"KiB each, {server.resident()[0] >> 20} MiB in all  ({load()})"
    )
    used = processor(server.pid)
    await asyncio.sleep(10)
    print(f"  held for 10 s: {processor(server.pid) - used:.2f} s of processor, {len(answers)} answered early")
    loop = asyncio.get_running_loop()
    times = []
    for _ in range(50):
        started = time.monotonic()
        await loop.run_in_executor(None, server.result, job)
        times.append(time.monotonic() - started)
    print(f"  a plain poll beside them: p50 {at(times, 0.5):.1f} ms, p99 {at(times, 0.99):.1f} ms")
    used = processor(server.pid)
    release(data, job)
    await asyncio.gather(*polls)
    ends = sorted(when for when, _, _ in answers)
    good = sum(1 for _, status, ended in answers if status == b"200" and ended)
    print(
        f"  at the job's end: {good} of {options.count} told within {ends[-1] - ends[0]:.2f} s from the first to the "
        f"last, {processor(server.pid) - used:.2f} s of processor"
    )


# --- One connection


def keep_alive(options, data):
    """Measures a server's resident memory during endless polls on one connection: immediate ones and long polls."""
    server = Server(options.program, data, ["log.level=error"])
    try:
        job = add_job(data)
        connection = socket.create_connection(("127.0.0.1", server.port))
        stream = connection.makefile("rb")
        for path in ["/livez", f"/result/{job}?wait=0.001"]:
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            for done in range(options.count + 1):
                if done % (options.count // 5) == 0:
                    print(
                        f"{done:>8} x {path.replace(job, 'ID'):<24} {server.resident()[0] / 2**20:6.1f} MiB  ({load()})",
                        flush=True,
                    )
                connection.sendall(request)
                length = 0
                while (line := stream.readline()) != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                stream.read(length)
    finally:
        server.end()


# --- Growth


def fill(data, count):
    """Inserts ended jobs like those of a year of use: each with a reading, half of them with a serial."""
    database = sqlite3.connect(os.path.join(data, "serialscan.sqlite"))
    have = database.execute("SELECT count(*) FROM jobs").fetchone()[0]
    sample = database.execute("SELECT reading FROM jobs WHERE reading IS NOT NULL LIMIT 1").fetchone()[0]
    now = int(time.time() * 1e6)
    with database:
        database.executemany(
            "INSERT INTO jobs (id, state, progress, message, created_at, updated_at, ended_at, photo, photo_bytes, persist, "
            "annotate, reading, saved) VALUES (?, 'completed', 100, 'Done', ?, ?, ?, ?, 150000, 1, 0, ?, 1)",
            (
                (str(uuid.uuid4()), now - n * 1000, now - n * 1000, now - n * 1000, f"00/{n}.jpg", sample)
                for n in range(max(0, count - have))
            ),
        )
        database.executemany(
            "INSERT INTO serials (created_at, serial, device_type, confidence, method, source, valid, job_id, "
            "device_type_key, search_text) "
            "VALUES (?, ?, 'MacBook', 0.99, 'tesseract', 'scan', 1, ?, 'macbook', ?)",
            (
                (now - n * 1000, made_up_serial(n), str(uuid.uuid4()), f"{made_up_serial(n).lower()}\nmacbook\n")
                for n in range(max(0, count - have) // 2)
            ),
        )
    database.close()


def made_up_serial(n):
    """Returns a random 12-character serial. All share a plant code, as a workshop's serials do."""
    digest = hashlib.sha256(str(n).encode()).digest()
    return "C02" + "".join("0123456789CDFGHJKLMNPQRTVWXY"[byte % 28] for byte in digest[:9])


def growth(options, data):
    photo = open(pictures(options.photos)[0], "rb").read()
    server = Server(options.program, data, ["log.level=error"])
    job = server.upload(photo)[1]["job_id"]
    finish(server, [job])
    server.stop()
    paths = [
        f"/result/{job}",
        "/jobs?limit=50",
        "/queue/status",
        "/history?limit=50",
        "/history?search=C0200",
        "/history?search=C02",
        "/stats",
        "/health",
    ]
    print("jobs      start   upload  " + "  ".join(f"{path.replace(job, 'ID'):>21}" for path in paths) + "   (p50, ms)")
    for count in options.jobs:
        fill(data, count)
        server = Server(options.program, data, ["log.level=error"])
        started = time.monotonic() - server.began
        # Reading is not measured here: wait until the readers have started and are idle.
        time.sleep(3)
        uploads, row = [], []
        for _ in range(20):
            began = time.monotonic()
            new = server.upload(photo)[1]["job_id"]
            uploads.append(time.monotonic() - began)
            finish(server, [new])
        for path in paths:
            times = []
            for _ in range(40):
                began = time.monotonic()
                status, _ = server.request("GET", path)
                times.append(time.monotonic() - began)
                if status != 200:
                    sys.exit(f"{path} answered {status}")
            row.append(at(times, 0.5))
        size = os.path.getsize(os.path.join(data, "serialscan.sqlite")) >> 20
        print(
            f"{count:<9} {started * 1000:5.0f}  {at(uploads, 0.5):6.1f}  "
            + "  ".join(f"{value:21.1f}" for value in row)
            + f"   {size} MiB, {load()}",
            flush=True,
        )
        server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["pipeline", "long-polls", "growth", "keep-alive"])
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/release/serialscan"))
    parser.add_argument("--photos", default=os.path.join(ROOT, "testdata/pictures"))
    parser.add_argument("--count", type=int)
    parser.add_argument("--jobs", type=int, nargs="+", default=[10, 1000, 100_000, 1_000_000])
    options = parser.parse_args()
    counts = {"pipeline": 200, "long-polls": 5000, "growth": 0, "keep-alive": 100_000}
    options.count = options.count or counts[options.what]
    data = tempfile.mkdtemp(prefix="serialscan-measure-")
    try:
        {"pipeline": pipeline, "long-polls": long_polls, "growth": growth, "keep-alive": keep_alive}[options.what](
            options, data
        )
    finally:
        shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    main()
