"""Starts and stops programs for tests: SerialScan, and proxies in front of it."""

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = TOP / "deploy"
PROGRAM = os.environ.get("SERIALSCAN_PROGRAM", str(TOP / ".build/release/serialscan"))


def free_port():
    """Returns a port on which nothing listens now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port, process, seconds=30):
    """Waits until something listens on the port. Raises an error if the program ends before."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nobody listens on {port}")


@contextlib.contextmanager
def started(command, **options):
    """Runs a program until the `with` block ends."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def server(folder, *flags):
    """Runs SerialScan with its data below `folder`; yields its port, its data folder and its log file."""
    data, log = pathlib.Path(folder) / "data", pathlib.Path(folder) / "server.log"
    port = free_port()
    command = [PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(port), "--data", str(data), *flags]
    with log.open("wb") as output, started(command, stdout=output, stderr=output) as process:
        wait_for_port(port, process)
        yield port, data, log


def setting(name):
    """Returns a setting's default as printed by `serialscan config`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SERIALSCAN_")}
    text = subprocess.run([PROGRAM, "config"], env=environment, check=True, capture_output=True, text=True).stdout
    return re.search(rf"^{re.escape(name)}: (\S+)", text, re.MULTILINE).group(1)
