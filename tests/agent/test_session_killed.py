"""A session killed at any point of its transcript goes on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agent import loop
from agent.errors import JournalError
from agent.messages import Reply
from agent.session import Session
from agent.stop import Stop
from agent.transcript import Transcript, usages
from tests.support.scripted import USED, Remembering, calls, reply, says
from tests.support.sessions import NAME, SCRIPT, Place, budget, verifier

CHECK = f"suite/cases/{NAME}/tests/check.py"
MARK = "main() {\n"
TALK: Sequence[Reply] = [
    reply(calls("1", "read", path="source/tests/test.sh"), calls("2", "read", path="source", search="reward")),
    reply(CUT := {"type": "tool_use", "id": "3", "name": "write", "input": {"path": SCRIPT}}, stop="max_tokens"),
    reply(says("Done?")),
    reply(
        calls("4", "write", path=SCRIPT, content="#!/bin/bash\nexit 0\n"),
        calls("5", "write", path=SCRIPT, content=verifier()),
    ),
    reply(
        calls("6", "write", path=CHECK, from_="source/tests/check.py"), calls("7", "chmod", path=CHECK, executable=True)
    ),
    # the text that is put in holds what it replaces, so that doing it twice would show
    reply(calls("8", "write", path=SCRIPT, old=MARK, new=f"{MARK}  : once\n")),
    reply(calls("9", "write", path=SCRIPT, old="  : once\n", new="  : once\n  : twice\n"), calls("a", "margin_run")),
    reply(says("Done.")),
]


class Killed(BaseException):
    """The process is gone."""


class Dying(Transcript):
    """A transcript whose process dies at its n-th record: while it is written, or right after."""

    def __init__(self, path: Path, last: int, *, is_written: bool) -> None:
        self._path, self._left, self._is_written = path, last, is_written
        super().__init__(path)

    def append(self, event: str, **fields: Any) -> dict[str, Any]:
        self._left -= 1
        if self._left == 0 and not self._is_written:
            with self._path.open("ab") as stream:
                stream.write(b'{"event": "res')  # as far as it got
            raise Killed
        record = super().append(event, **fields)
        if self._left == 0:
            raise Killed
        return record


def went(place: Place, transcript: Transcript) -> tuple[Stop, str, Remembering]:
    model = Remembering(TALK)
    session = Session("s1", "Write the verifier.", transcript)
    stop = loop.run(session, model, place.toolbox(), budget())
    assert session.open_calls == []
    told = json.dumps(session.messages)
    transcript.close()
    return stop, told, model


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Stop, str, dict[str, str]]:
    """The undisturbed session: number of records, stop, history, tree."""
    place = Place(tmp_path_factory.mktemp("whole"))
    path = place.root / "s.jsonl"
    stop, told, _ = went(place, Transcript(path))
    return path.read_bytes().count(b"\n"), stop, told, place.tree()


RECORDS = 31


def test_the_session_has_as_many_records_as_are_tried(whole: Any) -> None:
    assert whole[0] == RECORDS


@pytest.mark.parametrize("is_written", [True, False], ids=["written", "torn"])
@pytest.mark.parametrize("last", range(1, RECORDS + 1))
def test_killed_at_a_record(last: int, is_written: bool, whole: Any, tmp_path: Path) -> None:
    place, path = Place(tmp_path), tmp_path / "s.jsonl"
    with pytest.raises(Killed):
        went(place, Dying(path, last, is_written=is_written))
    stop, told, model = went(place, Transcript(path))
    assert (stop, told, place.tree()) == whole[1:]
    assert all(no_call_is_open(request.messages) for request in model.requests)


def no_call_is_open(messages: Sequence[Any]) -> bool:
    """Whether each turn with tool calls is followed by one that begins with all of their results."""
    for at, message in enumerate(messages):
        used = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if used and [b.get("tool_use_id") for b in messages[at + 1]["content"][: len(used)]] != used:
            return False
    return True


def test_a_record_torn_anywhere_is_no_record(tmp_path: Path) -> None:
    place, path = Place(tmp_path), tmp_path / "s.jsonl"
    went(place, Transcript(path))
    data = path.read_bytes()
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for before, end in pairwise(ends):
        for cut in (before + 1, (before + end) // 2, end - 1):
            path.write_bytes(data[:cut])
            Session("s1", "Write the verifier.", Transcript(path)).close()
            assert path.read_bytes() == data[:before] + b'{"event":"torn","bytes":%d}\n' % (cut - before)


def test_a_finished_session_is_not_paid_again(tmp_path: Path) -> None:
    place, path = Place(tmp_path), tmp_path / "s.jsonl"
    went(place, Transcript(path))
    before = path.read_bytes()
    _, _, model = went(place, Transcript(path))
    assert model.requests == []
    assert path.read_bytes() == before


def test_a_call_that_was_cut_off_twice_is_left_to_the_model(tmp_path: Path) -> None:
    place, path = Place(tmp_path), tmp_path / "s.jsonl"
    for last in (4, 3):  # brief, reply, call, (result); then torn, call again, (result)
        with pytest.raises(Killed):
            went(place, Dying(path, last, is_written=False))
    model = Remembering([TALK[0], reply(says("REFUSE: the machine dies of it"))])
    session = Session("s1", "Write the verifier.", Transcript(path))
    loop.run(session, model, place.toolbox(), budget())
    first, second = session.messages[2]["content"]
    assert first["content"].startswith("interrupted: ")
    assert "is_error" not in second


def test_another_brief_or_model_begins_anew_and_keeps_the_cost(tmp_path: Path) -> None:
    place, path = Place(tmp_path), tmp_path / "s.jsonl"
    went(place, Transcript(path))
    session = Session("s1", "Write it differently.", Transcript(path), setting="other")
    assert len(session.messages) == 1
    session.close()
    assert usages(path) == [USED] * len(TALK)


def test_a_foreign_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Session("s1", "Write the verifier.", Transcript(path)).close()
    path.write_bytes(path.read_bytes() + b'{"event": "reply"}\n')
    with pytest.raises(JournalError, match="s1"):
        Session("s1", "Write the verifier.", Transcript(path))
