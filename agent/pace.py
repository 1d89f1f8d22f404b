"""How long the rest of some work will take, told from how long its first part took."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """Counts steps of about the same length; ``clock`` gives seconds."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._started = clock()
        self._done = 0

    def step(self) -> str:
        """One step is done: "3/12, about 4 min left", without an estimate after the last."""
        self._done += 1
        said = f"{self._done}/{self._total}"
        if self._done >= self._total:
            return said
        seconds = (self._clock() - self._started) / self._done * (self._total - self._done)
        return f"{said}, about {_rounded(seconds)} left"


def _rounded(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
