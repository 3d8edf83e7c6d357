"""The server's fault points: how each is reached, and a rotation over all points and victims.

The points are defined in Sources/Support. Tests/FaultyServer, otherwise the same program as the server, kills itself
or its readers at them.
"""

import os
import re

VICTIMS = ["server", "reader", "both"]

# How points are reached, if not by uploading photos.
PROVOCATIONS = {
    "uploads": "uploadBegun photoWritten photoSynced photoRenamed photoStored enqueuing enqueued",
    "reads": "claiming claimed photoHanded answerTaken completing saving completed",
    "a photo without a serial": "refusing refused",
    "a damaged photo": "failing failed",
    "a reader dies": "readerLost retrying retried",
    "a reader hangs": "extending extended",
    "a stop while a reader hangs": "givingBack givenBack",
    "a start after a death": "reclaiming rescued",
    "a start after many deaths": "givingUp",
    "a server later than its lease": "rescuing",
    "a client hangs up": "cancelling cancelled",
    "a deletion": "deleting deleted photoRemoved forgettingPhoto photoForgotten",
    "a start with old photos": "pruningPhotos photosPruned",
    "a start with old jobs": "pruningJobs jobsPruned",
}
WAYS = {point: way for way, points in PROVOCATIONS.items() for point in points.split()}

# Further points armed with a point, and its settings.
HELP = {
    "a reader dies": ["photoHanded:1:reader"],
    "a reader hangs": ["photoHanded:1:suspend"],
    "a stop while a reader hangs": ["photoHanded:1:suspend"],
    "a server later than its lease": ["claimed:1:stop", "photoHanded:1:suspend"],
    "a client hangs up": ["photoHanded:1:suspend"],
}
SETTINGS = {
    "a reader hangs": ["queue.lease=1"],
    "a stop while a reader hangs": ["server.stop_timeout=0"],
    "a server later than its lease": ["queue.lease=4", "workers=1"],
    "a client hangs up": ["workers=1"],
}


class Fault:
    """One kill: a point, the number of times it must be reached, and the victim."""

    def __init__(self, point, victim, count):
        self.point, self.victim, self.count = point, victim, count
        self.way = WAYS[point]

    @property
    def armed(self):
        return [f"{self.point}:{self.count}:{self.victim}"] + HELP.get(self.way, [])

    @property
    def settings(self):
        return SETTINGS.get(self.way, [])

    def __str__(self):
        return f"{self.point}#{self.count} {self.victim}"


class Rotation:
    """Every point with every victim, in random order, repeatedly; unreached ones are repeated at the end."""

    def __init__(self, chance):
        self.chance = chance
        self.waiting = []
        self.tries, self.kills = {}, {}

    def next(self):
        if not self.waiting:
            self.waiting = [(point, victim) for point in WAYS for victim in VICTIMS]
            self.chance.shuffle(self.waiting)
        point, victim = self.waiting.pop(0)
        often = WAYS[point] in ("uploads", "reads")
        return Fault(point, victim, self.chance.choice([1, 1, 2, 3, 5]) if often else 1)

    def note(self, fault, was_reached):
        pair = (fault.point, fault.victim)
        self.tries[pair] = self.tries.get(pair, 0) + 1
        if was_reached:
            self.kills[pair] = self.kills.get(pair, 0) + 1
        elif self.tries[pair] < 4:
            self.waiting.append(pair)

    @property
    def never_reached(self):
        """Returns points that were tried more than twice and never reached with any victim."""
        tries, kills = {}, {}
        for (point, _), count in self.tries.items():
            tries[point] = tries.get(point, 0) + count
        for (point, _), count in self.kills.items():
            kills[point] = kills.get(point, 0) + count
        return [point for point, count in tries.items() if count > 2 and not kills.get(point)]

    def table(self):
        """Returns the numbers of kills by point and victim; a dot for zero."""
        lines = [f"{'point':<16}" + "".join(f"{victim:>8}" for victim in VICTIMS)]
        for point in WAYS:
            counts = [self.kills.get((point, victim), 0) for victim in VICTIMS]
            lines.append(f"{point:<16}" + "".join(f"{count or '.':>8}" for count in counts))
        totals = [sum(count for (_, name), count in self.kills.items() if name == victim) for victim in VICTIMS]
        return lines + [f"{'all':<16}" + "".join(f"{total:>8}" for total in totals)]


def unknown_points(root):
    """Returns the program's points that this file does not know, and those here that the program lacks."""
    with open(os.path.join(root, "Sources/Support/FaultPoint.swift")) as file:
        points = set(re.findall(r"^  case (\w+)$", file.read(), re.MULTILINE))
    return points ^ set(WAYS)
