"""Ways to reach the server's fault points other than uploads: unusual photos, hanging readers, stops, disconnects,
ageing."""

import os
import signal
import socket
import sqlite3
import threading
import time

from server import Server, ServerGone

DAY = 86_400


class StrangePhotos:
    """Photos that end without a serial."""

    def __init__(self, folder):
        with open(os.path.join(folder, "no_serial_1.jpg"), "rb") as file:
            self.without_serial = file.read()
        with open(os.path.join(folder, "format_png.png"), "rb") as file:
            photo = file.read()
        # The header is valid, but the pixels can't be decoded.
        at = photo.index(b"IDAT") + 4
        self.damaged = photo[:at] + bytes(1000) + photo[at + 1000 :]


def prepare(torture, fault):
    """Prepares the data folder for the point's start. Returns whether anything was necessary."""
    if fault.way in ("a start after a death", "a start after many deaths"):
        hold_job(torture)
    if fault.way == "a start after many deaths":
        change(torture, "UPDATE jobs SET abandonments = 19 WHERE state = 'processing'")
    if fault.way == "a start with old photos":
        age(torture, 40)
    if fault.way == "a start with old jobs":
        job = age(torture, 100)
        if job:
            forget(torture, job)
            torture.past.add(job)
    return fault.way.startswith("a start")


def hold_job(torture):
    """Kills a server as it starts to read."""
    server = Server(
        torture.options.faulty, torture.folder, ["workers=1"], None, torture.log, faults=["claimed:1:server"]
    )
    try:
        if server.port is not None:
            torture.client(server, 1, torture.random.random())
        server.wait(10)
    finally:
        server.end()


def age(torture, days):
    """Backdates a job's end by this many days. Returns its id, or None if no job has ended."""
    ended = sorted(set(torture.ends) & set(torture.accepted))
    if not ended:
        return None
    job = torture.random.choice(ended)
    change(torture, "UPDATE jobs SET ended_at = ? WHERE id = ?", (int((time.time() - days * DAY) * 1e6), job))
    torture.ends.pop(job)
    torture.backdated.add(job)
    return job


def change(torture, statement, values=()):
    database = sqlite3.connect(os.path.join(torture.folder, "serialscan.sqlite"))
    with database:
        database.execute(statement, values)
    database.close()


def forget(torture, job):
    """Removes a job from the checks, because it will be deleted."""
    for known in (torture.accepted, torture.ended, torture.ends):
        known.pop(job, None)


def provoke(torture, server, fault):
    """Makes a running server reach the point."""
    if server.port is None and fault.way != "a server later than its lease":
        return
    try:
        if fault.way == "a photo without a serial":
            ask(server, torture.strange.without_serial)
        elif fault.way == "a damaged photo":
            ask(server, torture.strange.damaged)
        elif fault.way == "a stop while a reader hangs":
            if server.has_fired("photoHanded", "suspend", 12):
                server.kill(signal.SIGTERM)
        elif fault.way == "a server later than its lease":
            if server.has_fired("claimed", "stop", 12):
                time.sleep(4.3)
            server.kill(signal.SIGCONT)
        elif fault.way == "a client hangs up":
            hang_up(torture, server)
        elif fault.way == "a deletion":
            delete(torture, server)
        elif fault.way in ("uploads", "reads"):
            upload_until(torture, server, fault)
    except (ServerGone, OSError):
        pass


def upload_until(torture, server, fault):
    """Uploads as many photos as necessary to reach a point this often."""
    for _ in range(10):
        if server.has_fired(fault.point, fault.victim):
            return
        torture.client(server, 1, torture.random.random())


def ask(server, photo):
    """Submits a photo ahead of the queue, without waiting for its result."""

    def wait():
        try:
            server.upload(photo, path="/process-serial")
        except ServerGone:
            pass

    threading.Thread(target=wait, daemon=True).start()


def hang_up(torture, server):
    """Disconnects a client whose photo is waiting behind a hanging reader."""
    if not server.has_fired("photoHanded", "suspend", 12):
        return
    photo = torture.strange.damaged
    head = b'--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n'
    form = head + photo + b"\r\n--b--\r\n"
    request = (
        "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        f"Content-Length: {len(form)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(request.encode() + form)
        time.sleep(1)


def delete(torture, server):
    ended = sorted(set(torture.ends) & set(torture.accepted))
    if not ended:
        return
    job = torture.random.choice(ended)
    with torture.lock:
        forget(torture, job)
        torture.doomed.add(job)
    status, answer = server.request("DELETE", f"/jobs/{job}")
    if status != 200:
        torture.problem(f"job {job} was not deleted: {status} {answer}")
