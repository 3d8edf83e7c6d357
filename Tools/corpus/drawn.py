"""Records the texts drawn on the current picture: every line and every code's content, in drawing order."""

_lines: list[str] = []


def note(text: str) -> None:
    """Records a line of text or a code's content."""
    if text:
        _lines.append(text)


def begin() -> None:
    """Clears the record for a new picture."""
    _lines.clear()


def lines() -> list[str]:
    """Returns the texts drawn since `begin`."""
    return list(_lines)
