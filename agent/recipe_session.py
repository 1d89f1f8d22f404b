"""The session that writes the recipe of a source: its tools, at most three repairs, and what it leaves."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Final

from agent import prompt
from agent.mind import Mind
from agent.odd_proof import objection
from agent.odd_row import SessionRow
from agent.odd_session import SESSIONS
from agent.recipe_desk import OWN, Desk
from agent.recipe_draft import Drafting
from agent.recipe_proof import CaseProver
from agent.recipes import shipped
from agent.repairs import repairs, until_accepted
from agent.session import Session
from agent.stop import Stop
from agent.text import plain
from agent.transcript import Transcript, total
from tools.errors import EngineUnavailable
from tools.fence import fenced
from tools.toolbox import Toolbox
from tools.workbench import Own, Proved

ID: Final = "recipe"


class RecipeSession:
    """The one session over a source of no known framework."""

    def __init__(self, drafting: Drafting, mind: Mind, prover: CaseProver | None) -> None:
        self.drafting, self.mind, self.prover = drafting, mind, prover

    @property
    def desk(self) -> Desk:
        """Where it works."""
        return self.drafting.desk

    def serve(self, brief: str) -> tuple[SessionRow, Stop]:
        """How it ended; PROPOSED means that gates and proof accept what the recipe at the desk makes."""
        session = self._opened(brief)
        try:
            stop = until_accepted(session, self.mind, self._toolbox(), self._against)
            return self._row(session, stop), stop
        finally:
            session.close()

    def _opened(self, brief: str) -> Session:
        transcript = Transcript(self.drafting.run.path / SESSIONS / f"{ID}.jsonl", self.mind.mask)
        if not self.desk.is_laid(brief):
            if not self.desk.has_brief:  # what a session of this transcript did is gone
                transcript.restart()
            self.desk.lay(brief)
        return Session(ID, brief, transcript, setting=f"{self.mind.model.name} {prompt.prefix(self.mind.manifest)}")

    def _toolbox(self) -> Toolbox:
        desk = self.desk
        shelf = next((folder.parent.parent for folder in shipped().values()), None)
        return Toolbox(
            self.mind.manifest,
            desk.source,
            desk.suite,
            desk.names,
            desk.gate,
            self.drafting.options.answers,
            prover=self._proved,
            own=Own(OWN, self.drafting.again, desk.errors),
            shelf=shelf,
            clean=self.mind.mask,
        )

    def _proved(self, root: Path, name: str) -> Proved:
        """What the `margin_run` tool asks."""
        if self.prover is None:
            raise EngineUnavailable("proof", "was not asked for")
        return self.prover.proved(root, name)

    def _against(self) -> str:
        """What speaks against the recipe, once gates have nothing against its cases; empty when it is accepted."""
        last = self.desk.last
        if last.left > last.converted:
            return f"It converts {last.converted} records and leaves {last.left} out; see what `draft` says of them"
        for name in last.cases if self.prover else ():
            said, words = objection(self._proved(self.desk.suite, name))
            if said:
                told = [f"{name}: {said}", *([fenced(words, "What verifier and runner said")] if words else [])]
                return "\n".join(told)
        return ""

    def _row(self, session: Session, stop: Stop) -> SessionRow:
        """The session in the report; what it came to is counted when its recipe was applied."""
        usd = sum((self.mind.budget.rules.cost(usage) for usage in session.usages), Decimal(0))
        return SessionRow(
            id=ID,
            case=next(iter(self.desk.names()), ""),
            model=self.mind.model.name,
            cases=0,
            converted=0,
            turns=session.turns,
            repairs=repairs(session),
            ended=stop.reason.value,
            detail=plain(stop.detail),
            usd=f"{usd:.4f}",
            tokens=total(session.usages).total,
        )
