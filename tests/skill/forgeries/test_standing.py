"""What plants came to, by forgery."""

from __future__ import annotations

from skill.evidence import CaseProof, StateResult, expected_exit, verdict_of
from skill.forgeries.standing import BY_RUNNER, standing, summary


def proof(*ends: tuple[str, int]) -> CaseProof:
    results = [StateResult(name, expected_exit(name), code, verdict_of(code), 0.1) for name, code in ends]
    return CaseProof("tern", "docker", tuple(results))


def test_a_case_without_plants_has_no_standing() -> None:
    assert standing(proof(("oracle", 0), ("forgery:conftest", 1))) is None


def test_a_bundle_speaks_for_its_parts_until_they_speak_themselves() -> None:
    found = standing(
        proof(("planted:settings FG10+FG36", 2), ("planted:FG10 settings-above-tests", 1), ("forgery:FG30 any", 0))
    )
    assert found is not None
    assert (found.closed, found.infra, found.open_by_source) == (("FG10",), ("FG36",), ("FG30",))
    assert found.passing == () and found.open_by_runner == BY_RUNNER and "FG46" in BY_RUNNER


def test_a_suite_is_counted_by_forgery() -> None:
    rows = summary([proof(("planted:FG10 a", 1)), proof(("planted:FG10 a", 0)), proof(("oracle", 0))])
    assert rows == [{"code": "FG10", "closed": 1, "infra": 0, "open_by_source": 0, "passing": 1}]
