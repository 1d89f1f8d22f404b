"""The proof of what a session wrote: in depth, and beside the source's own verifier where that tells something."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from agent.odd_desk import Desk
from agent.proofs import EVIDENCE
from agent.text import plain
from agent.weight import CONTRARY, UNPROVED, weight, why
from skill.case import Case
from skill.evidence import SABOTAGE, CaseProof
from skill.pass_rule import pass_rule
from skill.source_evidence import Agreement, Standing
from tools.depth import Depth
from tools.errors import RunnerError
from tools.margin_run import said_wrong
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.runners.base import UNTOUCHED, Runner, State
from tools.steady import steady
from tools.workbench import Proved


class Prover(Protocol):
    """What a session's verifier is held against."""

    def hindrance(self, desk: Desk) -> str:
        """Why nothing could be proved whatever was written; empty when something can be."""
        ...

    def proved(self, desk: Desk, root: Path) -> Proved:
        """What is known about the desk's case as it stands in the suite ``root``."""
        ...


class ContainerProver:
    """Runs verifiers in containers; answers are kept below ``run``, so that none is had twice."""

    def __init__(self, runner: Runner, run: Path, pass_if: str) -> None:
        self._runner, self._kept, self._rule = runner, run / EVIDENCE, pass_rule(pass_if or None)

    def hindrance(self, desk: Desk) -> str:
        """Found out with the untouched case, before anything is paid for."""
        cache = ProofCache(self._kept)
        (proof,) = prove(desk.suite, [desk.case.name], runner=self._runner, states=_untouched, cache=cache)
        return "" if proof.results else plain(steady(why(proof)))

    def proved(self, desk: Desk, root: Path) -> Proved:
        """The proof in depth, since a verifier that serves a whole shape is worth it."""
        proof = in_depth(self._runner, root, desk.case.name, self._kept)
        if weight(proof) in (CONTRARY, UNPROVED):
            return Proved(proof)
        return Proved(proof, self._beside_source(desk, root, Proved(proof)))

    def _beside_source(self, desk: Desk, root: Path, proved: Proved) -> tuple[Agreement, ...]:
        """The states in which the source's own verifier says something else; none when it cannot be asked."""
        from agent import against_source

        pair = {desk.case.name: desk.pair(root)}
        every = against_source.states_of(Depth(deep=True), pair, self._kept, self._runner)

        def states(proof: CaseProof) -> list[State]:
            return worth_asking(proof, every(proof))

        try:
            found = list(against_source.judged([proved.proof], pair, self._rule, self._runner, states, self._kept))
        except RunnerError:
            return ()
        return tuple(row for _, against in found for row in against.rows if row.standing is Standing.DIFFERS)


def in_depth(runner: Runner, root: Path, name: str, kept: Path) -> CaseProof:
    """The deep proof of the case ``name`` in the suite ``root``; what is ``kept`` is not asked for again."""
    depth, cache = Depth(deep=True), ProofCache(kept)
    (proof,) = prove(root, [name], runner=runner, states=depth.states, follow=depth.follow, cache=cache)
    return proof


def worth_asking(proof: CaseProof, states: Iterable[State]) -> list[State]:
    """The ``states`` in which the source is asked as well: the plain ones, common sabotage, and all that passed.

    What passes without being right may be the source's own weakness. Where the source does not pass it, the session
    has opened what the source withstands.
    """
    passed = {result.state for result in proof.results if result.is_survivor}
    return [state for state in states if state.is_plain or state.name.startswith(SABOTAGE) or state.name in passed]


def _untouched(case: Case) -> list[State]:
    return [UNTOUCHED]


def objection(proved: Proved) -> tuple[str, str]:
    """What a proof has against a verifier, in words of ours and in those of others; both empty when nothing."""
    proof, differs = proved.proof, proved.differs
    if weight(proof) in (CONTRARY, UNPROVED):
        wrong = [r.state for r in proof.results if r.is_contrary]
        said = f"The proof speaks against it: {', '.join(wrong)}" if wrong else "The proof shows nothing for it"
    elif differs:
        states = ", ".join(f"{row.state} ({row.source or 'nothing'}, this one {row.converted})" for row in differs)
        said = f"The source's own verifier says something else: {states}"
    else:
        return "", ""
    return said, "\n".join(said_wrong(proved)) or plain(steady(why(proof)))
