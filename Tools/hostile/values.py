"""Values at and beyond the extremes of their types, for every parameter and field of a request."""

import json
import random
from urllib.parse import quote

INTEGERS = [
    0,
    -1,
    1,
    2**31 - 1,
    2**31,
    -(2**31) - 1,
    2**32,
    2**53,
    2**53 + 1,
    2**63 - 1025,
    2**63 - 1,
    2**63,
    2**63 + 1,
    -(2**63),
    -(2**63) - 1,
    2**64 - 1,
    2**64,
    10**30,
    10**400,
]
NUMBERS = [
    "-0",
    "-0.0",
    "0.1e-400",
    "5e-324",
    "1e308",
    "-1e308",
    "1.7976931348623159e308",
    "1e400",
    "0.95",
    "1.0000001",
]
# Invalid JSON that some parsers accept.
NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "nan", "inf", "0x10", "1e", "1.", ".5", "+1", "01", "1_000", "١"]
YEARS = [
    0,
    1,
    1582,
    1899,
    1900,
    1969,
    1970,
    2026,
    2038,
    2262,
    2263,
    9999,
    10_000,
    99_999,
    292_277,
    300_000,
    10**7,
    10**10,
]
TIMES = [f"{year:04}-01-01T00:00:00Z" for year in YEARS] + [
    "-0001-01-01T00:00:00Z",
    "-292277-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T25:61:61Z",
    "2026-12-31T23:59:60Z",
    "2026-01-01T00:00:00+99:99",
    "2026-01-01T00:00:00-24:00",
    "2026-01-01T00:00:00." + "9" * 300 + "Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00Zx",
    "2026-01-01",
    "20260101T000000Z",
    "2026-W01-1",
    "now",
]
DAYS = [f"{year:04}-{month:02}-{day:02}" for year in YEARS for month, day in ((1, 1), (12, 31))] + [
    "2026-02-29",
    "2024-02-29",
    "2026-00-01",
    "2026-13-01",
    "2026-1-1",
    "-2026-01-01",
    "2026-01-01T00:00:00Z",
    "2026-01-32",
]
# Text as bytes, because some of it is not valid Unicode.
TEXTS = [
    b"",
    b" ",
    b"\0",
    b"abc\0",
    b"\0abc",
    b"\xed\xa0\x80",
    b"\xed\xb0\x80",
    b"\xff\xfe",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
    "\ufeff".encode(),
    "\u202e\u200d".encode(),
    "e\u0301".encode() * 200,
    ("a" + "\u0301" * 5000).encode(),
    "\U0001f1e6".encode() * 4000,
    "\u1100".encode() * 3000,
    "\u00df\u0130\u0149".encode() * 60,
    b"x" * 101,
    b"x" * 201,
    b"x" * 65_536,
    b"%" * 300,
    b"_" * 50 + b"%",
    b"\\" * 300,
    b"'\" OR 1=1 --",
    b'"',
    b"*",
    b"NEAR(",
    b"a AND NOT",
    b"=1+1",
    b"../../etc/passwd",
    b"/etc/passwd",
    b"..",
    b".",
    b"~",
    b"C:\\",
    b"%s%n%p%x",
    b"${x}",
    b"<script>",
    b"\r\nX: y",
    b"\n",
    b"\x1b[31m",
    b"null",
    b"undefined",
    b"true",
    b"[]",
    b"{}",
    b"G0NKP62BLGMZ",
    b"C02XL0THJHCC",
    b"C02XL0THJHC",
]
JSON_FRAGMENTS = [
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[null]",
    '{"":null}',
    '""',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud800\\ud800"',
    '"\\uZZZZ"',
    '"\\x"',
    '"\n"',
    '"\t\x01"',
    '"unended',
    "[" * 40 + "]" * 40,
    "[" * 600 + "]" * 600,
    "[" * 30_000,
    '{"a":' * 40 + "1" + "}" * 40,
    '{"a":' * 9_000 + "1" + "}" * 9_000,
    "9" * 400,
    "9" * 30_000,
    "0." + "1" * 30_000,
    "1e" + "9" * 300,
    "-" * 100,
    "[" + "1," * 20_000 + "1]",
    "[" + '{"a":1},' * 5_000 + "1]",
    "/*c*/1",
    "'x'",
]
WHOLE_BODIES = [
    b"",
    b" ",
    b"\0",
    b"null",
    b"[]",
    b"{}",
    b"1",
    b'"x"',
    b"{",
    b"}",
    b"[" * 60_000,
    b'{"a":' * 10_000,
    b"\xef\xbb\xbf{}",
    b"\xff\xfe{\0}\0",
    b'{"a":1}{"a":2}',
    b'{"serial":"a"',
    b"{" + b'"a":1,' * 9_000 + b'"a":1}',
    b" " * 65_537,
    b"x" * 200_000,
    b"{" + b",".join(b'"k%d":0' % number for number in range(6_000)) + b"}",
]
MEDIA_TYPES = [
    "",
    "application/json",
    "application/json; charset=utf-16",
    "APPLICATION/JSON",
    "application/jsonx",
    "text/plain",
    "x",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/mixed; boundary=b",
    "multipart/form-data; boundary=" + "b" * 70,
    "multipart/form-data; boundary=" + "b" * 71,
    'multipart/form-data; boundary="b',
    "multipart/form-data; boundary=b; boundary=c",
    'multipart/form-data; boundary="' + '\\"' * 2_000,
    ";" * 3_000,
    "é",
    "a/b" * 3_000,
]


# A box inside any picture, in pixels.
BOX = "8,8,60,40"


def query_values(schema):
    """Returns percent-encoded values for a parameter in the query or the path."""
    texts = [quote(text[:8_000], safe="") for text in TEXTS]
    broken = [
        "%",
        "%0",
        "%zz",
        "%00",
        "%u0000",
        "a%00b",
        "+",
        "a+b",
        "%2B",
        "%2F..%2F",
        "%FF",
        "%C3",
        ";",
        "a;b",
        "%26",
        "é",
        "#",
    ]
    numbers = [str(number) for number in INTEGERS] + NUMBERS + NO_NUMBERS
    return texts + broken + [quote(value) for value in numbers + TIMES + DAYS + near(schema)]


def json_values(schema):
    """Returns JSON fragments for a field of a body."""
    texts = [json.dumps(text.decode("utf-8", "surrogatepass" if b"\xed" in text else "replace")) for text in TEXTS]
    numbers = [str(number) for number in INTEGERS] + NUMBERS + NO_NUMBERS
    strings = [json.dumps(value) for value in TIMES + DAYS + numbers]
    typed = [value if schema.get("type") in ("integer", "number") else json.dumps(value) for value in near(schema)]
    return JSON_FRAGMENTS + texts + numbers + strings + typed + lists(schema)


def lists(schema):
    """Returns lists of numbers, or of lists of numbers, with each number at its extremes, of every length, and far too
    long."""
    items = schema.get("items", {})
    if schema.get("type") != "array" or not items:
        return []
    numbers = [str(number) for number in INTEGERS] + NUMBERS + NO_NUMBERS + ["null", '"1"', "[]"]
    if items.get("type") != "array":
        rows = numbers + ["1,1", "1,2,3,4,5,6", ",".join(["1"] * 10_000)]
        return [f"[{row}]" for row in rows]
    length = items.get("minItems", 1)
    rows = [",".join([number] * length) for number in numbers]
    rows += [",".join(["0"] * (length - 1) + [number]) for number in numbers]
    rows += [",".join([number] + ["9"] * (length - 1)) for number in numbers]
    rows += [",".join(["1"] * count) for count in range(length + 3)] + ["9,9,1,1", "5,5,5,5", "-1e9,-1e9,1e9,1e9"]
    several = [",".join([f"[{BOX}]"] * count) for count in (2, 5, 6, 10_000)]
    return [f"[[{row}]]" for row in rows] + [f"[{rows}]" for rows in several]


def near(schema):
    """Returns values on both sides of a schema's limits, as text."""
    found = [str(value) for value in schema.get("enum", []) if value is not None]
    for name in ("minimum", "maximum"):
        if name in schema:
            found += [str(schema[name] + step) for step in (-1, -0.001, 0, 0.001, 1)]
            if schema.get("type") == "integer":
                found += [str(int(schema[name]) + step) for step in (-1, 0, 1)]
    for name in ("minLength", "maxLength"):
        if name in schema:
            found += ["x" * max(0, schema[name] + step) for step in (-1, 0, 1)]
            found.append("\u00e9" * schema[name])
            found.append("e\u0301" * schema[name])
    return found


def valid(name, schema, known):
    """Returns a valid value as text. `known` contains values from responses by name."""
    if known.get(name):
        return random.choice(known[name])
    types = schema.get("type", "string")
    kind = next((one for one in types if one != "null"), "string") if isinstance(types, list) else types
    if schema.get("enum"):
        return random.choice([value for value in schema["enum"] if value is not None])
    if kind == "integer":
        return int(schema.get("minimum", 1))
    if kind == "number":
        return schema.get("minimum", 0)
    if kind == "boolean":
        return random.choice([True, False])
    if kind == "array":
        items = schema.get("items", {})
        row = [float(number) for number in BOX.split(",")][: items.get("minItems", 0)]
        return [row] if row else [1] if items.get("type") == "integer" else []
    if kind == "object":
        return {}
    if schema.get("format") == "date-time":
        return "2026-01-31T12:00:00Z"
    if schema.get("format") == "date":
        return "2026-01-31"
    return "C02XL0THJHCC" if name == "serial" else "x" * max(1, schema.get("minLength", 1))
