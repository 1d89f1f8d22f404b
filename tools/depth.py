"""How deep a proof goes: which states it has, beside the plain ones and the common sabotage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from skill.case import Case
from skill.contract import SOLVE_SCRIPT
from skill.evidence import ORACLE, CaseProof, Unproved
from skill.work import Work
from tools.forging import battery
from tools.mutants import LIMIT, mutants, plants
from tools.proof import standard_states
from tools.proof_cache import ProofCache, case_digest, work_key
from tools.proof_unit import Follow
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, State
from tools.sabotage_deep import deep_sabotages


@dataclass(frozen=True)
class Depth:
    """What is asked of a proof; a frozen value, the same states for the same case whenever it is asked."""

    deep: bool = False
    repeat: int = 1  # how often each plain state is run
    limit: int = LIMIT  # mutants of a case
    forge: bool = False  # the battery of forgeries, which a deep proof has anyway

    def states(self, case: Case) -> Iterator[State | Unproved]:
        """The states that need nothing but the case."""
        yield from standard_states(case)
        for turn in range(1, self.repeat):
            if case.read(SOLVE_SCRIPT) is not None:
                yield replace(KNOWN_GOOD, turn=turn)
            yield replace(UNTOUCHED, turn=turn)
        if self.deep:
            yield from deep_sabotages(case)
            yield from plants(case)
        if self.deep or self.forge:
            yield from battery(case)

    @property
    def follow(self) -> Follow | None:
        """What makes states from the work of the reference solution; None when they are not asked for."""
        return partial(_follow, self.limit) if self.deep else None

    def proved(self, case: Case, proof: CaseProof, cache: ProofCache, runner_version: str) -> list[State]:
        """The states that ``proof`` has a result of, to be run by somebody else too."""
        work = cache.work(work_key(case_digest(case), runner_version)) if self.deep else None
        seconds = next((result.seconds for result in proof.results if result.state == ORACLE), 0.0)
        entries = [*self.states(case), *(mutants(case, work, seconds, self.limit) if work else ())]
        names = {result.state for result in proof.results}
        listed = [state for entry in entries if isinstance(entry, State) for state in (entry, *entry.closer)]
        return [state for state in listed if state.name in names and not state.turn]


def _follow(limit: int, case: Case, work: Work, seconds: float) -> Iterator[State | Unproved]:
    return mutants(case, work, seconds, limit)
