"""Why a session ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """What ended a session; only the gates and the proof decide whether the result counts."""

    PROPOSED = "proposed"  # the model ended its turn and the gates are clean
    DECLINED = "declined"  # the model says that the case is to be refused, and why
    INCOMPLETE = "incomplete"  # the turn ended before the gates were clean, as often as we ask
    STUCK = "stuck"  # the same call again and again, or too many turns
    TRUNCATED = "truncated"  # two replies in a row were cut at max_tokens
    TOO_LONG = "too-long"  # the conversation does not fit into the model's window any more
    REFUSED = "refused"  # the model's own safety refusal
    ODD_REPLY = "odd-reply"  # a stop reason that we do not know
    NEEDS_INPUT = "needs-input"  # a question is open
    SHARE = "share"  # what one session may cost is spent


RESUMABLE = frozenset({Reason.NEEDS_INPUT, Reason.SHARE})


@dataclass(frozen=True)
class Stop:
    """The end of a session; ``detail`` is one line for the report."""

    reason: Reason
    detail: str = ""

    @property
    def is_final(self) -> bool:
        """Whether going on later, with an answer or a higher limit, would change nothing."""
        return self.reason not in RESUMABLE
