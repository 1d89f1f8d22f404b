"""What models cost and what they allow: read from pricing.toml, the one dated file of such facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Final

from agent.usage import Usage
from skill.toml import load

MILLION: Final = Decimal(1_000_000)
UNKNOWN_WINDOW: Final = 200_000
UNKNOWN_OUTPUT: Final = 32_000


@dataclass(frozen=True)
class Price:
    """USD per million tokens of each kind."""

    fresh: Decimal
    output: Decimal
    write: Decimal
    write_long: Decimal
    read: Decimal

    def of(self, usage: Usage) -> Decimal:
        """What ``usage`` costs."""
        return (
            usage.fresh * self.fresh
            + usage.cache_write * self.write
            + usage.cache_write_long * self.write_long
            + usage.cache_read * self.read
            + usage.output * self.output
        ) / MILLION


@dataclass(frozen=True)
class Rules:
    """One model; without a price its cost is unknown, and only tokens can be limited."""

    name: str
    price: Price | None = None
    tier: Price | None = None
    tier_above: int = 0
    window: int = UNKNOWN_WINDOW
    max_output: int = UNKNOWN_OUTPUT
    efforts: tuple[str, ...] = ()

    def price_at(self, prompt: int) -> Price | None:
        """The prices of a request with ``prompt`` tokens before the reply."""
        return self.tier if self.tier and prompt > self.tier_above else self.price

    def cost(self, usage: Usage) -> Decimal:
        """What one request cost; 0 for a model without a price."""
        price = self.price_at(usage.prompt)
        return price.of(usage) if price else Decimal(0)


def rules_of(model: str) -> Rules:
    """The rules of ``model``, found also when a provider writes more around its id."""
    table: Mapping[str, Any] = _table()["models"]
    known = max((name for name in table if name in model), key=len, default="")
    return _rules(model, table[known]) if known else Rules(model)


def default_model() -> str:
    """The model that is used when none is named."""
    return str(_table()["default"])


def as_of() -> str:
    """The date of the prices."""
    return str(_table()["as_of"])


def _rules(model: str, row: Mapping[str, Any]) -> Rules:
    tier = row.get("tier")
    return Rules(
        model,
        _price(row),
        _price(tier) if tier else None,
        tier["above"] if tier else 0,
        row["window"],
        row["max_output"],
        tuple(row["efforts"]),
    )


def _price(row: Mapping[str, Any]) -> Price:
    return Price(*(Decimal(row[kind]) for kind in ("fresh", "output", "write", "write_long", "read")))


@cache
def _table() -> Mapping[str, Any]:
    return load(files("agent").joinpath("pricing.toml").read_bytes())
