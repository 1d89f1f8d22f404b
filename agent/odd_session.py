"""One session over an odd verifier: its surroundings, at most three repairs, and what becomes of its group."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Final

from agent import prompt
from agent.mind import Mind
from agent.odd import OddCase, OddGroup
from agent.odd_apply import Works, apply
from agent.odd_desk import FOLDER, Desk
from agent.odd_proof import objection
from agent.odd_row import SessionRow
from agent.outcome import Outcome
from agent.repairs import repairs, until_accepted
from agent.session import Session
from agent.stop import Reason, Stop
from agent.text import plain
from agent.transcript import Transcript, total
from skill.draft import Refused
from skill.finding import Finding, Severity
from skill.skeleton import sealed
from tools.errors import EngineUnavailable
from tools.fence import fenced
from tools.landing import told_lines
from tools.toolbox import Toolbox
from tools.workbench import Proved

SESSIONS: Final = "sessions"  # below the run folder: a transcript each
NO_PROOF: Final = "none"
COUNTED: Final = re.compile(rb"\$\{?RAN\}?\"?\s*(?:-(?:eq|ge|gt|ne|lt|le)|==?|!=)\s*\"?(?:[2-9]|\d{2,})")


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
        if self.works.prover is None and self.works.options.proof != NO_PROOF:
            return self._refused(None, Stop(Reason.INCOMPLETE, f"nothing could be proved: {self.works.reason}")), {}
        session = self._session()
        try:
            if session.turns == 0 and (hindrance := self._hindrance()):
                return self._refused(None, Stop(Reason.INCOMPLETE, hindrance)), {}
            stop = until_accepted(session, self.mind, self._toolbox(), self._against)
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
        found = self.works.prover.hindrance(self.desk) if self.works.prover else ""
        return f"nothing could be proved: {found}" if found else ""

    def _gate(self) -> list[Finding]:
        return self.desk.gate(self.desk.suite, self.desk.case.name)

    def _toolbox(self) -> Toolbox:
        return Toolbox(
            self.mind.manifest,
            self.desk.case.ref.root,
            self.desk.suite,
            (self.desk.case.name,),
            self.desk.gate,
            self.works.options.answers,
            draft=self.desk.draft_again,
            prover=self._proved,
            seal=sealed,
            clean=self.mind.mask,
        )

    def _proved(self, root: Path, name: str) -> Proved:
        """What the `margin_run` tool asks; the session has one case."""
        if self.works.prover is None:
            raise EngineUnavailable("proof", "was not asked for")
        return self.works.prover.proved(self.desk, root)

    def _against(self) -> str:
        """What gates and proof have against the case as it stands; empty when it is accepted."""
        errors = [one for one in self._gate() if one.severity is Severity.ERROR]
        if errors or self.desk.edit() is None:
            return f"The gates are not clean:\n{told_lines(errors)}"
        if len(self.group.cases) > 1 and (found := COUNTED.search(self.desk.body())):
            return (
                f"{found[0].decode()!r} counts the tests of this case; the other cases of its shape have other numbers"
            )
        if self.works.prover is None:
            return ""
        said, words = objection(self.works.prover.proved(self.desk, self.desk.suite))
        return "\n".join([said, *([fenced(words, "What verifier and runner said")] if words else [])])

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
            model=self.mind.model.name,
            cases=len(self.group.cases),
            converted=converted,
            turns=session.turns if session else 0,
            repairs=repairs(session) if session else 0,
            ended=stop.reason.value,
            detail=plain(stop.detail),
            usd=f"{usd:.4f}",
            tokens=total(used).total,
        )
