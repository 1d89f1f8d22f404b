"""What is seen of a session: one plain line a reply, and the wait before the next."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from agent.console import Console
from agent.session import Session
from agent.spectator import line, shown_on
from agent.transcript import Transcript
from agent.usage import Usage
from tests.support.scripted import calls, reply, says
from tests.support.sessions import budget

USED = Usage(fresh=100, cache_write=900, cache_read=9_000, output=250)
LINES: list[tuple[Any, str]] = [
    ([calls("1", "read", path="source/a"), calls("2", "margin_run")], "s1 turn 1: read source/a, margin_run; "),
    (
        [calls(str(n), "read", path="a") for n in range(6)],
        "s1 turn 1: read a, read a, read a, read a and 2 calls more; ",
    ),
    ([says("done")], "s1 turn 1: end_turn; "),
    ([calls("1", "x\x1b[31m", path=3)], "s1 turn 1: x\\x1b[31m; "),
    ([calls("1", "read", path="a\nb")], "s1 turn 1: read a\\nb; "),
]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session("s1", "brief", Transcript(tmp_path / "s.jsonl"))


@pytest.mark.parametrize(("blocks", "expected"), LINES)
def test_a_line_for_each_reply(blocks: Any, expected: str, session: Session) -> None:
    session.record_reply(reply(*blocks, usage=USED))
    limits = budget(usd=Decimal(2))
    limits.restore([USED])
    assert line(session, limits) == f"{expected}10000 in, 90 % cached, 250 out; 0.01 of 2 USD so far"


def test_a_model_without_a_price_has_no_cost(session: Session) -> None:
    session.record_reply(reply(says("done"), usage=Usage(output=5)))
    assert line(session, budget("own-model", tokens=9)) == "s1 turn 1: end_turn; 0 in, 5 out"


def test_a_wait_is_counted_down_every_ten_seconds() -> None:
    err = StringIO()
    watch = shown_on(Console(err=err), lambda: False)
    for left in (25.0, 24.0, 15.0, 14.0, 5.0, 60.0):
        watch.waiting(left, "busy")
    assert err.getvalue().splitlines() == [f"waiting {left} s more: busy" for left in (25, 15, 5, 60)]
