"""Text of a dataset made harmless for a terminal, a line of a log or a Markdown table."""

from __future__ import annotations

_KEPT = frozenset(" \t")


def plain(text: str) -> str:
    """``text`` on one line, every control, format or undecodable character shown as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _KEPT else _escaped(char) for char in text)


def cell(text: str) -> str:
    """``text`` as the content of a Markdown table cell that renders as itself."""
    text = plain(text)
    for mark in "\\`*_[]<>|#~":
        text = text.replace(mark, "\\" + mark)
    return text


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


def count(number: int, noun: str) -> str:
    """``3 tasks``, ``1 task``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
