"""The loop: what each kind of reply leads to, that nothing half is run, and that history only grows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent import loop
from agent.messages import Request
from agent.session import MAX_CALLS
from agent.stop import Reason
from tests.support.scripted import Scripted, Step, calls, reply, says
from tests.support.sessions import NAME, SCRIPT, Place, budget, verifier

READ = calls("r1", "read", path="source/tests/test.sh")
WRITE = calls("w1", "write", path=SCRIPT, content=verifier())
DONE = reply(says("done"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def run(place: Place, steps: Sequence[Step], **limits: Any) -> tuple[Any, Scripted, Any]:
    model, session = Scripted(steps), place.session()
    stop = loop.run(session, model, place.toolbox(), budget(**limits))
    assert model.left == 0
    return stop, model, session


def results(request: Request) -> list[tuple[str, bool, str]]:
    """Id, whether it is an error, and the code of each result in the last turn."""
    blocks = [block for block in request.messages[-1]["content"] if block["type"] == "tool_result"]
    return [(b["tool_use_id"], b.get("is_error", False), b["content"].partition(":")[0]) for b in blocks]


def test_a_session_reads_writes_proves_and_ends(place: Place) -> None:
    stop, _, session = run(place, [reply(READ), reply(WRITE), reply(calls("m", "margin_run")), DONE])
    assert (stop.reason, stop.is_final) == (Reason.PROPOSED, True)
    assert (place.case / "tests/test.sh").read_text() == verifier()
    assert session.turns == 4


def test_all_results_of_a_turn_go_back_together_and_in_order(place: Place) -> None:
    bad = calls("x", "shell", command="id")
    _, model, _ = run(place, [reply(READ, bad, WRITE), DONE])
    assert results(model.requests[1]) == [
        ("r1", False, "source/tests/test.sh"),
        ("x", True, "unknown_tool"),
        ("w1", False, SCRIPT),
    ]


def test_the_prefix_only_grows(place: Place) -> None:
    nudged = reply(says("is that all?"))
    _, model, _ = run(place, [reply(READ), nudged, reply(WRITE), DONE])
    sent = [[json.dumps(bare(message)) for message in request.messages] for request in model.requests]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))
    assert len({json.dumps([request.system, request.tools]) for request in model.requests}) == 1


def bare(value: Any) -> Any:
    """A message without the cache breakpoint, which moves along."""
    if isinstance(value, dict):
        return {key: bare(item) for key, item in value.items() if key != "cache_control"}
    return [bare(item) for item in value] if isinstance(value, list) else value


def test_the_system_and_the_last_turn_have_a_breakpoint_each(place: Place) -> None:
    _, model, _ = run(place, [reply(READ), reply(WRITE), DONE])
    for request in model.requests:
        marked = [at for at, message in enumerate(request.messages) if "cache_control" in json.dumps(message)]
        assert marked == [len(request.messages) - 1]
        assert request.system[-1]["cache_control"] == {"type": "ephemeral"}
    assert [tool["name"] for tool in model.requests[0].tools] == [
        "ask",
        "chmod",
        "draft",
        "margin_run",
        "read",
        "write",
    ]


def test_nothing_in_the_prefix_tells_where_or_when(place: Place) -> None:
    _, model, _ = run(place, [reply(WRITE), DONE])
    assert str(place.root) not in json.dumps([model.requests[0].system, model.requests[0].tools])


def test_no_result_tells_a_place_of_this_machine(place: Place) -> None:
    asked = [
        calls("1", "read", path=f"suite/cases/{NAME}"),
        calls("2", "read", path=f"{place.root}/source"),
        calls("3", "read", path="source/nothing"),
        calls("4", "margin_run"),
        calls("5", "write", path=SCRIPT, from_="source/nothing"),
    ]
    _, model, _ = run(place, [reply(*asked), reply(WRITE), DONE])
    said = json.dumps([b["content"] for b in model.requests[1].messages[-1]["content"]])
    assert str(place.root.parent) not in said.replace(f"'{place.root}/source'", "what the model itself said")


CUT_INPUT = {"type": "tool_use", "id": "w1", "name": "write", "input": {"path": SCRIPT}}


def test_a_reply_cut_at_its_limit_runs_nothing_and_gets_more_room(place: Place) -> None:
    _, model, _ = run(place, [reply(READ, CUT_INPUT, stop="max_tokens"), reply(WRITE), DONE])
    assert results(model.requests[1]) == [("r1", True, "truncated"), ("w1", True, "truncated")]
    assert [request.max_tokens for request in model.requests] == [32_000, 64_000, 32_000]


def test_two_cut_replies_in_a_row_are_the_end(place: Place) -> None:
    stop, _, session = run(place, [reply(CUT_INPUT, stop="max_tokens"), reply(CUT_INPUT, stop="max_tokens")])
    assert stop.reason is Reason.TRUNCATED
    assert session.open_calls == []
    assert not (place.case / "tests/test.sh").exists()


def test_a_cut_reply_without_a_call_is_told(place: Place) -> None:
    _, model, _ = run(place, [reply(says("well, "), stop="max_tokens"), reply(WRITE), DONE])
    assert "cut at its token limit" in model.requests[1].messages[-1]["content"][0]["text"]


ENDS = [
    ("refusal", Reason.REFUSED),
    ("model_context_window_exceeded", Reason.TOO_LONG),
    ("something_new", Reason.ODD_REPLY),
]


@pytest.mark.parametrize(("stop_reason", "reason"), ENDS)
def test_a_reply_that_stops_otherwise_runs_nothing(stop_reason: str, reason: Reason, place: Place) -> None:
    stop, _, _ = run(place, [reply(WRITE, stop=stop_reason, detail="cyber: no")])
    assert stop.reason is reason
    assert not (place.case / "tests/test.sh").exists()


def test_a_refusal_tells_its_category(place: Place) -> None:
    stop, _, _ = run(place, [reply(stop="refusal", detail="cyber: no")])
    assert stop.detail == "cyber: no"


def test_a_pause_goes_back_as_it_is(place: Place) -> None:
    _, model, _ = run(place, [reply(says("wait"), stop="pause_turn"), reply(WRITE), DONE])
    assert [message["role"] for message in model.requests[1].messages] == ["user", "assistant"]


def test_pauses_without_end_are_the_end(place: Place) -> None:
    stop, _, _ = run(place, [reply(says("wait"), stop="pause_turn")] * 4)
    assert stop.reason is Reason.ODD_REPLY


def test_a_turn_that_ends_before_the_gates_are_clean_is_nudged_twice(place: Place) -> None:
    stop, model, _ = run(place, [DONE, DONE, DONE])
    assert stop.reason is Reason.INCOMPLETE
    assert "SC602" in stop.detail
    nudges = [request.messages[-1]["content"][0]["text"] for request in model.requests[1:]]
    assert all("SC602" in text for text in nudges)


def test_the_model_may_decline(place: Place) -> None:
    stop, _, _ = run(place, [reply(says("I looked.\nREFUSE: the source grades by hand\n"))])
    assert (stop.reason, stop.detail) == (Reason.DECLINED, "the source grades by hand")


def test_a_call_in_a_reply_that_ended_is_not_run(place: Place) -> None:
    _, model, _ = run(place, [reply(CUT_INPUT, stop="end_turn"), reply(WRITE), DONE])
    assert results(model.requests[1]) == [("w1", True, "not_run")]
    assert model.requests[1].messages[-1]["content"][-1]["type"] == "text"  # words come after results


def test_an_empty_reply_is_nudged_without_an_empty_turn(place: Place) -> None:
    _, model, _ = run(place, [reply(), reply(WRITE), DONE])
    assert [message["role"] for message in model.requests[1].messages] == ["user"]
    assert len(model.requests[1].messages[0]["content"]) == 2


def test_a_tool_turn_without_a_call_is_nudged(place: Place) -> None:
    _, model, _ = run(place, [reply(says("now"), stop="tool_use"), reply(WRITE), DONE])
    assert "held none" in model.requests[1].messages[-1]["content"][0]["text"]


def test_too_many_calls_in_one_turn_are_not_run(place: Place) -> None:
    many = [calls(f"c{n}", "read", path="source", offset=n + 1) for n in range(MAX_CALLS + 2)]
    _, model, _ = run(place, [reply(*many), reply(WRITE), DONE])
    assert [code for _, _, code in results(model.requests[1])][-3:] != ["not_run"] * 3
    assert [code for _, _, code in results(model.requests[1])][-2:] == ["not_run"] * 2


SAME = [
    ("read", {"path": "source/tests/test.sh"}),
    ("shell", {"command": "id"}),
    ("read", {"file": "x"}),
    ("write", {"path": SCRIPT, "content": "#!/bin/bash\nexit 0\n"}),
]


@pytest.mark.parametrize(("tool", "arguments"), SAME)
def test_the_same_call_with_the_same_result_is_told_then_ends(tool: str, arguments: Any, place: Place) -> None:
    stop, model, _ = run(place, [reply(calls(f"c{n}", tool, **arguments)) for n in range(5)])
    assert stop.reason is Reason.STUCK
    codes = [results(request)[0][2] for request in model.requests[1:]]
    assert [code == "repeated" for code in codes] == [False, False, True, True]


def test_the_same_call_with_another_result_is_no_repetition(place: Place) -> None:
    steps: list[Step] = [reply(calls("1", "write", path=SCRIPT, content=verifier()))]
    for n in range(3):
        steps.append(reply(calls(f"w{n}", "write", path=SCRIPT, content=f"{verifier()}# {n}\n")))
        steps.append(reply(calls(f"r{n}", "read", path=SCRIPT)))
    stop, model, _ = run(place, [*steps, DONE])
    assert stop.reason is Reason.PROPOSED
    assert "repeated" not in json.dumps([list(request.messages) for request in model.requests])


def test_an_open_question_rests_the_session_until_there_is_an_answer(place: Place) -> None:
    question = calls("q", "ask", key="grade", question="Is 0.5 a pass?", choices=["yes", "no"])
    stop, _, session = run(place, [reply(question, WRITE)])
    assert (stop.reason, stop.is_final) == (Reason.NEEDS_INPUT, False)
    assert "--answer grade=CHOICE" in stop.detail
    assert not (place.case / "tests/test.sh").exists()
    session.close()
    again, model = place.session(), Scripted([DONE])
    stop = loop.run(again, model, place.toolbox(answers={"grade": "no"}), budget())
    assert stop.reason is Reason.PROPOSED
    assert results(model.requests[0]) == [("q", False, "the answer to grade is"), ("w1", False, SCRIPT)]


def test_a_session_goes_on_after_a_word_of_ours(place: Place) -> None:
    _, _, session = run(place, [reply(WRITE), DONE])
    session.say("The proof says: null ended with 0.")
    model = Scripted([reply(calls("m", "margin_run")), DONE])
    assert loop.run(session, model, place.toolbox(), budget()).reason is Reason.PROPOSED
    assert model.requests[0].messages[-1]["content"][-1]["text"] == "The proof says: null ended with 0."


def test_a_crash_of_a_tool_is_for_the_operator(place: Place) -> None:
    def broken(_root: Path, _case: str) -> list[Any]:
        raise RuntimeError("a defect of ours")

    model, session = Scripted([reply(WRITE)]), place.session()
    with pytest.raises(RuntimeError, match="a defect of ours"):
        loop.run(session, model, place.toolbox(gate=broken), budget())


def test_an_id_that_is_used_twice_in_one_reply_is_one_call(place: Place) -> None:
    twice = [calls("x", "read", path="source"), calls("x", "write", path=SCRIPT, content=verifier())]
    _, model, _ = run(place, [reply(*twice), reply(WRITE), DONE])
    assert results(model.requests[1]) == [("x", False, "source/")]
