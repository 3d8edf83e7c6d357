"""The real executable under test: starts it (optionally under strace), sends it HTTP requests, kills it and its
readers."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import uuid


class ServerGone(Exception):
    """The connection broke, so the response is unknown."""


class Server:
    """One run of `serialscan serve` on a free port of 127.0.0.1."""

    def __init__(self, program, data, settings=(), strace=None, log=None, limit=None, faults=(), arguments=()):
        command = [program, "serve", "--host", "127.0.0.1", "--port", "0", "--data", data, *arguments]
        for setting in settings:
            command += ["--set", setting]
        if strace:
            command = ["strace", "-f", "-qqq", "-o", "/dev/null", "--seccomp-bpf"] + strace + command
        self.is_traced = bool(strace)
        self.began = time.monotonic()
        self.began_at = int(time.time() * 1e6)
        self.log = open(log, "ab") if log else subprocess.DEVNULL
        self.log_path, self.log_start = log, os.path.getsize(log) if log else 0
        environment = {**os.environ, "SERIALSCAN_FAULT": ",".join(faults)} if faults else None
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=self.log,
            stdin=subprocess.DEVNULL,
            preexec_fn=limit,
            env=environment,
        )
        self.port = None
        self._knows_port = threading.Event()
        threading.Thread(target=self._read_output, daemon=True).start()
        # The server may be suspended before it listens.
        stops = [fault.split(":")[0] for fault in faults if fault.endswith(":stop")]
        while not self._knows_port.wait(0.05 if stops else None):
            if any(self.has_fired(point, "stop") for point in stops):
                return

    def _read_output(self):
        """Finds the port in the output, and keeps the pipe from filling up."""
        for line in self.process.stdout:
            found = re.search(rb"http://127\.0\.0\.1:(\d+)", line)
            if found and self.port is None:
                self.port = int(found.group(1))
                self._knows_port.set()
        self._knows_port.set()

    @property
    def pid(self):
        """The server's process id, even if it runs under strace."""
        if not self.is_traced:
            return self.process.pid
        for child in children(self.process.pid):
            return child
        return None

    @property
    def readers(self):
        return children(self.pid) if self.pid else []

    def has_fired(self, point, deed, seconds=0):
        """Whether this run has reached a fault (see Tests/FaultyServer). Waits for it while the server runs."""
        line = f"fault: {point} {deed}\n".encode()
        deadline = time.monotonic() + seconds
        while True:
            is_last = time.monotonic() > deadline or not self.is_running()
            with open(self.log_path, "rb") as log:
                log.seek(self.log_start)
                if line in log.read():
                    return True
            if is_last:
                return False
            time.sleep(0.01)

    def is_running(self):
        return self.process.poll() is None

    def kill(self, number=signal.SIGKILL):
        send(self.pid, number)

    def kill_readers(self):
        for reader in self.readers:
            send(reader, signal.SIGKILL)

    def wait(self, seconds=30):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self):
        """Ends all processes of this run."""
        pid = self.pid
        if self.is_running():
            send(pid, signal.SIGKILL)
            if self.wait(10) is None:
                self.process.kill()
                self.process.wait()

    def stop(self, seconds=60):
        self.kill(signal.SIGTERM)
        return self.wait(seconds)

    def request(self, method, path, body=None, headers=None, timeout=70):
        """Returns (status, JSON or bytes). Raises ServerGone if the connection broke."""
        status, _, content = self.answer(method, path, body, headers, timeout)
        return status, content

    def answer(self, method, path, body=None, headers=None, timeout=70):
        """Returns (status, headers, JSON or bytes). Raises ServerGone if the connection broke."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ServerGone(str(error)) from error
        finally:
            connection.close()
        try:
            content = json.loads(content)
        except ValueError:
            pass
        return answer.status, answer.headers, content

    def upload(self, photo, filename="photo.jpg", path="/scan", timeout=70, headers=None):
        """Uploads a photo as clients do; returns (status, JSON or bytes)."""
        status, _, content = self.answer_to(photo, filename, path, timeout, headers)
        return status, content

    def answer_to(self, photo, filename="photo.jpg", path="/scan", timeout=70, headers=None):
        """Like `upload`, but also returns the headers."""
        boundary = uuid.uuid4().hex
        head = (
            f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="{filename}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = head.encode() + photo + f"\r\n--{boundary}--\r\n".encode()
        fields = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self.answer("POST", path, body, {**fields, **(headers or {})}, timeout)

    def result(self, job, wait=0):
        return self.request("GET", f"/result/{job}" + (f"?wait={wait}" if wait else ""), timeout=wait + 30)

    def resident(self):
        """Returns the resident bytes of the server and of its readers."""
        return resident(self.pid), [resident(reader) for reader in self.readers]


def send(pid, number):
    if pid:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def children(pid):
    try:
        found = []
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(child) for child in file.read().split()]
        return found
    except OSError:
        return []


def resident(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        return 0


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
