"""Finding the tasks of a Harbor dataset in whatever layout it was downloaded, cloned or written.

Known layouts: flat, category folders of any depth, wrapper folders named by a 22-character short id or a
UUID, package caches ``<org>/<name>/<64 hex digits>``, and a single task. A file called task.toml decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skill import toml
from skill.errors import SourceError
from skill.sources.base import Inventory, Skip, TaskRef, in_order
from skill.sources.files import odd_name

SHORT_ID: Final = re.compile(r"[2-9A-HJ-NP-Za-km-z]{22}\Z")
UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
TASK_FILE: Final = "task.toml"
TASK_PARTS: Final = frozenset({"environment", "tests", "solution", "steps"})
MAX_DEPTH: Final = 40
NOTHING: Final = f"no {TASK_FILE} in it or below it"
PRUNED: Final = {
    ".git": "version control data",
    ".hg": "version control data",
    ".svn": "version control data",
    "node_modules": "installed packages",
    ".venv": "installed packages",
    "__pycache__": "compiled Python",
}
DATASET_FILES: Final = {
    "metric.py": "a custom metric over rewards; a suite has none, so this aggregation is lost",
    "registry.json": "a registry of datasets, not a task",
}
Entry = os.DirEntry[str]


@dataclass
class _Scan:
    """What a walk has found so far."""

    tasks: list[TaskRef] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    def skip(self, place: str, reason: str) -> None:
        self.skipped.append(Skip(place if place.isprintable() else ascii(place)[1:-1], reason))


def first_task(root: Path) -> str | None:
    """The folder of a task.toml below ``root`` ("." for ``root`` itself), nearest first; None without one."""
    level = [(str(root), ".")]
    for _ in range(MAX_DEPTH):
        deeper: list[tuple[str, str]] = []
        for folder, place in level:
            try:
                entries = _entries(folder)
            except OSError:
                continue
            if _is_task(entries):
                return place
            deeper += [(entry.path, _below(place, entry.name)) for entry in _folders(entries)]
        level = deeper
    return None


def take_inventory(root: Path) -> Inventory:
    """All tasks below ``root`` sorted by id, and every folder left aside with the reason.

    A found task is not descended into, links are not followed. Raises SourceError for an unlistable ``root``.
    """
    root = root.resolve()
    scan = _Scan()
    try:
        _visit(scan, str(root), ".", 0)
    except OSError as error:
        raise SourceError(root, f"cannot be listed: {error.strerror}", "name a dataset's folder") from error
    name, description = _dataset(scan, root)
    return Inventory(
        framework="harbor",
        root=root,
        name=name,
        description=description,
        tasks=in_order(iter(scan.tasks)),
        skipped=tuple(sorted(scan.skipped, key=lambda skip: skip.path)),
    )


def _entries(folder: str) -> list[Entry]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def _is_task(entries: list[Entry]) -> bool:
    return any(entry.name == TASK_FILE and entry.is_file() for entry in entries)


def _folders(entries: list[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name not in PRUNED)


def _below(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"


def _visit(scan: _Scan, folder: str, place: str, depth: int) -> None:
    """Record the task in ``folder``, or what lies below it, or why it was left aside; OSError if unlisted."""
    entries = _entries(folder)
    if _is_task(entries):
        scan.tasks.append(_ref(folder, place))
        _look_for_nested(scan, place, entries)
        return
    tasks, skipped = len(scan.tasks), len(scan.skipped)
    for entry in entries:
        _look_at(scan, entry, _below(place, entry.name), depth)
    reason = _why_no_task(folder.rpartition("/")[2], {entry.name for entry in entries})
    telling = [skip for skip in scan.skipped[skipped:] if skip.reason != NOTHING]
    if reason != NOTHING or (len(scan.tasks) == tasks and place != "." and not telling):
        scan.skipped[skipped:] = telling  # one line for the whole branch
        scan.skip(place, reason)


def _look_at(scan: _Scan, entry: Entry, place: str, depth: int) -> None:
    if entry.name in DATASET_FILES and entry.is_file():
        scan.skip(place, DATASET_FILES[entry.name])
    elif entry.is_symlink():
        if entry.is_dir():
            scan.skip(place, "a symbolic link to a folder; links are not followed")
    elif not entry.is_dir():
        return
    elif entry.name in PRUNED:
        scan.skip(place, PRUNED[entry.name])
    elif "UTF-8" in odd_name(entry.name):
        scan.skip(place, "its name is not UTF-8")
    elif depth >= MAX_DEPTH:
        scan.skip(place, "nested too deeply to be searched")
    else:
        try:
            _visit(scan, entry.path, place, depth + 1)
        except OSError as error:
            scan.skip(place, f"cannot be listed: {error.strerror}")


def _why_no_task(name: str, names: set[str]) -> str:
    looks = sorted(names & (TASK_PARTS | {"instruction.md"}) - {"steps"})
    if "task.yaml" in names:
        return "looks like a Terminal-Bench task (task.yaml), which is another format"
    if "instruction.md" in looks or len(looks) >= 2:
        return f"looks like a task ({', '.join(looks)}) but has no {TASK_FILE}"
    if not names and (SHORT_ID.match(name) or UUID.match(name) or DIGEST.match(name)):
        return "partial download: the folder is empty"
    return NOTHING


def _look_for_nested(scan: _Scan, place: str, entries: list[Entry]) -> None:
    """Report task.toml files inside a task, beside its known parts: they are not tasks of their own."""
    for entry in _folders(entries):
        if entry.name not in TASK_PARTS and (inner := first_task(Path(entry.path))):
            where = _below(place, entry.name) + ("" if inner == "." else f"/{inner}")
            scan.skip(where, f"lies inside the task {place}, which was not searched further")


def _ref(folder: str, place: str) -> TaskRef:
    path = Path(folder)
    own, parent = path.name, path.parent.name
    if DIGEST.match(own):
        return TaskRef(place, path, parent or own, own)
    wrapped = place != "." and (SHORT_ID.match(parent) or UUID.match(parent))
    return TaskRef(place, path, own, parent if wrapped else place)


def _dataset(scan: _Scan, root: Path) -> tuple[str, str]:
    """Name and description for the suite: those of dataset.toml, else the folder's name."""
    file = root / "dataset.toml"
    if not file.is_file():
        return root.name, ""
    try:
        table = toml.load(file.read_bytes()).get("dataset")
    except (OSError, toml.TomlError) as error:
        scan.skip("dataset.toml", f"cannot be read: {error}")
        table = None
    stated = table if isinstance(table, dict) else {}
    name, description = stated.get("name"), stated.get("description")
    short = name.rpartition("/")[2] if isinstance(name, str) else ""
    return short or root.name, description if isinstance(description, str) else ""
