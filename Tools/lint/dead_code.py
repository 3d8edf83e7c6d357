#!/usr/bin/env python3
"""Finds declarations in Sources that the program never uses.

A name that occurs only in its declaration is unused, and so is one that only tests use, unless it is `package`. The
compiler does not report these, because public and package declarations may have callers elsewhere.

usage: dead_code.py [FOLDER, default the repository]
"""

import collections
import os
import re
import sys

from swift_code import code_alone

HERE = os.path.dirname(os.path.abspath(__file__))
DECLARATION = re.compile(
    r"^(?P<before>[^\n]*?)\b(?:func|var|let|class|struct|enum|actor|protocol|typealias|case)\s+`?(?P<name>[a-z]\w*|[A-Z]\w*[a-z]\w*)",
    re.MULTILINE,
)
WORD = re.compile(r"[A-Za-z_]\w*")
# Used by others: requirements of protocols of NIO and the standard library, and JSON keys.
ALIVE = {
    "InboundIn",
    "InboundOut",
    "OutboundIn",
    "OutboundOut",
    "handlerAdded",
    "handlerRemoved",
    "channelActive",
    "channelInactive",
    "channelRead",
    "channelReadComplete",
    "errorCaught",
    "userInboundEventTriggered",
    "userInfo",
    "unkeyedContainer",
    "nestedContainer",
    "nestedUnkeyedContainer",
    "superDecoder",
    "currentIndex",
    "appendLiteral",
    "Program",
}
# JSON and query names: a member with its coding key, or a case created from its raw value.
WORD_OF_WIRE = re.compile(r"^\s*case\s", re.MULTILINE)


def sources(root, *folders):
    for folder in folders:
        for base, names, files in os.walk(os.path.join(root, folder)):
            names[:] = [name for name in names if name != ".build"]
            for name in sorted(files):
                if name.endswith(".swift"):
                    path = os.path.join(base, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), code_alone(file.read())


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(HERE))
    used, declared, first, wire = collections.Counter(), collections.Counter(), {}, set()
    for path, code in sources(root, "Sources"):
        used.update(WORD.findall(code))
        for found in DECLARATION.finditer(code):
            name = found["name"]
            declared[name] += 1
            if WORD_OF_WIRE.match(found.group()):
                wire.add(name)
            first.setdefault(name, (path, code.count("\n", 0, found.start()) + 1, found["before"]))
    in_tests = collections.Counter(word for _, code in sources(root, "Tests", "Fuzzing") for word in WORD.findall(code))
    dead = []
    for name, (path, line, before) in sorted(first.items(), key=lambda item: item[1]):
        if used[name] > declared[name] or name in ALIVE | wire or (in_tests[name] and "package" in before):
            continue
        reason = "only tests name it" if in_tests[name] else "nothing names it again"
        dead.append(f"{path}:{line}: {name}: {reason}")
    print("\n".join(dead + [f"dead code: {len(dead)}"]))
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
