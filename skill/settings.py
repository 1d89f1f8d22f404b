"""suite.toml and case.toml as Margin reads them.

Margin decodes with go-toml: a known key matches exactly or else case-insensitively, the later spelling wins
(contract row M5); strings are trimmed before use (M7); a value of another type is fatal (M4); unknown keys
are accepted (M3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from skill.toml import TomlError, TomlTable, TomlValue, load

# what Go's strings.TrimSpace removes; str.strip() would take the separators U+001C to U+001F as well
GO_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
)
INT64: Final = range(-(2**63), 2**63)

SUITE_KEYS: Final[Mapping[str, str]] = {
    "kind": "string",
    "name": "string",
    "description": "string",
    "cases": "array of strings",
}
CASE_KEYS: Final[Mapping[str, str]] = {
    "kind": "string",
    "name": "string",
    "description": "string",
    "image": "string",
    "agent_cwd": "string",
    "test_cwd": "string",
    "test_timeout_seconds": "integer",
}


@dataclass(frozen=True)
class Settings:
    """One decoded file; ``error`` says why there is nothing in it."""

    data: bytes
    known: Mapping[str, str]  # key -> type that Margin wants
    table: TomlTable = field(default_factory=dict)
    error: TomlError | None = None

    def value(self, key: str) -> TomlValue | None:
        """The value that Margin takes for ``key``: of all spellings the last one."""
        return self._by_lower_name.get(key)

    @cached_property
    def _by_lower_name(self) -> TomlTable:
        return {name.lower(): value for name, value in self.table.items()}

    def text(self, key: str) -> str:
        """The trimmed string under ``key``; empty when it is absent or no string."""
        value = self.value(key)
        return value.strip(GO_SPACE) if isinstance(value, str) else ""

    def integer(self, key: str) -> int:
        """The integer under ``key``; 0 (Go's zero value) when it is absent or no integer."""
        value = self.value(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def strings(self, key: str) -> tuple[str, ...]:
        """The strings in the array under ``key``, untrimmed; empty when there is no such array."""
        value = self.value(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    def line(self, key: str) -> int:
        """The line on which ``key`` is set at top level (any spelling), 0 when it is not found."""
        pattern = rf"""(?im)^[ \t]*(?:\[[ \t]*)?["']?{re.escape(key)}["']?[ \t]*[=.\]]""".encode()
        found = re.search(pattern, self.data)
        return self.data.count(b"\n", 0, found.start()) + 1 if found else 0

    def line_of_string(self, value: str) -> int:
        """The first line that holds ``value`` in quotes, 0 when it is not found."""
        for quote in ('"', "'"):
            at = self.data.find(f"{quote}{value}{quote}".encode(errors="replace"))
            if at >= 0:
                return self.data.count(b"\n", 0, at) + 1
        return 0

    def wrong_types(self) -> Iterator[tuple[str, str]]:
        """Every top-level key whose value Margin cannot decode, with the type that it wants."""
        for name, value in self.table.items():
            wanted = self.known.get(name.lower())
            if wanted is not None and not _is(value, wanted):
                yield name, wanted
            elif wanted is None and _too_big(value):
                yield name, "integer of 64 bits"


def settings(data: bytes, known: Mapping[str, str]) -> Settings:
    """The decoded file; a text that is no TOML gives an empty table and the error."""
    try:
        return Settings(data, known, load(data))
    except TomlError as error:
        return Settings(data, known, error=error)


def _is(value: TomlValue, wanted: str) -> bool:
    """Whether go-toml stores ``value`` in a field of the type ``wanted``."""
    if wanted == "string":
        return isinstance(value, str)
    if wanted == "integer":
        return isinstance(value, int) and not isinstance(value, bool) and value in INT64
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _too_big(value: TomlValue) -> bool:
    """Whether there is an integer in ``value`` that Go's 64 bits cannot hold."""
    if isinstance(value, dict):
        return any(_too_big(item) for item in value.values())
    if isinstance(value, list):
        return any(_too_big(item) for item in value)
    return isinstance(value, int) and value not in INT64
