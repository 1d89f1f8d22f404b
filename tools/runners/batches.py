"""Work for several cases done in one go: whoever asks first does it, the others wait for their share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from skill.case import Case
from tools.runners.base import State, StateRun

SIZE: Final = 16

RunBatch = Callable[[Sequence[Case], State], Mapping[str, StateRun]]


@dataclass
class _Batch:
    """Cases that share one run of one state."""

    cases: tuple[Case, ...]
    lock: threading.Lock = field(default_factory=threading.Lock)
    runs: Mapping[str, StateRun] | None = None


class Batches:
    """Runs states case by case, or for all the cases announced together."""

    def __init__(self, run: RunBatch) -> None:
        self._run = run
        self._announced: dict[tuple[str, str], _Batch] = {}

    def announce(self, cases: Sequence[Case], state: State) -> None:
        """From now on asking for ``state`` of one of ``cases`` runs it for up to SIZE of them."""
        for start in range(0, len(cases), SIZE):
            batch = _Batch(tuple(cases[start : start + SIZE]))
            self._announced |= {(str(case.root), state.name): batch for case in batch.cases}

    def run(self, case: Case, state: State) -> StateRun:
        """The end of ``state``, from a shared run the first time; a case that it left out is run alone."""
        batch = self._announced.pop((str(case.root), state.name), None)
        shared: StateRun | None = None
        if batch is not None:
            with batch.lock:
                if batch.runs is None:
                    batch.runs = self._run(batch.cases, state)
                shared = batch.runs.get(case.name)
        return shared or self._run((case,), state)[case.name]
