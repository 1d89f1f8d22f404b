"""Trying again: what is worth it, for how long, within the budget, and with everything counted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent.budget import Budget, ShareSpent
from agent.errors import (
    AgentError,
    BudgetSpent,
    Interrupted,
    ModelBusy,
    ModelDenied,
    ModelRejected,
    ModelUnreachable,
    SpendLimit,
)
from agent.patience import LADDER, MAX_BROKEN, Watch, ask
from agent.prompt import Prefix
from agent.session import Session
from agent.transcript import Transcript, usages
from agent.usage import Usage
from tests.support.scripted import USED, Scripted, Step, reply, says
from tests.support.sessions import budget

PREFIX = Prefix((says("system"),), ())
DONE = reply(says("done"))
LOST = Usage(fresh=100, output=7)


class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.shown: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def waiting(self, seconds: float, why: str) -> None:
        self.shown.append(seconds)

    def watch(self, **options: Any) -> Watch:
        return Watch(waiting=self.waiting, sleep=self.sleep, jitter=lambda: 0.5, **options)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session("s", "brief", Transcript(tmp_path / "s.jsonl"))


def tried(
    session: Session, steps: Sequence[Step], limits: Budget | None = None, clock: Clock | None = None
) -> Scripted:
    model = Scripted(steps)
    ask(session, model, limits or budget(), PREFIX, (clock or Clock()).watch())
    return model


def test_nothing_is_waited_for_when_all_is_well(session: Session) -> None:
    clock = Clock()
    tried(session, [DONE], clock=clock)
    assert clock.now == 0


@pytest.mark.parametrize("error", [ModelBusy("busy"), ModelUnreachable("cut")])
def test_what_is_worth_it_is_tried_again_with_the_same_request(error: AgentError, session: Session) -> None:
    clock = Clock()
    model = tried(session, [error, error, DONE], clock=clock)
    assert clock.now == sum(LADDER[:2])
    assert model.requests[0] == model.requests[2]


@pytest.mark.parametrize("error", [ModelDenied("key"), ModelRejected("bad"), SpendLimit("over")])
def test_what_is_not_is_told_at_once(error: AgentError, session: Session) -> None:
    with pytest.raises(type(error)):
        tried(session, [error])


def test_a_wall_of_a_quarter_of_an_hour_is_outlasted(session: Session) -> None:
    clock = Clock()
    tried(session, [*[ModelBusy("overloaded")] * 20, DONE], clock=clock)
    assert clock.now > 14 * 60


def test_a_wall_without_end_is_the_end(session: Session) -> None:
    clock = Clock()
    with pytest.raises(ModelBusy):
        tried(session, [ModelBusy("overloaded")] * 50, clock=clock)
    assert clock.now <= 1_800


def test_the_minutes_of_the_budget_bound_the_wait(session: Session) -> None:
    clock = Clock()
    limits = budget(minutes=Decimal(2))
    limits._clock = lambda: clock.now
    limits._start = 0.0
    with pytest.raises((ModelBusy, BudgetSpent)):
        tried(session, [ModelBusy("overloaded")] * 50, limits, clock)
    assert clock.now <= 120


def test_the_wait_that_the_endpoint_asks_for_is_kept(session: Session) -> None:
    clock = Clock()
    tried(session, [ModelBusy("slow down", retry_after=90.0), DONE], clock=clock)
    assert clock.now == 90


def test_a_wait_beyond_the_wall_is_not_begun(session: Session) -> None:
    clock = Clock()
    with pytest.raises(ModelBusy):
        tried(session, [ModelBusy("tomorrow", retry_after=86_400.0)], clock=clock)
    assert clock.now == 0


def test_broken_streams_are_tried_only_so_often(session: Session) -> None:
    with pytest.raises(ModelUnreachable):
        tried(session, [ModelUnreachable("cut", usage=LOST)] * MAX_BROKEN)
    assert session.usages == [LOST] * MAX_BROKEN


def test_waiting_is_shown_second_by_second(session: Session) -> None:
    clock = Clock()
    tried(session, [ModelBusy("busy"), DONE], clock=clock)
    assert clock.shown == [2.0, 1.0]


def test_a_wish_to_stop_ends_the_wait(session: Session) -> None:
    clock = Clock()
    watch = clock.watch(stopped=lambda: clock.now >= 3)
    with pytest.raises(Interrupted):
        ask(session, Scripted([ModelBusy("busy")] * 9), budget(), PREFIX, watch)
    assert clock.now == 3


def test_what_was_thrown_away_is_recorded_and_paid_for(session: Session, tmp_path: Path) -> None:
    limits = budget()
    tried(session, [ModelUnreachable("cut", usage=LOST), DONE], limits)
    assert limits.usd == limits.rules.cost(LOST) + limits.rules.cost(USED)
    assert limits.requests == 2
    assert usages(tmp_path / "s.jsonl") == [LOST]  # the reply itself is recorded by the loop


def test_a_try_too_many_is_not_sent(session: Session) -> None:
    model = Scripted([ModelBusy("busy"), DONE])
    with pytest.raises(BudgetSpent, match="1 of 1 requests"):
        ask(session, model, budget(requests=1), PREFIX, Clock().watch())
    assert len(model.requests) == 1


def test_a_share_that_is_spent_ends_only_the_session(session: Session) -> None:
    session.record_reply(DONE)
    session.say("go on")
    model = Scripted([DONE])
    with pytest.raises(ShareSpent, match="--max-usd-per-case"):
        ask(session, model, budget(usd_per_case=Decimal("0.01")), PREFIX, Clock().watch())
    assert model.requests == []


def test_real_sleep_is_the_default() -> None:
    assert Watch().sleep is time.sleep
