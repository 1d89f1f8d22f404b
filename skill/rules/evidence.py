"""Rules about what the proofs of a case showed: SC9xx.

Findings point at the line where the verifier ended, where that was seen, else at the case's folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skill.contract import CASES_DIR, INFRA
from skill.evidence import (
    FORGERY,
    INERT,
    MUTANT,
    NULL,
    ORACLE,
    PLANTED,
    SABOTAGE,
    CaseProof,
    StateResult,
    expected_exit,
)
from skill.finding import Severity
from skill.forgeries import Forgery, all_forgeries
from skill.rules.base import Defect, Family

EVIDENCE: Family[CaseProof] = Family("evidence")

_PLACE = re.compile(r"(?P<path>[^:]+):(?P<line>\d+): (?P<text>.*)")


@EVIDENCE.defect("SC901", "oracle-does-not-pass", basis="contract 2.7")
def oracle_does_not_pass(proof: CaseProof) -> Iterator[Defect]:
    """The verifier does not pass the reference solution.

    Either the conversion changed what is graded, or the source's own solution is wrong.
    Right: exit 0 after oracle/solve.sh.
    """
    for result in _in_state(proof, ORACLE):
        if result.exit_code != 0:
            said = f"the reference solution ended {_ended(result)}, expected 0"
            yield _at(proof, said, "read the log of the run", result)


@EVIDENCE.defect("SC902", "untouched-workspace-passes", basis="contract 2.7")
def untouched_workspace_passes(proof: CaseProof) -> Iterator[Defect]:
    """The verifier passes a workspace in which nothing was done.

    Such a case gives every agent its point.
    Right: exit 1 on the untouched workspace.
    """
    for result in _in_state(proof, NULL):
        if result.exit_code == 0:
            said = "nothing was done and the verifier said 0"
            yield _at(proof, said, "look for a masked failure in the verifier", result)


@EVIDENCE.defect("SC903", "untouched-workspace-is-infra", basis="contract 2.7")
def untouched_workspace_is_infra(proof: CaseProof) -> Iterator[Defect]:
    """The verifier gives no verdict on a workspace in which nothing was done.

    An agent that does nothing has failed; Margin would report the infrastructure and run the case again.
    Right: exit 1 on the untouched workspace.
    """
    for result in _in_state(proof, NULL):
        if result.exit_code not in (0, 1):
            said = f"nothing was done and the run ended {_ended(result)}, expected 1"
            yield _at(proof, said, "blame the candidate", result)


@EVIDENCE.defect("SC904", "broken-footing-is-blamed", basis="W14")
def broken_footing_is_blamed(proof: CaseProof) -> Iterator[Defect]:
    """The verifier gives a verdict although its own footing was taken away.

    A missing tool or test file is nobody's failure; saying 0 or 1 then is a guess.
    Right: exit 2 whenever the verifier itself is broken.
    """
    for result in proof.results:
        if result.state.startswith(SABOTAGE) and result.exit_code != 2:
            said = f"with {result.state.removeprefix(SABOTAGE)} the run ended {_ended(result)}, expected 2"
            yield _at(proof, said, "check the footing first", result)


@EVIDENCE.defect("SC905", "no-evidence", basis="D18", severity=Severity.WARNING)
def no_evidence(proof: CaseProof) -> Iterator[Defect]:
    """Nothing was run for this case.

    It is called unproved, with the reason; that is no defect of the case itself.
    Right: `prove` on a machine where the image can be had.
    """
    if not proof.results:
        yield _at(proof, f"unproved: {proof.unproved_reason or 'no run'}", "run prove on this case")


@EVIDENCE.defect("SC906", "partial-evidence", basis="D18", severity=Severity.WARNING)
def partial_evidence(proof: CaseProof) -> Iterator[Defect]:
    """One of the three states was not run, or the engine kept another from being run.

    Only all three together tell a verifier that judges from one that always says the same.
    Right: oracle, null and at least one sabotage, and every state that was asked for and applies.
    """
    ran = {result.state.partition(":")[0] for result in proof.results}
    missing = [state for state in (ORACLE, NULL, SABOTAGE.rstrip(":")) if state not in ran]
    if proof.results and missing:
        reasons = {row.state.partition(":")[0]: row.reason for row in proof.unproved}
        said = "; ".join(f"{state}: {reasons.get(state, 'not run')}" for state in missing)
        yield _at(proof, f"not proved in every state ({said})", "run the missing states")
    elif proof.results and proof.gaps:
        said = "; ".join(f"{row.state}: {row.reason}" for row in proof.gaps)
        yield _at(proof, f"not proved in every state ({said})", "prove the case again: the engine was at fault")


@EVIDENCE.defect("SC907", "expectation-differs", basis="D18")
def expectation_differs(proof: CaseProof) -> Iterator[Defect]:
    """A result expects another exit status than its state calls for.

    Evidence that was made with the wrong yardstick proves nothing.
    Right: 0 for the oracle, 1 for null, mutants and forgeries, 2 for every sabotage.
    """
    for result in proof.results:
        try:
            if result.expected != expected_exit(result.state):
                yield _at(proof, f"{result.state} was held against {result.expected}", "prove the case again")
        except ValueError as error:
            yield _at(proof, str(error), "prove the case again")


@EVIDENCE.defect("SC908", "verdict-differs", basis="D18")
def verdict_differs(proof: CaseProof) -> Iterator[Defect]:
    """The same state was judged differently in several runs.

    A flaky verifier gives and takes points by chance.
    Right: the same exit status however often a state is run (`prove --repeat N`).
    """
    for state in (ORACLE, NULL):
        ends = [_code(result) for result in _in_state(proof, state)]
        if len(set(ends)) > 1:
            said = f"{state} was run {len(ends)} times and ended with {', '.join(ends)}"
            yield _at(proof, said, "find what depends on time, order or chance")


@EVIDENCE.defect("SC909", "wrong-candidate-is-infra", basis="D17")
def wrong_candidate_is_infra(proof: CaseProof) -> Iterator[Defect]:
    """The verifier gives no verdict on a candidate that is wrong.

    Margin would report the infrastructure and run the case again: an escape from failing.
    Right: exit 1 for work that is broken, missing, hanging, crashing or forged.
    """
    for result in proof.results:
        if result.state.startswith((MUTANT, FORGERY)) and result.is_contrary:
            yield _at(proof, f"{result.state} ended {_ended(result)}, expected 1", "blame the candidate", result)


@EVIDENCE.defect("SC910", "mutants-survive", basis="D17", severity=Severity.NOTE)
def mutants_survive(proof: CaseProof) -> Iterator[Defect]:
    """The right work was broken in one place and the verifier still passes it.

    That measures the source's own tests, which a conversion keeps as they are; it is never held against it.
    Right: nothing has to be done; compare `prove --source` before relying on the case.
    """
    ran = list(_in_family(proof, MUTANT))
    passed = [result.state.removeprefix(MUTANT) for result in ran if result.is_survivor]
    if passed:
        yield _at(proof, f"{len(passed)} of {len(ran)} wrong candidates pass: {'; '.join(passed)}", "")


@EVIDENCE.defect("SC911", "forgery-passes", basis="D17", severity=Severity.WARNING)
def forgery_passes(proof: CaseProof) -> Iterator[Defect]:
    """A candidate that did no right work and only looks like a pass is passed.

    Whoever finds the trick gets the point; whether the source can be tricked the same way is for a person to see.
    Right: exit 1; a pass needs a complete, fresh report that the candidate could not have written.
    """
    lost = {_path(result.state) for result in _in_family(proof, f"{MUTANT}removed ") if result.is_survivor}
    for result in _in_family(proof, FORGERY):
        if result.is_survivor and (not _path(result.state) or _path(result.state) not in lost):
            said = f"{result.state.removeprefix(FORGERY)} was judged 0"
            yield _at(proof, said, "ask for evidence that the candidate cannot write", result)


@EVIDENCE.defect("SC912", "planted-forgery-passes", basis="D17")
def planted_forgery_passes(proof: CaseProof) -> Iterator[Defect]:
    """Nothing was done but to plant a forgery of the catalogue, and the verifier passes it or ends in no verdict.

    The trick needs nothing that is special to the task, so every candidate can have the point.
    Right: exit 1; `forgeries CODE` says what falls for it and what stops it.
    """
    for result in _in_family(proof, PLANTED):
        if result.is_contrary and not _is_bundle(proof, result):
            yield _at(proof, f"{_planted(result)} ended {_ended(result)}, expected 1", _cure(result), result)


@EVIDENCE.defect("SC913", "planted-forgery-is-infra", basis="D17", severity=Severity.WARNING)
def planted_forgery_is_infra(proof: CaseProof) -> Iterator[Defect]:
    """A planted forgery keeps the verifier from judging what it would have failed.

    The candidate escapes a fail; a report that leaves infra out of its count rewards it.
    Right: exit 1, unless the same can come about without the candidate, as an index that cannot be reached.
    """
    for result in _in_family(proof, PLANTED):
        escapes = result.exit_code == INFRA and not all(INFRA in row.verdicts for row in _forgeries(result))
        if escapes and not _is_bundle(proof, result):
            yield _at(proof, f"{_planted(result)} ended {_ended(result)}, expected 1", _cure(result), result)


@EVIDENCE.defect("SC914", "inert-plant-fails", basis="D17", severity=Severity.WARNING)
def inert_plant_fails(proof: CaseProof) -> Iterator[Defect]:
    """The right candidate fails once the files that forgeries plant lie there with harmless content.

    Either the verifier is too strict, or the source's own tests ask that nothing is added to the workspace.
    Right: exit 0; a hardening pattern that costs an honest candidate the point is taken back.
    """
    for result in _in_family(proof, INERT):
        if not result.holds:
            yield _at(proof, f"with harmless files beside it the right work ended {_ended(result)}", "", result)


def _forgeries(result: StateResult) -> list[Forgery]:
    """The rows of the catalogue that a state planted."""
    codes = re.findall(r"\bFG\d\d\b", result.state)
    return [row for row in all_forgeries() if row.code in codes]


def _is_bundle(proof: CaseProof, result: StateResult) -> bool:
    """Whether single forgeries of a bundle were run after it and tell what it told."""
    codes = {row.code for row in _forgeries(result)}
    closer = [
        other for other in proof.results if other is not result and {row.code for row in _forgeries(other)} < codes
    ]
    return any(other.exit_code == result.exit_code for other in closer)


def _planted(result: StateResult) -> str:
    return result.state.removeprefix(PLANTED)


def _cure(result: StateResult) -> str:
    """What the catalogue says against a forgery."""
    for row in _forgeries(result):
        for line in row.page.splitlines():
            if line.startswith("Stopped by: "):
                return line.removeprefix("Stopped by: ").rstrip(".")
    return "blame the candidate"


def _path(state: str) -> str:
    """The file that a mutant or forgery replaced; empty when it only added something."""
    return state.partition(" ")[2]


def _in_state(proof: CaseProof, state: str) -> Iterator[StateResult]:
    """The results of one state."""
    return (result for result in proof.results if result.state == state)


def _in_family(proof: CaseProof, prefix: str) -> Iterator[StateResult]:
    """The results of all states whose names start alike."""
    return (result for result in proof.results if result.state.startswith(prefix))


def _code(result: StateResult) -> str:
    """The exit status in words."""
    return "none" if result.exit_code is None else str(result.exit_code)


def _ended(result: StateResult) -> str:
    """How a run ended, for a message."""
    how = "without an exit status" if result.exit_code is None else f"with {result.exit_code}"
    return f"{how} ({result.detail})" if result.detail else how


def _at(proof: CaseProof, message: str, fix: str, result: StateResult | None = None) -> Defect:
    """A defect at the line where the verifier ended in ``result``, else of the case as a whole."""
    found = _PLACE.match(result.place) if result else None
    if found is None:
        return Defect(f"{CASES_DIR}/{proof.case}", 0, message, fix)
    said = f"{message}; let through by: {found['text']}"
    return Defect(f"{CASES_DIR}/{proof.case}/{found['path']}", int(found["line"]), said, fix)
