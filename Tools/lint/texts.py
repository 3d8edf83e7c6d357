#!/usr/bin/env python3
"""Checks what people read: links between documents, names of types, replaced turns of phrase, and lines of prose that are
too long.

Phrases are checked in documents, and in the strings and comments of programs and settings.

usage: Tools/lint/texts.py           (exits with 1 and one line per finding)
       Tools/lint/texts.py --wrap    (wraps the paragraphs of documents that have a line that is too long)
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Documents that are kept as they were written.
RECORDS = {"docs/experiments.md", "CHANGELOG.md"}
# Other unchecked files: this one, files that never change, test data, and texts drawn on pictures.
UNCHECKED = re.compile(r"Tools/lint/texts\.py|Migrations/|Fuzzing/|testdata/pictures/|Tools/corpus/.*/wording\.py")
CHECKED = {".md", ".swift", ".js", ".css", ".html", ".py", ".sh", ".c", ".h", ".cpp", ".yaml", ".yml"}

# Phrases to avoid, with replacements. Matched ignoring case.
REPLACED = {
    r"\bon wish\b": "optionally, on request",
    r"\btakes? (?:a \w+ \w+ )?along\b": "copies, migrates",
    r"\band nowhere else\b": "only",
    r"\bthe picture decides\b": "auto-detect",
    r"\ba person's word\b": "review",
    r"\bwhat is no (?!longer)\w+": "what is not a ...",
    r"(?<!there )\b(?:is|are) no (?!longer|more|less|one|such|larger|better|worse|wider|higher|limit|problems)\w+": "is not a ..., are not ...",
    r"\bis none of (?:those|these)\b": "say what it is",
    r"\b(?:that|which) (?:is|are) none\b(?! of)": "invalid",
    r"(?<!\| )\bwho (?:calls|runs) it\b(?!,)": "the client, the operator",
    r"\bwhat (?:came|becomes?|became) of\b": "the result",
    r"\bwith(?:out)? which (?:that )?(?:a|the) \w+ is to\b": "split the sentence",
    r"\b(?:is|are) to be\b": "must be",
    r"\bheld to\b": "checked against",
    r"\blooked (?:at|over)\b": "checked, read",
    r"\b(?:tells?|told) of\b": "reports",
    r"\bpassing folder\b": "temporary folder",
    r"\bin vain\b(?!\s*\()": "spurious, without success",
    r"\bthe interface for programs\b": "API documentation",
    r"\bsays? nothing of\b": "does not say",
    r"\banew\b": "again",
    r"\b(?:goes|go) on\b(?! (?:a|an|the|one|its)\b)": "continues",
    r"\bby (?:itself|themselves)\b": "automatically, alone",
    r"\bfor good\b": "permanently",
    r"\bput right\b": "corrected",
    r"\bborne? out\b": "confirmed",
    r"\bas it stands\b": "unchanged",
    r"\bas if it were none\b": "say what it is",
    r"(?-i:\b[Nn](?:ull|il) where\b)": "null if, nil if",
    r"\bwhere (?:there is|it has|there was) (?:none|no)\b": "if there is none",
    r"\b(?:lets?|letting) go of\b": "releases, deletes",
    r"\b(?:goes|go) with (?:its|the) (?:job|photo|serial|reader|cluster|migration)\b": "is deleted with",
    r"\bsigns? of life\b": "heartbeat",
    r"\bbr(?:ought|ings?|ing) (?:\w+ ){0,6}up to date\b": "migrates, refreshes",
    r"\bbegun again\b": "restarted",
    r"\bbears? (?:it|each|that) out\b": "confirms",
    r"\bspeaks? against\b": "counts against",
    r"\brefused with a sentence\b": "refused with an error",
    r"\btaken? away\b": "removed, deleted",
    r"\bis wanted(?: here)?\"": "expected ...",
    r"\bwhoever (?:calls|runs|operates) (?:it|this|the server)\b(?! (?:server )?for)": "the client, the operator",
    r"\bserver says\b": "the server returns, reports",
    r"\bfields? of (?:one's|your) own\b": "custom fields",
    r"\bpresent (?:counts?|settings|state|value)\b": "current ...",
    r"\b(?:if|where) left out\b": "default: ...",
    r"\bas the template has it\b": "as the template defines",
    r"\bwhere none\b": "if none",
    r"\b(?:is|are|was) believed\b": "is accepted, is trusted",
    r"\bwritten apart\b": "separate",
    r"\bgravest\b": "most serious",
    r"\bof (?:its|their) making\b": "say how it is made",
    r"\bmakes? nothing of\b": "ignores, can't read",
}

# Phrases to avoid outside `Tests/`.
REPLACED_OUTSIDE_TESTS = {
    r"\boperator's (?:own )?fields\b": "custom fields",
    r"\bstands? twice\b": "appears twice, is a duplicate",
    r"\bfor ever\b": "permanently, without end",
    r"\b(?:is|are|be) taken back\b": "is undone, is reverted",
    r"\bwho (?:waits|asks|follows|hears)\b": "the waiter, the client",
    r"\b(?:is|are) none that\b": "is not a ... that",
    r"\bask(?:s|ed)? of\b": "require of, request from",
    r"\bsays? of (?:it|them|its|itself)\b": "reports",
}


def compiled(turns):
    return [(re.compile(turn, re.IGNORECASE), better) for turn, better in turns.items()]


PHRASES, PHRASES_OUTSIDE_TESTS = compiled(REPLACED), compiled(REPLACED_OUTSIDE_TESTS)

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Maximum length of a line of prose. Tables, code and records are exempt.
LONGEST_LINE = 140
# Names of code files.
SOURCE = re.compile(r"\.(?:swift|py|js|c|cpp)$")
# Line length of wrapped paragraphs.
WIDTH = 120
# The marker of a list item, and the start of lines that do not belong to a paragraph.
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
OTHER = re.compile(r"\s*(?:\||#|```|<|    )")


def tracked():
    """Names of the repository's files."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return names.rstrip("\0").split("\0")


def checked():
    """Names and paths of the files whose text is checked."""
    for name in tracked():
        path = ROOT / name
        if path.suffix in CHECKED and not UNCHECKED.match(name) and path.exists():
            yield name, path


def anchors(text):
    """Returns the anchors of a document's headings, as GitHub generates them."""
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
            yield f"link {target}: there is no such file"
        elif anchor and linked.suffix == ".md" and anchor not in anchors(linked.read_text()):
            yield f"link {target}: there is no such heading"


def missing_files(text, files):
    """Files of the repository, such as `Sources/Tracking`, that it doesn't have; those below its folders, and sources by name alone."""
    for given in sorted(set(re.findall(r"`([A-Za-z][\w./-]*)`", text))):
        if re.match(
            r"(?:Sources|Tests|Tools|Clients|docs|Migrations|deploy|packaging)/(?!NAME)", given
        ) or SOURCE.search(given):
            path = "/" + given.rstrip("/")
            if not any(f"/{one}/".find(path + "/") >= 0 for one in files):
                yield f"`{given}` does not exist"


def unknown_names(text, words):
    """Names of types, such as `TextLine`, that no file of code or settings has."""
    named = sorted(set(re.findall(r"`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)`", text)))
    return [f"`{name}` is in no file" for name in named if name not in words]


def replaced_phrases(text, is_test):
    phrases = PHRASES if is_test else PHRASES + PHRASES_OUTSIDE_TESTS
    for number, line in enumerate(text.splitlines(), 1):
        for turn, better in phrases:
            if found := turn.search(line):
                yield f"{number}: “{found.group()}”: write {better}"


def long_lines(text, is_document):
    """Finds lines of prose that are too long: in documents outside tables and code, and in comments of settings."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if is_document and line.lstrip().startswith("```"):
            in_code = not in_code
        is_prose = not in_code and not line.lstrip().startswith("|") if is_document else line.lstrip().startswith("#")
        # A link or a path can't be wrapped.
        if is_prose and len(line) > LONGEST_LINE and " " in line[:LONGEST_LINE].strip():
            yield f"{number}: {len(line)} characters: wrap it (--wrap)"


def wrapped(text):
    """Returns the document with paragraphs wrapped that have a line that is too long."""
    lines, result, in_code = text.split("\n"), [], False
    while lines:
        line = lines.pop(0)
        in_code ^= line.lstrip().startswith("```")
        if in_code or not line.strip() or OTHER.match(line) and not ITEM.match(line):
            result.append(line)
            continue
        paragraph = [line]
        while lines and lines[0].strip() and not ITEM.match(lines[0]) and not re.match(r"\s*(?:\||#|```|<)", lines[0]):
            paragraph.append(lines.pop(0))
        if max(map(len, paragraph)) <= LONGEST_LINE:
            result += paragraph
            continue
        mark = re.match(r"\s*(?:(?:[-*]|\d+\.) )?", line)[0]
        indent = re.match(r"\s*", paragraph[1])[0] if len(paragraph) > 1 else " " * len(mark)
        # Keep code and links unbroken, and never start a line with a list or heading marker.
        words = re.findall(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+", " ".join([line[len(mark) :], *paragraph[1:]]))
        current = mark + words[0]
        for word in words[1:]:
            if len(current) + 1 + len(word) > WIDTH and not re.match(r"(?:[-*+]|\d+\.)$|#", word):
                result.append(current)
                current = indent + word
            else:
                current += " " + word
        result.append(current)
    return "\n".join(result)


def main():
    if sys.argv[1:] == ["--wrap"]:
        for name, path in checked():
            if path.suffix == ".md" and name not in RECORDS and path.read_text() != wrapped(path.read_text()):
                path.write_text(wrapped(path.read_text()))
        return
    findings = []
    files = tracked()
    words = {pathlib.PurePath(name).stem for name in files}
    words.update(*(re.findall(r"[A-Z]\w+", path.read_text()) for _, path in checked() if path.suffix != ".md"))
    for name, path in checked():
        text = path.read_text()
        is_document = path.suffix == ".md"
        if is_document:
            findings += [f"{name}: {problem}" for problem in broken_links(path, text)]
        if name in RECORDS:
            continue
        if is_document:
            findings += [f"{name}: {problem}" for problem in [*missing_files(text, files), *unknown_names(text, words)]]
        findings += [f"{name}:{problem}" for problem in replaced_phrases(text, "Tests/" in name)]
        if is_document or name.startswith("config/"):
            findings += [f"{name}:{problem}" for problem in long_lines(text, is_document)]
    print(
        "\n".join(findings)
        if findings
        else "texts: no broken link, no unknown name, no replaced phrase, no line too long"
    )
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
