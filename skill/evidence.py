"""What a proof saw, as plain data: one result per state in which a case's verifier was run.

Runners make these values, the ``evidence`` rules judge them, reports print them; nothing here runs anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, cast

from skill.contract import FAIL, INFRA, PASS

Verdict = Literal["pass", "fail", "infra", "error"]

ORACLE = "oracle"
NULL = "null"
SABOTAGE = "sabotage:"  # followed by the kind, such as "sabotage:asset-removed"
MUTANT = "mutant:"  # followed by kind and path: the right candidate's work, broken in one place
FORGERY = "forgery:"  # followed by kind and path: no right work, but something that looks like a pass
PLANTED = "planted:"  # followed by code and name: nothing was done but to plant a forgery of the catalogue
INERT = "inert:"  # the right candidate, and the same files as the forgeries plant with harmless content

_PREFIXES = {SABOTAGE: INFRA, MUTANT: FAIL, FORGERY: FAIL, PLANTED: FAIL, INERT: PASS}

_VERDICTS: dict[int, Verdict] = {PASS: "pass", FAIL: "fail", INFRA: "infra"}


def verdict_of(exit_code: int | None) -> Verdict:
    """What Margin makes of a verifier's exit status; anything it does not know is an "error"."""
    return "error" if exit_code is None else _VERDICTS.get(exit_code, "error")


def expected_exit(state: str) -> int:
    """The exit status that a sound verifier has in ``state``; raises ValueError for an unknown state."""
    for prefix, expected in _PREFIXES.items():
        if state.startswith(prefix):
            return expected
    try:
        return {ORACLE: PASS, NULL: FAIL}[state]
    except KeyError as error:
        raise ValueError(f"unknown state {state!r}") from error


@dataclass(frozen=True)
class StateResult:
    """The verifier's answer in one state: known good, untouched, broken footing, wrong or forged candidate."""

    state: str  # "oracle", "null", or "sabotage:", "mutant:", "forgery:", "planted:", "inert:" and what it is
    expected: int
    exit_code: int | None  # None: the run never got as far as an exit status
    verdict: Verdict
    seconds: float
    detail: str = ""  # one line: the reason given by the verifier or the runner
    log_tail: str = ""
    place: str = ""  # "tests/test.sh:12: exit 0", where the script ended; told of answers that do not hold

    @property
    def holds(self) -> bool:
        """Whether the verifier answered as it has to."""
        return self.exit_code == self.expected

    @property
    def is_survivor(self) -> bool:
        """Whether a wrong candidate passed: a measure of the source's tests, which a conversion has to keep."""
        return self.state.startswith((MUTANT, FORGERY)) and self.exit_code == PASS

    @property
    def is_forged(self) -> bool:
        """Whether a pass that was only played was taken for one."""
        return self.state.startswith(FORGERY) and self.is_survivor

    @property
    def is_contrary(self) -> bool:
        """Whether the answer speaks against the conversion; an infra after a plant and a failed twin are only told."""
        if self.state.startswith(PLANTED):
            return self.exit_code not in (FAIL, INFRA)
        return not self.holds and not self.is_survivor and not self.state.startswith(INERT)

    @property
    def is_paid_for(self) -> bool:
        """Whether the right work, by itself or with harmless files beside it, was judged and did not pass."""
        return self.state.startswith((ORACLE, INERT)) and not self.holds and self.exit_code is not None


@dataclass(frozen=True)
class Unproved:
    """A state that tells nothing about this case, and why; never counted as evidence."""

    state: str
    reason: str
    could_not_run: bool = False  # the engine, not the case, is why: the proof has a gap


@dataclass(frozen=True)
class CaseProof:
    """All that is known about how one case's verifier behaves; no results mean: unproved, and why."""

    case: str
    runner: str  # "docker", "margin"
    results: tuple[StateResult, ...] = ()
    unproved_reason: str = ""
    unproved: tuple[Unproved, ...] = ()  # states that were asked for and do not apply

    @property
    def holds(self) -> bool:
        """Whether there is evidence and none of it speaks against the conversion."""
        return bool(self.results) and not any(result.is_contrary for result in self.results)

    @property
    def gaps(self) -> tuple[Unproved, ...]:
        """The states that were asked for, apply, and could not be run."""
        return tuple(row for row in self.unproved if row.could_not_run)

    def to_dict(self) -> dict[str, Any]:
        """The proof as JSON-able values."""
        table = asdict(self)
        table["results"] = list(table["results"])
        table["unproved"] = list(table["unproved"])
        return table


def proof_from_dict(table: Mapping[str, Any]) -> CaseProof:
    """The proof that ``CaseProof.to_dict`` wrote; raises KeyError, TypeError or ValueError for anything else."""
    results = tuple(_result(row) for row in table["results"])
    unproved = tuple(_unproved(row) for row in table.get("unproved", ()))
    reason = str(table.get("unproved_reason", ""))
    return CaseProof(str(table["case"]), str(table["runner"]), results, reason, unproved)


def _unproved(row: Mapping[str, Any]) -> Unproved:
    """One state without a result out of JSON values."""
    return Unproved(str(row["state"]), str(row["reason"]), bool(row.get("could_not_run", False)))


def _result(row: Mapping[str, Any]) -> StateResult:
    """One state's result out of JSON values."""
    if row["verdict"] not in ("pass", "fail", "infra", "error"):
        raise ValueError(f"unknown verdict {row['verdict']!r}")
    code = row["exit_code"]
    return StateResult(
        state=str(row["state"]),
        expected=int(row["expected"]),
        exit_code=None if code is None else int(code),
        verdict=cast(Verdict, row["verdict"]),
        seconds=float(row["seconds"]),
        detail=str(row.get("detail", "")),
        log_tail=str(row.get("log_tail", "")),
        place=str(row.get("place", "")),
    )
