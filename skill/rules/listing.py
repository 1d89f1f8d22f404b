"""Rules about the list of cases in suite.toml: SC108 to SC113."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from skill.contract import CASES_DIR, NAME, SUITE_FILE
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family
from skill.settings import GO_SPACE
from skill.suite import Suite

LISTING: Family[Suite] = Family("suite")


@LISTING.defect("SC108", "blank-case-entry", basis="M12")
def blank_case_entry(suite: Suite) -> Iterator[Defect]:
    """The list of cases holds a blank entry.

    Example: `cases = ["a", " "]`
    Right: `cases = ["a"]`
    """
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        if not entry.strip(GO_SPACE):
            yield Defect(SUITE_FILE, line, "a listed case has no name", "remove the blank entry")


@LISTING.defect("SC109", "case-listed-twice", basis="M13")
def case_listed_twice(suite: Suite) -> Iterator[Defect]:
    """A case is listed more than once.

    Margin trims entries before it compares them, so `"c1"` and `" c1"` are the same.
    Right: every name once.
    """
    seen: set[str] = set()
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        name = entry.strip(GO_SPACE)
        if name and name in seen:
            yield Defect(SUITE_FILE, line, f'case "{name}" is listed again', "list it once")
        seen.add(name)


@LISTING.defect("SC110", "unsafe-case-name", basis="D11")
def unsafe_case_name(suite: Suite) -> Iterator[Defect]:
    """A case name is outside the grammar that is safe everywhere.

    Margin has no grammar: slashes, `..`, spaces and anything in Unicode pass, and then become paths, Docker
    arguments and report keys. Suites of ours keep to `[A-Za-z0-9][A-Za-z0-9._-]*`.
    Example: `group/first case`
    Right: `group-first-case`
    """
    for entry, line in zip(suite.entries, suite.lines, strict=True):
        if entry.strip(GO_SPACE) and not NAME.match(entry):
            yield Defect(
                SUITE_FILE,
                line,
                f"case name {entry!r} is not file-safe",
                "use letters, digits, '.', '_', '-'",
            )


@LISTING.defect("SC111", "case-names-collide", basis="D11")
def case_names_collide(suite: Suite) -> Iterator[Defect]:
    """Two case names differ only in upper and lower case or in Unicode form.

    On a file system that ignores case both are one folder, and one case is lost on checkout.
    Example: `Fix-io` and `fix-io`
    Right: `fix-io` and `fix-io-2`
    """
    names = dict.fromkeys(entry.strip(GO_SPACE) for entry in suite.entries)
    folded = Counter(_folded(name) for name in names)
    for name in names:
        if folded[_folded(name)] > 1:
            line = suite.lines[suite.entries.index(name)] if name in suite.entries else 0
            yield Defect(SUITE_FILE, line, f'"{name}" collides with another case name', "add a stable suffix to one")


@LISTING.defect("SC112", "unlisted-case", basis="M15", severity=Severity.WARNING)
def unlisted_case(suite: Suite) -> Iterator[Defect]:
    """A folder below cases/ is not listed in suite.toml.

    Margin ignores it entirely, even if it is broken; it looks like a case and is never run.
    Right: list it, or remove the folder.
    """
    listed = {entry.strip(GO_SPACE).split("/")[0] for entry in suite.entries}
    for name, kind in sorted((suite.folders or {}).items()):
        if kind is Kind.FOLDER and name not in listed and suite.config:
            yield Defect(
                f"{CASES_DIR}/{name}",
                0,
                "this folder is not listed in suite.toml, so it never runs",
                "list it",
            )


@LISTING.defect("SC113", "unsorted-cases", basis="D20", severity=Severity.WARNING)
def unsorted_cases(suite: Suite) -> Iterator[Defect]:
    """The list of cases is not in alphabetical order.

    Order has no meaning for Margin, which runs cases in parallel; a sorted list keeps diffs small.
    Right: sort by code point.
    """
    for number, (before, after) in enumerate(pairwise(suite.entries), start=1):
        if after < before:
            yield Defect(SUITE_FILE, suite.lines[number], f'"{after}" stands after "{before}"', "sort the list")
            return


def _folded(name: str) -> str:
    """``name`` as a file system sees it that ignores case and Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
