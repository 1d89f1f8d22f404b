"""Words for people: text of a dataset made harmless, and numbers with their noun."""

from __future__ import annotations

from tools.plain import plain

__all__ = ["cell", "count", "plain"]


def cell(text: str) -> str:
    """``text`` as the content of a Markdown table cell that renders as itself."""
    text = plain(text)
    for mark in "\\`*_[]<>|#~":
        text = text.replace(mark, "\\" + mark)
    return text


def count(number: int, noun: str) -> str:
    """``3 tasks``, ``1 task``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
