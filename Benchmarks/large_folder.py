#!/usr/bin/env python3
"""Fills a data folder's SQLite database as after a month of heavy use: 500,000 jobs, 350,000 reads of 203,000 devices.

usage: large_folder.py DATABASE      a stopped server's database, with one photo that was read

A fifth of the jobs awaits review, 45,000 are confirmed, one photo was sent 20,000 times, half of the others are in fifty
batches, and a key (aaaa0003) has some 330 jobs.
"""

import json
import random
import sqlite3
import sys
import time
import uuid

JOBS, READS, DEVICES = 500_000, 350_000, 220_000
LETTERS = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
TYPES = ["MacBook Pro", "MacBook Air", "iPhone 15", "iPhone 14", "iPad", "iMac", "Mac mini", "Apple Watch", ""]
FIELDS = '[{"kind":"model_number","text":"A2141","confidence":0.98},{"kind":"emc","text":"3347","confidence":0.97}]'


def insert(database, table, columns, rows):
    places = ", ".join("?" * (columns.count(",") + 1))
    database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)


def jobs(chance, sample, batches, now):
    """Returns the jobs of a month, oldest first."""
    step = 25 * 86_400_000_000 // JOBS
    serials = ["C02" + "".join(chance.choice(LETTERS) for _ in range(9)) for _ in range(DEVICES)]
    ids = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(JOBS)]
    for n in range(JOBS):
        is_again = n % 25 == 0
        drawn = chance.random()
        verdict = "accepted" if is_again or drawn < 0.7 else "uncertain" if drawn < 0.8 else "refused"
        drawn = chance.random()
        serial = serials[n % DEVICES]
        yield {
            "id": ids[n],
            "number": n,
            "at": now - (JOBS - n) * step,
            "verdict": verdict,
            "key": "aaaa0001" if is_again or drawn < 0.6 else "aaaa0002" if drawn < 0.9993 else "aaaa0003",
            "batch": None if is_again or chance.random() < 0.5 else chance.choice(batches),
            "type": chance.choice(TYPES),
            "serial": serial,
            "reading": json.dumps(
                sample | {"verdict": verdict, "serials": [] if verdict == "refused" else sample["serials"]}
            ).replace(sample["serials"][0]["serial"], serial),
            "hash": f"{0 if is_again else n:064x}",
            "first": ids[0] if is_again and n else None,
            "confirmed": verdict == "uncertain" and n < JOBS * 0.9,
        }


def main():
    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    chance, now = random.Random(5), int(time.time() * 1e6)
    sample = json.loads(database.execute("SELECT reading FROM jobs WHERE saved LIMIT 1").fetchone()[0])
    batches = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(50)]
    database.execute("BEGIN")
    insert(database, "batches", "id, name, name_key, created_at", ((b, b[:8], b[:8], now) for b in batches))
    reads = []

    def rows():
        for job in jobs(chance, sample, batches, now):
            number, at, is_read = job["number"], job["at"], job["verdict"] != "refused"
            if is_read and not job["first"] and len(reads) < READS:
                reads.append({key: job[key] for key in job if key not in ("reading", "hash")})
            yield (
                *(job["id"], "completed" if is_read else "failed", at, at, at, at, f"{job['id']}.jpg"),
                *(job["type"] or None, job["reading"], is_read, f"IMG_{number}.jpg", job["key"], job["batch"]),
                *(job["hash"], job["first"], job["serial"] if job["confirmed"] else None),
                *(at if job["confirmed"] else None, number % 3 == 0),
            )

    insert(
        database,
        "jobs",
        "id, state, created_at, updated_at, started_at, ended_at, photo, device_type, reading, saved, filename, key_id, "
        "batch_id, photo_hash, duplicate_of, confirmed_serial, confirmed_at, has_thumbnail, progress, message, photo_bytes, "
        "preset, persist, annotate",
        (row + (100, "Read", 150_000, "etched", 1, 0) for row in rows()),
    )
    database.execute("INSERT INTO thumbnails SELECT id, randomblob(2000) FROM jobs WHERE has_thumbnail AND seq > 1")
    insert(
        database,
        "serials",
        "created_at, serial, device_type, preset, confidence, method, source, valid, filename, verdict, confirmed_at, "
        "key_id, job_id, fields, device_type_key, search_text, batch_id",
        (
            (
                *(read["at"], read["serial"], read["type"], "etched", 0.97, "tesseract", "scan", 1),
                *(f"IMG_{read['number']}.jpg", read["verdict"], read["at"] if read["confirmed"] else None),
                *(read["key"], read["id"], FIELDS if read["number"] % 3 else None, read["type"].lower()),
                f"{read['serial']}\n{read['type']}\nIMG_{read['number']}.jpg".lower(),
                read["batch"],
            )
            for read in reads
        ),
    )
    database.execute("COMMIT")


if __name__ == "__main__":
    main()
