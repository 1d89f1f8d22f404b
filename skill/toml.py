"""The only door to TOML: plain values in and out.

Reading uses the standard library's strict parser (TOML 1.0, no BOM, UTF-8 only: margin-contract row M2).
Writing goes through tomlkit, so that no value can change the structure of the file it stands in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time

TomlValue = str | int | float | bool | datetime | date | time | list["TomlValue"] | dict[str, "TomlValue"]
TomlTable = dict[str, TomlValue]


class TomlError(ValueError):
    """The text is no TOML; ``line`` is 1-based, 0 when unknown."""

    def __init__(self, reason: str, line: int = 0) -> None:
        self.line = line
        super().__init__(reason)


def load(data: bytes) -> TomlTable:
    """The document in ``data``; raises TomlError with the line where that is known."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlError(f"not UTF-8 (byte {error.start})", line) from error
    if text.startswith("\ufeff"):
        raise TomlError("starts with a byte order mark", 1)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at line ")
        line = int(place.split(",")[0]) if place[:1].isdigit() else 0
        raise TomlError(reason, line) from error
    except RecursionError as error:
        raise TomlError("nested too deeply") from error


def dump(table: Mapping[str, TomlValue]) -> str:
    """``table`` as TOML text with a stable layout; the keys keep their order, tables come last."""
    import tomlkit

    document = tomlkit.document()
    for key, value in table.items():
        document.add(key, tomlkit.item(value))
    return tomlkit.dumps(document)
