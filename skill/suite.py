"""Any Margin suite on disk, read lazily and without opinions: its defects are for the rules to tell."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from skill.case import Case
from skill.contract import CASES_DIR, PREAMBLE_FILE, SUITE_FILE
from skill.errors import SuiteError
from skill.packing import Kind, list_names
from skill.settings import GO_SPACE, SUITE_KEYS, Settings, settings
from skill.textfile import Text, leaves, read_text

__all__ = ["Case", "Suite", "read_suite"]


@dataclass(frozen=True)
class Suite:
    """A suite folder."""

    root: Path

    @cached_property
    def text(self) -> Text:
        """suite.toml."""
        return read_text(self.root / SUITE_FILE, self.root)

    @cached_property
    def config(self) -> Settings | None:
        """suite.toml decoded; None when the file could not be read or is no TOML."""
        decoded = settings(self.text.data, SUITE_KEYS) if self.text.is_there else None
        return decoded if decoded and decoded.error is None else None

    @cached_property
    def preamble(self) -> Text:
        """preamble-prompt.md."""
        return read_text(self.root / PREAMBLE_FILE, self.root)

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The list of cases as written."""
        return self.config.strings("cases") if self.config else ()

    @cached_property
    def folders(self) -> Mapping[str, Kind] | None:
        """What lies directly in cases/; None when there is no such folder that can be listed."""
        cases = self.root / CASES_DIR
        if leaves(cases, self.root):
            return None
        return list_names(cases)

    def cases(self) -> Iterator[Case]:
        """One fresh Case for each distinct entry that is not blank, in list order."""
        seen: set[str] = set()
        for number, entry in enumerate(self.entries):
            name = entry.strip(GO_SPACE)
            if name and name not in seen:
                seen.add(name)
                yield Case(self.root, entry, self.lines[number])

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """The line of each entry in suite.toml, 0 where it is not found."""
        data = self.config.data if self.config else b""
        found: list[int] = []
        at, line = max(data.find(b"cases"), 0), 1
        line += data.count(b"\n", 0, at)
        for entry in self.entries:
            start = _quoted(data, entry, at)
            if start < 0:
                found.append(0)
                continue
            line += data.count(b"\n", at, start)
            at = start + 1
            found.append(line)
        return tuple(found)


def read_suite(root: Path) -> Suite:
    """The suite at ``root``; raises SuiteError when that is no folder that can be listed (row M8)."""
    if not root.exists():
        raise SuiteError(root, "no such folder", "give the folder that holds suite.toml")
    if not root.is_dir():
        raise SuiteError(root, "not a folder", "give the folder that holds suite.toml")
    try:
        os.scandir(root).close()
    except OSError as error:
        raise SuiteError(root, f"cannot be listed: {error.strerror}") from error
    return Suite(root)


def _quoted(data: bytes, entry: str, start: int) -> int:
    """Where ``entry`` stands in quotes after ``start``, -1 when it does not."""
    raw = entry.encode(errors="replace")
    spots = [data.find(quote + raw + quote, start) for quote in (b'"', b"'")]
    return min((spot for spot in spots if spot >= 0), default=-1)
