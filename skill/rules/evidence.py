"""Rules about what the proofs of a case showed: SC9xx. Findings point at the case's folder."""

from __future__ import annotations

from collections.abc import Iterator

from skill.contract import CASES_DIR
from skill.evidence import NULL, ORACLE, SABOTAGE, CaseProof, StateResult, expected_exit
from skill.finding import Severity
from skill.rules.base import Defect, Family

EVIDENCE: Family[CaseProof] = Family("evidence")


@EVIDENCE.defect("SC901", "oracle-does-not-pass", basis="contract 2.7")
def oracle_does_not_pass(proof: CaseProof) -> Iterator[Defect]:
    """The verifier does not pass the reference solution.

    Either the conversion changed what is graded, or the source's own solution is wrong.
    Right: exit 0 after oracle/solve.sh.
    """
    for result in _in_state(proof, ORACLE):
        if result.exit_code != 0:
            yield _at(proof, f"the reference solution ended {_ended(result)}, expected 0", "read the log of the run")


@EVIDENCE.defect("SC902", "untouched-workspace-passes", basis="contract 2.7")
def untouched_workspace_passes(proof: CaseProof) -> Iterator[Defect]:
    """The verifier passes a workspace in which nothing was done.

    Such a case gives every agent its point.
    Right: exit 1 on the untouched workspace.
    """
    for result in _in_state(proof, NULL):
        if result.exit_code == 0:
            yield _at(proof, "nothing was done and the verifier said 0", "look for a masked failure in the verifier")


@EVIDENCE.defect("SC903", "untouched-workspace-is-infra", basis="contract 2.7")
def untouched_workspace_is_infra(proof: CaseProof) -> Iterator[Defect]:
    """The verifier gives no verdict on a workspace in which nothing was done.

    An agent that does nothing has failed; Margin would report the infrastructure and run the case again.
    Right: exit 1 on the untouched workspace.
    """
    for result in _in_state(proof, NULL):
        if result.exit_code not in (0, 1):
            yield _at(
                proof,
                f"nothing was done and the run ended {_ended(result)}, expected 1",
                "blame the candidate",
            )


@EVIDENCE.defect("SC904", "broken-footing-is-blamed", basis="W14")
def broken_footing_is_blamed(proof: CaseProof) -> Iterator[Defect]:
    """The verifier gives a verdict although its own footing was taken away.

    A missing tool or test file is nobody's failure; saying 0 or 1 then is a guess.
    Right: exit 2 whenever the verifier itself is broken.
    """
    for result in proof.results:
        if result.state.startswith(SABOTAGE) and result.exit_code != 2:
            kind = result.state.removeprefix(SABOTAGE)
            yield _at(proof, f"with {kind} the run ended {_ended(result)}, expected 2", "check the footing first")


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
    """One of the three states was not run.

    Only all three together tell a verifier that judges from one that always says the same.
    Right: oracle, null and at least one sabotage.
    """
    ran = {result.state.partition(":")[0] for result in proof.results}
    missing = [state for state in (ORACLE, NULL, SABOTAGE.rstrip(":")) if state not in ran]
    if proof.results and missing:
        reasons = {row.state.partition(":")[0]: row.reason for row in proof.unproved}
        said = "; ".join(f"{state}: {reasons.get(state, 'not run')}" for state in missing)
        yield _at(proof, f"not proved in every state ({said})", "run the missing states")


@EVIDENCE.defect("SC907", "expectation-differs", basis="D18")
def expectation_differs(proof: CaseProof) -> Iterator[Defect]:
    """A result expects another exit status than its state calls for.

    Evidence that was made with the wrong yardstick proves nothing.
    Right: 0 for the oracle, 1 for null, 2 for every sabotage.
    """
    for result in proof.results:
        if result.state in (ORACLE, NULL) or result.state.startswith(SABOTAGE):
            if result.expected != expected_exit(result.state):
                yield _at(proof, f"{result.state} was held against {result.expected}", "prove the case again")
        else:
            yield _at(proof, f'unknown state "{result.state}"', "prove the case again")


def _in_state(proof: CaseProof, state: str) -> Iterator[StateResult]:
    """The results of one state."""
    return (result for result in proof.results if result.state == state)


def _ended(result: StateResult) -> str:
    """How a run ended, for a message."""
    how = "without an exit status" if result.exit_code is None else f"with {result.exit_code}"
    return f"{how} ({result.detail})" if result.detail else how


def _at(proof: CaseProof, message: str, fix: str) -> Defect:
    """A defect of the case as a whole."""
    return Defect(f"{CASES_DIR}/{proof.case}", 0, message, fix)
