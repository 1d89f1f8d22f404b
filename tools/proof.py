"""Proof of verifiers: each is run in known states and has to give the answer that the state calls for.

A proof of one state is a pure function of its key (the case's content, the state, the runner, what the setup
adds), so that it can be kept and need not be run twice.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from skill.case import Case
from skill.contract import PASS, SOLVE_SCRIPT
from skill.evidence import NULL, ORACLE, CaseProof, StateResult, Unproved
from skill.suite import read_suite
from tools.errors import CaseUnreadable, WorkspaceError
from tools.pool import ordered
from tools.proof_cache import Answer, ProofCache, case_digest, proof_key
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Prepared, Runner, State, StateRun, timeout_of
from tools.sabotage import sabotages

Plan = Callable[[Case], Iterable[State | Unproved]]


@dataclass(frozen=True)
class ProofEvent:
    """One step of a proof, told as it happens, one at a time."""

    case: str
    state: str
    answer: Answer | None  # None: the state is about to be run
    kept: bool = False  # the answer was known from an earlier run


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
    cache: ProofCache | None = None,
    on_event: Callable[[ProofEvent], None] = lambda event: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[CaseProof]:
    """A proof of each named case (all of the suite without names), in that order, ``jobs`` at a time.

    Whatever keeps a case from being run is the proof's ``unproved_reason``, never an exception. Ends early,
    after the cases under way, once ``stopped`` says so. Raises SuiteError when there is no suite to read.
    """
    known = {case.name: case for case in read_suite(suite_root).cases()}
    names = list(known) if cases is None else list(cases)
    told = threading.Lock()

    def tell(event: ProofEvent) -> None:
        with told:
            on_event(event)

    units = {name: Unit(known[name], runner, cache, tell) for name in names if name in known}
    _announce(list(units.values()), runner)

    def one(name: str) -> CaseProof:
        unit = units.get(name)
        return unit.prove(states) if unit else CaseProof(name, runner.name, (), "the suite has no such case")

    return ordered(one, names, jobs, stopped)


def _announce(units: Sequence[Unit], runner: Runner) -> None:
    """Let the runner share work between cases whose plain states are not known yet."""
    for state in (KNOWN_GOOD, UNTOUCHED):
        able = [unit for unit in units if not unit.hindrance and not unit.kept(state)]
        runner.announce([unit.case for unit in able], [state])


@dataclass(frozen=True)
class Unit:
    """One case on its way to a proof."""

    case: Case
    runner: Runner
    cache: ProofCache | None
    on_event: Callable[[ProofEvent], None]

    @cached_property
    def hindrance(self) -> str:
        """Why the case cannot be run at all; empty when it can be tried."""
        if self.case.config is None:
            return "case.toml is missing or cannot be read"
        if timeout_of(self.case) <= 0 or not self.case.test_cwd or not self.case.agent_cwd:
            return "case.toml lacks test_timeout_seconds, test_cwd or agent_cwd"
        return self._content[1]

    @cached_property
    def _content(self) -> tuple[str, str]:
        """The digest of the case, and why there is none."""
        try:
            return case_digest(self.case), ""
        except CaseUnreadable as error:
            return "", str(error)

    def _key(self, state: State) -> str:
        return proof_key(self._content[0], state, self.runner.version)

    def prove(self, states: Plan) -> CaseProof:
        """The proof of the case, with answers kept from earlier where there are any."""
        if self.hindrance:
            return CaseProof(self.case.name, self.runner.name, (), self.hindrance)
        plan = list(states(self.case))
        unknown = [entry for entry in plan if isinstance(entry, State) and not self.kept(entry)]
        answers: list[Answer] = []
        with self.runner.prepare(self.case, unknown) as prepared:
            for entry in plan:
                answers.append(self._answer(entry, prepared, answers))
        return _proof(self.case.name, self.runner.name, answers)

    def _answer(self, entry: State | Unproved, prepared: Prepared, so_far: Sequence[Answer]) -> Answer:
        """What ``entry`` tells; run only when it is not known and nothing before makes it pointless."""
        if isinstance(entry, Unproved):
            return entry
        kept = self.kept(entry)
        if kept is not None:
            answer = kept
        elif reason := _pointless(entry, so_far):
            answer = Unproved(entry.name, reason)
        else:
            self.on_event(ProofEvent(self.case.name, entry.name, None))
            answer = self._run(entry, prepared)
        self.on_event(ProofEvent(self.case.name, entry.name, answer, kept is not None))
        return answer

    def _run(self, state: State, prepared: Prepared) -> Answer:
        """The answer of a fresh run, kept for later unless it may be the surroundings' doing."""
        answer = _judged(state, prepared.run(state))
        if self.cache and (isinstance(answer, Unproved) or answer.holds):
            with contextlib.suppress(WorkspaceError):
                self.cache.put(self._key(state), answer)
        return answer

    def kept(self, state: State) -> Answer | None:
        """The answer that an earlier run kept."""
        return self.cache.get(self._key(state)) if self.cache else None


def _judged(state: State, run: StateRun) -> Answer:
    """What a run tells: a result, or why it tells nothing."""
    if not run.applies:
        return Unproved(state.name, run.detail)
    if state.excuse and run.exit_code == PASS:
        return Unproved(state.name, state.excuse)
    return run.result(state)


def _pointless(state: State, so_far: Sequence[Answer]) -> str:
    """Why running ``state`` would tell nothing after the answers ``so_far``; empty when it would."""
    results = [answer for answer in so_far if isinstance(answer, StateResult)]
    plain = [result for result in results if result.state in (ORACLE, NULL)]
    if not state.is_plain and plain and all(result.exit_code is None for result in plain):
        return "the case could not be run"
    if state.solved and any(result.state == ORACLE and not result.holds for result in results):
        return "the known good candidate does not pass"
    return ""


def _proof(case: str, runner: str, answers: Sequence[Answer]) -> CaseProof:
    """The answers put together; where no run got as far as a verdict there are no results but a reason."""
    results = tuple(answer for answer in answers if isinstance(answer, StateResult))
    unproved = tuple(answer for answer in answers if isinstance(answer, Unproved))
    if results and all(result.exit_code is None for result in results):
        return CaseProof(case, runner, (), results[0].detail, unproved)
    return CaseProof(case, runner, results, "", unproved)
