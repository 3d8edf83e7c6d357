"""Gates: a CSV file with one row per kind; columns are `least_` or `most_` followed by a figure's name."""

import csv


def broken(rows, path):
    """Returns the gates that are not met."""
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
