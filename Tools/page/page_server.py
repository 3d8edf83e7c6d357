"""Runs the program to serve the page to a browser under test."""

import collections
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

from webdriver import free_port

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "testdata" / "pictures"


class Server:
    """The program on a free port, with a given data folder."""

    def __init__(self, program, folder, *settings):
        self.program, self.data, self.port, self.settings = program, folder / "data", free_port(), settings
        self.datasets = folder / "datasets"
        few = self.datasets / "few"
        few.mkdir(parents=True)
        # One of the labels is wrong on purpose, so that a failure is shown.
        labels = {
            "etched_clean_1.jpg": "G0NKP62BLGMZ",
            "screen_clean_1.jpg": "VY1G7QMSYS",
            "sticker_qr.jpg": "C02XL0THJHCC",
        }
        for name in labels:
            shutil.copy(PICTURES / name, few / name)
        (few / "labels.csv").write_text(
            "filename,serial\n" + "".join(f"{name},{serial}\n" for name, serial in labels.items())
        )
        self.address = f"http://localhost:{self.port}"
        self.start()

    def start(self):
        environment = dict(os.environ, SERIALSCAN_DATASETS=str(self.datasets))
        self.process = subprocess.Popen(
            [
                self.program,
                "serve",
                "--host",
                "127.0.0.1",
                "--port",
                str(self.port),
                "--data",
                str(self.data),
                *(word for setting in self.settings for word in ("--set", setting)),
            ],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.ask("/health")
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise AssertionError("the server does not start") from None
                time.sleep(0.1)

    def ask(self, path, body=None):
        return self.send(path, None if body is None else json.dumps(body).encode(), "application/json")

    def send(self, path, data, kind, key=None):
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = urllib.request.Request(self.address + path, data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def delete(self, path):
        with urllib.request.urlopen(urllib.request.Request(self.address + path, method="DELETE"), timeout=30) as answer:
            return json.load(answer)

    def photo(self, path, mark=b"", key=None):
        """Sends a photo and waits until it is read. With bytes appended, the server treats it as a different photo.
        Returns its job."""
        boundary = "photo"
        body = (
            (
                f'--{boundary}\r\nContent-Disposition: form-data; name="image"; filename="{path.name}"\r\n'
                "Content-Type: image/jpeg\r\n\r\n"
            ).encode()
            + path.read_bytes()
            + mark
            + f"\r\n--{boundary}--\r\n".encode()
        )
        job = self.send("/scan", body, f"multipart/form-data; boundary={boundary}", key)["job_id"]
        self.with_key(key, "GET", f"/result/{job}?wait=30")
        return job

    def make_key(self, name, scopes, admin):
        """Creates a key on a server that has keys."""
        return self.with_key(admin, "POST", "/keys", {"name": name, "scopes": scopes})["key"]

    def revoke_key(self, name, admin):
        """Revokes the valid key with this name."""
        keys = self.with_key(admin, "GET", "/keys")["items"]
        self.with_key(
            admin, "DELETE", f"/keys/{next(key['id'] for key in keys if key['name'] == name and not key['revoked_at'])}"
        )

    def with_key(self, key, method, path, body=None):
        request = urllib.request.Request(
            self.address + path,
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {}),
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or "null")

    def requests(self):
        """Returns the number of requests that each route has answered."""
        with urllib.request.urlopen(self.address + "/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        counts = collections.Counter()
        for line in lines:
            if found := re.match(r'serialscan_http_requests_total\{.*route="([^"]+)".*\} (\d+)', line):
                counts[found[1]] += int(found[2])
        return counts

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
