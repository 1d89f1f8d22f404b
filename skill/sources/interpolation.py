"""Plain values of a compose file, and the variables that Compose fills in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from skill.sources.base import EnvValue

REFERENCE: Final = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*)|\$)")
MAX_TEXT: Final = 8_192  # of a value with variables, and of a variable in it


def text_of(value: object) -> str:
    """A plain value as Compose writes it; aliases can make containers endless, so these are not spelled out."""
    if isinstance(value, dict | list):
        return f"<{type(value).__name__}>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def pair_of(item: object) -> tuple[str, str | None]:
    """Name and value of a ``NAME=value`` item; None as the value when there is only a name."""
    name, equals, value = text_of(item).partition("=")
    return name, value if equals else None


def filled_in(text: str, known: Mapping[str, EnvValue]) -> EnvValue:
    """A value after Compose's interpolation; one that needs an unknown host variable names it."""
    missing: list[str] = []

    def fill(found: re.Match[str]) -> str:
        name = found[1] or found[4]
        if name is None:
            return "$"
        value = known.get(name)
        stated = (value.default if value.literal is None else value.literal) if value else None
        if stated is not None and len(stated) <= MAX_TEXT:
            return stated
        if found[2] not in ("-", ":-"):
            missing.append(name)
        return found[3] or ""

    filled = REFERENCE.sub(fill, text)
    return EnvValue(variable=missing[0]) if missing else EnvValue(literal=filled)
