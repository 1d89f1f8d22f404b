"""One session over an odd verifier: its surroundings, at most three repairs, and what becomes of its group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

from agent import loop, prompt
from agent.mind import Mind
from agent.odd import OddCase, OddGroup
from agent.odd_apply import Works, apply
from agent.odd_desk import FOLDER, Desk
from agent.odd_row import SessionRow
from agent.outcome import Outcome
from agent.proofs import EVIDENCE
from agent.session import Session
from agent.stop import Reason, Stop
from agent.text import plain
from agent.transcript import Transcript, total
from agent.weight import CONTRARY, UNPROVED, weight, why
from skill.case import Case
from skill.draft import Refused
from skill.evidence import CaseProof
from skill.finding import Finding, Severity
from skill.pass_rule import pass_rule
from skill.skeleton import sealed
from skill.source_evidence import Standing
from tools.depth import Depth
from tools.errors import EngineUnavailable, RunnerError
from tools.fence import fenced
from tools.landing import told_lines
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.runners.base import UNTOUCHED, Runner, State
from tools.steady import steady
from tools.toolbox import Toolbox

SESSIONS: Final = "sessions"  # below the run folder: a transcript each
MAX_REPAIRS: Final = 3
REPAIR: Final = "This is not accepted yet."
NO_PROOF: Final = "none"
COUNTED: Final = re.compile(rb"\$\{?RAN\}?\"?\s*(?:-(?:eq|ge|gt|ne|lt|le)|==?|!=)\s*\"?(?:[2-9]|\d{2,})")
TAIL: Final = 3_000  # characters of a log


class OneSession:
    """One session and what becomes of its group."""

    def __init__(self, works: Works, mind: Mind, group: OddGroup) -> None:
        self.works, self.mind, self.group = works, mind, group
        self.desk = Desk(works.run.path / FOLDER / group.id, group, works.dataset.source, works.choices)
        self.question = ""

    def serve(self) -> tuple[SessionRow, Mapping[str, str]]:
        """The row of the session, and the cases that its verifier does not fit, with the reason of each."""
        if isinstance(self.desk.drafted, Refused):
            return self._refused(None, Stop(Reason.INCOMPLETE, self.desk.drafted.sentence)), {}
        if self.works.runner is None and self.works.options.proof != NO_PROOF:
            return self._refused(None, Stop(Reason.INCOMPLETE, f"nothing could be proved: {self.works.reason}")), {}
        session = self._session()
        try:
            if session.turns == 0 and (hindrance := self._hindrance()):
                return self._refused(None, Stop(Reason.INCOMPLETE, hindrance)), {}
            stop = self._until_accepted(session)
            if stop.reason is Reason.NEEDS_INPUT:
                self.question = f"{self.group.id}: {stop.detail}"
            if stop.reason is not Reason.PROPOSED:
                return self._refused(session, stop), {}
            return self._applied(session)
        finally:
            session.close()

    def _session(self) -> Session:
        path = self.works.run.path / SESSIONS / f"{self.group.id}.jsonl"
        transcript = Transcript(path, self.mind.mask)
        text = self.desk.root / "brief.txt"
        if not (self.desk.is_laid() and text.is_file()):
            transcript.restart()
            self.desk.lay()
            text.write_text(self.desk.brief(), "utf-8")
        setting = f"{self.mind.model.name} {prompt.prefix(self.mind.manifest)}"
        return Session(self.group.id, text.read_text("utf-8"), transcript, setting=setting)

    def _hindrance(self) -> str:
        """Why nothing could be proved whatever was written, found out before anything is paid for."""
        if self.works.runner is None:
            return ""
        name, cache = self.desk.case.name, ProofCache(self.works.run.path / EVIDENCE)
        (proof,) = prove(self.desk.suite, [name], runner=self.works.runner, states=_untouched, cache=cache)
        return "" if proof.results else f"nothing could be proved: {plain(steady(why(proof)))}"

    def _gate(self) -> list[Finding]:
        return self.desk.gate(self.desk.suite, self.desk.case.name)

    def _until_accepted(self, session: Session) -> Stop:
        """The end of the session; PROPOSED means that gates and proof accept what it left."""
        toolbox = self._toolbox()
        while True:
            stop = loop.run(session, self.mind.model, toolbox, self.mind.budget, self.mind.watch)
            if stop.reason is not Reason.PROPOSED:
                return stop
            against = self._against()
            if not against:
                return stop
            if repairs(session) >= MAX_REPAIRS:
                return Stop(Reason.INCOMPLETE, plain(against.splitlines()[0]))
            session.say(f"{REPAIR}\n{against}")

    def _toolbox(self) -> Toolbox:
        return Toolbox(
            self.mind.manifest,
            self.desk.case.ref.root,
            self.desk.suite,
            (self.desk.case.name,),
            self.desk.gate,
            self._runner,
            self.works.options.answers,
            draft=self.desk.draft_again,
            prover=self._proved,
            seal=sealed,
            clean=self.mind.mask,
        )

    def _runner(self) -> Runner:
        """The runner of the run, which stays open."""
        if self.works.runner is None:
            raise EngineUnavailable("proof", "was not asked for")
        return cast(Runner, _Shared(self.works.runner))

    def _against(self) -> str:
        """What gates and proof have against the case as it stands; empty when it is accepted."""
        errors = [one for one in self._gate() if one.severity is Severity.ERROR]
        if errors or self.desk.edit() is None:
            return f"The gates are not clean:\n{told_lines(errors)}"
        if len(self.group.cases) > 1 and (found := COUNTED.search(self.desk.body())):
            return (
                f"{found[0].decode()!r} counts the tests of this case; the other cases of its shape have other numbers"
            )
        if self.works.runner is None:
            return ""
        proof = self._proved(self.desk.suite, self.desk.case.name, self.works.runner)
        if weight(proof) not in (CONTRARY, UNPROVED):
            return self._beside_source(proof)
        logs = [f"--- {r.state}\n{steady(r.log_tail)[-TAIL:]}" for r in proof.results if r.is_contrary and r.log_tail]
        told = f"The proof speaks against it: {plain(steady(why(proof)))}"
        return "\n".join([told, *([fenced("\n".join(logs), "The ends of the logs")] if logs else [])])

    def _proved(self, root: Path, name: str, runner: Runner) -> CaseProof:
        """The proof of the case in depth: a verifier that serves a whole shape is worth it."""
        depth, cache = Depth(deep=True), ProofCache(self.works.run.path / EVIDENCE)
        (proof,) = prove(root, [name], runner=runner, states=depth.states, follow=depth.follow, cache=cache)
        return proof

    def _beside_source(self, proof: CaseProof) -> str:
        """Where the source's own verifier says something else in the plain states; empty when it cannot be asked."""
        from agent import against_source

        assert self.works.runner is not None
        kept, name = self.works.run.path / EVIDENCE, self.desk.case.name
        pair = {name: self.desk.pair(self.desk.suite)}
        states = against_source.states_of(Depth(), pair, kept, self.works.runner)
        rule = pass_rule(self.works.options.pass_if or None)
        try:
            found = list(against_source.judged([proof], pair, rule, self.works.runner, states, kept))
        except RunnerError:
            return ""
        rows = [row for _, against in found for row in against.rows if row.standing is Standing.DIFFERS]
        return "\n".join(
            f"In state {row.state} the source's own verifier says {row.source} (booked {row.booked}), "
            f"this one {row.converted}: {plain(steady(row.detail))}"
            for row in rows
        )

    def _applied(self, session: Session) -> tuple[SessionRow, Mapping[str, str]]:
        edit = self.desk.edit()
        assert edit is not None, "a verifier was accepted"
        done = apply(self.works, self.group, edit, f"session {self.group.id} turn {session.turns}")
        first = self.desk.case.name
        if first in done.left:
            stop = Stop(Reason.INCOMPLETE, done.left.pop(first))
            self._refuse([self.desk.case], session, stop)
        return self._row(session, Stop(Reason.PROPOSED), len(done.converted)), done.left

    def _refused(self, session: Session | None, stop: Stop) -> SessionRow:
        self._refuse(self.group.cases, session, stop)
        return self._row(session, stop, 0)

    def _refuse(self, cases: tuple[OddCase, ...] | list[OddCase], session: Session | None, stop: Stop) -> None:
        """Book the reason why cases stay refused."""
        turns = f" after {session.turns} turns" if session else ""
        for case in cases:
            said = f"{case.result.sentence}; its session {self.group.id} ended{turns}: {stop.reason.value}"
            sentence = plain(f"{said}, {stop.detail}" if stop.detail else said)
            self.works.progress.add(replace(case.result, outcome=Outcome.REFUSED, sentence=sentence))

    def _row(self, session: Session | None, stop: Stop, converted: int) -> SessionRow:
        used = session.usages if session else []
        usd = sum((self.mind.budget.rules.cost(usage) for usage in used), Decimal(0))
        return SessionRow(
            id=self.group.id,
            case=self.desk.case.name,
            cases=len(self.group.cases),
            converted=converted,
            turns=session.turns if session else 0,
            repairs=repairs(session) if session else 0,
            ended=stop.reason.value,
            detail=plain(stop.detail),
            usd=f"{usd:.4f}",
            tokens=total(used).total,
        )


def _untouched(case: Case) -> list[State]:
    return [UNTOUCHED]


def repairs(session: Session) -> int:
    """How often the session was told that its proposal is not accepted."""
    blocks = (block for message in session.messages if message["role"] == "user" for block in message["content"])
    return sum(block["type"] == "text" and block["text"].startswith(REPAIR) for block in blocks)


class _Shared:
    """A runner that somebody else closes."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def close(self) -> None:
        """Nothing: the run goes on with it."""
