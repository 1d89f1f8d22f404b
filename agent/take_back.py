"""Hardening that an honest candidate would pay for is taken back, case by case and pattern by pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from agent.outcome import Outcome, TaskResult
from skill.case import Case
from skill.evidence import CaseProof
from skill.finding import Finding, Severity
from skill.verifier.patterns import used

TAKEN_BACK: Final = "S406"  # of the line in the report

Redraft = Callable[[str, frozenset[str]], TaskResult]  # a case written anew without some patterns
Prove = Callable[[str], CaseProof]


@dataclass(frozen=True)
class TakeBack:
    """What is needed to try a case with less hardening."""

    redraft: Redraft
    case: Callable[[str], Case]
    honest: Prove  # only the states in which an honest candidate shows
    whole: Prove
    book: Callable[[TaskResult], None]

    def __call__(self, proof: CaseProof) -> CaseProof:
        """``proof``, or that of the case without the patterns that kept its right work from being judged 0.

        Afterwards the case is staged as the proof that is returned saw it. Nothing is taken back for an answer that
        does not come a second time: that was the machine's doing.
        """
        from tools.forging import is_paid_for

        patterns = used(self.case(proof.case).script or b"")
        if not is_paid_for(proof) or not patterns:
            return proof
        if not is_paid_for(self.honest(proof.case)):
            return self.whole(proof.case)
        for without in (frozenset(patterns), *(frozenset((name,)) for name in patterns)):
            self.redraft(proof.case, without)
            helps = not is_paid_for(self.honest(proof.case))
            if len(without) == len(patterns) and not helps:
                break  # not the hardening's doing
            if len(without) < len(patterns) and helps:
                return self._kept(proof.case, without)
        else:
            return self._kept(proof.case, frozenset(patterns))
        self.redraft(proof.case, frozenset())
        return proof

    def _kept(self, name: str, without: frozenset[str]) -> CaseProof:
        """The case without ``without``, staged, booked with a line about it, and proved anew."""
        result = self.redraft(name, without)
        said = f"hardening taken back, since the right work was not judged 0 with it: {', '.join(sorted(without))}"
        note = Finding("tests/test.sh", 0, TAKEN_BACK, Severity.NOTE, said)
        if result.outcome is Outcome.CONVERTED:
            self.book(replace(result, findings=(*result.findings, note)))
        return self.whole(name)
