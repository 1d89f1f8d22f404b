"""Limits with names, asked before the spend: money, tokens, requests, minutes, and one session's share.

Money is a hard cap: a reply's token limit is lowered until the dearest outcome fits, and where that leaves too
little to work with, nothing is sent.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from agent.errors import BudgetSpent
from agent.messages import Request
from agent.pricing import MILLION, Rules
from agent.usage import NOTHING, Usage

LEAST_OUTPUT: Final = 2_048  # tokens; a reply with less room than this would be cut, and paid for nothing
CHARACTERS_PER_TOKEN: Final = Decimal("2.5")  # low, so that what is estimated is rather too much


class ShareSpent(Exception):
    """What one session may cost is spent; the run goes on without it."""


class WindowFull(Exception):
    """The conversation leaves no room for a reply in the model's window."""


@dataclass(frozen=True)
class Limits:
    """What a run may use; None means no limit."""

    usd: Decimal | None = None
    requests: int | None = None
    minutes: Decimal | None = None
    usd_per_case: Decimal | None = None  # of one session, which works on one case for its whole shape
    tokens: int | None = None


@dataclass(frozen=True)
class Admission:
    """A request that may be sent, and what is set aside for it until it is settled."""

    request: Request
    usd: Decimal
    tokens: int


class Budget:
    """One run's limits and what is used of them; safe to use from several sessions side by side."""

    def __init__(self, limits: Limits, rules: Rules, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self.rules = limits, rules
        self._clock = clock
        self._start = clock()
        self._lock = threading.Lock()
        self._usd = self._held_usd = Decimal(0)
        self._tokens = self._held_tokens = self._requests = 0
        self._is_restored = False
        self.is_partial = False  # an endpoint left figures out, so that some are estimates

    @property
    def usd(self) -> Decimal:
        """What was spent so far."""
        return self._usd

    @property
    def requests(self) -> int:
        """How many requests were sent so far, those without a reply included."""
        return self._requests

    def restore(self, used: Iterable[Usage]) -> None:
        """Count what an earlier part of this run has used, request by request.

        That is done once: whatever is recorded later, this budget has admitted.
        """
        for usage in () if self._is_restored else used:
            self._count(usage)
        self._is_restored = True

    def seconds_left(self) -> float | None:
        """How long the run may still take; None without a limit."""
        if self.limits.minutes is None:
            return None
        return float(self.limits.minutes) * 60 - (self._clock() - self._start)

    def admit(self, request: Request, before: Usage = NOTHING, share: Decimal = Decimal(0)) -> Admission:
        """``request``, with no more room for the reply than the money allows.

        ``before`` is the usage of the session's last request, ``share`` what the session has cost. Raises
        BudgetSpent, ShareSpent or WindowFull when that leaves no room for a reply worth having.
        """
        with self._lock:
            self._require_requests_and_time()
            prompt = _prompt_usage(request, before)
            room = min(request.max_tokens, self.rules.max_output, self.rules.window - prompt.total)
            if room < LEAST_OUTPUT <= request.max_tokens:
                raise WindowFull(f"the conversation no longer fits into the {self.rules.window} tokens of the model")
            limit = self.limits.usd_per_case
            room = self._affordable(room, prompt, limit, share, "usd per case", ShareSpent)
            room = self._affordable(room, prompt, self.limits.usd, self._usd + self._held_usd, "usd", BudgetSpent)
            room = self._within_tokens(room, prompt)
            held = self.rules.cost(replace(prompt, output=room))
            self._requests += 1
            self._held_usd += held
            self._held_tokens += prompt.total + room
            return Admission(replace(request, max_tokens=room), held, prompt.total + room)

    def settle(self, admission: Admission, usage: Usage) -> None:
        """Count what the request really used, whether or not a reply came of it."""
        with self._lock:
            self._held_usd -= admission.usd
            self._held_tokens -= admission.tokens
            self._requests -= 1
            self._count(usage)

    def _count(self, usage: Usage) -> None:
        self._usd += self.rules.cost(usage)
        self._tokens += usage.total
        self._requests += 1
        self.is_partial = self.is_partial or usage.is_partial

    def _require_requests_and_time(self) -> None:
        most = self.limits.requests
        if most is not None and self._requests >= most:
            raise BudgetSpent(f"budget: {self._requests} of {most} requests are used (raise --max-requests to go on)")
        left = self.seconds_left()
        if left is not None and left <= 0:
            raise BudgetSpent(f"budget: {self.limits.minutes} minutes are over (raise --max-minutes to go on)")

    def _affordable(
        self, room: int, prompt: Usage, cap: Decimal | None, used: Decimal, name: str, error: type[Exception]
    ) -> int:
        """How many tokens of a reply ``cap`` pays for."""
        price = self.rules.price_at(prompt.prompt)
        if cap is None or price is None:
            return room
        left = cap - used - price.of(prompt)
        affordable = min(room, int(left * MILLION / price.output))
        if affordable < min(LEAST_OUTPUT, room):
            least = price.of(replace(prompt, output=LEAST_OUTPUT))
            flag = "--max-" + name.replace(" ", "-")
            raise error(
                f"budget: {used:.4f} of {cap} {name} is used, the next request needs {least:.4f} (raise {flag})"
            )
        return affordable

    def _within_tokens(self, room: int, prompt: Usage) -> int:
        most = self.limits.tokens
        if most is None:
            return room
        used = self._tokens + self._held_tokens
        left = most - used - prompt.total
        if left < min(LEAST_OUTPUT, room):
            raise BudgetSpent(f"budget: {used} of {most} tokens are used (raise --max-tokens to go on)")
        return min(room, left)


def _prompt_usage(request: Request, before: Usage) -> Usage:
    """What the prompt will use: as the last one did where that is known, else by its length."""
    whole = json.dumps([request.system, request.tools, request.messages])
    estimate = int(len(whole) / CHARACTERS_PER_TOKEN)
    if before.cache_read + before.cache_write + before.cache_write_long == 0:
        return Usage(cache_write=estimate)
    known = before.total  # the last prompt and its reply are in the cache, or go there now
    new = sum(len(json.dumps(block)) for block in request.messages[-1]["content"])
    return Usage(cache_write=before.output + int(new / CHARACTERS_PER_TOKEN), cache_read=known - before.output)
