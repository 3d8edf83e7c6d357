"""What was drawn on the picture in the making: every line of text, and what every code holds, in the order of drawing."""

_lines: list[str] = []


def note(text: str) -> None:
    """Note a line of text or a code's content."""
    if text:
        _lines.append(text)


def begin() -> None:
    """Forget what was drawn on the picture before."""
    _lines.clear()


def lines() -> list[str]:
    """What was drawn since `begin`."""
    return list(_lines)
