"""The types of Harbor's task.toml, as pydantic checks them there in its lax mode.

A number may be written as text, text may not be written as a number. The docstring of a check completes the
sentence "Harbor wants ...".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from skill.toml import TomlValue

FLAG_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0"})
PACKAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*\Z")
SIZE: Final = re.compile(r"\s*\d+(?:\.\d+)?\s*[GMKgmk]\s*\Z")


def as_number(value: TomlValue) -> float | None:
    """The number that Harbor reads from ``value``; None when it would reject it."""
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value) if isinstance(value, str) else None
    except ValueError:
        return None


def is_text(value: TomlValue) -> bool:
    """A string."""
    return isinstance(value, str)


def is_filled(value: TomlValue) -> bool:
    """A string that is not empty."""
    return isinstance(value, str) and value != ""


def is_number(value: TomlValue) -> bool:
    """A number."""
    return as_number(value) is not None


def is_whole(value: TomlValue) -> bool:
    """A whole number."""
    number = as_number(value)
    return number is not None and number.is_integer()


def is_flag(value: TomlValue) -> bool:
    """True or false."""
    return isinstance(value, bool) or str(value).lower() in FLAG_WORDS


def is_user(value: TomlValue) -> bool:
    """A user name or number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def is_texts(value: TomlValue) -> bool:
    """A list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_env(value: TomlValue) -> bool:
    """A table of strings."""
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def is_table(value: TomlValue) -> bool:
    """A table."""
    return isinstance(value, dict)


def is_artifacts(value: TomlValue) -> bool:
    """A list of paths, or of tables with a source."""
    return isinstance(value, list) and all(isinstance(item, str) or _has(item, "source") for item in value)


def is_os(value: TomlValue) -> bool:
    """The name linux or windows."""
    return isinstance(value, str) and value.lower() in ("linux", "windows")


def is_size(value: TomlValue) -> bool:
    """A size such as 2G, 512M or 1024K."""
    return not isinstance(value, str) or SIZE.match(value) is not None  # other types are dropped by Harbor


def is_package(value: TomlValue) -> bool:
    """A name org/name, each part alphanumeric first, without a double dot."""
    return isinstance(value, str) and PACKAGE.match(value) is not None and ".." not in value


def one_of(*words: str) -> Callable[[TomlValue], bool]:
    """A check for one of ``words``."""

    def check(value: TomlValue) -> bool:
        return isinstance(value, str) and value in words

    check.__doc__ = f"One of {', '.join(words)}."
    return check


def table_with(key: str) -> Callable[[TomlValue], bool]:
    """A check for a table that has text under ``key``."""

    def check(value: TomlValue) -> bool:
        return _has(value, key)

    check.__doc__ = f"A table with {key}."
    return check


def tables_with(key: str) -> Callable[[TomlValue], bool]:
    """A check for an array of tables that each have text under ``key``."""

    def check(value: TomlValue) -> bool:
        return isinstance(value, list) and all(_has(item, key) for item in value)

    check.__doc__ = f"An array of tables, each with {key}."
    return check


def _has(value: TomlValue, key: str) -> bool:
    return isinstance(value, dict) and isinstance(value.get(key), str)
