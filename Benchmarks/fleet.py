#!/usr/bin/env python3
"""Simulates many workers at one PostgreSQL, from the costs of the single steps that were measured on one machine.

A photo passes: an upload (one transaction with its bytes), a wait for a worker, a claim, the photo's bytes to the worker, the
reading, and the end (one transaction). The database does so many of these at once as it has cores; each takes as long as was
measured. Idle workers ask once a second, and each arrival wakes one of them on every machine, as the store does.
Synchronous requests go first, as in the queue.

usage: fleet.py table [--costs costs.json] [--cores 16]
       fleet.py check [--costs costs.json] --workers 2 --rate 5 --photos 200 --measured-p50 S --measured-p95 S

costs.json holds seconds: {"upload": .., "claim": .., "photo": .., "finish": .., "reading": [..], "database_cores": ..}.
"""

import argparse
import heapq
import json
import random
import statistics
import sys

# Measured by shared_store.py on two cores that also ran the clients; docs/scale.md says when.
COSTS = {"upload": 0.00103, "claim": 0.00039, "photo": 0.00032, "finish": 0.00055, "reading": [0.149],
         "database_cores": 2}
WORKERS_A_MACHINE = 8


class Database:
    """A station with some places: work waits for the first that is free."""

    def __init__(self, cores):
        self.free = [0.0] * cores
        self.busy = 0.0

    def do(self, now, cost):
        """When work that comes now is done."""
        start = max(now, heapq.heappop(self.free))
        heapq.heappush(self.free, start + cost)
        self.busy += cost
        return start + cost


class Fleet:
    def __init__(self, costs, workers, rate, synchronous=0.0, seed=1):
        self.costs, self.workers, self.rate, self.synchronous = costs, workers, rate, synchronous
        self.random = random.Random(seed)
        self.database = Database(costs["database_cores"])
        self.machines = max(1, workers // WORKERS_A_MACHINE)
        self.waits = {True: [], False: []}

    def run(self, photos):
        """Waits from the answer to an upload until its reading begins, and how busy the database was."""
        events, order = [], 0

        def at(time, what, job=None):
            nonlocal order
            order += 1
            heapq.heappush(events, (time, order, what, job))

        time = 0.0
        for _ in range(photos):
            time += self.random.expovariate(self.rate)
            at(time, "upload", self.random.random() < self.synchronous)
        waiting, idle, last = [], self.workers, 0.0
        while events:
            now, _, what, job = heapq.heappop(events)
            last = max(last, now)
            if what == "upload":
                at(self.database.do(now, self.costs["upload"]), "stored", job)
            elif what == "stored":
                heapq.heappush(waiting, (not job, now))
                # One idle worker of every machine is woken; all but one find nothing.
                for _ in range(min(self.machines, idle) - 1):
                    self.database.do(now, self.costs["claim"])
                if idle:
                    idle -= 1
                    at(self.database.do(now, self.costs["claim"]), "claimed")
            elif what == "claimed":
                if not waiting:
                    idle += 1
                    continue
                is_later, since = heapq.heappop(waiting)
                self.waits[not is_later].append(now - since)
                begun = self.database.do(now, self.costs["photo"])
                at(begun + self.random.choice(self.costs["reading"]), "read")
            elif what == "read":
                ended = self.database.do(now, self.costs["finish"])
                at(self.database.do(ended, self.costs["claim"]), "claimed")
        # Idle workers ask once a second.
        polls = max(0.0, 1 - self.rate * self.reading / self.workers) * self.workers * self.costs["claim"]
        return self.database.busy / (last * len(self.database.free)) + polls / len(self.database.free)

    @property
    def reading(self):
        return statistics.mean(self.costs["reading"])


def capacity(costs, workers):
    """Photos a second that so many workers read while the database has nothing else to do."""
    return workers / (statistics.mean(costs["reading"]) + costs["claim"] + costs["photo"] + costs["finish"])


def database_limit(costs):
    """Photos a second at which one database has no time left."""
    return costs["database_cores"] / (costs["upload"] + costs["claim"] + costs["photo"] + costs["finish"])


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def table(costs):
    limit = database_limit(costs)
    print(f"one database ends at {limit:.0f} photos a second: {limit / capacity(costs, 1):.0f} workers that never rest")
    print("| workers | load | photos a second | synchronous | wait p50 | p95 | p99 | of those first: p95 | database busy |")
    print("|---|---|---|---|---|---|---|---|---|")
    for workers in (2, 8, 32, 100, 300, 1000):
        for load in (0.5, 0.8, 0.95):
            for share in (0.0, 0.2):
                rate = load * capacity(costs, workers)
                if share and load < 0.95:
                    continue
                if rate > limit:
                    print(f"| {workers:,} | {load:.0%} | {rate:.0f} | {share:.0%} | grows without end | | | | 100% |")
                    continue
                fleet = Fleet(costs, workers, rate, share)
                busy = fleet.run(max(4000, min(60000, 60 * workers)))
                late, first = fleet.waits[False], fleet.waits[True]
                cells = [f"{quantile(late, q) * 1000:.0f} ms" for q in (0.5, 0.95, 0.99)]
                cells.append(f"{quantile(first, 0.95) * 1000:.0f} ms" if first else "")
                print(f"| {workers:,} | {load:.0%} | {rate:.0f} | {share:.0%} | {' | '.join(cells)} | {min(busy, 1):.0%} |")


def check(costs, options):
    """The simulation beside a run of as many workers at the same rate."""
    runs = []
    for seed in range(20):
        fleet = Fleet(costs, options.workers, options.rate, seed=seed)
        fleet.run(options.photos)
        runs.append([quantile(fleet.waits[False], q) for q in (0.5, 0.95)])
    for name, index, measured in (("p50", 0, options.measured_p50), ("p95", 1, options.measured_p95)):
        values = [run[index] for run in runs]
        print(f"wait {name}: simulated {statistics.median(values) * 1000:.0f} ms ({min(values) * 1000:.0f} to "
              f"{max(values) * 1000:.0f} in 20 runs), measured {measured * 1000:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["table", "check"])
    parser.add_argument("--costs")
    parser.add_argument("--cores", type=int, help="cores of the database, each as fast as the one that was measured")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=5)
    parser.add_argument("--photos", type=int, default=200)
    parser.add_argument("--measured-p50", type=float, default=0)
    parser.add_argument("--measured-p95", type=float, default=0)
    options = parser.parse_args()
    costs = dict(COSTS)
    if options.costs:
        with open(options.costs) as file:
            costs.update(json.load(file))
    if options.cores:
        costs["database_cores"] = options.cores
    if options.what == "table":
        return table(costs)
    return check(costs, options)


if __name__ == "__main__":
    sys.exit(main())
