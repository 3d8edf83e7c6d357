"""Other numbers beside serials: IMEI, EID, UPC, MAC addresses, part numbers."""

import numpy as np


def digits(rng: np.random.Generator, count: int) -> str:
    return "".join(str(d) for d in rng.integers(0, 10, count))


def _luhn(body: str) -> str:
    total = sum(sum(divmod(int(d) * (2 if place % 2 == 0 else 1), 10)) for place, d in enumerate(reversed(body)))
    return str(-total % 10)


def imei(rng: np.random.Generator, spaced: bool = False) -> str:
    """15 digits with a valid check digit."""
    body = "35" + digits(rng, 12)
    number = body + _luhn(body)
    return f"{number[:2]} {number[2:8]} {number[8:14]} {number[14]}" if spaced else number


def eid(rng: np.random.Generator) -> str:
    """32 digits with valid check digits."""
    body = ("89049032" + digits(rng, 24))[:30]
    return f"{body}{98 - int(body) * 100 % 97:02d}"


def iccid(rng: np.random.Generator) -> str:
    """20 digits with a valid check digit."""
    body = ("8901" + digits(rng, 16))[:19]
    return body + _luhn(body)


def upc(rng: np.random.Generator) -> str:
    """12 digits with a valid check digit."""
    body = "19" + digits(rng, 9)
    odd, even = sum(int(d) for d in body[0::2]), sum(int(d) for d in body[1::2])
    return body + str(-(3 * odd + even) % 10)


def mac_address(rng: np.random.Generator, separator: str = ":") -> str:
    """A device's address: unicast and globally administered."""
    first, *others = rng.integers(0, 256, 6)
    return separator.join(f"{b:02X}" for b in (first & 0xFC, *others))


def part_number(rng: np.random.Generator) -> str:
    letters = "ABCDEFGHJKLMNPQRTUVWXYZ"
    first = "M" + "".join(letters[i] for i in rng.integers(0, len(letters), 3))
    return f"{first}{rng.integers(2, 10)}{rng.choice(['LL', 'ZP', 'B', 'D', 'HN', 'ZA', 'FN'])}/A"


def model(rng: np.random.Generator) -> str:
    return f"A{rng.integers(1200, 3200)}"


def cmiit(rng: np.random.Generator) -> str:
    """A Chinese radio approval: 10 characters."""
    return f"{rng.integers(2012, 2025)}{rng.choice(['AJ', 'CP', 'DJ', 'AP'])}{rng.integers(1000, 9999)}"


def logic_board(rng: np.random.Generator) -> str:
    """17 characters, as on logic boards."""
    alphabet = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
    return "C02" + "".join(alphabet[i] for i in rng.integers(0, len(alphabet), 14))


def emc(rng: np.random.Generator) -> str:
    return f"EMC {rng.integers(2100, 8700)}"
