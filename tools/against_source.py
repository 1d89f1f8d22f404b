"""Converted verifiers against their sources: the source's own is run in the same states, and both are compared."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skill.agreement import agreements
from skill.comparison import Comparison
from skill.evidence import ORACLE, CaseProof
from skill.pass_rule import PassRule
from skill.source_evidence import AgainstSource, SourceRun, run_from_dict
from skill.suspects import suspects
from tools.errors import WorkspaceError
from tools.proof_cache import place_of
from tools.runners.base import State
from tools.source_judges.base import Carried, SourceJudge, SourcePrepared, carried_over, source_key, task_digest
from tools.workspace import Workspace

NO_SOLUTION = "the source's verifier does not pass the source's own solution"


class SourceCache:
    """A folder of what sources said, one small file each; a torn or foreign file is no answer."""

    def __init__(self, root: Path) -> None:
        """Makes ``root`` when it is not there."""
        root.mkdir(parents=True, exist_ok=True)
        self._root = root

    def get(self, key: str) -> SourceRun | None:
        """The kept run."""
        try:
            return run_from_dict(json.loads((self._root / place_of(key)).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, run: SourceRun) -> None:
        """Keep ``run`` where that is possible."""
        with contextlib.suppress(WorkspaceError), Workspace(self._root) as workspace:
            workspace.write(place_of(key), json.dumps(run.to_dict()).encode())


@dataclass(frozen=True)
class Bench:
    """What all cases of one comparison share."""

    judge: SourceJudge
    rule: PassRule
    cache: SourceCache | None = None
    on_state: Callable[[str, str], None] = lambda case, state: None


def compare(
    proofs: Iterable[CaseProof],
    pairs: Mapping[str, Comparison],
    states: Callable[[CaseProof], Iterable[State]],
    bench: Bench,
) -> Iterator[tuple[CaseProof, AgainstSource]]:
    """Each proof with its case's comparison; ``pairs`` are the cases beside their source tasks, by name.

    ``states`` gives the states that a proof has results of. What keeps a source from being run is a reason in
    the comparison, never an exception.
    """
    for proof in proofs:
        yield proof, _one(proof, pairs.get(proof.case), states, bench)


def _one(
    proof: CaseProof, pair: Comparison | None, states: Callable[[CaseProof], Iterable[State]], bench: Bench
) -> AgainstSource:
    framework = bench.judge.name
    if pair is None or pair.task is None:
        return AgainstSource(proof.case, framework, reason="the source has no such task any more")
    if not proof.results:
        return AgainstSource(proof.case, framework, reason=proof.unproved_reason or "the case was not proved")
    runs, reasons = _runs(pair, list(states(proof)), bench)
    rows = tuple(agreements(runs, proof.results, bench.rule, reasons))
    found = AgainstSource(proof.case, framework, rows)
    return AgainstSource(proof.case, framework, rows, "", suspects(pair)) if found.differs else found


def _runs(pair: Comparison, states: list[State], bench: Bench) -> tuple[list[SourceRun], dict[str, str]]:
    """The source's run in each state that it can be brought into, and why it cannot be in the others."""
    assert pair.task is not None
    try:
        digest = task_digest(pair.task)
    except OSError as error:
        return [], {state.name: f"the source cannot be read: {error.strerror}" for state in states}
    sitting = _Sitting(pair, digest, bench)
    reasons: dict[str, str] = {}
    wanted: list[Carried] = []
    for state in states:
        own = carried_over(pair.task, pair.case, state)
        if isinstance(own, str):
            reasons[state.name] = own
        else:
            wanted.append(own)
    unknown = [own for own in wanted if sitting.kept(own) is None]
    with bench.judge.prepare(pair.task, pair.case, unknown) as prepared:
        runs = [sitting.run(own, prepared) for own in wanted]
    return runs, reasons


@dataclass
class _Sitting:
    """One source task before its judge."""

    pair: Comparison
    digest: str
    bench: Bench
    fails_solution: bool = False  # known once the known good state was run

    def _key(self, own: Carried) -> str:
        return source_key(self.digest, own, self.bench.judge.version, built=not self.pair.case.image)

    def kept(self, own: Carried) -> SourceRun | None:
        """What an earlier comparison kept."""
        return self.bench.cache.get(self._key(own)) if self.bench.cache else None

    def run(self, own: Carried, prepared: SourcePrepared) -> SourceRun:
        """The source in a state: kept, run now, or not run because its own solution fails already."""
        run, state = self.kept(own), own.state
        if run is None and self.fails_solution and state.solved and not state.is_plain:
            return SourceRun(state.name, detail=NO_SOLUTION)
        if run is None:
            self.bench.on_state(self.pair.case.name, state.name)
            run = prepared.run(own)
            self._keep(own, run)
        if state.name == ORACLE:
            self.fails_solution = not self._passes(run)
        return run

    def _keep(self, own: Carried, run: SourceRun) -> None:
        """Keep what the surroundings had no part in: nothing of a source that fails its own solution."""
        sound = not self.fails_solution and (own.state.name != ORACLE or self._passes(run))
        if self.bench.cache and run.booking is not None and sound:
            self.bench.cache.put(self._key(own), run)

    def _passes(self, run: SourceRun) -> bool:
        return run.booking is not None and self.bench.rule.judge(run.booking) == "pass"
