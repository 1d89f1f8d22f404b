"""A case beside its source's own verifier: near misses first, then the hit; and where a difference is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.comparison import comparisons
from skill.rules import check_against_source
from skill.source_evidence import AgainstSource, Agreement, Standing, Suspect
from skill.suspects import suspects
from tests.support.conversions import NAME, Conversion, convert

AGREES = Agreement("oracle", Standing.AGREES, "pass", "reward 1", "pass")
MEANT = Agreement(
    "null", Standing.EXPLAINED, "nothing", "nothing: missing", "fail", "stopped-before-reward", "It stopped."
)
DIFFERS = Agreement(
    "null", Standing.DIFFERS, "fail", "reward 0", "pass", detail="source: no table; converted: all well"
)
SKIPPED = Agreement("sabotage:x", Standing.NOT_COMPARED, converted="infra", sentence="tests/x is no file of the source")


@pytest.mark.parametrize(
    ("rows", "codes"),
    [
        ((AGREES,), []),
        ((AGREES, SKIPPED), []),
        ((AGREES, MEANT), ["SC923"]),
        ((AGREES, DIFFERS), ["SC921"]),
        ((SKIPPED,), ["SC922"]),
        ((), ["SC922"]),
    ],
)
def test_what_a_comparison_has_against_a_case(rows: tuple[Agreement, ...], codes: list[str]) -> None:
    assert [finding.code for finding in check_against_source(AgainstSource("tide", "harbor", rows))] == codes


def test_a_difference_names_both_verdicts_and_the_first_place_to_look() -> None:
    places = (
        Suspect("tests/check.py", 3, "changed since it was converted"),
        Suspect("tests/test.sh", 0, "the verifier"),
    )
    (found,) = check_against_source(AgainstSource("tide", "harbor", (DIFFERS,), "", places))
    assert str(found) == (
        "cases/tide/tests/check.py:3: error SC921 in state null the source says fail (booked reward 0), this verifier"
        " pass; source: no table; converted: all well (fix: look here first: changed since it was converted)"
    )


def test_why_nothing_was_compared_is_said() -> None:
    (found,) = check_against_source(AgainstSource("tide", "harbor", reason="the source has no such task any more"))
    assert "the source has no such task any more" in found.message


def suspected(made: Conversion) -> dict[str, tuple[int, str]]:
    (pair,) = comparisons(made.suite, made.rows, made.source)
    return {found.path: (found.line, found.why) for found in suspects(pair)}


def test_an_untouched_conversion_suspects_its_own_verifier_only(tmp_path: Path) -> None:
    found = suspected(convert(tmp_path))
    assert list(found) == ["tests/source-test.sh", "tests/test.sh"]
    assert found["tests/source-test.sh"][1] == "rewritten from the source's tests/test.sh"
    assert found["tests/test.sh"] == (0, "the verifier")


def test_what_was_changed_comes_first(tmp_path: Path) -> None:
    made = convert(tmp_path)
    place = made.suite / "cases" / NAME
    (place / "tests/check.py").write_text("import sys\nsys.exit(0)\n")
    (place / "tests/more.py").write_text("")
    (place / "oracle/solution/solve.sh").unlink()
    found = suspected(made)
    assert list(found) == [
        "tests/check.py",
        "oracle/solution/solve.sh",
        "tests/more.py",
        "tests/source-test.sh",
        "tests/test.sh",
    ]
    assert found["tests/check.py"] == (2, "changed since it was converted")
    assert found["tests/more.py"] == (0, "added since it was converted")
