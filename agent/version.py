"""Which version of this program is at work; part of every key that a stored result is kept under."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

NAME = "suite-converter"


@lru_cache(maxsize=1)
def tool_version() -> str:
    """The installed version, ``0+checkout`` when the program runs from a bare checkout."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "0+checkout"
