#!/usr/bin/env python3
"""Measures lists and changes of devices at a million reads: CPU time and response time of each request.

usage: devices.py fill DATABASE [--reads 1000000] [--devices 700000]      writes generated reads, tags and grades into a stopped
                                                                          server's SQLite file, or into a PostgreSQL
                                                                          (postgresql://…, by psql)
       devices.py ask --port PORT --pid PID [--repeat 7]                  queries a running server with
                                                                          --set 'fields.custom=asset_tag=RM-\\d{5} grade',
                                                                          then saves, corrects and deletes serials

The CPU time is the server's own (/proc/PID/stat), so other work on the machine hardly affects it. PostgreSQL's
processes, which do most of the work there, are not counted: compare response times.
"""

import argparse
import csv
import http.client
import json
import os
import random
import sqlite3
import statistics
import subprocess
import time
import urllib.parse

LETTERS = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
FIELDS = '[{"kind":"model_number","text":"A2141","confidence":0.98},{"kind":"emc","text":"3347","confidence":0.97}]'
TYPES = ["MacBook Pro", "MacBook Air", "iPhone 15", "iPhone 14", "iPad", "iMac", "Mac mini", "Apple Watch", ""]


def fill(options):
    chance = random.Random(5)
    serials = ["C0" + "".join(chance.choice(LETTERS) for _ in range(10)) for _ in range(options.devices)]

    def reads():
        for number in range(options.reads):
            serial = serials[number] if number < len(serials) else chance.choice(serials)
            kind, name = chance.choice(TYPES), f"IMG_{number}.jpg"
            source = (
                "scan"
                if chance.random() < 0.9
                else chance.choice(["ios", "mac"])
                if chance.random() < 0.9998
                else "live"
            )
            key = chance.choice([None, "aaaa0001", "aaaa0002"]) if chance.random() < 0.999 else "aaaa0003"
            yield (
                1_700_000_000_000_000 + number * 60_000_000,
                serial,
                kind,
                0.7 + chance.random() * 0.3,
                source,
                chance.random() < 0.99,
                name,
                "accepted" if chance.random() < 0.9 else "uncertain",
                key,
                kind.lower(),
                f"{serial}\n{kind}\n{name}".lower(),
                FIELDS if number % 3 else None,
            )

    columns = "created_at, serial, device_type, confidence, source, valid, filename, verdict, key_id, device_type_key, search_text, fields"
    if options.database.startswith("postgresql:"):
        fill_postgres(options, columns, reads())
        return
    database = sqlite3.connect(options.database, isolation_level=None)
    database.execute("PRAGMA synchronous = OFF")
    for what, work in [
        (
            f"{options.reads} reads",
            lambda: database.executemany(
                f"INSERT INTO serials ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", reads()
            ),
        ),
        (
            "100000 tags",
            lambda: database.execute(
                "INSERT INTO device_values (serial, name, value, value_key, origin, set_at) SELECT serial, 'asset_tag', "
                "printf('RM-%05d', id % 100000), printf('rm-%05d', id % 100000), 'person', 1 FROM devices WHERE id <= 100000"
            ),
        ),
        (
            "100000 grades",
            lambda: database.execute(
                "INSERT INTO device_values (serial, name, value, value_key, origin, set_at) SELECT serial, 'grade', "
                "substr('ABC', 1 + id % 3, 1), substr('abc', 1 + id % 3, 1), 'person', 1 FROM devices WHERE id <= 100000"
            ),
        ),
    ]:
        start = time.process_time()
        database.execute("BEGIN")
        work()
        database.execute("COMMIT")
        print(f"{what}: {time.process_time() - start:.1f} s of processor", flush=True)


def fill_postgres(options, columns, reads):
    def psql(command, rows=()):
        start = time.monotonic()
        process = subprocess.Popen(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", command, options.database], stdin=subprocess.PIPE, text=True
        )
        csv.writer(process.stdin).writerows(rows)
        process.stdin.close()
        if process.wait() != 0:
            raise SystemExit(f"psql failed: {command[:60]}")
        return time.monotonic() - start

    print(
        f"{options.reads} reads: {psql(f'COPY serials ({columns}) FROM STDIN (FORMAT csv, FORCE_NOT_NULL (device_type, device_type_key))', reads):.0f} s",
        flush=True,
    )
    value = (
        "INSERT INTO device_values (serial, name, value, value_key, origin, set_at) SELECT serial, '{name}', {value}, lower({value}), "
        "'person', 1 FROM devices WHERE id <= (SELECT min(id) + 99999 FROM devices)"
    )
    for name, text in (
        ("asset_tag", "'RM-' || lpad((id % 100000)::text, 5, '0')"),
        ("grade", "substr('ABC', 1 + (id % 3)::int, 1)"),
    ):
        print(f"100000 values of {name}: {psql(value.format(name=name, value=text)):.0f} s", flush=True)
    psql("VACUUM ANALYZE")


def ask(options):
    connection = http.client.HTTPConnection("127.0.0.1", options.port, timeout=600)
    tick = 1000 / os.sysconf("SC_CLK_TCK")

    def spent():
        with open(f"/proc/{options.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * tick

    def send(path, method="GET", body=None):
        start = time.perf_counter()
        connection.request(
            method, path, body and json.dumps(body), {"Content-Type": "application/json"} if body else {}
        )
        reply = connection.getresponse()
        body = reply.read()
        assert reply.status == 200, (path, reply.status, body[:300])
        return (time.perf_counter() - start) * 1000, json.loads(body)

    def row(name, *requests):
        before, waits, answer = spent(), [], {}
        for request in requests if len(requests) > 1 else requests * options.repeat:
            wait, answer = send(*request) if isinstance(request, tuple) else send(request)
            waits.append(wait)
        print(
            f"| {name} | {(spent() - before) / len(waits):.1f} | {statistics.median(waits):.1f} | {answer.get('total', '')} |",
            flush=True,
        )
        return answer

    print("| request | processor, ms | wait p50, ms | found |\n|---|---|---|---|")
    serial = row("`/devices`", "/devices")["items"][0]["serial"]
    row("`/history`, for comparison", "/history")
    row("`/devices?limit=500`", "/devices?limit=500")
    row("`/devices/SERIAL`", f"/devices/{serial}")
    for name, query in [
        ("search of a serial", f"search={serial}"),
        ("search of a tag", "search=RM-00042"),
        ("search of a ninth", "search=iphone%2015"),
        ("search of all, two characters", "search=C0"),
        ("one tag", "custom.asset_tag=RM-00042"),
        ("a grade", "custom.grade=A"),
        ("a grade, by serial", "custom.grade=A&sort_by=serial"),
        ("a rare source", "source=live"),
        ("a rare source, by times seen", "source=live&sort_by=times_seen"),
        ("the usual source", "source=scan"),
        ("the usual source, by times seen", "source=scan&sort_by=times_seen"),
        ("needing review", "status=uncertain"),
        ("needing review, of a grade", "status=uncertain&custom.grade=A"),
        ("a device type", "device_type=ipad"),
        ("invalid ones", "validation_status=invalid"),
        ("of the last months", "date_from=2024-09-01"),
        ("by serial", "sort_by=serial"),
        ("by times seen", "sort_by=times_seen"),
    ]:
        row(name, f"/devices?{query}")
    cursor, waits = None, []
    for _ in range(1000):
        wait, answer = send("/devices" + (f"?cursor={urllib.parse.quote(cursor)}" if cursor else ""))
        waits.append(wait)
        cursor = answer["next_cursor"]
        if not cursor:
            break
    print(
        f"pages by cursor: the first {waits[0]:.1f} ms, the last ten of {len(waits)} p50 {statistics.median(waits[-10:]):.1f} ms"
    )

    new = ["C07" + "".join(random.choice(LETTERS) for _ in range(9)) for _ in range(2 * options.repeat + 2)]
    saved = [{"serial": serial, "source": "scanner"} for serial in new[: options.repeat + 1]]
    row("saving a new serial", *(("/serials", "POST", body) for body in saved))
    numbers = [read["id"] for read in send(f"/history?limit={len(saved)}")[1]["items"]]
    changes = zip(numbers, new[len(saved) :], strict=True)
    row("correcting it", *((f"/serials/{number}", "PATCH", {"serial": serial}) for number, serial in changes))
    row("deleting it", *((f"/serials/{number}", "DELETE") for number in numbers))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    filling = commands.add_parser("fill")
    filling.add_argument("database")
    filling.add_argument("--reads", type=int, default=1_000_000)
    filling.add_argument("--devices", type=int, default=700_000)
    filling.set_defaults(run=fill)
    asking = commands.add_parser("ask")
    asking.add_argument("--port", type=int, required=True)
    asking.add_argument("--pid", type=int, required=True)
    asking.add_argument("--repeat", type=int, default=7)
    asking.set_defaults(run=ask)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
