"""Code cites rows of the contract and decisions by number; each number leads to a row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CITED = re.compile(r"""basis="([^"]+)"|\b(?:rows?|decisions?) ((?:[MWD]\d+(?:, | and | to )?)+)|\((D\d+)[^)\n]*\)""")
NUMBER = re.compile(r"\b[MWD]\d+\b")
SECTION = re.compile(r"contract(?:'s section)? (\d\.\d)")


def rows(text: str) -> set[str]:
    """The numbers in the first cells of a page's tables, ranges included."""
    found = set()
    for cell in re.findall(r"^\| ([MWD]\d+[^|]*?) \|", text, re.MULTILINE):
        for first, last in re.findall(r"([MWD]\d+)(?:–[MWD](\d+))?", cell):
            found |= {f"{first[0]}{n}" for n in range(int(first[1:]), int(last or first[1:]) + 1)}
    return found


def cited(text: str) -> set[str]:
    return {number for parts in CITED.findall(text) for number in NUMBER.findall(" ".join(parts))}


def page(name: str) -> str:
    return (ROOT / "references" / name).read_text()


CASES = [
    ("the mode M400 of a file", set()),
    ("a column called D12", set()),
    ('@CASE.defect("SC201", "x", basis="M48 at run time")', {"M48"}),
    ("refused (rows M30 and W8)", {"M30", "W8"}),
    ("(contract row M5)", {"M5"}),
    ("as was decided (D11).", {"D11"}),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_what_counts_as_a_citation(text: str, expected: set[str]) -> None:
    assert cited(text) == expected


def test_the_pages_have_every_row() -> None:
    contract = rows(page("margin-contract.md"))
    assert contract == {f"M{n}" for n in range(1, 94)} | {f"W{n}" for n in range(1, 26)}
    assert rows(page("decisions.md")) == {f"D{n}" for n in range(1, 21)}


def test_every_citation_in_the_code_leads_to_a_row() -> None:
    known = rows(page("margin-contract.md")) | rows(page("decisions.md"))
    sections = set(re.findall(r"^\*\*(\d\.\d) ", page("margin-contract.md"), re.MULTILINE))
    for layer in ("skill", "tools", "agent"):
        for path in (ROOT / layer).rglob("*.py"):
            text = path.read_text()
            assert cited(text) <= known, path
            assert set(SECTION.findall(text)) <= sections, path
