"""Proof of verifiers: each is run in known states and has to give the answer that the state calls for.

A proof of one state is a pure function of its key (the case's content, the state, the runner, what the setup
adds), so that it can be kept and need not be run twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from skill.case import Case
from skill.contract import SOLVE_SCRIPT
from skill.evidence import ORACLE, CaseProof, Unproved
from skill.suite import read_suite
from tools.pool import ordered
from tools.proof_cache import ProofCache
from tools.proof_unit import Follow, Plan, ProofEvent, Unit
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Runner, State
from tools.sabotage import sabotages


def standard_states(case: Case) -> Iterator[State | Unproved]:
    """Known good, untouched, and every kind of sabotage; those that cannot be had say why."""
    if case.read(SOLVE_SCRIPT) is None:
        yield Unproved(ORACLE, "the case has no oracle/solve.sh")
    else:
        yield KNOWN_GOOD
    yield UNTOUCHED
    yield from sabotages(case)


def prove(
    suite_root: Path,
    cases: Sequence[str] | None = None,
    *,
    runner: Runner,
    jobs: int = 1,
    states: Plan = standard_states,
    follow: Follow | None = None,
    cache: ProofCache | None = None,
    on_event: Callable[[ProofEvent], None] = lambda event: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[CaseProof]:
    """A proof of each named case (all of the suite without names), in that order, ``jobs`` at a time.

    ``follow`` adds states that depend on what the reference solution does. Where there are fewer cases than
    jobs, states of one case run side by side. Whatever keeps a case from being run is the proof's
    ``unproved_reason``, never an exception. Ends early, after the states under way, once ``stopped`` says so.
    Raises SuiteError when there is no suite to read.
    """
    known = {case.name: case for case in read_suite(suite_root).cases()}
    names = list(known) if cases is None else list(cases)
    told = threading.Lock()

    def tell(event: ProofEvent) -> None:
        with told:
            on_event(event)

    side_by_side = max(1, jobs // max(1, len(names)))
    units = {name: Unit(known[name], runner, cache, tell, side_by_side, stopped) for name in names if name in known}
    _announce(list(units.values()), runner)

    def one(name: str) -> CaseProof | None:
        unit = units.get(name)
        return unit.prove(states, follow) if unit else CaseProof(name, runner.name, (), "the suite has no such case")

    for proof in ordered(one, names, jobs, stopped):
        if proof is None:
            return
        yield proof


def _announce(units: Sequence[Unit], runner: Runner) -> None:
    """Let the runner share work between cases whose plain states are not known yet."""
    for state in (KNOWN_GOOD, UNTOUCHED):
        able = [unit for unit in units if not unit.hindrance and not unit.kept(state)]
        runner.announce([unit.case for unit in able], [state])
