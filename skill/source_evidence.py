"""What the source's own verifier said in a state, and how that compares with the converted one: plain data.

Judges make SourceRuns, skill.agreement makes Agreements of them, the ``against-source`` rules judge those,
reports print them; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any


class Problem(StrEnum):
    """Why a source's framework books nothing."""

    MISSING = "missing"  # the verifier left no reward
    EMPTY = "empty"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Booking:
    """What the source's framework books for one run: values by key, or nothing and why."""

    values: tuple[tuple[str, float], ...] = ()
    problem: Problem | None = None
    detail: str = ""

    def __str__(self) -> str:
        if self.problem is not None:
            return f"nothing: {self.detail or self.problem}"
        return ", ".join(f"{key} {value:g}" for key, value in self.values) or "no values"


@dataclass(frozen=True)
class SourceRun:
    """How one run of the source's verifier ended; without a booking it was not run, and ``detail`` says why."""

    state: str
    booking: Booking | None = None
    exit_code: int | None = None  # of the verifier's script, which the framework may ignore
    detail: str = ""  # one line
    log_tail: str = ""
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The run as JSON-able values."""
        return asdict(self)


def run_from_dict(table: Mapping[str, Any]) -> SourceRun:
    """The run that ``SourceRun.to_dict`` wrote; raises KeyError, TypeError or ValueError for anything else."""
    held = table["booking"]
    booking = None
    if held is not None:
        values = tuple((str(key), float(value)) for key, value in held["values"])
        problem = None if held["problem"] is None else Problem(held["problem"])
        booking = Booking(values, problem, str(held["detail"]))
    plain = {field.name: table[field.name] for field in fields(SourceRun) if field.name != "booking"}
    return SourceRun(booking=booking, **plain)


class Standing(StrEnum):
    """How the two verdicts of one state stand to each other."""

    AGREES = "agrees"
    EXPLAINED = "explained"
    DIFFERS = "differs"
    NOT_COMPARED = "not compared"


@dataclass(frozen=True)
class Agreement:
    """One state, seen by both verifiers."""

    state: str
    standing: Standing
    source: str = ""  # "pass", "fail", "nothing", "unclear"; empty: not run
    booked: str = ""  # in words
    converted: str = ""  # "pass", "fail", "infra", "error"; empty: not run
    code: str = ""  # of the explanation
    sentence: str = ""  # the explanation, or why there is no comparison
    detail: str = ""  # what either side said, for a difference
    place: str = ""  # "tests/test.sh:12: exit 0", where the converted verifier ended, if that was seen

    def __str__(self) -> str:
        return f"{self.state} the source says {self.source} (booked {self.booked}), this verifier {self.converted}"


@dataclass(frozen=True)
class Suspect:
    """A file of the case where a difference may come from."""

    path: str
    line: int  # the first that is not the source's; 0: unknown
    why: str


@dataclass(frozen=True)
class AgainstSource:
    """One case beside its source's own verifier."""

    case: str
    framework: str
    rows: tuple[Agreement, ...] = ()
    reason: str = ""  # why nothing was compared
    suspects: tuple[Suspect, ...] = ()  # where a difference may come from, most suspect first

    @property
    def differs(self) -> bool:
        """Whether any state has two verdicts that nothing explains."""
        return any(row.standing is Standing.DIFFERS for row in self.rows)

    @property
    def agreeing(self) -> frozenset[str]:
        """The states in which both say the same."""
        return frozenset(row.state for row in self.rows if row.standing is Standing.AGREES)

    @property
    def is_compared(self) -> bool:
        """Whether the two verdicts of any state could be compared."""
        return any(row.standing is not Standing.NOT_COMPARED for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-able values."""
        return asdict(self)
