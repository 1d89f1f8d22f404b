"""A source that a recipe describes: its records are its tasks."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from skill.errors import SourceError
from skill.recipe.errors import BadRecord
from skill.recipe.recipe import Recipe, Skip
from skill.recipe.records import Place, places, record_at
from skill.recipe.tables import Record, field_of
from skill.recipe.task import refused, task_of
from skill.sources.base import Inventory, Origin, Refusal, SourceTask, TaskRef
from skill.sources.base import Skip as Skipped


@dataclass(frozen=True)
class Described:
    """The records of a source as tasks."""

    recipe: Recipe
    name: str = "recipe"

    def detect(self, root: Path) -> str | None:
        """The place of the first record, or None."""
        first = next(iter(places(self.recipe.rows, root)), None)
        return None if first is None else f"a record at {first.shown(root)}"

    def inventory(self, root: Path) -> Inventory:
        """A task for each record that is not skipped; SourceError when a file cannot be read."""
        tasks: list[TaskRef] = []
        skipped: list[Skipped] = []
        for place in places(self.recipe.rows, root):
            shown = place.shown(root)
            record = _record(self.recipe, place)
            if isinstance(record, str):
                tasks.append(_ref(self.recipe, place, shown, shown, b""))
                continue
            if reason := next((skip.reason for skip in self.recipe.skips if _is_skipped(skip, record)), ""):
                skipped.append(Skipped(shown, reason))
                continue
            wished = _wished(self.recipe, record, shown)
            tasks.append(
                _ref(self.recipe, place, shown, wished, repr(sorted(record.items())).encode("utf-8", "replace"))
            )
        if not tasks and not skipped:
            raise SourceError(root, "holds no record that the recipe describes", "look at rows.files and rows.list")
        return Inventory("recipe", root, self.recipe.name, self.recipe.description, tuple(tasks), tuple(skipped))

    def origin(self, ref: TaskRef) -> Origin:
        """Where the task's container comes from."""
        task = self.load(ref)
        own = any(file.path == "Dockerfile" for file in task.environment)
        return Origin(task.image, task.dockerfile, own, task.workdir)

    def load(self, ref: TaskRef) -> SourceTask:
        """The task of one record; what keeps it from being one is a refusal with its place."""
        place = Place(ref.root, ref.number, ref.at)
        folder = ref.root if ref.root.is_dir() else ref.root.parent
        try:
            return task_of(self.recipe, ref, record_at(self.recipe.rows, place), folder.resolve())
        except BadRecord as error:
            return refused(ref, Refusal("bad-record", f"{ref.id} {error}"))


def _record(recipe: Recipe, place: Place) -> Record | str:
    """The record, or why it is none."""
    try:
        return record_at(recipe.rows, place)
    except BadRecord as error:
        return str(error)


def _is_skipped(skip: Skip, record: Record) -> bool:
    try:
        value = field_of(record, skip.field)
    except BadRecord:
        return skip.missing
    if skip.missing:
        return value is None or value == ""
    if skip.matches:
        return isinstance(value, str) and re.search(skip.matches, value) is not None
    return bool(value == skip.equals and isinstance(value, bool) == isinstance(skip.equals, bool))


def _wished(recipe: Recipe, record: Record, shown: str) -> str:
    """The name that the record wishes for; its place where it has none."""
    if not recipe.rows.id:
        return str(record.get("_folder", record.get("_key", shown)))
    try:
        value = field_of(record, recipe.rows.id)
    except BadRecord:
        return shown
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip() else shown


def _ref(recipe: Recipe, place: Place, shown: str, wished: str, content: bytes) -> TaskRef:
    whole = hashlib.sha256(recipe.digest.encode() + content).hexdigest()
    key = "" if place.number and recipe.takes_files else whole
    return TaskRef(shown, place.path, wished, shown, number=place.number, at=place.at, key=key)
