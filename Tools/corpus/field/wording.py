"""The texts around a serial: model numbers, part numbers, addresses and others that must not be read as serials."""

import numpy as np

BASE34 = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def pick(rng: np.random.Generator, items):
    """One of `items`."""
    return items[int(rng.integers(len(items)))]


def digits(rng, count: int) -> str:
    return "".join(str(d) for d in rng.integers(0, 10, count))


def code(rng, pattern: str) -> str:
    """`pattern` with # a digit, @ a letter, * either, x a hexadecimal digit."""
    made = {
        "#": lambda: pick(rng, "0123456789"),
        "@": lambda: pick(rng, LETTERS),
        "*": lambda: pick(rng, BASE34),
        "x": lambda: pick(rng, "0123456789ABCDEF"),
    }
    return "".join(made[c]() if c in made else c for c in pattern)


def model(rng) -> str:
    return f"A{rng.integers(1181, 3200)}"


def emc(rng) -> str:
    return str(rng.integers(2300, 8700))


def part(rng) -> str:
    """An order number such as MK1E3LL/A."""
    return code(rng, pick(rng, ("M@@@#", "M@##", "M@@##", "MK##3", "Z0@#"))) + pick(
        rng, ("LL/A", "D/A", "ZD/A", "B/A", "J/A", "HN/A", "FN/A", "CH/A", "KH/A", "ZP/A", "RU/A")
    )


def imei(rng) -> str:
    """15 digits with their Luhn check digit."""
    return _with_luhn("35" + digits(rng, 12))


def _with_luhn(body: str) -> str:
    total = 0
    for place, figure in enumerate(reversed(body)):
        value = int(figure) * (1 if place % 2 else 2)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def imei_spaced(rng) -> str:
    number = imei(rng)
    return f"{number[:2]} {number[2:8]} {number[8:14]} {number[14]}"


def eid(rng) -> str:
    """32 digits with their check digits: modulo 97 they are 1."""
    body = ("8904" + digits(rng, 28))[:30]
    return f"{body}{98 - int(body) * 100 % 97:02d}"


def iccid(rng) -> str:
    """20 digits with their Luhn check digit."""
    return _with_luhn(("89" + digits(rng, 18))[:19])


def mac(rng, separator: str = ":") -> str:
    """A device's address: unicast and globally administered."""
    first, *others = (code(rng, "xx") for _ in range(6))
    return separator.join((f"{int(first, 16) & 0xFC:02X}", *others))


def upc(rng) -> str:
    """12 digits with their check digit."""
    body = pick(rng, ("19425", "88590", "19094", "19595")) + digits(rng, 6)
    total = sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(body))
    return body + str(-total % 10)


def uuid(rng) -> str:
    return "-".join(code(rng, "x" * n) for n in (8, 4, 4, 4, 12))


def phone(rng) -> str:
    return pick(
        rng,
        (
            code(rng, "080 - ########"),
            code(rng, "+44 20 #### ####"),
            code(rng, "(###) ###-####"),
            code(rng, "0## ######"),
        ),
    )
