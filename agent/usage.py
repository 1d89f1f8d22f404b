"""Tokens in the four kinds that are priced apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Usage:
    """What one reply used; a figure that an endpoint left out counts as 0 and makes the usage partial."""

    fresh: int = 0  # prompt tokens that came from no cache and went into none
    cache_write: int = 0  # kept for five minutes
    cache_write_long: int = 0  # kept for an hour
    cache_read: int = 0
    output: int = 0
    is_partial: bool = False

    @property
    def prompt(self) -> int:
        """All prompt tokens."""
        return self.fresh + self.cache_write + self.cache_write_long + self.cache_read

    @property
    def total(self) -> int:
        """All tokens."""
        return self.prompt + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.fresh + other.fresh,
            self.cache_write + other.cache_write,
            self.cache_write_long + other.cache_write_long,
            self.cache_read + other.cache_read,
            self.output + other.output,
            self.is_partial or other.is_partial,
        )


NOTHING = Usage()


def usage_of(table: Mapping[str, Any] | None) -> Usage:
    """The usage in a Messages reply's ``usage`` object."""
    if not table:
        return Usage(is_partial=True)
    written, split = table.get("cache_creation_input_tokens"), table.get("cache_creation") or {}
    long = _number(split.get("ephemeral_1h_input_tokens"))
    fresh, output = table.get("input_tokens"), table.get("output_tokens")
    return Usage(
        fresh=_number(fresh),
        cache_write=max(0, _number(written) - long),
        cache_write_long=long,
        cache_read=_number(table.get("cache_read_input_tokens")),
        output=_number(output),
        is_partial=fresh is None or output is None,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
