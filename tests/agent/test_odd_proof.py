"""What a proof has against a session's verifier: told in words of ours, with what others said kept apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent import odd_sessions
from agent.odd_desk import Desk
from agent.odd_proof import objection
from skill.evidence import CaseProof, StateResult, Unproved, verdict_of
from skill.source_evidence import Agreement, Standing
from tests.support.odd import WRAPPED, Acting, convert, ends, proves, put_odd, writes
from tools.workbench import Proved


def state(name: str, code: int | None, wanted: int, log: str = "") -> StateResult:
    return StateResult(name, wanted, code, verdict_of(code), 1.0, "so it ended", log)


GOOD = (state("oracle", 0, 0), state("null", 1, 1))
DIFFERS = Agreement("null", Standing.DIFFERS, "pass", "reward 1", "fail", detail="source: fine")
FINE = [
    Proved(CaseProof("lamp", "fake", GOOD)),
    Proved(CaseProof("lamp", "fake", (*GOOD, state("planted:FG01 x", 2, 1)))),  # allowed
    Proved(CaseProof("lamp", "fake", (*GOOD, state("mutant:drop x", 0, 1)))),  # as good as the source's tests
    Proved(CaseProof("lamp", "fake", GOOD, "", (Unproved("sabotage:network-cut", "no network"),))),
]
AGAINST = [
    (Proved(CaseProof("lamp", "fake", (GOOD[0], state("null", 0, 1, "a log")))), "speaks against it: null", "a log"),
    (Proved(CaseProof("lamp", "fake", (), "the image does not build")), "shows nothing for it", "does not build"),
    (Proved(CaseProof("lamp", "fake", (state("null", 2, 1), state("oracle", 2, 0)))), "null, oracle", "so it ended"),
    (
        Proved(CaseProof("lamp", "fake", GOOD), (DIFFERS,)),
        "says something else: null (pass, this one fail)",
        "reward 1",
    ),
]


@pytest.mark.parametrize("proved", FINE)
def test_nothing_is_held_against_what_holds(proved: Proved) -> None:
    assert objection(proved) == ("", "")


@pytest.mark.parametrize(("proved", "said", "words"), AGAINST)
def test_what_is_held_against_a_verifier(proved: Proved, said: str, words: str) -> None:
    told, others = objection(proved)
    assert said in told
    assert "\n" not in told
    assert words in others
    assert words not in told


class Unlike:
    """Containers in which a verifier holds, but not what its source says."""

    def hindrance(self, desk: Desk) -> str:
        return ""

    def proved(self, desk: Desk, root: Path) -> Proved:
        return Proved(CaseProof(desk.case.name, "fake", GOOD), (DIFFERS,))


class Hindered(Unlike):
    def hindrance(self, desk: Desk) -> str:
        return "the image does not build"


def test_a_difference_from_the_source_is_told_by_margin_run_and_never_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_odd(tmp_path / "set", "lamp")
    monkeypatch.setattr(odd_sessions, "open_prover", lambda *given: Unlike())
    model = Acting([writes(WRAPPED), proves(), ends()])
    convert(tmp_path, model)
    told = model.requests[2].messages[-1]["content"][0]["content"]
    assert "lamp: the source's own verifier says something else" in told
    (row,) = json.loads((tmp_path / "out.run/report.json").read_bytes())["sessions"]
    assert (row["converted"], row["repairs"], row["ended"]) == (0, 3, "incomplete")
    assert row["detail"].startswith("The source's own verifier says something else: null")


def test_what_cannot_be_proved_at_all_is_not_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_odd(tmp_path / "set", "lamp")
    monkeypatch.setattr(odd_sessions, "open_prover", lambda *given: Hindered())
    model = Acting([writes(WRAPPED), ends()])
    convert(tmp_path, model)
    (row,) = json.loads((tmp_path / "out.run/report.json").read_bytes())["sessions"]
    assert (model.requests, row["detail"]) == ([], "nothing could be proved: the image does not build")
