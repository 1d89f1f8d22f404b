"""How a command ended: its status, a table for programs, a text for a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from agent import report
from agent.errors import CLEAN, FINDINGS, JournalError
from agent.run_folder import REPORT_JSON, run_path


class Ending(NamedTuple):
    """How a command ended."""

    status: int
    table: dict[str, Any]  # for a program
    text: str  # for a person


def ending_of(head: dict[str, Any], shown: Path) -> Ending:
    """How a conversion into ``shown`` ended, by the head of its report."""
    kept = head["books"]
    status = CLEAN if kept["in"] == kept["converted"] else FINDINGS
    return Ending(status, head, "\n".join(report.lines(head, str(shown), str(run_path(shown)))))


def finished(run: Path, shown: Path) -> Ending:
    """What a run that is over has to say, read from its report."""
    try:
        head = json.loads((run / REPORT_JSON).read_bytes())
        del head["tasks"]
        return ending_of(head, shown)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{run / REPORT_JSON}: cannot be read (start over with convert)") from error
