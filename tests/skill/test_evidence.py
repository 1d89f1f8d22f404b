from __future__ import annotations

import json

import pytest

from skill.evidence import CaseProof, StateResult, expected_exit, proof_from_dict, verdict_of

GOOD = StateResult("oracle", 0, 0, "pass", 1.5, "all passed", "tail")
HUNG = StateResult("sabotage:tests-gone", 2, None, "error", 30.0)


def test_proof_survives_json() -> None:
    proof = CaseProof("c1", "docker", (GOOD, HUNG), "")
    assert proof_from_dict(json.loads(json.dumps(proof.to_dict()))) == proof


@pytest.mark.parametrize(
    ("results", "holds"),
    [((), False), ((GOOD,), True), ((GOOD, HUNG), False)],
)
def test_proof_holds_only_on_evidence(results: tuple[StateResult, ...], holds: bool) -> None:
    assert CaseProof("c1", "docker", results).holds is holds


@pytest.mark.parametrize(
    ("code", "verdict"),
    [(0, "pass"), (1, "fail"), (2, "infra"), (3, "error"), (124, "error"), (None, "error")],
)
def test_verdict_is_what_margin_makes_of_the_exit(code: int | None, verdict: str) -> None:
    assert verdict_of(code) == verdict


@pytest.mark.parametrize(
    ("state", "code"), [("oracle", 0), ("null", 1), ("sabotage:no-runner", 2), ("mutant:word /a", 1), ("forgery:x", 1)]
)
def test_expected_exit_per_state(state: str, code: int) -> None:
    assert expected_exit(state) == code


def test_unknown_state_and_verdict_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown state"):
        expected_exit("orcale")
    table = CaseProof("c1", "docker", (GOOD,)).to_dict()
    table["results"][0]["verdict"] = "maybe"
    with pytest.raises(ValueError, match="unknown verdict"):
        proof_from_dict(table)
