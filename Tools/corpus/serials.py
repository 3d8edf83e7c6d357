"""Random serial numbers of the three lengths, in the grammar of their years.

Sources: acidanthera/OpenCorePkg, Utilities/macserial/FORMAT.md (11 and 12 characters); since 2021 ten random
characters. The alphabet is base 34: no O, no I.
"""

import numpy as np

ALPHABET = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CONFUSABLE = "0DQG8B5S2Z1L7T6UVYMNCEF"
PLANTS_12 = (
    "C02 C07 C17 C1M C2V C3D CK2 D25 DCP DLX DMP DMQ DN6 DQG DY3 F17 F18 F2L F4H F5K F70 FC7 FD1 FF1 FK1 FVF FVH "
    "FYJ G0N G6T G8W GG7 H95 HCR J92 J9L JWP MJV RM1 SC0"
).split()
PLANTS_11 = "W8 RN QP CK YM 4H 1C 73 7J G8 5K H0 F9".split()
HALF_YEARS = "CDFGHJKLMNPQRSTVWXYZ"
WEEKS = "123456789CDFGHJKLMNPQRTVWX"


def _pick(rng: np.random.Generator, letters: str, count: int) -> str:
    return "".join(letters[i] for i in rng.integers(0, len(letters), count))


def _tail(rng: np.random.Generator, count: int) -> str:
    """Free characters; in a fifth of the serials confusable or repeated ones are over-represented."""
    if rng.random() >= 0.2:
        return _pick(rng, ALPHABET, count)
    tail = list(_pick(rng, CONFUSABLE, count))
    if rng.random() < 0.5:
        place = int(rng.integers(1, count))
        tail[place] = tail[place - 1]
    return "".join(tail)


def serial_of_length(length: int, rng: np.random.Generator) -> str:
    """A serial of 10, 11 or 12 characters; ValueError for any other length."""
    if length == 10:
        while True:
            serial = _tail(rng, 10)
            # Real serials never have ten digits or none, which would look like other numbers.
            if 1 <= sum(c.isdigit() for c in serial) <= 8:
                return serial
    if length == 11:
        week = int(rng.integers(1, 54))
        return f"{rng.choice(PLANTS_11)}{rng.integers(0, 10)}{week:02d}{_tail(rng, 6)}"
    if length == 12:
        plant = str(rng.choice(PLANTS_12)) if rng.random() < 0.8 else _pick(rng, ALPHABET, 3)
        return plant + _pick(rng, HALF_YEARS, 1) + _pick(rng, WEEKS, 1) + _tail(rng, 7)
    raise ValueError(f"no serials of {length} characters")


def random_serial(rng: np.random.Generator, shares: dict[int, float]) -> str:
    """A serial whose length is drawn by `shares`, e.g. {12: 0.6, 10: 0.3, 11: 0.1}."""
    lengths = list(shares)
    weights = np.array([shares[length] for length in lengths], float)
    return serial_of_length(int(rng.choice(lengths, p=weights / weights.sum())), rng)
