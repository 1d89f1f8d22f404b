"""Text of others on one line: harmless in a terminal, a log, a table or a sentence of ours."""

from __future__ import annotations

_KEPT = frozenset(" \t")


def plain(text: str) -> str:
    """``text`` on one line, every control, format or undecodable character shown as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _KEPT else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return (
        "\\n"
        if char == "\n"
        else "\\r"
        if char == "\r"
        else f"\\x{ord(char):02x}"
        if ord(char) < 256
        else f"\\u{ord(char):04x}"
    )
