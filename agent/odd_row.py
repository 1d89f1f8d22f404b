"""One session in the report: what it was to serve, what it served, what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class SessionRow:
    """One session in the report."""

    id: str
    case: str  # that it worked on
    model: str  # that it was held with
    cases: int  # that it was to serve
    converted: int
    turns: int
    repairs: int
    ended: str
    detail: str
    usd: str
    tokens: int

    def table(self) -> dict[str, Any]:
        """The row for report.json."""
        return asdict(self)
