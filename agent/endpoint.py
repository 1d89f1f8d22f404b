"""Which model a run uses, if any: from flags and environment, decided before anything is spent.

A key's value is never held here: the client library reads it from the environment by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from agent.budget import Limits
from agent.errors import UsageError
from agent.flags import DEFAULT_MAX_USD, PROVIDERS
from agent.messages import Model
from agent.options import Options
from agent.pricing import Rules, as_of, default_model, rules_of

NONE: Final = "none"
DEFAULT_USD: Final = Decimal(DEFAULT_MAX_USD)  # a key in the environment is no leave to spend without end
KEYS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {  # any of these groups of variables will do
    "anthropic": (("ANTHROPIC_API_KEY",), ("ANTHROPIC_AUTH_TOKEN",)),
    "bedrock": (("AWS_REGION",), ("AWS_BEARER_TOKEN_BEDROCK",)),
    "vertex": (("ANTHROPIC_VERTEX_PROJECT_ID", "CLOUD_ML_REGION"),),
}
WITHOUT: Final = "without a model, what rules cover is converted and the rest is refused with needs-agent"


@dataclass(frozen=True)
class Endpoint:
    """The model that a run uses."""

    provider: str
    model: str
    effort: str
    rules: Rules
    limits: Limits


@dataclass(frozen=True)
class NoModel:
    """Why a run uses none, in one line."""

    reason: str


def chosen(options: Options, environ: Mapping[str, str]) -> Endpoint | NoModel:
    """The model that flags and environment name; none unless one is named or there is a key.

    Raises UsageError when a model is named that cannot be used: no key, an effort that it does not have, or no
    known price and no --max-tokens.
    """
    model, provider = options.model, options.provider or PROVIDERS[0]
    if model == NONE:
        return NoModel(f"none, as asked for: {WITHOUT}")
    has_key = any(all(environ.get(name) for name in group) for group in KEYS[provider])
    if not has_key and not model and not options.provider:
        return NoModel(f"none, for there is no ANTHROPIC_API_KEY: {WITHOUT}")
    name = model or default_model()
    if not has_key:
        wanted = " or ".join(" and ".join(group) for group in KEYS[provider])
        raise UsageError(f"--model {name}: {wanted} is not set (--model {NONE}: {WITHOUT})")
    rules = rules_of(name)
    given = limits(options)
    _require_limits(name, rules, given)
    if options.effort and rules.efforts and options.effort not in rules.efforts:
        raise UsageError(f"--effort {options.effort}: {name} has {', '.join(rules.efforts)}")
    most = given if rules.price is None or given.usd is not None else replace(given, usd=DEFAULT_USD)
    return Endpoint(provider, name, options.effort, rules, most)


def described(choice: Endpoint | NoModel) -> str:
    """One line for the plan and the report."""
    if isinstance(choice, NoModel):
        return f"model: {choice.reason}"
    if choice.limits.usd is None:
        return f"model: {choice.model} of {choice.provider}, price not known (--model {NONE} does without)"
    most = f"for at most {choice.limits.usd} USD by prices of {as_of()}"
    return f"model: {choice.model} of {choice.provider}, {most} (--max-usd changes that, --model {NONE} does without)"


def _require_limits(name: str, rules: Rules, limits: Limits) -> None:
    if rules.price is not None:
        return
    if limits.tokens is None:
        raise UsageError(f"--model {name}: its price is not known, so its cost cannot be limited (give --max-tokens N)")
    if limits.usd is not None or limits.usd_per_case is not None:
        raise UsageError(f"--model {name}: its price is not known (give --max-tokens N instead of --max-usd)")


def open_model(endpoint: Endpoint, environ: Mapping[str, str]) -> Model:
    """The model, ready to be asked; raises ModelDenied when its client cannot be made."""
    from agent.model import AnthropicModel, open_client

    return AnthropicModel(open_client(endpoint.provider, environ), endpoint.model, endpoint.effort)


def limits(options: Options) -> Limits:
    """The limits as the flags say them; 0 and empty mean none. Raises UsageError for what is no amount."""
    return Limits(
        usd=_amount("--max-usd", options.max_usd),
        requests=options.max_requests or None,
        minutes=_amount("--max-minutes", options.max_minutes),
        usd_per_case=_amount("--max-usd-per-case", options.max_usd_per_case),
        tokens=options.max_tokens or None,
    )


def _amount(flag: str, text: str) -> Decimal | None:
    if not text:
        return None
    try:
        amount = Decimal(text)
    except ArithmeticError:
        amount = Decimal(0)
    if not amount.is_finite() or amount <= 0:
        raise UsageError(f"{flag} {text}: is no amount above 0")
    return amount
