"""Which model a run uses, decided from flags and environment before anything is spent."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agent.budget import Limits
from agent.endpoint import KEYS, Endpoint, NoModel, chosen, described, limits, open_model
from agent.errors import ModelDenied, UsageError
from agent.flags import PROVIDERS
from agent.messages import Request
from agent.mind import open_mind
from agent.options import MODEL_FLAGS, Options
from agent.parser import parser
from agent.pricing import default_model

KEY = {"ANTHROPIC_API_KEY": "planted-key-value"}
TOKEN = {"ANTHROPIC_AUTH_TOKEN": "planted-token-value"}


def options(**flags: Any) -> Options:
    return Options(Path("s"), **flags)


NONE = [
    ({}, {}, "none, for there is no ANTHROPIC_API_KEY: "),
    ({}, {"ANTHROPIC_API_KEY": ""}, "none, for there is no ANTHROPIC_API_KEY: "),
    ({}, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, "none, for there is no ANTHROPIC_API_KEY: "),
    ({"model": "none"}, {}, "none, as asked for: "),
    ({"model": "none"}, KEY, "none, as asked for: "),
]


@pytest.mark.parametrize(("flags", "environ", "reason"), NONE)
def test_no_model(flags: dict[str, Any], environ: dict[str, str], reason: str) -> None:
    choice = chosen(options(**flags), environ)
    assert isinstance(choice, NoModel)
    assert choice.reason.startswith(reason)
    assert choice.reason.endswith("what rules cover is converted and the rest is refused with needs-agent")


SOME = [
    ({}, KEY, ("anthropic", default_model())),
    ({}, TOKEN, ("anthropic", default_model())),
    ({"model": "claude-sonnet-5-5", "effort": "high"}, KEY, ("anthropic", "claude-sonnet-5-5")),
    ({"provider": "bedrock"}, {"AWS_REGION": "eu-west-1"}, ("bedrock", default_model())),
    ({"provider": "vertex"}, {"ANTHROPIC_VERTEX_PROJECT_ID": "p", "CLOUD_ML_REGION": "r"}, ("vertex", default_model())),
    ({"model": "own-model", "max_tokens": 1_000}, KEY, ("anthropic", "own-model")),
]


@pytest.mark.parametrize(("flags", "environ", "expected"), SOME)
def test_a_model(flags: dict[str, Any], environ: dict[str, str], expected: tuple[str, str]) -> None:
    choice = chosen(options(**flags), environ)
    assert isinstance(choice, Endpoint)
    assert (choice.provider, choice.model) == expected
    assert "planted" not in repr(choice)


WRONG = [
    (
        {"model": "claude-opus-5-5"},
        {},
        r"--model claude-opus-5-5: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set",
    ),
    ({"provider": "vertex"}, {"CLOUD_ML_REGION": "r"}, r"ANTHROPIC_VERTEX_PROJECT_ID and CLOUD_ML_REGION is not set"),
    ({"provider": "bedrock"}, KEY, r"AWS_REGION or AWS_BEARER_TOKEN_BEDROCK is not set"),
    ({"model": "own-model"}, KEY, r"its price is not known, so its cost cannot be limited \(give --max-tokens N\)"),
    ({"model": "own-model", "max_tokens": 9, "max_usd": "1"}, KEY, r"give --max-tokens N instead of --max-usd"),
    ({"model": "claude-sonnet-5-5", "effort": "max"}, KEY, r"claude-sonnet-5-5 has low, medium, high"),
    ({"max_usd": "free"}, KEY, r"--max-usd free: is no amount above 0"),
    ({"max_usd": "NaN"}, KEY, r"--max-usd NaN: is no amount above 0"),
    ({"max_minutes": "-1"}, KEY, r"--max-minutes -1: is no amount above 0"),
    ({"max_usd_per_case": "0"}, KEY, r"--max-usd-per-case 0: is no amount above 0"),
]


@pytest.mark.parametrize(("flags", "environ", "complaint"), WRONG)
def test_what_cannot_be(flags: dict[str, Any], environ: dict[str, str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as caught:
        chosen(options(**flags), environ)
    assert "\n" not in str(caught.value)


def test_limits_are_read_from_flags() -> None:
    given = options(max_usd="2.50", max_usd_per_case="0.5", max_tokens=7, max_requests=60, max_minutes="30")
    assert limits(given) == Limits(Decimal("2.50"), 60, Decimal(30), Decimal("0.5"), 7)
    assert limits(options()) == Limits()


SPENDING = [
    ({"max_usd": "2.50"}, Decimal("2.50")),
    ({}, Decimal(10)),
    ({"max_tokens": 7}, Decimal(10)),  # a limit beside it
    ({"model": "own-model", "max_tokens": 7}, None),  # no price, no amount
]


@pytest.mark.parametrize(("flags", "usd"), SPENDING)
def test_money_has_a_limit_whether_or_not_one_was_given(flags: dict[str, Any], usd: Decimal | None) -> None:
    choice = chosen(options(**flags), KEY)
    assert isinstance(choice, Endpoint)
    assert choice.limits.usd == usd
    assert open_mind(options(**flags), KEY).budget.limits == choice.limits  # type: ignore[union-attr]


def test_what_is_chosen_is_said_in_one_line() -> None:
    assert described(chosen(options(), KEY)) == (
        f"model: {default_model()} of anthropic, for at most 10 USD by prices of 2026-11-30"
        " (--max-usd changes that, --model none does without)"
    )
    assert described(chosen(options(model="own-model", max_tokens=9), KEY)) == (
        "model: own-model of anthropic, price not known (--model none does without)"
    )
    assert described(chosen(options(), {})).startswith("model: none, for there is no ANTHROPIC_API_KEY: ")


def test_flags_options_and_resume_agree() -> None:
    convert = parser().parse_args(["convert", "s", "--model", "m", "--max-usd", "2"])
    resume = parser().parse_args(["resume", "r", "--max-usd", "3"])
    for args in (convert, resume):
        assert all(hasattr(args, flag) for flag in MODEL_FLAGS)
    assert set(MODEL_FLAGS) <= set(vars(options()))
    assert set(PROVIDERS) == set(KEYS)


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "botocore"), ("vertex", "google.auth")])
def test_a_provider_whose_packages_are_missing_is_told_in_one_line(
    provider: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    environ = {"AWS_REGION": "r", "ANTHROPIC_VERTEX_PROJECT_ID": "p", "CLOUD_ML_REGION": "r"}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    choice = chosen(options(provider=provider), environ)
    assert isinstance(choice, Endpoint)
    request = Request((), (), [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], 100)
    with pytest.raises(ModelDenied) as caught:
        open_model(choice, environ).reply(request)
    assert "\n" not in str(caught.value)
