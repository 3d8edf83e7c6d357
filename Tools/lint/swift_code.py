"""Removes comments and string literals from Swift source."""

import re

OPENING = re.compile(r'//[^\n]*|/\*|(#*)"""|(#*)"|#/')


def code_alone(source):
    """Returns the source with comments and the contents of string literals replaced by spaces of the same length.

    Interpolations are code and are kept.
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
    """Returns the index after a comment, which may contain nested comments."""
    depth = 1
    for found in re.compile(r"/\*|\*/").finditer(source, at):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return len(source)


def literal(source, opening, hashes, quote, out):
    """Blanks a string literal except for interpolations, and returns the index after it."""
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
    """Returns the index after the closing parenthesis of an interpolation."""
    depth = 1
    while at < len(source) and depth:
        if source[at] == '"':
            at = literal(source, re.compile('"').match(source, at), "", '"', [])
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return at
