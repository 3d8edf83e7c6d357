#!/usr/bin/env python3
"""Checks what people read: that links between documents lead somewhere, and that turns of phrase that were replaced stay out.

usage: Tools/lint/texts.py    (in the root of the repository; exits with 1 and one line a finding)
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Documents that are kept as they were written.
RECORDS = {"docs/experiments.md", "CHANGELOG.md"}

# Each turn of phrase that no document may hold, with what to write instead. Checked without regard to case.
REPLACED = {
    r"\bon wish\b": "optionally, on request",
    r"\btakes? (?:a \w+ \w+ )?along\b": "copies, migrates",
    r"\band nowhere else\b": "only",
    r"\bthe picture decides\b": "auto-detect",
    r"\ba person's word\b": "review",
    r"\bwhat is no (?:picture|photo|request)\b": "not a picture, not a request",
    r"\bis none of (?:those|these)\b": "say what it is",
    r"\bwho (?:calls|runs) it\b": "the client, the operator",
    r"\bwith(?:out)? which (?:that )?(?:a|the) \w+ is to\b": "split the sentence",
    r"\bpassing folder\b": "temporary folder",
    r"\bin vain\b(?!\s*\()": "spurious",
    r"\bthe interface for programs\b": "API documentation",
    r"\bsays? nothing of\b": "does not say",
    r"\bbegun anew\b": "restarted",
    r"\bas if it were none\b": "say what it is",
}

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def documents():
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from (ROOT / name for name in ("Benchmarks/README.md", "testdata/README.md"))


def anchors(text):
    """The anchors of a document's headings, as GitHub makes them."""
    for line in text.splitlines():
        if re.match(r"#{1,6} ", line):
            title = line.lstrip("#").strip().lower()
            yield re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def broken_links(path, text):
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (path.parent / file).resolve() if file else path
        if not linked.exists():
            yield f"{target}: there is no such file"
        elif anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text()):
            yield f"{target}: there is no such heading"


def main():
    findings = []
    for path in documents():
        if not path.exists():
            continue
        name, text = str(path.relative_to(ROOT)), path.read_text()
        findings += [f"{name}: link {problem}" for problem in broken_links(path, text)]
        if name in RECORDS:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for turn, better in REPLACED.items():
                if found := re.search(turn, line, re.IGNORECASE):
                    findings.append(f"{name}:{number}: “{found.group()}”: write {better}")
    print("\n".join(findings) if findings else "documents: no broken link, no replaced phrase")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
