"""What proofs showed: near misses first, then the hit."""

from __future__ import annotations

from dataclasses import replace

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


MORE: list[tuple[tuple[StateResult, ...], list[str]]] = [
    ((*GOOD, ran("mutant:number /app/a", 1), ran("forgery:reward", 1)), []),
    ((*GOOD, ran("oracle", 0), ran("null", 1)), []),  # said twice, said the same
    ((*GOOD, ran("null", 0)), ["SC902", "SC908"]),
    ((*GOOD, ran("oracle", None)), ["SC901", "SC908"]),
    ((*GOOD, ran("mutant:crashes /app/a", 2)), ["SC909"]),
    ((*GOOD, ran("mutant:hangs /app/a", 124)), ["SC909"]),
    ((*GOOD, ran("forgery:reward", 2)), ["SC909"]),
    ((*GOOD, ran("mutant:number /app/a", 0)), ["SC910"]),
    ((*GOOD, ran("forgery:reward", 0)), ["SC911"]),
    ((*GOOD, ran("mutant:removed /app/a", 1), ran("forgery:exit /app/a", 0)), ["SC911"]),
    ((*GOOD, ran("mutant:removed /app/a", 0), ran("forgery:exit /app/a", 0)), ["SC910"]),  # nobody looks at the file
    ((*GOOD, ran("mutant:word /app/a", 0), ran("forgery:exit /app/a", 0)), ["SC910", "SC911"]),
    ((*GOOD, ran("mutant:removed /app/b", 0), ran("forgery:exit /app/a", 0)), ["SC910", "SC911"]),
    ((*GOOD, StateResult("mutant:removed /app/a", 2, 2, "infra", 1.0)), ["SC907"]),
]


@pytest.mark.parametrize(("results", "codes"), MORE)
def test_wrong_candidates_are_judged(results: tuple[StateResult, ...], codes: list[str]) -> None:
    found = check_evidence(CaseProof("c", "docker", results))
    assert sorted({finding.code for finding in found}) == codes


def test_survivors_weigh_nothing_and_forgeries_little() -> None:
    results = (*GOOD, ran("mutant:number /app/a", 0), ran("mutant:word /app/a", 1), ran("forgery:reward", 0))
    proof = CaseProof("c", "docker", results)
    assert proof.holds
    noted, warned = check_evidence(proof)
    assert (noted.severity, warned.severity) == ("note", "warning")
    assert "1 of 2 wrong candidates pass: number /app/a" in noted.message


def test_a_finding_stands_at_the_line_that_let_it_through() -> None:
    place = "tests/test.sh:12: exit 1 (after 11: look)"
    result = replace(ran("sabotage:asset-removed", 1), place=place)
    (found,) = check_evidence(CaseProof("c", "docker", (*GOOD[:2], result)))
    assert (found.path, found.line) == ("cases/c/tests/test.sh", 12)
    assert found.message.endswith("let through by: exit 1 (after 11: look)")
