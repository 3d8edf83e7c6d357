"""Gates: a CSV file of a row for each kind, whose columns are `least_` or `most_` and the name of a figure."""

import csv


def broken(rows, path):
    """What of the gates does not hold."""
    by_kind = {one["kind"]: one for one in rows}
    with open(path) as file:
        for gate in csv.DictReader(line for line in file if not line.startswith("#")):
            one = by_kind.get(gate["kind"])
            if one is None:
                yield f"{gate['kind']}: no videos"
                continue
            for name, value in gate.items():
                if name == "kind" or not value:
                    continue
                side, figure = name.split("_", 1)
                measured = one[figure]
                if measured is None or (measured < float(value) if side == "least" else measured > float(value)):
                    yield f"{gate['kind']}: {figure} is {measured}, the gate is {side} {value}"
