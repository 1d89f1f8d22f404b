"""What differs from run to run in a log, replaced by a name for it, so that equal runs give equal text."""

from __future__ import annotations

import re
from typing import Final

_RULES: Final = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"\x1b\[[0-9;?]*[A-Za-z]", ""),
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", "TIME"),
        (r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b", "TIME"),
        (r"(?<![\w.])\d+(?:\.\d+)?(?= ?(?:s|ms|us|ns|sec|secs|seconds|milliseconds)\b)", "N"),
        (r"\b0x[0-9a-f]{6,16}\b", "0xN"),
        (r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", "DIGEST"),
        (r"(?<![\w-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12}(?![\w-])", "ID"),
        (r"/tmp/[A-Za-z0-9_.-]*(?:tmp|pytest|XX)[A-Za-z0-9_.-]*", "/tmp/NAME"),
        (r"(?i)\b(pid|process|port)([ =:]+)\d+", r"\1\2N"),
    )
)


def steady(text: str) -> str:
    """``text`` without clocks, durations, addresses, container ids and temporary names."""
    for pattern, name in _RULES:
        text = pattern.sub(name, text)
    return text.replace("\r\n", "\n").replace("\r", "\n")
