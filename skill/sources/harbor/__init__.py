"""Harbor datasets: folders with task.toml, instruction.md, environment/, tests/ and solution/."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skill.sources.base import Inventory, Origin, Source, SourceTask, TaskRef
from skill.sources.harbor.layout import first_task, take_inventory
from skill.sources.harbor.task import read_origin, read_task


@dataclass(frozen=True)
class Harbor:
    """The Harbor framework as a source."""

    name: str = "harbor"

    def detect(self, root: Path) -> str | None:
        """The place of the first task.toml below ``root``, or None."""
        found = first_task(root)
        return f"task.toml in {found}" if found else None

    def inventory(self, root: Path) -> Inventory:
        """Every task below ``root`` in a stable order; raises SourceError when ``root`` cannot be listed."""
        return take_inventory(root)

    def origin(self, ref: TaskRef) -> Origin:
        """Where the task's container comes from; raises SourceError when the folder cannot be listed."""
        return read_origin(ref)

    def load(self, ref: TaskRef) -> SourceTask:
        """The task read whole; whatever keeps it from being converted is among its refusals."""
        return read_task(ref)


HARBOR: Final[Source] = Harbor()
