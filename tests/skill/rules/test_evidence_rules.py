"""What proofs showed: near misses first, then the hit."""

from __future__ import annotations

import pytest

from skill.evidence import CaseProof, StateResult, Unproved, expected_exit, verdict_of
from skill.rules import check_evidence


def ran(state: str, exit_code: int | None) -> StateResult:
    return StateResult(state, expected_exit(state), exit_code, verdict_of(exit_code), 1.0)


GOOD = (ran("oracle", 0), ran("null", 1), ran("sabotage:tests-gone", 2))

CASES: list[tuple[CaseProof, list[str]]] = [
    (CaseProof("c", "docker", GOOD), []),
    (CaseProof("c", "docker", (ran("oracle", 1), *GOOD[1:])), ["SC901"]),
    (CaseProof("c", "docker", (ran("oracle", None), *GOOD[1:])), ["SC901"]),
    (CaseProof("c", "docker", (GOOD[0], ran("null", 0), GOOD[2])), ["SC902"]),
    (CaseProof("c", "docker", (GOOD[0], ran("null", 2), GOOD[2])), ["SC903"]),
    (CaseProof("c", "docker", (GOOD[0], ran("null", 124), GOOD[2])), ["SC903"]),
    (CaseProof("c", "docker", (*GOOD, ran("sabotage:no-runner", 1))), ["SC904"]),
    (CaseProof("c", "docker", (*GOOD, ran("sabotage:no-runner", 0))), ["SC904"]),
    (CaseProof("c", "docker", (), "no Docker engine"), ["SC905"]),
    (CaseProof("c", "docker", GOOD[1:], unproved=(Unproved("oracle", "no solution"),)), ["SC906"]),
    (CaseProof("c", "docker", (*GOOD, StateResult("null", 0, 1, "fail", 1.0))), ["SC907"]),
    (CaseProof("c", "docker", (*GOOD, StateResult("orcale", 0, 0, "pass", 1.0))), ["SC907"]),
]


@pytest.mark.parametrize(("proof", "codes"), CASES)
def test_evidence_is_judged(proof: CaseProof, codes: list[str]) -> None:
    assert [finding.code for finding in check_evidence(proof)] == codes


def test_a_missing_state_is_told_with_its_reason() -> None:
    (found,) = check_evidence(CaseProof("c", "docker", GOOD[1:], unproved=(Unproved("oracle", "no solution"),)))
    assert "oracle: no solution" in found.message
