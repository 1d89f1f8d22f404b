"""Harbor's reading of rewards, and which differences between two verdicts are meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skill.agreement import agreements
from skill.evidence import NULL, ORACLE, StateResult, expected_exit, verdict_of
from skill.explanations import EXPLANATIONS, FORGOTTEN, NO_REWARD, NO_TESTS, NOTHING_PASSED, OUT_OF_TIME
from skill.pass_rule import PassRule, pass_rule
from skill.source_evidence import AgainstSource, Booking, Problem, SourceRun, Standing, run_from_dict
from skill.sources.harbor.reward import read_reward

ROOT = Path(__file__).parents[2]


def booked(**values: float) -> Booking:
    return Booking(tuple(sorted((key, float(value)) for key, value in values.items())))


@pytest.mark.parametrize(
    ("table", "text", "expected"),
    [
        (None, b"1", booked(reward=1)),
        (None, b" 0.5\n", booked(reward=0.5)),
        (None, b"-1e-3", booked(reward=-0.001)),
        (b'{"reward": 1}', b"0", booked(reward=1)),  # json wins
        (b'{"score": true, "style": false}', None, booked(score=1, style=0)),
        (b"{}", b"1", Booking()),  # an empty table is accepted and holds no value
    ],
)
def test_rewards_that_harbor_books(table: bytes | None, text: bytes | None, expected: Booking) -> None:
    assert read_reward(table, text) == expected


@pytest.mark.parametrize(
    ("table", "text", "problem"),
    [
        (None, None, Problem.MISSING),
        (None, b" \n", Problem.EMPTY),
        (b"", b"1", Problem.EMPTY),  # the text is not looked at any more
        (b"{reward: 1}", b"1", Problem.MALFORMED),
        (b"[1]", None, Problem.MALFORMED),
        (b"1", None, Problem.MALFORMED),
        (b'{"reward": "1"}', None, Problem.MALFORMED),
        (b'{"reward": null}', None, Problem.MALFORMED),
        (b'{"reward": {"a": 1}}', None, Problem.MALFORMED),
        (b'{"reward": NaN}', None, Problem.MALFORMED),
        (b'{"reward": 1' + b"0" * 400 + b"}", None, Problem.MALFORMED),
        (b"[" * 100_000, None, Problem.MALFORMED),
        (None, b"true", Problem.MALFORMED),
        (None, b"1/1", Problem.MALFORMED),
        (None, b"1 # all passed", Problem.MALFORMED),
        (None, b"inf", Problem.MALFORMED),
        (None, b"\xff1", Problem.MALFORMED),
    ],
)
def test_rewards_that_harbor_does_not_book(table: bytes | None, text: bytes | None, problem: Problem) -> None:
    assert read_reward(table, text).problem is problem


@pytest.mark.parametrize(
    ("rule", "booking", "verdict"),
    [
        (None, booked(reward=1), "pass"),
        (None, booked(anything=0), "fail"),
        (None, booked(reward=0.5), "unclear"),
        (None, booked(reward=1, style=1), "unclear"),
        (None, Booking(), "nothing"),
        (None, Booking(problem=Problem.TIMEOUT), "nothing"),
        ("reward>=1", booked(reward=1, style=0), "pass"),
        ("reward>=1", booked(reward=0.99), "fail"),
        ("reward>=1", booked(score=1), "unclear"),
        ("score > 0.5", booked(score=0.5), "fail"),
        ("score == 2", booked(score=2), "pass"),
    ],
)
def test_what_a_booking_means(rule: str | None, booking: Booking, verdict: str) -> None:
    assert pass_rule(rule).judge(booking) == verdict


def test_a_rule_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is no rule"):
        pass_rule("reward about 1")


MISSING = Booking(problem=Problem.MISSING)
TIMEOUT = Booking(problem=Problem.TIMEOUT)
EMPTY = Booking(problem=Problem.EMPTY)
MALFORMED = Booking(problem=Problem.MALFORMED)
ONE, NOUGHT = booked(reward=1), booked(reward=0)
CUT, GONE_TOOL, WRONG = "sabotage:network-cut", "sabotage:runner-missing", "mutant:emptied:/app/out"
RIGHT = (ORACLE, ONE, 0, 0, "")  # state, booked, the source script's exit status, ours, our reason

Row = tuple[str, Booking, int, int | None, str]


def standing(*rows: Row, rule: PassRule | None = None) -> tuple[str, str]:
    """How the last of ``rows`` stands, and the code of its explanation."""
    runs = [SourceRun(state, booking, code) for state, booking, code, _, _ in rows]
    results = [
        StateResult(state, expected_exit(state), ours, verdict_of(ours), 1.0, said) for state, _, _, ours, said in rows
    ]
    last = list(agreements(runs, results, rule or PassRule(), {}))[-1]
    return last.standing, last.code


@pytest.mark.parametrize("row", [RIGHT, (NULL, NOUGHT, 0, 1, ""), (WRONG, ONE, 0, 0, ""), (CUT, NOUGHT, 0, 1, "")])
def test_equal_verdicts_agree_whatever_the_state_calls_for(row: Row) -> None:
    assert standing(RIGHT, row) == (Standing.AGREES, "")


EXPLAINED: list[tuple[str, Row]] = [
    ("stopped-before-reward", (NULL, MISSING, 1, 1, "")),
    ("stopped-before-reward", (WRONG, MISSING, 2, 1, "")),
    ("stopped-before-reward", (WRONG, EMPTY, 1, 1, "")),
    ("ran-out-of-time", (WRONG, TIMEOUT, 124, 1, "VERDICT: FAIL: the candidate ran out of time")),
    ("broken-footing", (GONE_TOOL, NOUGHT, 0, 2, "VERDICT: INFRA: tool missing: python3")),
    ("broken-footing", (CUT, MISSING, 1, 2, "")),
    ("broken-footing-unnoticed", ("sabotage:asset-garbled", ONE, 0, 2, "")),
    ("no-tests-ran", (NULL, NOUGHT, 0, 2, "VERDICT: INFRA: pytest found no tests")),
    ("no-verdict-in-either", (NULL, MISSING, 2, 2, "VERDICT: INFRA: bootstrap failed in source line 9: uv add x")),
    ("no-verdict-in-either", (NULL, MALFORMED, 0, 2, "VERDICT: INFRA: reward.txt is not a number (status 0)")),
    ("no-verdict-in-either", (NULL, MISSING, 1, 2, "VERDICT: INFRA: the source's harness books no result (status 1)")),
    (
        "migrated-verdict",
        (NULL, ONE, 0, 1, "VERDICT: FAIL: 1 of 1 tests failed (as the parser of the original reads it)"),
    ),
    ("failure-forgotten", (WRONG, ONE, 0, 1, "VERDICT: FAIL: 1 of 2 tests failed, the first: FAILED a.py::same")),
    ("nothing-passed", (WRONG, ONE, 0, 2, "VERDICT: INFRA: the short test summary names no test: ...")),
    ("forgery-refused", ("forgery:reward", ONE, 0, 1, "")),
    ("forgery-refused", ("planted:FG45 planting-again", EMPTY, 0, 1, "")),
    ("tampered-footing", ("planted:FG01 tool-shims", NOUGHT, 0, 2, "VERDICT: INFRA: tool broken: pytest")),
]


@pytest.mark.parametrize(("code", "row"), EXPLAINED)
def test_a_difference_that_is_meant_is_explained(code: str, row: Row) -> None:
    assert standing(RIGHT, row) == (Standing.EXPLAINED, code)


def test_where_nothing_passes_here_the_conversion_cannot_judge() -> None:
    oracle = (ORACLE, NOUGHT, 0, 2, "VERDICT: INFRA: the tool does not start: uvx")
    assert standing(oracle) == (Standing.EXPLAINED, "cannot-judge-here")
    assert standing(oracle, (NULL, NOUGHT, 0, 2, "the same")) == (Standing.EXPLAINED, "cannot-judge-here")


@pytest.mark.parametrize(
    "row",
    [
        (NULL, NOUGHT, 0, 0, ""),  # the conversion passes what the source fails
        (WRONG, ONE, 0, 1, ""),  # the conversion fails what the source passes
        (ORACLE, ONE, 0, 2, ""),
        (NULL, NOUGHT, 0, 2, "VERDICT: INFRA: tool missing: jq"),  # blamed on nobody, although the footing is whole
        (NULL, MISSING, 0, 1, ""),  # the script ended well and booked nothing: what stopped it is not known
        (NULL, EMPTY, 0, 1, ""),
        (NULL, MISSING, 1, 0, ""),
        (WRONG, TIMEOUT, 124, 1, "VERDICT: FAIL: 1 of 2 tests failed"),
        (WRONG, TIMEOUT, 124, 0, ""),
        (WRONG, booked(reward=0.5), 0, 1, ""),  # no rule says what a half means
        ("forgery:reward", NOUGHT, 0, 0, ""),
        ("planted:FG01 tool-shims", NOUGHT, 0, 0, ""),
        ("planted:FG36 planted-results", NOUGHT, 0, 2, ""),  # nothing of the footing is touched
        ("planted:mixed FG01+FG36", NOUGHT, 0, 2, ""),
        (CUT, NOUGHT, 0, 0, ""),
        ("inert:every-plant", ONE, 0, 1, ""),  # a hardening that costs an honest candidate its pass
    ],
)
def test_a_difference_that_nothing_explains_counts(row: Row) -> None:
    assert standing(RIGHT, row) == (Standing.DIFFERS, "")


def test_a_source_that_fails_its_own_solution_has_no_say_in_who_is_to_blame() -> None:
    assert standing((ORACLE, MISSING, 1, 0, ""), (NULL, MISSING, 1, 1, ""))[0] is Standing.DIFFERS


def test_a_rule_that_does_not_fit_the_reward_is_no_matter_of_the_machine() -> None:
    row = (ORACLE, booked(correctness=1, style=1), 0, 2, "VERDICT: INFRA: the reward has no key reward")
    assert standing(row, rule=pass_rule("reward>=1")) == (Standing.DIFFERS, "")


def test_a_threshold_is_said() -> None:
    rows = list(
        agreements(
            [SourceRun(NULL, booked(score=0.5), 0)],
            [StateResult(NULL, 1, 1, "fail", 1.0)],
            PassRule("score", ">=", 1.0),
            {},
        )
    )
    assert [(row.standing, row.booked, row.sentence) for row in rows] == [
        (Standing.AGREES, "score 0.5", "judged by score>=1")
    ]


@pytest.mark.parametrize(
    ("runs", "result", "sentence"),
    [
        ([], StateResult(NULL, 1, 1, "fail", 1.0), "tests/x is no file of the source"),
        ([SourceRun(NULL, detail="no such image")], StateResult(NULL, 1, 1, "fail", 1.0), "no such image"),
        (
            [SourceRun(NULL, NOUGHT, 0)],
            StateResult(NULL, 1, None, "error", 1.0, "env/ does not build"),
            "the conversion was not run: env/ does not build",
        ),
    ],
)
def test_what_was_not_run_is_not_compared(runs: list[SourceRun], result: StateResult, sentence: str) -> None:
    (row,) = agreements(runs, [result], PassRule(), {NULL: "tests/x is no file of the source"})
    assert (row.standing, row.sentence) == (Standing.NOT_COMPARED, sentence)


def test_every_explanation_is_shown_once_and_written_down() -> None:
    codes = [explanation.code for explanation in EXPLANATIONS]
    assert sorted(codes) == sorted({code for code, _ in EXPLAINED} | {"cannot-judge-here"})
    page = (ROOT / "docs" / "proof.md").read_text()
    for explanation in EXPLANATIONS:
        assert f"| `{explanation.code}` | {explanation.sentence} |" in page


@pytest.mark.parametrize("phrase", [OUT_OF_TIME, *NO_TESTS, *NO_REWARD, *FORGOTTEN, *NOTHING_PASSED])
def test_the_phrases_are_those_of_the_verdict_library(phrase: str) -> None:
    folder = ROOT / "skill" / "verifier"
    assert phrase in (folder / "lib.sh").read_text() + (folder / "parsers.sh").read_text()


@pytest.mark.parametrize("booking", [ONE, MISSING, None])
def test_a_run_survives_json(booking: Booking | None) -> None:
    run = SourceRun(NULL, booking, 1, "ended", "tail", 0.5)
    assert run_from_dict(json.loads(json.dumps(run.to_dict()))) == run


def test_no_rows_are_no_comparison() -> None:
    assert not AgainstSource("one", "harbor").is_compared
