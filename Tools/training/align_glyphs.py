"""Aligns a text with the pieces of ink of a line, in a simpler way than Sources/SerialReading/Reading/Glyphs.swift.

Touching characters are split near equal widths once the most likely alignment is known. make_glyphs.py leaves out
lines that are misaligned this way; the reader has to process every line and tries more places.
"""

import normalise_line
import numpy as np

BROKEN, TOUCHING, FURTHER_TOUCHING, ALONE = 1, 2.5, 1, 3
WIDEST_BROKEN, LEAST_TOUCHING_WIDTH, MOST_TOUCHING, MOST_LEFT_OVER = 1.6, 0.7, 5, 3
REACH, OFF_COST, LEAST_WIDTH = 0.35, 0.3, 2


def align(places, pieces, line, logs_of):
    """Returns [(index in the text, first column, last column + 1, log-probabilities)] of the most likely alignment;
    empty if there is none.

    logs_of returns log-probabilities, or None, for each of several runs of columns.
    """
    widths = [last - first for first, last in pieces]
    usual = sorted(widths)[len(widths) // 2]
    joined = [(pieces[i][0], pieces[i + 1][1]) for i in range(len(pieces) - 1)]
    logs = logs_of(line, list(pieces) + joined)
    alone = logs[: len(pieces)]
    joins = [
        found if last - first <= WIDEST_BROKEN * usual else None
        for found, (first, last) in zip(logs[len(pieces) :], joined)
    ]
    best = {}

    def reach(character, piece, score, way):
        if character <= len(places) and piece <= len(pieces) and score > best.get((character, piece), (-np.inf,))[0]:
            best[character, piece] = (score, way)

    for left in range(MOST_LEFT_OVER + 1):
        reach(0, left, -ALONE * left, ())
        reach(left, 0, -ALONE * left, ())
    for character, own in enumerate(places):
        for piece in range(len(pieces)):
            if (character, piece) not in best:
                continue
            score, way = best[character, piece]
            found = alone[piece]
            reach(
                character + 1,
                piece + 1,
                score - ALONE if found is None else score + found[own],
                way if found is None else way + ((character, pieces[piece], found),),
            )
            if piece < len(joins) and joins[piece] is not None:
                reach(
                    character + 1,
                    piece + 2,
                    score - BROKEN + joins[piece][own],
                    way + ((character, joined[piece], joins[piece]),),
                )
            for count in range(2, MOST_TOUCHING + 1):
                if widths[piece] >= LEAST_TOUCHING_WIDTH * count * usual:
                    reach(
                        character + count,
                        piece + 1,
                        score - TOUCHING - FURTHER_TOUCHING * (count - 2),
                        way + ((character, pieces[piece], count),),
                    )
    ends = [
        (best[end][0] - ALONE * left, best[end][1])
        for left in range(MOST_LEFT_OVER + 1)
        for end in ((len(places), len(pieces) - left), (len(places) - left, len(pieces)))
        if end in best
    ]
    matched = []
    for character, piece, found in max(ends, key=lambda end: end[0])[1] if ends else ():
        if isinstance(found, int):
            cuts = [
                (character + index, part)
                for index, part in enumerate(parts(piece, found, line))
                if part[1] - part[0] >= LEAST_WIDTH
            ]
            matched += [
                (place, *part, logs)
                for (place, part), logs in zip(cuts, logs_of(line, [part for _, part in cuts]))
                if logs is not None
            ]
        else:
            matched.append((character, *piece, found))
    return matched


def parts(piece, count, line):
    """Splits a piece of several characters near equal widths, where its ink is thinnest."""
    first, last = piece
    middle, half = line.shape[0] // 2, int(0.55 * normalise_line.CAPITAL)
    ink = (255 - line[max(0, middle - half) : middle + half, first:last].astype(np.float32)).sum(0)
    width = (last - first) / count
    edges = [first]
    for index in range(1, count):
        equal, reach = index * width, REACH * width
        near = np.arange(max(1, int(equal - reach)), min(last - first - 1, int(equal + reach)) + 1)
        edges.append(first + int(near[(ink[near] * (1 + OFF_COST * np.abs(near - equal) / reach)).argmin()]))
    edges.append(last)
    return list(zip(edges, edges[1:]))
