"""Limits are kept before the spend: nothing is sent that could cost more than is left."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from agent.budget import LEAST_OUTPUT, Budget, Limits, ShareSpent, WindowFull
from agent.errors import BudgetSpent
from agent.messages import Request
from agent.pricing import as_of, default_model, rules_of
from agent.usage import NOTHING, Usage, usage_of
from tests.support.scripted import USED, says

OPUS = rules_of("claude-opus-5-5")
REQUEST = Request((says("x" * 10_000),), (), [{"role": "user", "content": [says("hello")]}], 32_000)


def budget(**limits: Any) -> Budget:
    return Budget(Limits(**limits), OPUS, clock=lambda: 0.0)


def test_without_limits_a_request_passes_as_it_is() -> None:
    assert budget().admit(REQUEST).request == REQUEST


def test_a_cap_that_is_far_changes_nothing() -> None:
    assert budget(usd=Decimal(5)).admit(REQUEST).request == REQUEST


def test_the_room_for_the_reply_is_what_the_money_pays_for() -> None:
    admission = budget(usd=Decimal("0.10")).admit(REQUEST)
    assert LEAST_OUTPUT <= admission.request.max_tokens < 4_000
    dearest = Usage(cache_write=5_000, output=admission.request.max_tokens)
    assert OPUS.cost(dearest) <= Decimal("0.11")


def test_money_that_pays_for_no_reply_sends_nothing() -> None:
    with pytest.raises(
        BudgetSpent, match=r"budget: 0\.0000 of 0\.05 usd is used, the next request needs 0\.06\d\d \(raise --max-usd\)"
    ):
        budget(usd=Decimal("0.05")).admit(REQUEST)


def test_the_cap_is_never_exceeded() -> None:
    limits = budget(usd=Decimal("0.50"))
    last = NOTHING
    with pytest.raises(BudgetSpent):
        for _ in range(100):
            admission = limits.admit(REQUEST, last)
            last = Usage(cache_write=4_000, output=admission.request.max_tokens)  # the dearest outcome each time
            limits.settle(admission, last)
    assert Decimal("0.3") < limits.usd <= Decimal("0.50")


def test_requests_under_way_are_set_aside() -> None:
    limits = budget(usd=Decimal("1.00"))
    first = limits.admit(REQUEST)
    second = limits.admit(REQUEST)
    assert second.request.max_tokens < first.request.max_tokens
    limits.settle(first, Usage(output=1))
    limits.settle(second, Usage(output=1))
    assert limits.admit(REQUEST).request.max_tokens == 32_000


def test_requests_are_counted_before_they_are_sent() -> None:
    limits = budget(requests=2)
    admissions = [limits.admit(REQUEST), limits.admit(REQUEST)]
    with pytest.raises(BudgetSpent, match="--max-requests"):
        limits.admit(REQUEST)
    for admission in admissions:
        limits.settle(admission, NOTHING)
    assert limits.requests == 2


def test_minutes_end_the_run() -> None:
    now = [0.0]
    limits = Budget(Limits(minutes=Decimal("1.5")), OPUS, clock=lambda: now[0])
    limits.admit(REQUEST)
    now[0] = 91.0
    with pytest.raises(BudgetSpent, match=r"1\.5 minutes are over"):
        limits.admit(REQUEST)


def test_a_share_bounds_one_session() -> None:
    with pytest.raises(ShareSpent):
        budget(usd_per_case=Decimal("0.50")).admit(REQUEST, share=Decimal("0.49"))
    assert budget(usd_per_case=Decimal("0.50")).admit(REQUEST, share=Decimal("0.10")).request.max_tokens < 32_000


def test_tokens_bound_a_model_without_a_price() -> None:
    limits = Budget(Limits(tokens=20_000), rules_of("own-model"))
    admission = limits.admit(REQUEST)
    assert admission.request.max_tokens < 20_000
    limits.settle(admission, Usage(fresh=10_000, output=6_000))
    assert limits.usd == 0
    with pytest.raises(BudgetSpent, match="16000 of 20000 tokens"):
        limits.admit(REQUEST)


def test_what_an_earlier_part_of_the_run_used_counts() -> None:
    limits = budget(requests=3)
    limits.restore([USED, USED])
    assert (limits.requests, limits.usd) == (2, 2 * OPUS.cost(USED))


def test_what_is_restored_is_counted_once_however_many_parts_ask_for_it() -> None:
    limits = budget(requests=3)
    limits.restore([USED])
    limits.settle(limits.admit(REQUEST), USED)
    limits.restore([USED, USED])
    assert limits.requests == 2


def test_a_cached_conversation_is_priced_as_one() -> None:
    long = Request((says("x" * 900_000),), (), REQUEST.messages, 32_000)
    cached = Usage(cache_read=300_000, output=500)
    with pytest.raises(BudgetSpent):
        budget(usd=Decimal(1)).admit(long)
    assert budget(usd=Decimal(1)).admit(long, cached).request.max_tokens == 32_000


FOUR = Usage(fresh=1_000_000, cache_write=1_000_000, cache_write_long=1_000_000, cache_read=1_000_000, output=1_000_000)
PRICES = [
    ("claude-opus-5-5", Usage(fresh=1_000_000), "4"),
    ("claude-opus-5-5", FOUR, "37.20"),
    ("claude-sonnet-5-5", FOUR, "18.60"),
    ("claude-haiku-5-5", Usage(fresh=100_000, output=10_000), "0.015"),
    ("claude-haiku-5-5", Usage(fresh=100_001, output=0), "0.0500005"),
    ("anthropic.claude-opus-5-5-v1:0", Usage(fresh=1_000_000), "4"),
    ("claude-opus-5", FOUR, "0"),
    ("own-model", FOUR, "0"),
]


@pytest.mark.parametrize(("model", "usage", "usd"), PRICES)
def test_prices(model: str, usage: Usage, usd: str) -> None:
    assert rules_of(model).cost(usage) == Decimal(usd)


def test_the_price_table_is_dated_and_has_its_default() -> None:
    assert as_of() == "2026-11-30"
    assert rules_of(default_model()).price


USAGES = [
    (None, Usage(is_partial=True)),
    ({}, Usage(is_partial=True)),
    ({"input_tokens": 1, "output_tokens": 2}, Usage(fresh=1, output=2)),
    ({"input_tokens": None, "output_tokens": 2}, Usage(output=2, is_partial=True)),
    (
        {"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": None, "cache_creation": None},
        Usage(fresh=1, output=2),
    ),
]


@pytest.mark.parametrize(("table", "usage"), USAGES)
def test_usage_of_any_endpoint(table: Any, usage: Usage) -> None:
    assert usage_of(table) == usage


def test_a_window_that_is_full_sends_nothing() -> None:
    limits = budget()
    nearly = Usage(cache_read=OPUS.window - 10_000, output=500)
    assert limits.admit(REQUEST, nearly).request.max_tokens < 10_000
    with pytest.raises(WindowFull, match="1000000 tokens"):
        limits.admit(REQUEST, Usage(cache_read=OPUS.window - 1_000, output=500))
