"""The only door to TOML: plain values in and out.

Reading uses the standard library's strict parser (TOML 1.0, no BOM, UTF-8 only: margin-contract row M2).
Writing goes through tomlkit, so that no value can change the structure of the file it stands in.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Final

MAX_KEY_PARTS: Final = 100  # tomllib takes time and memory by the square of this number
LONG_KEY: Final = re.compile(
    rf"""(?:^|[\[{{,])(?:[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.){{{MAX_KEY_PARTS}}}""", re.MULTILINE
)

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
    if long := LONG_KEY.search(text):
        raise TomlError(f"a key of {MAX_KEY_PARTS} parts or more", text.count("\n", 0, long.start()) + 1)
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
