#!/usr/bin/env python3
"""Finds code that crashes or blocks the program on an unexpected value, which would affect all clients.

There are three sets of rules. In the modules of the server and the commands, every conversion between numbers must
specify what happens to a value out of range (`exactly:`, `clamping:`, `truncatingIfNeeded:`). Force unwraps, accesses
to empty collections and calls that raise exceptions are not allowed. In the modules that process pixels, which run in
a reader, a trap costs one attempt of one photo, so only unnecessary traps are rejected. `TotalRow.swift` makes access
to rows safe.

The third set finds iteration over characters in the modules that receive text from clients. A character may be a
megabyte of combining accents, and finding its end takes as long each time; use bytes (`utf8`) or code points.

exceptions.txt lists allowed exceptions: the file, a part of the line, and the reason. An exception that no longer
matches is an error.

usage: traps.py [FOLDER, default the repository]
"""

import os
import re
import sys

from swift_code import code_alone

HERE = os.path.dirname(os.path.abspath(__file__))
# These run only in readers and trackers, where a trap costs one attempt of a job or one frame of a session.
PIXELS = {"Imaging", "BarcodeReading", "TextReading", "SerialReading", "Tracking"}

# Modules that receive text from clients.
CLIENT_TEXT = {"HTTPAPI", "MultipartParsing", "Support"}

NUMBER = r"(?:U?Int(?:8|16|32|64)?|C(?:Char|Short|Int|Long|LongLong|UnsignedInt|Size)|off_t|mode_t|id_t|time_t|useconds_t|rlim_t)"
# Conversions that cannot fail, literals and constants, counts as 64 bits, a type's minimum and maximum, and character
# codes.
TOTAL = (
    r"(?:exactly:|clamping:|truncatingIfNeeded:|bitPattern:|ascii:|-?[\d_]+\)|_?[A-Z][A-Z0-9_]*(?:\s*\|\s*[A-Z0-9_]+)*\)"
    r"|_?[A-Z][A-Z0-9_]*\.rawValue\)|\w+\.(?:max|min)\))"
)
# Parsing text returns an optional, which the compiler requires to be unwrapped.
OF_TEXT = re.compile(
    r"(?:(?:\bguard|\bif|\bwhile|,)\s*(?:let|var)\s+\w+\s*=\s*|[mM]ap\s*(?:\(\s*)?\{\s*)"
    + NUMBER
    + r"\((?:try\s+)?[^(){}]*(?:\([^()]*\))?[^(){}]*\)"
    r"|(?<![\w.])" + NUMBER + r"\([^()]*(?:\([^()]*\))?\)(?:\.(?:flatM|m)ap\b|\s*:\s*nil\b)"
)

ALWAYS = [
    ("try!", r"\btry!", "throws in place of the error"),
    ("as!", r"\bas!", "ends the program where the type is another"),
    ("!", r"(?<=[\w)\]?])!(?!=)", "unwraps what may be nil"),
    ("fatalError", r"\b(?:fatalError|preconditionFailure|unsafelyUnwrapped|unowned)\b", "ends the program"),
]
STRICT = ALWAYS + [
    ("precondition", r"\bprecondition\(", "ends the program"),
    (
        "conversion",
        r"(?<![\w.])" + NUMBER + r"\((?!\s*" + TOTAL + ")",
        "traps where the number does not fit; say exactly:, clamping: or truncatingIfNeeded:",
    ),
    ("conversion", r"\bmap\(\s*" + NUMBER + r"\.init\s*\)", "traps where the number does not fit"),
    (
        "FileHandle",
        r"\b(?:FileHandle\.\w+|\w*[hH]andle\w*|standard(?:Error|Output))\.write\((?!contentsOf:)",
        "raises where the file can't be written; say write(contentsOf:)",
    ),
    (
        "FileHandle",
        r"\.(?:readDataToEndOfFile|readData|seekToEndOfFile|closeFile|synchronizeFile|availableData)\b",
        "raises where the file can't be read",
    ),
    ("uniqueKeys", r"\buniqueKeysWithValues:", "traps on a duplicate key; say Dictionary(_:uniquingKeysWith:)"),
    ("removeFirst", r"\.remove(?:First|Last)\(", "traps on an empty collection; say dropFirst or popLast"),
    ("range", r"[A-Za-z_)\]]\w*\s*\.\.[.<]\s*[A-Za-z_(]", "traps where the end comes before the beginning"),
    ("by", r"\bstride\(.*\bby:\s*[A-Za-z_(]", "traps for a step of 0"),
    ("%", r"\s%\s(?![\d(])", "traps for a divisor of 0"),
    (
        "count",
        r"\brepeating:.*\bcount:(?!\s*(?:[\w.]*count\b|\d+\)|\d+\s*<<\s*\d+\)|max\(\d|Int\([A-Z0-9_]+\)))",
        "traps for a negative count",
    ),
    ("subdata", r"\.(?:subdata\(in|replaceSubrange|removeSubrange)\(", "traps outside of the data"),
]

WALK = "walks a client's text character by character; go by its bytes (utf8)"
# A literal of one character with blanked contents; an escape has two.
LETTER = r'" {1,2}"'
GRAPHEMES = [
    (
        "graphemes",
        r"\.(?:firstIndex|lastIndex|contains|split|replacing|components|prefix|drop|trimmingCharacters)\(\s*(?:of:|separator:|separatedBy:)?\s*"
        + LETTER,
        WALK,
    ),
    ("graphemes", r"\$0\s*[!=]=\s*" + LETTER, WALK),
    ("graphemes", r"\.(?:trimmingCharacters\(|isWhitespace\b|isNewline\b|isLetter\b|isNumber\b)", WALK),
    ("graphemes", r"\b(?:text|name|notes|deviceType|value|word|given)\??\.count\b", WALK),
]


def findings(source, rules):
    """(line, rule, reason) for each place that breaks a rule."""
    code = re.sub(r'UInt8\(ascii: *"[^"]*"\)', lambda byte: "0" * len(byte.group()), code_alone(source))
    allowed = [found.span() for found in OF_TEXT.finditer(code)]
    found = set()
    # Formatted values are in string literals.
    for match in re.finditer(r'\bString\(\s*format: *"[^"\n]*%s', source):
        found.add((source.count("\n", 0, match.start()) + 1, "%s", "reads a Swift string as a C pointer"))
    for name, pattern, reason in rules:
        for match in re.finditer(pattern, code):
            if name == "conversion" and any(start <= match.start() < end for start, end in allowed):
                continue
            found.add((code.count("\n", 0, match.start()) + 1, name, reason))
    return sorted(found)


def exceptions():
    """[file, part of the line, reason] of exceptions.txt."""
    with open(os.path.join(HERE, "exceptions.txt")) as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return [[part.strip() for part in line.split(" | ", 2)] for line in lines]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))
    excepted, used, problems, count = exceptions(), set(), 0, 0
    for folder, _, names in sorted(os.walk(os.path.join(root, "Sources"))):
        for name in sorted(names):
            if not name.endswith(".swift"):
                continue
            count += 1
            path = os.path.relpath(os.path.join(folder, name), root)
            with open(os.path.join(folder, name)) as file:
                source = file.read()
            lines = source.split("\n")
            module = path.split(os.sep)[1]
            rules = ALWAYS if module in PIXELS else STRICT + (GRAPHEMES if module in CLIENT_TEXT else [])
            for line, rule, reason in findings(source, rules):
                matching = [
                    entry
                    for entry in range(len(excepted))
                    if excepted[entry][0] == path and excepted[entry][1] in lines[line - 1]
                ]
                used.update(matching)
                if not matching:
                    problems += 1
                    print(f"{path}:{line}: [{rule}] {reason}: {lines[line - 1].strip()}")
    for entry in set(range(len(excepted))) - used:
        problems += 1
        print(f"Tools/lint/exceptions.txt: nothing needs this exception any more: {' | '.join(excepted[entry][:2])}")
    print(f"traps: {problems} in {count} files, {len(excepted)} exceptions")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
