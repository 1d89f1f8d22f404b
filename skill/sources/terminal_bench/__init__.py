"""Terminal-Bench datasets: folders with task.yaml, run-tests.sh, tests/, solution.sh and a compose file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skill.sources.base import Inventory, Origin, Source, SourceTask, TaskRef
from skill.sources.terminal_bench.layout import first_task, take_inventory
from skill.sources.terminal_bench.task import read_origin, read_task


@dataclass(frozen=True)
class TerminalBench:
    """The Terminal-Bench framework as a source, both generations of its task.yaml."""

    name: str = "terminal-bench"

    def detect(self, root: Path) -> str | None:
        """The place of the first task.yaml below ``root`` that bears the marks of a task, or None."""
        found = first_task(root)
        return f"task.yaml in {found}" if found else None

    def inventory(self, root: Path) -> Inventory:
        """Every task below ``root`` in a stable order; raises SourceError when ``root`` cannot be listed."""
        return take_inventory(root)

    def origin(self, ref: TaskRef) -> Origin:
        """Where the task's container comes from; raises SourceError when the folder cannot be listed."""
        return read_origin(ref)

    def load(self, ref: TaskRef) -> SourceTask:
        """The task read whole; whatever keeps it from being converted is among its refusals."""
        return read_task(ref)


TERMINAL_BENCH: Final[Source] = TerminalBench()
