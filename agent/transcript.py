"""The records of one session: appended and on disk before and after each act, and read back the same.

A transcript is a journal of its own (``sessions/<id>.jsonl`` in the run folder), so that sessions side by side
do not wait for each other and a finished one can be read alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agent.journal import Journal, Record
from agent.usage import NOTHING, Usage

BRIEF, REPLY, DISCARDED, CALL, RESULT, SAID, STOP = "brief", "reply", "discarded", "call", "result", "said", "stop"
TORN = "torn"  # an unfinished last line was found, and cut off

Clean = Callable[[Any], Any]


class Transcript:
    """An open transcript; what ``append`` was given is on disk when it returns, cleaned of secrets."""

    def __init__(self, path: Path, clean: Clean = lambda record: record) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(path)
        self._clean = clean
        if self._journal.torn and next(self.records(), None):
            self.append(TORN, bytes=self._journal.torn)

    def append(self, event: str, **fields: Any) -> Record:
        """Write one record, sync it, and return it as it was written."""
        record: Record = self._clean({"event": event, **fields})
        self._journal.append(record)
        self._journal.sync()
        return record

    def records(self) -> Iterator[Record]:
        """Every record, in order; raises JournalError for a line that is none of ours."""
        return (record for _, record in self._journal.records())

    def restart(self) -> None:
        """Forget everything: what was recorded does not fit what is asked now."""
        self._journal.restart()

    def close(self) -> None:
        """Close the file."""
        self._journal.close()


def usages(path: Path) -> list[Usage]:
    """What the session recorded at ``path`` has used, request by request; empty when there is none."""
    if not path.is_file():
        return []
    transcript = Transcript(path)
    try:
        return [usage for record in transcript.records() for usage in usages_of(record)]
    finally:
        transcript.close()


def usages_of(record: Record) -> list[Usage]:
    """The usage of the requests that one record tells of."""
    if record["event"] in (REPLY, DISCARDED):
        return [Usage(**record["usage"])]
    if record["event"] == BRIEF:
        return [Usage(**usage) for usage in record["paid_before"]]
    return []


def total(used: list[Usage]) -> Usage:
    """All of it together."""
    return sum(used, NOTHING)
