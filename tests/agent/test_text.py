"""Text of a dataset can neither drive a terminal nor break a table."""

from __future__ import annotations

import pytest

from agent.text import cell, count, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain täxt 漢字 🙂", "plain täxt 漢字 🙂"),
        ("a\tb", "a\tb"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\nb\rc", "a\\nb\\rc"),
        ("\u202eevil", "\\u202eevil"),
        ("\x9b31m", "\\x9b31m"),
        ("bad\udcff", "bad\\udcff"),
    ],
)
def test_what_could_drive_a_terminal_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", "a\\|b"),
        ("<img>", "\\<img\\>"),
        ("[x](y)", "\\[x\\](y)"),
        ("`a`", "\\`a\\`"),
        ("a\\|b", "a\\\\\\|b"),
    ],
)
def test_a_cell_renders_as_itself(text: str, shown: str) -> None:
    assert cell(text) == shown


def test_counts_read_as_english() -> None:
    assert [count(number, "task") for number in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
