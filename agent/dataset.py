"""The dataset as one run takes it: its framework, its inventory, and the tasks that were selected, named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from agent.errors import UsageError
from agent.options import Options
from agent.outcome import TaskResult
from agent.recipes import recipe_place
from agent.unit import Unit
from skill.naming import case_names
from skill.recipe.reading import read_recipe
from skill.sources.base import Inventory, Source, TaskRef
from skill.sources.detection import detect
from skill.sources.recipe import Described


@dataclass(frozen=True)
class Dataset:
    """What is to be converted."""

    source: Source
    inventory: Inventory
    selected: tuple[TaskRef, ...]
    names: dict[str, str]  # task id -> case name, for all tasks, so that a selection changes no name

    def units(self, before: dict[str, TaskResult] | None = None) -> Iterator[Unit]:
        """A unit of work for each selected task."""
        for ref in self.selected:
            yield Unit(ref, self.names[ref.id], (before or {}).get(ref.id))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(task id, case name) of the selected tasks."""
        return [(ref.id, self.names[ref.id]) for ref in self.selected]


def read_dataset(options: Options) -> Dataset:
    """Detect and list; raises UsageError when nothing is selected, SourceError when there is no dataset."""
    if not options.source.exists():
        raise UsageError(f"{options.source}: no such {'file or ' if options.recipe else ''}folder")
    source = Described(read_recipe(recipe_place(options.recipe))) if options.recipe else detect(options.source)
    inventory = source.inventory(options.source)
    names = case_names(inventory.tasks)
    chosen = [ref for ref in inventory.tasks if _wanted(ref, names[ref.id], options.only)]
    if options.limit:
        chosen = chosen[: options.limit]
    if not chosen:
        only = f" that matches --only {options.only!r}" if options.only else ""
        raise UsageError(f"{options.source}: holds no {source.name} task{only}")
    return Dataset(source, inventory, tuple(chosen), names)


def _wanted(ref: TaskRef, name: str, only: str) -> bool:
    return not only or fnmatchcase(name, only) or fnmatchcase(ref.id, only)
