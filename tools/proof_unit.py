"""One case on its way to a proof: which states are run, what is kept, what each answer means."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from skill.case import Case
from skill.contract import PASS
from skill.evidence import FORGERY, MUTANT, NULL, ORACLE, PLANTED, CaseProof, StateResult, Unproved
from skill.work import Work
from tools.errors import CaseUnreadable, WorkspaceError
from tools.pool import ordered
from tools.proof_cache import Answer, ProofCache, case_digest, proof_key, work_key
from tools.runners.base import Prepared, Runner, State, StateRun, timeout_of

Plan = Callable[[Case], Iterable[State | Unproved]]
Follow = Callable[[Case, Work, float], Iterable[State | Unproved]]  # from the solution's work and its seconds
MUTANTS = MUTANT + "any"  # the state that stands for all mutants where there are none
COULD_NOT = "could not run: {}"


@dataclass(frozen=True)
class ProofEvent:
    """One step of a proof, told as it happens, one at a time."""

    case: str
    state: str
    answer: Answer | None  # None: the state is about to be run
    kept: bool = False  # the answer was known from an earlier run


@dataclass(frozen=True)
class Unit:
    """One case on its way to a proof."""

    case: Case
    runner: Runner
    cache: ProofCache | None
    on_event: Callable[[ProofEvent], None]
    side_by_side: int = 1  # states run at the same time
    stopped: Callable[[], bool] = lambda: False

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

    def prove(self, states: Plan, follow: Follow | None = None) -> CaseProof | None:
        """The proof of the case, with answers kept from earlier where there are any; None once it is stopped."""
        if self.hindrance:
            return CaseProof(self.case.name, self.runner.name, (), self.hindrance)
        plan = list(states(self.case))
        unknown = [entry for entry in plan if isinstance(entry, State) and not self.kept(entry)]
        answers: list[Answer] = []
        with self.runner.prepare(self.case, unknown, follow is not None) as prepared:
            plain = [entry for entry in plan if isinstance(entry, State) and entry.is_plain]
            answers += self._answers(plain, prepared, ())
            others = [entry for entry in plan if entry not in plain]
            answers += self._answers(others, prepared, tuple(answers))
            if follow and not self.stopped():
                answers += self._answers(self._following(follow, prepared, answers), prepared, tuple(answers))
        return None if self.stopped() else _proof(self.case.name, self.runner.name, answers)

    def _answers(
        self, entries: Sequence[State | Unproved], prepared: Prepared, before: Sequence[Answer]
    ) -> list[Answer]:
        """What each of ``entries`` tells after the answers ``before``, in their order, then what is closer."""
        states = [entry for entry in entries if isinstance(entry, State)]
        prepared.expect([state for state in states if not self.kept(state) and not _pointless(state, before)])
        found = list(
            ordered(lambda entry: self._answer(entry, prepared, before), entries, self.side_by_side, self.stopped)
        )
        closer = [state for entry, answer in zip(entries, found, strict=False) for state in _closer(entry, answer)]
        return [*found, *(self._answers(closer, prepared, before) if closer else ())]

    def _following(self, follow: Follow, prepared: Prepared, so_far: Sequence[Answer]) -> list[State | Unproved]:
        """The states made from the work of the reference solution; none but a reason where it is not right."""
        right = next((answer for answer in so_far if answer.state == ORACLE), None)
        if isinstance(right, Unproved):
            return [replace(right, state=MUTANTS)]
        if right is None or not right.holds:
            return [Unproved(MUTANTS, "the known good candidate does not pass")]
        work = self._work(prepared)
        if isinstance(work, str):  # it passed a moment ago
            return [Unproved(MUTANTS, COULD_NOT.format(work), could_not_run=True)]
        return list(follow(self.case, work, right.seconds))

    def _work(self, prepared: Prepared) -> Work | str:
        """The work of the reference solution, kept from earlier or seen now, or why it is not known."""
        key = work_key(self._content[0], self.runner.version)
        kept = self.cache.work(key) if self.cache else None
        work = kept or prepared.work()
        if isinstance(work, str):
            work = prepared.work()
        if self.cache and kept is None and isinstance(work, Work):
            with contextlib.suppress(WorkspaceError):
                self.cache.put_work(key, work)
        return work

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
        """The answer of a fresh run, kept for later unless it may be the surroundings' doing.

        What the engine broke off is run once more.
        """
        run = prepared.run(state)
        if run.broken:
            run = prepared.run(state)
        answer = _judged(state, run)
        if isinstance(answer, StateResult) and (_weighs(answer) or answer.is_forged) and run.exit_code is not None:
            answer = _confirmed(state, answer, prepared.trace(state))
        lasting = run.exit_code is not None or not run.applies
        if self.cache and lasting and (isinstance(answer, Unproved) or not _weighs(answer)):
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
    if run.broken or (run.exit_code is None and not state.is_plain):
        return Unproved(state.name, COULD_NOT.format(run.detail), could_not_run=True)
    if state.excuse and run.exit_code == PASS:
        return Unproved(state.name, state.excuse)
    return run.result(state)


def _weighs(answer: StateResult) -> bool:
    """Whether the answer costs the case, or its hardening, something."""
    return answer.is_contrary or answer.is_paid_for


def _confirmed(state: State, first: StateResult, traced: StateRun) -> Answer:
    """An answer against the case, after a second run that started from the image: what both say, else the second."""
    if traced.exit_code == first.exit_code:
        return replace(first, place=traced.place)
    if state.is_plain or traced.exit_code is None:
        return first
    again = _judged(state, traced)
    said = f"; from the kept container it ended with {first.exit_code}"
    return replace(again, detail=again.detail + said) if isinstance(again, StateResult) else again


def _closer(entry: State | Unproved, answer: Answer) -> Sequence[State]:
    """The states to be run because of how ``entry`` ended."""
    if isinstance(entry, Unproved) or isinstance(answer, Unproved):
        return ()
    return () if answer.holds or answer.exit_code in entry.right else entry.closer


def _pointless(state: State, so_far: Sequence[Answer]) -> str:
    """Why running ``state`` would tell nothing after the answers ``so_far``; empty when it would."""
    results = [answer for answer in so_far if isinstance(answer, StateResult)]
    plain = [answer for answer in so_far if answer.state in (ORACLE, NULL) and not _is_lacking(answer)]
    if not state.is_plain and plain and all(_was_not_run(answer) for answer in plain):
        return "the case could not be run"
    if state.solved and any(result.state == ORACLE and not result.holds for result in results):
        return "the known good candidate does not pass"
    if state.name.startswith((FORGERY, PLANTED)) and any(
        result.state == NULL and not result.holds for result in results
    ):
        return "the untouched workspace is not judged 1"
    return ""


def _is_lacking(answer: Answer) -> bool:
    """Whether the state does not exist for the case."""
    return isinstance(answer, Unproved) and not answer.could_not_run


def _was_not_run(answer: Answer) -> bool:
    return isinstance(answer, Unproved) or answer.exit_code is None


def _proof(case: str, runner: str, answers: Sequence[Answer]) -> CaseProof:
    """The answers put together; where no run got as far as a verdict there are no results but a reason."""
    results = tuple(answer for answer in answers if isinstance(answer, StateResult))
    unproved = tuple(answer for answer in answers if isinstance(answer, Unproved))
    if all(result.exit_code is None for result in results):
        gap = next((row.reason for row in unproved if row.could_not_run), "")
        return CaseProof(case, runner, (), results[0].detail if results else gap, unproved)
    return CaseProof(case, runner, results, "", unproved)
