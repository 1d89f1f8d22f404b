"""Secrets are masked before anything is kept or told: values that are known first, then what looks like one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

MASK: Final = "[secret]"
SECRET_NAME: Final = re.compile(
    r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH|CUSTOM_HEADERS)(?:_\w+)?\Z", re.IGNORECASE
)
LEAST: Final = 8  # characters; shorter values would mask ordinary words
PATTERNS: Final = re.compile(
    r"sk-ant-[A-Za-z0-9_-]{8,}|sk-[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b|xox[abpr]-[A-Za-z0-9-]{10,}|AIza[0-9A-Za-z_-]{35}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)-----END [A-Z ]*PRIVATE KEY-----"
)


class Redactor:
    """Masks the values of this environment's secrets, and what looks like a key, wherever they stand."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        values = [value for name, value in environ.items() if SECRET_NAME.search(name)]
        values += [line.partition(":")[2].strip() for value in values for line in value.splitlines()]  # headers
        found = {value for value in values if len(value) >= LEAST}
        longest_first = sorted(found, key=lambda value: (-len(value), value))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if found else None

    def text(self, text: str) -> str:
        """``text`` with every secret masked."""
        if self._known:
            text = self._known.sub(MASK, text)
        return PATTERNS.sub(MASK, text)

    def value(self, value: Any) -> Any:
        """``value`` with every string in it masked, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value
