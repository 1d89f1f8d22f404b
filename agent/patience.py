"""Asking until there is an answer: what is worth trying again is, within the budget, and for so long.

Tries without a reply are recorded and paid for. Waiting is shown second by second and ends at once when
somebody wants to stop.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from agent.budget import Budget
from agent.errors import Interrupted, ModelBusy, ModelError
from agent.messages import Model, Reply
from agent.prompt import MAX_TOKENS, Prefix
from agent.session import Session
from agent.usage import NOTHING

WALL_SECONDS: Final = 1_800.0  # an overload of a quarter of an hour has been seen
LADDER: Final = (2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
MAX_BROKEN: Final = 5  # cut streams in a row, each of which may cost


@dataclass(frozen=True)
class Watch:
    """Who looks on: asked whether to stop, told of each reply and of each second that is waited."""

    stopped: Callable[[], bool] = lambda: False
    waiting: Callable[[float, str], None] = lambda seconds, why: None
    replied: Callable[[Session, Budget], None] = lambda session, budget: None
    sleep: Callable[[float], None] = time.sleep
    wall: float = WALL_SECONDS
    jitter: Callable[[], float] = random.random


QUIET: Final = Watch()


def ask(session: Session, model: Model, budget: Budget, prefix: Prefix, watch: Watch) -> Reply:
    """The model's reply to the session as it stands.

    Raises BudgetSpent, ShareSpent or WindowFull before a request that is not to be sent, ModelError when there is no
    reply to be had, Interrupted when somebody wants to stop.
    """
    waited, broken, tries = 0.0, 0, 0
    while True:
        if watch.stopped():
            raise Interrupted("stopped between two turns; what was said is kept")
        try:
            return _try(session, model, budget, prefix)
        except ModelError as error:
            session.record_discarded(error)
            broken = 0 if isinstance(error, ModelBusy) else broken + 1
            pause = _pause(error, tries, watch)
            if not error.is_worth_retrying or broken >= MAX_BROKEN or waited + pause > _wall(budget, watch):
                raise
            _wait(pause, str(error), watch)
            waited, tries = waited + pause, tries + 1


def _try(session: Session, model: Model, budget: Budget, prefix: Prefix) -> Reply:
    request = prefix.request(session.messages, MAX_TOKENS << session.cut)
    share = sum((budget.rules.cost(usage) for usage in session.usages), Decimal(0))
    admission = budget.admit(request, session.last_usage, share)
    try:
        reply = model.reply(admission.request)
    except ModelError as error:
        budget.settle(admission, error.usage)
        raise
    except BaseException:
        budget.settle(admission, NOTHING)
        raise
    budget.settle(admission, reply.usage)
    return reply


def _pause(error: ModelError, tries: int, watch: Watch) -> float:
    step = LADDER[min(tries, len(LADDER) - 1)]
    return max(error.retry_after, step * (0.75 + watch.jitter() / 2))


def _wall(budget: Budget, watch: Watch) -> float:
    left = budget.seconds_left()
    return watch.wall if left is None else min(watch.wall, max(0.0, left))


def _wait(seconds: float, why: str, watch: Watch) -> None:
    while seconds > 0:
        if watch.stopped():
            raise Interrupted("stopped while waiting for the model; what was said is kept")
        watch.waiting(seconds, why)
        watch.sleep(min(1.0, seconds))
        seconds -= 1.0
