"""How far a run has come: its journal, with a small index of which task's result stands where."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agent.dataset import Dataset
from agent.errors import JournalError
from agent.outcome import Outcome, TaskResult, from_record, to_record
from agent.run_folder import EVENTS, RunFolder, remove
from agent.unit import Unit
from agent.version import tool_version
from skill.contract import CASES_DIR

TASK, START, DRAFTED, PUBLISHING, DONE = "task", "start", "drafted", "publishing", "done"

TAIL = 4096  # bytes; the records that end a run are short


class Progress:
    """The results of this run, on disk; only the name, the outcome and the place of each are in memory."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run
        self._before: dict[str, int] = {}  # task id -> offset of what an unfinished run found
        self._places: dict[str, int] = {}  # task id -> offset, in the order of this run
        self._names: dict[str, str] = {}  # name of a converted case -> task id
        self.waiting = 0  # tasks that wait for an answer
        self.is_published = False  # by a run that was killed before it could say so
        self._recover()

    @property
    def done(self) -> int:
        """How many tasks have a result."""
        return len(self._places)

    def start(self, names: Iterable[str]) -> None:
        """Make the staging tree ready; staged cases that are none of ``names`` are removed."""
        cases = self._run.staging / CASES_DIR
        if self._run.staging.is_symlink() or cases.is_symlink():
            remove(self._run.staging)
        self._run.staging.mkdir(mode=0o700, exist_ok=True)
        cases.mkdir(mode=0o755, exist_ok=True)
        cases.chmod(0o755)
        wanted = frozenset(names)
        for folder in cases.iterdir():
            if folder.name not in wanted:
                remove(folder)
        self._run.journal.append({"event": START, "tool": tool_version()})

    def units(self, dataset: Dataset) -> Iterator[Unit]:
        """A unit for each selected task, with what an unfinished run made of it."""
        for one in dataset.units():
            offset = self._before.get(one.ref.id)
            yield Unit(one.ref, one.name, None if offset is None else self._result(offset))

    def add(self, result: TaskResult) -> None:
        """Record one task's result; a later one for the same task replaces it."""
        self._places[result.id] = self._run.journal.append({"event": TASK, "task": to_record(result)})
        self.waiting += result.outcome is Outcome.WAITING
        self._names.pop(result.name, None)
        if result.outcome is Outcome.CONVERTED:
            self._names[result.name] = result.id

    def event(self, kind: str, **fields: Any) -> None:
        """Record something else that happened."""
        self._run.journal.append({"event": kind, **fields})

    def sync(self) -> None:
        """Make what was recorded survive a power cut."""
        self._run.journal.sync()

    def results(self) -> Iterator[TaskResult]:
        """Every task's result, in order, one at a time."""
        for offset in self._places.values():
            yield self._result(offset)

    def result_of(self, name: str) -> TaskResult:
        """The result of the converted case ``name``."""
        return self._result(self._places[self._names[name]])

    def converted(self) -> list[str]:
        """The names of the converted cases, sorted."""
        return sorted(self._names)

    def publish(self) -> None:
        """Afterwards the staged suite is the output, and the run is over."""
        self.event(PUBLISHING)
        self.sync()
        self._run.publish()
        self.event(DONE)

    def give_up(self) -> None:
        """Afterwards the run is over without an output: there was no case to publish."""
        remove(self._run.staging)
        self.event(DONE)

    def _result(self, offset: int) -> TaskResult:
        try:
            return from_record(self._run.journal.record(offset)["task"])
        except (KeyError, TypeError, ValueError) as error:
            raise JournalError(f"{self._run.journal.path}: byte {offset} is no result of ours") from error

    def _recover(self) -> None:
        """Index what an unfinished run left; the journal of a finished one is begun anew."""
        last = ""
        for offset, record in self._run.journal.records():
            last = str(record.get("event"))
            if last == TASK and isinstance(record.get("task"), dict):
                self._before[str(record["task"].get("id"))] = offset
        self.is_published = last == PUBLISHING and not self._run.staging.exists()
        if last == DONE:
            self._before.clear()
            self._run.journal.restart()


def last_event(run: Path) -> str:
    """The kind of the last whole record in the journal of ``run``; empty when there is none."""
    try:
        with (run / EVENTS).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL))
            lines = stream.read().split(b"\n")
        return str(json.loads(lines[-2]).get("event", "")) if len(lines) > 1 else ""
    except (OSError, ValueError, AttributeError):
        return ""
