"""Swift source without its comments and texts."""

import re

OPENING = re.compile(r'//[^\n]*|/\*|(#*)"""|(#*)"|#/')


def code_alone(source):
    """The source with comments and what stands in literals of text blanked out, line by line as long as before.

    What is interpolated into a text is code and stays.
    """
    out, at = [], 0
    while at < len(source):
        found = OPENING.search(source, at)
        if not found:
            out.append(source[at:])
            break
        out.append(source[at : found.start()])
        text = found.group()
        if text.startswith("//"):
            end = found.end()
            out.append(blank(source[found.start() : end]))
        elif text == "/*":
            end = comment_end(source, found.end())
            out.append(blank(source[found.start() : end]))
        elif text == "#/":
            end = source.find("/#", found.end())
            end = len(source) if end < 0 else end + 2
            out.append(blank(source[found.start() : end]))
        else:
            hashes = found.group(1) if '"""' in text else found.group(2)
            end = literal(source, found, hashes or "", '"""' if '"""' in text else '"', out)
        at = end
    return "".join(out)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def comment_end(source, at):
    """The place behind a comment, in which others may lie."""
    depth = 1
    for found in re.compile(r"/\*|\*/").finditer(source, at):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return len(source)


def literal(source, opening, hashes, quote, out):
    """Blanks a literal from its opening on, keeps what is interpolated, and returns the place behind it."""
    out.append('"' + blank(opening.group())[1:])
    at, closing, escape = opening.end(), quote + hashes, "\\" + hashes
    while at < len(source):
        if source.startswith(closing, at):
            out.append(blank(closing)[1:] + '"')
            return at + len(closing)
        if source.startswith(escape + "(", at):
            end = interpolation_end(source, at + len(escape) + 1)
            out.append(blank(escape) + "(" + code_alone(source[at + len(escape) + 1 : end - 1]) + ")")
            at = end
        elif source.startswith(escape, at):
            out.append(blank(source[at : at + len(escape) + 1]))
            at += len(escape) + 1
        else:
            out.append(blank(source[at]))
            at += 1
    return at


def interpolation_end(source, at):
    """The place behind the parenthesis that closes an interpolation."""
    depth = 1
    while at < len(source) and depth:
        if source[at] == '"':
            at = literal(source, re.compile('"').match(source, at), "", '"', [])
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return at
