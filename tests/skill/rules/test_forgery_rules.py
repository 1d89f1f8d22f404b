"""What the rules make of planted forgeries: near misses first."""

from __future__ import annotations

import pytest

from skill.evidence import CaseProof, StateResult, expected_exit, verdict_of
from skill.rules import check_evidence

OURS = ("SC911", "SC912", "SC913", "SC914")
INI, SHIMS, STUB = "planted:FG10 settings-above-tests", "planted:FG01 tool-shims", "planted:FG25 exit-at-once"
BUNDLE, ANYTHING, TWIN = "planted:settings FG10+FG36", "forgery:FG30 equals-anything", "inert:every-plant"


def proof(*ends: tuple[str, int]) -> CaseProof:
    results = [StateResult(name, expected_exit(name), code, verdict_of(code), 0.1) for name, code in ends]
    return CaseProof("tern", "docker", tuple(results))


@pytest.mark.parametrize(
    ("ends", "codes"),
    [
        ([(INI, 1), (SHIMS, 1), (TWIN, 0)], []),
        ([(SHIMS, 2)], []),  # a tool may be missing without the candidate
        ([(BUNDLE, 1)], []),
        ([(ANYTHING, 1)], []),
        ([(ANYTHING, 0)], ["SC911"]),  # judges the source's tests: told, not held against the conversion
        ([(INI, 0)], ["SC912"]),
        ([(INI, 124)], ["SC912"]),
        ([(BUNDLE, 0)], ["SC912"]),  # together, though none of its parts
        ([(BUNDLE, 0), (INI, 0)], ["SC912"]),  # the part says it, the bundle need not
        ([(BUNDLE, 0), (INI, 1)], ["SC912"]),
        ([(INI, 2)], ["SC913"]),
        ([(BUNDLE, 2), (INI, 2)], ["SC913"]),
        ([(TWIN, 1)], ["SC914"]),
        ([(TWIN, 2)], ["SC914"]),
    ],
)
def test_planted_forgeries(ends: list[tuple[str, int]], codes: list[str]) -> None:
    found = check_evidence(proof(*ends))
    assert [finding.code for finding in found if finding.code in OURS] == codes


@pytest.mark.parametrize(
    ("end", "holds"), [((STUB, 1), True), ((STUB, 2), True), ((STUB, 0), False), ((ANYTHING, 0), True)]
)
def test_what_speaks_against_a_conversion(end: tuple[str, int], holds: bool) -> None:
    assert proof(("oracle", 0), ("null", 1), end).holds == holds


def test_the_message_names_forgery_and_cure() -> None:
    (found,) = [finding for finding in check_evidence(proof((INI, 0))) if finding.code == "SC912"]
    assert "FG10 settings-above-tests ended with 0" in found.message
    assert found.fix.startswith("an ini of our own in the staged folder")
