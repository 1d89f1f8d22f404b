"""Sessions over odd verifiers: one for a shape, its verifier for all cases; what does not fit, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent import convert as conversion
from agent.console import Console
from agent.errors import BudgetSpent, NeedsInput, UsageError
from agent.options import Options
from skill.rules import check_fidelity
from tests.odd_tasks.tasks import put
from tests.support.harbor import snapshot
from tests.support.odd import WRAPPED, Act, Acting, convert, ends, put_odd, writes
from tests.support.scripted import calls

SOUND = [writes(WRAPPED), ends()]


def dataset(root: Path, *shapes: int) -> None:
    """A dataset with an odd task for each number, which is its shape."""
    for at, shape in enumerate(shapes):
        put_odd(root / "set", f"lamp-{at:02}", shape, 20 + at)


def report(root: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((root / "out.run/report.json").read_bytes())
    return table


def test_one_session_serves_all_cases_of_a_shape(tmp_path: Path) -> None:
    dataset(tmp_path, 0, 0, 0, 1, 1)
    model = Acting(SOUND)
    ending = convert(tmp_path, model)
    assert (ending.status, len(model.sessions), len(model.requests)) == (0, 2, 4)
    assert [(row["cases"], row["converted"], row["turns"]) for row in report(tmp_path)["sessions"]] == [
        (3, 3, 2),
        (2, 2, 2),
    ]


@pytest.mark.parametrize("cases", [3, 30])
def test_the_cost_does_not_grow_with_the_cases(cases: int, tmp_path: Path) -> None:
    dataset(tmp_path, *[0] * cases)
    model = Acting(SOUND)
    convert(tmp_path, model)
    assert len(model.requests) == 2
    assert report(tmp_path)["books"]["converted"] == cases


def test_each_case_has_its_own_frame_and_its_own_names(tmp_path: Path) -> None:
    dataset(tmp_path, 0, 0)
    body = 'candidate python3 "$TESTS/check_lamp_00.py" /app/lamp_00.txt 20\n  judge_status'
    convert(tmp_path, Acting([writes(body), ends()]))
    text = (tmp_path / "out/cases/lamp-01/tests/test.sh").read_text()
    assert 'candidate python3 "$TESTS/check_lamp_01.py" /app/lamp_01.txt 21\n' in text


def test_the_ledger_says_which_turn_wrote_what_and_the_run_folder_shows_it(tmp_path: Path) -> None:
    dataset(tmp_path, 0, 0)
    convert(tmp_path, Acting(SOUND))
    rows = [json.loads(line) for line in (tmp_path / "out.run/ledger.jsonl").read_text().splitlines()]
    told = {row["path"]: (row["action"], row["by"]) for row in rows if row["case"] == "lamp-01"}
    session = report(tmp_path)["sessions"][0]["id"]
    assert told["tests/test.sh"] == ("rewritten", f"session {session} turn 2")
    assert told["tests/source-test.sh"] == ("copied", "")
    assert told["tests/.verdict/lib.sh"] == ("generated", "frame")
    assert 'candidate "$TESTS/source-test.sh"' in (tmp_path / "out.run/diffs/lamp-01/tests/test.sh.diff").read_text()
    assert [one for one in check_fidelity(tmp_path / "out", rows, tmp_path / "set") if one.severity == "error"] == []


def test_what_a_verifier_does_not_fit_gets_a_session_of_its_own(tmp_path: Path) -> None:
    dataset(tmp_path, 0, 0)
    put_odd(tmp_path / "set", "wick", 0, 99).joinpath("tests/judge.py").write_text("raise SystemExit(3)\n")

    def helper(case: str) -> list[Any]:
        text = "import subprocess\nsubprocess.run(['bash', '/tests/source-test.sh'])\n"
        return [calls("h", "write", path=f"suite/cases/{case}/tests/judge.py", content=text)]

    body = 'candidate python3 "$TESTS/judge.py"\n  judge_reward'
    tries: list[Act] = [lambda case: writes(WRAPPED)(case) if case == "wick" else helper(case), writes(body), ends()]
    convert(tmp_path, Acting(tries))
    first, second = report(tmp_path)["sessions"]
    assert (first["cases"], first["converted"]) == (3, 2)
    assert (second["id"], second["cases"], second["case"]) == (f"{first['id']}-2", 1, "wick")
    assert report(tmp_path)["books"]["in"] == 3


def test_a_session_that_declines_leaves_its_cases_refused_with_the_reason(tmp_path: Path) -> None:
    dataset(tmp_path, 0, 0)
    ending = convert(tmp_path, Acting([ends("REFUSE: nobody can tell who decides here")]))
    assert ending.status == 1
    tasks = report(tmp_path)["tasks"]
    assert {task["code"] for task in tasks} == {"needs-agent"}
    assert all("nobody can tell who decides here" in task["sentence"] for task in tasks)


WEAK = {
    "passes whatever happens": "pass done",
    "passes without looking": 'candidate "$TESTS/source-test.sh"\n  pass done',
    "runs something else": "if [ -s /app/lamp_00.txt ]; then pass ok; fi\n  fail no",
    "a trap that passes": "trap 'pass done' EXIT\n  candidate \"$TESTS/source-test.sh\"\n  judge_reward",
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_a_weaker_verifier_never_lands_whatever_the_model_says(body: str, tmp_path: Path) -> None:
    dataset(tmp_path, 0)
    convert(tmp_path, Acting([writes(body), ends("All gates are clean and the proof holds.")]))
    assert report(tmp_path)["books"] == {"in": 1, "converted": 0, "refused": 1, "failed": 0}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("requests", range(1, 6))
def test_a_run_that_was_stopped_goes_on_without_paying_twice(requests: int, tmp_path: Path) -> None:
    dataset(tmp_path / "one", 0, 0, 1, 2)
    dataset(tmp_path / "other", 0, 0, 1, 2)
    model, again, at_once = Acting(SOUND), Acting(SOUND), Acting(SOUND)
    with pytest.raises(BudgetSpent, match="--max-requests"):
        convert(tmp_path / "one", model, {"requests": requests})
    convert(tmp_path / "one", again)
    convert(tmp_path / "other", at_once)
    assert len(model.requests) + len(again.requests) == len(at_once.requests) == 6
    assert snapshot(tmp_path / "one/out") == snapshot(tmp_path / "other/out")


COUNTING = 'candidate "$TESTS/source-test.sh"\n  [ "$RAN" -eq 4 ] || fail few\n  judge_reward'


@pytest.mark.parametrize(("cases", "converted"), [(1, 1), (2, 0)])
def test_what_counts_the_tests_of_one_case_is_nothing_for_others(cases: int, converted: int, tmp_path: Path) -> None:
    dataset(tmp_path, *[0] * cases)
    convert(tmp_path, Acting([writes(COUNTING), ends()]))
    (row,) = report(tmp_path)["sessions"]
    assert row["converted"] == converted
    assert (row["repairs"], "counts the tests" in row["detail"]) == ((0, False) if converted else (3, True))


def test_an_open_question_stops_the_run_and_the_answer_goes_on(tmp_path: Path) -> None:
    dataset(tmp_path, 0)
    asks: list[Act] = [
        lambda case: [calls("a", "ask", key="keep", question="Keep the second stage?", choices=["yes", "no"])],
        *SOUND,
    ]
    with pytest.raises(NeedsInput, match="keep"):
        convert(tmp_path, Acting(asks))
    convert(tmp_path, Acting(asks), answers={"keep": "yes"})
    assert report(tmp_path)["books"]["converted"] == 1


def test_several_rewards_are_asked_about_before_anything_is_paid_for(tmp_path: Path) -> None:
    put(tmp_path / "set", "json-reward")
    dataset(tmp_path, 0)
    model = Acting(SOUND)
    with pytest.raises(NeedsInput, match=r"several rewards \(\.\.\., reward\): which of them passes") as stopped:
        convert(tmp_path, model)
    assert "such as reward>=1" in str(stopped.value)
    assert stopped.value.resume.endswith("/out --pass-if 'reward>=1'")
    assert model.requests == []
    convert(tmp_path, model, pass_if="reward>=1")
    assert report(tmp_path)["books"]["in"] == 2


def test_a_plan_asks_too_where_there_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "set", "json-reward")
    options = Options(tmp_path / "set", plan=True)
    for key, status in ((None, 1), ("planted-key", 3)):
        monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        if key:
            monkeypatch.setenv("ANTHROPIC_API_KEY", key)
        ending = conversion.plan(options, Console(quiet=True))
        assert ending.status == status
        assert ("  answer with: --pass-if 'reward>=1'" in ending.text) == bool(key)


def test_a_model_that_cannot_be_used_is_said_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_AUTH_TOKEN", raising=False)
    dataset(tmp_path, 0)
    options = Options(tmp_path / "set", tmp_path / "out", proof="none", model="claude-opus-5-5")
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        conversion.convert(options, tmp_path / "out", Console(quiet=True))
    assert not (tmp_path / "out.run").exists()
