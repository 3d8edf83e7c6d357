#!/usr/bin/env python3
"""Starts a server on 127.0.0.1 and overloads it with a thousand slow clients and more photos than fit in the queue.

Slow clients send one byte per second (a third of them in the head, a third in the body) or read a response at one byte
per second; meanwhile normal clients must be served. Then 500 photos wait while others are read synchronously, and
further ones must be rejected with Retry-After.

usage: overload.py --program .build/release/serialscan [--slow 1000] [--normal 20] [--waiting 500]
"""

import argparse
import asyncio
import http.client
import multiprocessing
import os
import resource
import shutil
import socket
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from server import Server, ServerGone  # noqa: E402
from torture import load_photos  # noqa: E402

HEAD_SECONDS, BODY_SECONDS, ANSWER_SECONDS = 10, 15, 15


KINDS = ["head", "body", "answer"]


def held_by(port):
    """Returns the client ports of connections whose server side is still open."""
    clients = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if int(fields[1].rsplit(":", 1)[1], 16) == port and fields[9] != "0":
                    clients.add(int(fields[2].rsplit(":", 1)[1], 16))
    return clients


class Slow:
    """Slow clients that run until the server disconnects them or they are stopped. In a separate process, so that they
    affect the normal clients only through the server."""

    def __init__(self, port, count):
        self.port, self.count = port, count
        self.stop = multiprocessing.Event()
        self.counts = multiprocessing.Array("d", 7)
        self.held = set()
        self.process = multiprocessing.Process(target=lambda: asyncio.run(self.run()), daemon=True)

    def start(self):
        self.process.start()

    def end(self):
        self.stop.set()
        self.process.join(5)
        self.process.kill()

    @property
    def open(self):
        return int(self.counts[6])

    @property
    def cut(self):
        return {kind: int(self.counts[index]) for index, kind in enumerate(KINDS)}

    @property
    def longest(self):
        return {kind: self.counts[3 + index] for index, kind in enumerate(KINDS)}

    @property
    def stopping(self):
        return self.stop.is_set()

    async def run(self):
        await asyncio.gather(self.watch(), *(self.client(number % 3) for number in range(self.count)))

    async def watch(self):
        """Records which clients the server still serves: data sent before a disconnect may take hours to reach a slow
        client."""
        while not self.stopping:
            self.held = held_by(self.port)
            await asyncio.sleep(1)

    async def client(self, index):
        while not self.stopping:
            began = time.monotonic()
            try:
                await self.connect(KINDS[index])
            except OSError:
                pass
            took = time.monotonic() - began
            if not self.stopping:
                self.counts[index] += 1
                self.counts[3 + index] = max(self.counts[3 + index], took)
            await asyncio.sleep(1)

    async def connect(self, kind):
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(connection, ("127.0.0.1", self.port))
        self.counts[6] += 1
        try:
            if kind == "body":
                head = (
                    "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
                    "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
                )
                await loop.sock_sendall(connection, head.encode())
            if kind == "answer":
                # A response larger than the kernel's buffers, read at one byte per second.
                await loop.sock_sendall(connection, b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
            while not self.stopping:
                await asyncio.sleep(1)
                if kind == "answer":
                    data = await asyncio.wait_for(loop.sock_recv(connection, 1), 60)
                    if not data or connection.getsockname()[1] not in self.held:
                        return
                    continue
                await loop.sock_sendall(connection, b"G" if kind == "head" else b"-")
                try:
                    if not await asyncio.wait_for(loop.sock_recv(connection, 4096), 0.001):
                        return
                except asyncio.TimeoutError:
                    pass
        finally:
            self.counts[6] -= 1
            connection.close()


class Normal(threading.Thread):
    """Uploads and polls until it is stopped."""

    def __init__(self, server, photos, number):
        super().__init__()
        self.server, self.photos, self.number = server, photos, number
        self.uploads, self.polls, self.failures = [], [], []
        self.stopping = False

    def run(self):
        while not self.stopping:
            try:
                began = time.monotonic()
                status, answer = self.server.upload(self.photos[self.number % len(self.photos)][1], timeout=20)
                self.uploads.append(time.monotonic() - began)
                if status not in (200, 503):
                    self.failures.append(f"{status} {answer}")
                if status == 200:
                    began = time.monotonic()
                    status, _ = self.server.result(answer["job_id"])
                    self.polls.append(time.monotonic() - began)
                    if status != 200:
                        self.failures.append(f"result {status}")
            except ServerGone as error:
                self.failures.append(str(error))
            time.sleep(1)


def percentiles(times):
    if not times:
        return "none"
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1000  # noqa: E731
    return f"{len(times)}, p50 {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms, longest {times[-1] * 1000:.0f} ms"


def allow_connections():
    """Raises this program's limit of open files. Start the server before this, because it raises its own limit."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit[1], 65536), limit[1]))


def slow_clients(options, data, photos, problems):
    settings = [
        f"server.header_timeout={HEAD_SECONDS}",
        f"server.body_timeout={BODY_SECONDS}",
        f"server.write_timeout={ANSWER_SECONDS}",
        "log.level=error",
    ]
    server = Server(options.program, os.path.join(data, "slow"), settings, log=os.path.join(data, "log"))
    allow_connections()
    try:
        before = server.resident()[0]
        slow = Slow(server.port, options.slow)
        slow.start()
        time.sleep(3)
        normal = [Normal(server, photos, number) for number in range(options.normal)]
        for client in normal:
            client.start()
        most_open, most = 0, before
        for _ in range(options.seconds * 5):
            most_open = max(most_open, slow.open)
            most = max(most, server.resident()[0])
            time.sleep(0.2)
        for client in normal:
            client.stopping = True
        for client in normal:
            client.join()
        slow.end()
        uploads = [took for client in normal for took in client.uploads]
        polls = [took for client in normal for took in client.polls]
        failures = [failure for client in normal for failure in client.failures]
        print(
            f"slow clients: up to {most_open} at once for {options.seconds} s, cut off {slow.cut}, "
            f"longest held { ({kind: round(took) for kind, took in slow.longest.items()}) } s"
        )
        print(
            f"  beside them {options.normal} normal ones: uploads {percentiles(uploads)}; polls {percentiles(polls)}; "
            f"failures {len(failures)} {failures[:2]}"
        )
        print(f"  memory of the server: {before >> 20} MiB before, at most {most >> 20} MiB")
        if failures:
            problems.append("normal clients were not served beside slow ones")
        for kind, limit in (("head", HEAD_SECONDS), ("body", BODY_SECONDS), ("answer", ANSWER_SECONDS)):
            if slow.cut[kind] == 0 or slow.longest[kind] > limit + 15:
                problems.append(f"clients slow in the {kind} were not cut off in time")
    finally:
        server.end()


def refusal(server, photo):
    """Returns the status, error code and Retry-After of an upload."""
    boundary = "b0undary"
    body = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'.encode()
        + photo
        + f"\r\n--{boundary}--\r\n".encode()
    )
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", "/scan", body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.getheader("Retry-After")


def full_queue(options, data, photos, problems):
    settings = [f"queue.max_waiting={options.waiting}", "log.level=error"]
    server = Server(options.program, os.path.join(data, "queue"), settings, log=os.path.join(data, "log"))
    try:
        before = server.resident()[0]
        refused, accepted, began = [], 0, time.monotonic()
        lock = threading.Lock()

        def fill():
            nonlocal accepted
            while True:
                with lock:
                    if len(refused) >= 20:
                        return
                status, retry = refusal(server, photos[0][1])
                with lock:
                    if status == 200:
                        accepted += 1
                    else:
                        refused.append((status, retry))

        threads = [threading.Thread(target=fill) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        times, statuses = [], []
        for number in range(20):
            started = time.monotonic()
            status, _ = server.upload(photos[number % len(photos)][1], path="/process-serial", timeout=60)
            times.append(time.monotonic() - started)
            statuses.append(status)
        print(
            f"full queue: {accepted} accepted in {took:.1f} s ({accepted / took:.0f} a second), then refused with "
            f"{sorted(set(refused))}"
        )
        print(f"  synchronous reads meanwhile: {percentiles(times)}; statuses {sorted(set(statuses))}")
        print(f"  memory of the server: {before >> 20} MiB before, {server.resident()[0] >> 20} MiB after")
        if any(status != 503 or not retry for status, retry in refused):
            problems.append("an upload to the full queue was not refused with 503 and Retry-After")
        if set(statuses) != {200}:
            problems.append("synchronous reads were not served while the queue was full")
    finally:
        server.end()


def main():
    root = os.path.dirname(os.path.dirname(HERE))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=os.path.join(root, ".build/release/serialscan"))
    parser.add_argument("--photos", default=os.path.join(root, "testdata/pictures"))
    parser.add_argument("--slow", type=int, default=1000)
    parser.add_argument("--normal", type=int, default=20)
    parser.add_argument("--waiting", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=40)
    options = parser.parse_args()
    data = tempfile.mkdtemp(prefix="serialscan-overload-")
    photos = load_photos(options.photos)
    problems = []
    try:
        slow_clients(options, data, photos, problems)
        full_queue(options, data, photos, problems)
    finally:
        shutil.rmtree(data)
    for problem in problems:
        print(f"PROBLEM: {problem}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
