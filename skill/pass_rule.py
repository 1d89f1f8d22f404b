"""Which of a source's bookings passes: the rule that a conversion was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skill.source_evidence import Booking
from skill.verifier.rewrite import PASS_IF

SourceVerdict = Literal["pass", "fail", "nothing", "unclear"]


@dataclass(frozen=True)
class PassRule:
    """Which booking passes: ``key operator number``, or by default a single value of 1."""

    key: str = ""
    operator: str = "=="
    number: float = 1.0

    def judge(self, booking: Booking) -> SourceVerdict:
        """The verdict that a booking means."""
        values = dict(booking.values)
        if booking.problem is not None or not values:
            return "nothing"
        if self.key:
            value = values.get(self.key)
            return "unclear" if value is None else "pass" if self._holds(value) else "fail"
        value = next(iter(values.values()))
        if len(values) > 1 or value not in (0.0, 1.0):
            return "unclear"
        return "pass" if value == 1.0 else "fail"

    def _holds(self, value: float) -> bool:
        if self.operator == ">=":
            return value >= self.number
        return value > self.number if self.operator == ">" else value == self.number

    def __str__(self) -> str:
        return f"{self.key}{self.operator}{self.number:g}" if self.key else "a single value of 1"


def pass_rule(text: str | None) -> PassRule:
    """The rule that a conversion was given, such as "reward>=1"; without one a single value of 1 passes.

    Raises ValueError for a text that is no rule.
    """
    if not text:
        return PassRule()
    found = PASS_IF.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no rule such as 'reward>=1'")
    return PassRule(found[1], found[2], float(found[3]))
