"""The same call with the same result, again: told once, then the end of the session."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Final

from agent.messages import Call

TOLD_FROM: Final = 3  # the third identical call is answered with an error that says so
STOPS_AT: Final = 5


class Repetition:
    """Counts identical calls with identical results; unknown tools and bad arguments count like all others."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def seen(self, key: str) -> int:
        """Count one more call with this key and say how many there were."""
        self._seen[key] += 1
        return self._seen[key]


def key_of(call: Call, result: str) -> str:
    """What makes two calls identical: tool, arguments and result."""
    whole = json.dumps([call.name, call.input, result], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()


def warning(call: Call, times: int) -> str:
    """What the model is told instead of the same result once more."""
    return (
        f"repeated: this is call number {times} of {call.name} with the same arguments and the same result; it is "
        f"further up, unchanged. At {STOPS_AT} the session ends. Do something else, or end your turn."
    )
