#!/usr/bin/env python3
"""Simulates many workers sharing one PostgreSQL, from the costs of single steps measured on one machine.

Each photo consists of an upload to one of the servers (one transaction with its bytes), a notification of its arrival
(to one machine with an idle worker, or to all if none is known), a claim by the woken worker, fetching the photo's
bytes, the reading, the end, and a notification of the end. Machines have eight workers and poll the numbers of each
other's idle workers every second. A notified machine without an idle worker passes the notification on to all. A
worker that finds no job polls again after a second. Every second, each process sends a heartbeat and checks for
abandoned jobs and for evaluations. Synchronous requests take precedence, and their server fetches the job when it is
notified of its end.

A step occupies one of the database's cores for its measured CPU time, and lasts for its measured duration; the rest of
the duration (the network) occupies nothing. CPU time on the machines is not simulated.

usage: fleet.py table [--costs costs.json] [--cores 16] [--workers 100,300]
       fleet.py end [--costs costs.json]      the capacity of one database, by its cores
       fleet.py check --costs costs.json      compares runs measured by `shared_store.py fleet` with their simulations

costs.json is the output of `shared_store.py costs`; for `check`, with a list `runs` of outputs of
`shared_store.py fleet`.
"""

import argparse
import heapq
import json
import random
import statistics
import sys

# Measured by `shared_store.py costs`; see docs/scale.md. Seconds of CPU time, and seconds of wall-clock time. `hearing`
# is per listening process; `second` is the cost per second: fixed, per process, and per photo being read.
COSTS = {
    "upload": [0.00111, 0.00123],
    "claim": [0.0001, 0.00025],
    "empty_claim": [0.00003, 0.00004],
    "photo": [0.00047, 0.00047],
    "finish": [0.00028, 0.00056],
    "look": [0.00009, 0.00011],
    "notify": [0.0001, 0.0001],
    "hearing": 0.000027,
    "second": [0.0009, 0.0000002, 0.0000032],
    "reading": [0.149],
    "database_cores": 2,
}
WORKERS_A_MACHINE = 8
PHOTOS_A_SERVER = 400


class Database:
    """A server with a number of cores; work waits for the first free one."""

    def __init__(self, cores):
        self.free = [0.0] * cores
        self.busy = 0.0

    def do(self, now, cost):
        """Returns when work arriving now starts and when its result arrives. `cost` is its CPU time and its total
        duration."""
        core, whole = cost
        start = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, start + core)
        self.busy += core
        return start, start + max(core, whole)


class Process:
    """A server or worker process, with its pending notifications and the idle workers it knows of."""

    def __init__(self, workers):
        self.workers = workers
        self.idle = []
        self.reading = 0
        self.arrivals = 0
        self.arrived = self.passed_on = self.ended = 0
        self.is_sending = False
        self.known = {}


class Fleet:
    def __init__(self, costs, workers, rate, synchronous=0.0, seed=1, machines=None, servers=None):
        self.costs, self.workers, self.rate, self.synchronous = costs, workers, rate, synchronous
        self.random = random.Random(seed)
        self.database = Database(costs["database_cores"])
        count = machines or max(1, workers // WORKERS_A_MACHINE)
        share = [workers // count + (1 if n < workers % count else 0) for n in range(count)]
        self.machines = [Process(number) for number in share]
        self.servers = [Process(0) for _ in range(servers or max(2, round(rate / PHOTOS_A_SERVER)))]
        self.all = self.machines + self.servers
        self.waits = {True: [], False: []}
        self.events, self.order, self.waiting = [], 0, []
        self.claims = self.vain = self.notes = 0
        self.left = 0

    # --- the run

    def at(self, time, what, *details):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, what, details))

    def run(self, photos):
        """Returns the waits from upload to claim, and the database's utilisation."""
        time, self.left = 0.0, photos
        for process in self.all:
            self.at(self.random.random(), self.second, process)
        for machine in self.machines:
            for _ in range(machine.workers):
                self.at(self.random.random() * 0.5, self.ask, machine, False)
        begin = 2.0
        for _ in range(photos):
            time += self.random.expovariate(self.rate)
            self.at(
                begin + time, self.upload, self.random.choice(self.servers), self.random.random() < self.synchronous
            )
        busy_before, ended = None, 0.0
        while self.left:
            now, _, what, details = heapq.heappop(self.events)
            if busy_before is None and now >= begin:
                busy_before = self.database.busy
            what(now, *details)
            ended = now
        return (self.database.busy - busy_before) / ((ended - begin) * len(self.database.free))

    def upload(self, now, server, is_first):
        start, answered = self.database.do(now, self.costs["upload"])
        self.at(answered, self.stored, server, (not is_first, start))

    def stored(self, now, server, job):
        heapq.heappush(self.waiting, job)
        self.tell(now, server, arrived=1)

    # --- workers

    def ask(self, now, machine, was_woken):
        self.claims += 1
        seen = machine.arrivals
        start, answered = self.database.do(now, self.costs["claim" if self.waiting else "empty_claim"])
        job = heapq.heappop(self.waiting) if self.waiting else None
        if job:
            is_later, since = job
            self.waits[not is_later].append(max(0.0, start - since))
            machine.reading += 1
        self.at(answered, self.claimed, machine, job, seen, was_woken)

    def claimed(self, now, machine, job, seen, was_woken):
        if job:
            _, begun = self.database.do(now, self.costs["photo"])
            seconds = self.random.choice(self.costs["reading"])
            # Progress is reported every quarter of a second.
            for step in range(int(seconds / 0.25)):
                self.at(begun + (step + 1) * 0.25, self.step)
            return self.at(begun + seconds, self.read, machine, job)
        if was_woken:
            self.vain += 1
        if machine.arrivals > seen:
            return self.ask(now, machine, True)
        rest = [True]
        machine.idle.append(rest)
        self.at(now + 1, self.rested, machine, rest)

    def rested(self, now, machine, rest):
        if rest[0]:
            machine.idle.remove(rest)
            self.ask(now, machine, False)

    def step(self, now):
        self.database.do(now, self.costs["claim"])

    def read(self, now, machine, job):
        _, ended = self.database.do(now, self.costs["finish"])
        self.at(ended, self.finished, machine, job)

    def finished(self, now, machine, job):
        self.left -= 1
        machine.reading -= 1
        if not job[0]:
            self.database.do(now, self.costs["look"])
        self.tell(now, machine, ended=1)
        self.ask(now, machine, False)

    # --- telling

    def tell(self, now, process, arrived=0, passed_on=0, ended=0):
        process.arrived += arrived
        process.passed_on += passed_on
        process.ended += ended
        if not process.is_sending:
            process.is_sending = True
            self.send(now, process)

    def send(self, now, process):
        arrived, passed_on = process.arrived, process.passed_on
        if not arrived and not passed_on and not process.ended:
            process.is_sending = False
            return
        process.arrived = process.passed_on = process.ended = 0
        to = self.draw(process, arrived) if arrived and not passed_on else None
        self.notes += 1
        core, whole = self.costs["notify"]
        heard = self.costs["hearing"] * len(self.all)
        _, told = self.database.do(now, (core + heard, whole + heard))
        self.at(told, self.heard, arrived + passed_on, to)
        self.at(told, self.send, process)

    def draw(self, process, arrived):
        """Draws a machine, weighted by its idle workers, and counts those as busy (see `IdleMachines`)."""
        total = sum(process.known.values())
        if not total:
            return None
        place = self.random.randrange(total)
        for machine, idle in process.known.items():
            place -= idle
            if place < 0:
                if idle > arrived:
                    process.known[machine] = idle - arrived
                else:
                    del process.known[machine]
                return machine
        return None

    def heard(self, now, arrived, to):
        if not arrived:
            return
        for machine in [to] if to else self.machines:
            machine.arrivals += arrived
            woken, machine.idle = machine.idle[:arrived], machine.idle[arrived:]
            for rest in woken:
                rest[0] = False
                self.ask(now, machine, True)
            if to and len(woken) < arrived:
                self.tell(now, machine, passed_on=arrived - len(woken))

    # --- each second

    def second(self, now, process):
        reading = sum(machine.reading for machine in self.machines)
        a, by_process, by_reading = self.costs["second"]
        core = a + by_process * len(self.all) + by_reading * reading
        self.database.do(now, (core, core))
        process.known = {
            machine: machine.workers - machine.reading
            for machine in self.machines
            if machine is not process and machine.workers > machine.reading
        }
        self.at(now + 1, self.second, process)


def capacity(costs, workers):
    """Photos per second that this many workers read if the database has no other work."""
    return workers / (statistics.mean(costs["reading"]) + sum(costs[name][1] for name in ("claim", "photo", "finish")))


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def shown(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.1f} s"


# Of one run.
SECONDS = 6


def table(costs, options):
    cores = costs["database_cores"]
    print(f"database of {cores} cores")
    print(
        "| workers | load | photos a second | first | wait p50 | p95 | p99 | of those first: p95 | vain of all claims | "
        "database busy |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for workers in options.workers:
        for load in options.loads:
            for share in (0.0, 0.2, 0.5):
                rate = load * capacity(costs, workers)
                photos = max(2000, int(SECONDS * rate))
                fleet = Fleet(costs, workers, rate, share)
                busy = fleet.run(photos)
                late, first = fleet.waits[False], fleet.waits[True]
                head = f"| {workers:,} | {load:.0%} | {rate:,.0f} | {share:.0%} |"
                if is_growing(fleet, busy):
                    print(f"{head} grows without end | | | | | {min(busy, 1):.0%} |", flush=True)
                    continue
                cells = [shown(quantile(late, q)) for q in (0.5, 0.95, 0.99)]
                cells.append(shown(quantile(first, 0.95)) if first else "")
                print(
                    f"{head} {' | '.join(cells)} | {fleet.vain / fleet.claims:.0%} | {min(busy, 1):.0%} |", flush=True
                )


def is_growing(fleet, busy):
    """Whether the database is saturated, so that photos wait for it and not for batched notifications."""
    return busy > 0.985 and quantile(fleet.waits[False], 0.5) > SECONDS / 6


def end(costs):
    """Prints the maximum number of workers, at four fifths of their capacity, before photos wait for the database; by
    its cores."""
    print("| cores of the database | workers | photos a second | wait p95 | database busy |")
    print("|---|---|---|---|---|")
    for cores in (2, 4, 8, 16, 32):
        best = None
        for workers in range(48, 1600, 48):
            rate = 0.8 * capacity(costs, workers)
            fleet = Fleet({**costs, "database_cores": cores}, workers, rate)
            busy = fleet.run(int(2 * rate))
            if busy > 0.95:
                break
            best = f"| {cores} | {workers} | {rate:,.0f} | {shown(quantile(fleet.waits[False], 0.95))} | {busy:.0%} |"
        print(best, flush=True)


def check(costs):
    """Compares measured runs with their simulations."""
    for run in costs["runs"]:
        simulated = []
        for seed in range(10):
            fleet = Fleet(
                {**costs, "reading": run["reading"]},
                run["workers"],
                run["rate"],
                seed=seed,
                machines=run["machines"],
                servers=run["servers"],
            )
            busy = fleet.run(run["photos"])
            waits = fleet.waits[False]
            simulated.append(
                [quantile(waits, q) * 1000 for q in (0.5, 0.95, 0.99)]
                + [fleet.vain / run["photos"], busy * costs["database_cores"]]
            )
        print(
            f"{run['workers']} workers on {run['machines']} machines, {run['rate']} photos a second, {run['photos']} photos"
        )
        for index, name in enumerate(
            ("wait p50, ms", "wait p95, ms", "wait p99, ms", "vain wakings a photo", "cores of the database")
        ):
            values = [values[index] for values in simulated]
            print(
                f"  {name}: simulated {statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f} in 10 "
                f"runs), measured {run['measured'][index]:.2f}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["table", "check", "end"])
    parser.add_argument("--costs")
    parser.add_argument("--cores", type=int, help="cores of the database, each as fast as the measured one")
    parser.add_argument(
        "--workers", type=lambda text: [int(word) for word in text.split(",")], default=[2, 8, 32, 100, 300, 1000]
    )
    parser.add_argument(
        "--loads", type=lambda text: [float(word) for word in text.split(",")], default=[0.5, 0.8, 0.95]
    )
    options = parser.parse_args()
    costs = dict(COSTS)
    if options.costs:
        with open(options.costs) as file:
            costs.update(json.load(file))
    if options.cores:
        costs["database_cores"] = options.cores
    if options.what == "check":
        return check(costs)
    return end(costs) if options.what == "end" else table(costs, options)


if __name__ == "__main__":
    sys.exit(main())
