"""The only door to TOML: plain values in and out.

Reading uses the standard library's strict parser in its compiled form, which reads TOML 1.0 as Margin does
(no BOM, UTF-8 only: margin-contract row M2).
Writing goes through tomlkit, so that no value can change the structure of the file it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from functools import lru_cache
from typing import Final

import tomli

MAX_KEY_PARTS: Final = 100  # tomli takes time and memory by the square of this number
LONG_KEY: Final = re.compile(
    rf"""(?:^|[\[{{,])(?:[ \t]*(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.){{{MAX_KEY_PARTS}}}""", re.MULTILINE
)

PLAIN: Final = re.compile(r"[ !#-\[\]-~]*")  # needs no escape in quotes

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
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at line ")
        line = int(place.split(",")[0]) if place[:1].isdigit() else 0
        raise TomlError(reason, line) from error
    except RecursionError as error:
        raise TomlError("nested too deeply") from error


def dump(table: Mapping[str, TomlValue]) -> str:
    """``table`` as TOML text with a stable layout; the keys keep their order, tables come last."""
    import tomlkit

    flat = {key: value for key, value in table.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    values = [*flat.values(), *(value for part in tables.values() for value in part.values())]
    if not all(map(_on_one_line, values)):
        document = tomlkit.document()
        for key, value in (*flat.items(), *tables.items()):
            document.add(key, tomlkit.item(value))
        return tomlkit.dumps(document)
    parts = ["".join(_line(key, value) for key, value in flat.items())]
    parts += [f"[{_key(key)}]\n" + "".join(_line(k, v) for k, v in part.items()) for key, part in tables.items()]
    return "\n".join(part for part in parts if part)


def _on_one_line(value: TomlValue) -> bool:
    """Whether the value is the same text wherever it stands, so that no document has to be built around it."""
    if isinstance(value, list):
        return not any(isinstance(element, dict | list) for element in value)
    return not isinstance(value, dict)


def _line(key: str, value: TomlValue) -> str:
    text = "[" + ", ".join(_scalar(element) for element in value) + "]" if isinstance(value, list) else _scalar(value)
    return f"{_key(key)} = {text}\n"


def _scalar(value: TomlValue) -> str:
    import tomlkit

    return _string(value) if isinstance(value, str) else tomlkit.item(value).as_string()


@lru_cache(maxsize=4096)
def _string(value: str) -> str:
    import tomlkit

    if PLAIN.fullmatch(value):
        return f'"{value}"'
    return tomlkit.item(value).as_string()


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    import tomlkit

    return tomlkit.key(key).as_string()
