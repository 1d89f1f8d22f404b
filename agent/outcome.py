"""What became of one source task: the row that journal, ledger and report share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from skill.finding import Finding, Severity
from skill.ledger import Action, Row
from skill.sources.base import Question


class Outcome(StrEnum):
    """How a task ended; every task ends in exactly one of the first three."""

    CONVERTED = "converted"
    REFUSED = "refused"
    FAILED = "failed"
    WAITING = "waiting"  # for an answer; never in a finished run


@dataclass(frozen=True)
class TaskResult:
    """One source task and what became of it."""

    id: str  # of the source task
    name: str  # of the case
    outcome: Outcome
    key: str = ""  # digest of everything that the result depends on
    environment: str = ""  # what the source offers: "image", "dockerfile", "image and dockerfile", "neither"
    shape: str = ""
    form: str = ""
    code: str = ""  # reason code of a refusal or failure
    sentence: str = ""
    facts: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: tuple[Row, ...] = ()
    questions: tuple[Question, ...] = ()


def to_record(result: TaskResult) -> dict[str, Any]:
    """``result`` as JSON values; what is empty is left out."""
    table: dict[str, Any] = {key: value for key, value in vars(result).items() if value}
    for key in ("findings", "ledger", "questions"):
        if key in table:
            table[key] = [dict(vars(item)) for item in table[key]]
    return table


def from_record(table: Mapping[str, Any]) -> TaskResult:
    """The result that `to_record` wrote; raises KeyError, TypeError or ValueError for anything else."""
    fields = dict(table)
    fields["outcome"] = Outcome(fields["outcome"])
    fields["facts"] = tuple(fields.get("facts", ()))
    fields["findings"] = tuple(
        Finding(**{**row, "severity": Severity(row["severity"])}) for row in fields.get("findings", ())
    )
    fields["ledger"] = tuple(Row(**{**row, "action": Action(row["action"])}) for row in fields.get("ledger", ()))
    fields["questions"] = tuple(
        Question(row["key"], row["text"], tuple(row["choices"])) for row in fields.get("questions", ())
    )
    return TaskResult(**fields)
