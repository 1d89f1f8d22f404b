"""Finding the tasks of a Harbor dataset in whatever layout it was downloaded, cloned or written.

Known layouts: flat, category folders of any depth, wrapper folders named by a 22-character short id or a UUID,
package caches ``<org>/<name>/<64 hex digits>``, and a single task. What decides is a file called task.toml.
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
from skill.finding import Finding
from skill.sources.base import Inventory, Skip, TaskRef, in_order

SHORT_ID: Final = re.compile(r"[2-9A-HJ-NP-Za-km-z]{22}\Z")
UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
TASK_FILE: Final = "task.toml"
PARTS: Final = frozenset({"environment", "tests", "solution", "steps"})
PRUNED: Final = {
    ".git": "version control data", ".hg": "version control data", ".svn": "version control data",
    "node_modules": "installed packages", "__pycache__": "compiled Python",
}  # fmt: skip
DATASET_FILES: Final = {
    "metric.py": "a custom metric over rewards; a suite has none, so this aggregation is lost",
    "registry.json": "a registry of datasets, not a task",
}


@dataclass
class _Scan:
    """What a walk has found so far."""

    tasks: list[TaskRef] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)


def first_task(root: Path) -> str | None:
    """The folder of a task.toml below ``root`` ("." for ``root`` itself), nearest first; None without one."""
    level = [(str(root), ".")]
    while level:
        deeper: list[tuple[str, str]] = []
        for folder, place in level:
            try:
                entries = _entries(folder)
            except OSError:
                continue
            if any(entry.name == TASK_FILE and entry.is_file() for entry in entries):
                return place
            deeper += [(entry.path, _below(place, entry.name)) for entry in _folders(entries)]
        level = deeper
    return None


def take_inventory(root: Path) -> Inventory:
    """All tasks below ``root`` sorted by id, and every folder left aside with the reason.

    A found task is not descended into; links are not followed. Raises SourceError when ``root`` cannot be listed.
    """
    root = root.resolve()
    try:
        entries = _entries(str(root))
    except OSError as error:
        raise SourceError(root, f"cannot be listed: {error.strerror}", "name the folder of a dataset") from error
    scan = _Scan()
    _visit(scan, str(root), ".", entries)
    name, description, findings = _dataset(root)
    return Inventory(
        framework="harbor",
        root=root,
        name=name,
        description=description,
        tasks=in_order(iter(scan.tasks)),
        skipped=tuple(sorted(scan.skipped, key=lambda skip: skip.path)),
        findings=findings,
    )


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def _folders(entries: list[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name not in PRUNED)


def _below(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"


def _visit(scan: _Scan, folder: str, place: str, entries: list[os.DirEntry[str]]) -> None:
    """Record the task in ``folder``, or what lies below it, or why it was left aside."""
    if any(entry.name == TASK_FILE and entry.is_file() for entry in entries):
        scan.tasks.append(_ref(folder, place))
        _look_for_nested(scan, place, entries)
        return
    before = len(scan.tasks) + len(scan.skipped)
    for entry in entries:
        if entry.name in DATASET_FILES and entry.is_file():
            scan.skipped.append(Skip(_below(place, entry.name), DATASET_FILES[entry.name]))
        elif entry.is_symlink() and entry.is_dir():
            scan.skipped.append(Skip(_below(place, entry.name), "a symbolic link to a folder; links are not followed"))
        elif entry.is_dir(follow_symlinks=False):
            _descend(scan, entry, _below(place, entry.name))
    reason = _why_no_task(os.path.basename(folder), {entry.name for entry in entries})
    if place != "." and (reason.startswith(("looks", "partial")) or len(scan.tasks) + len(scan.skipped) == before):
        scan.skipped.append(Skip(place, reason))


def _descend(scan: _Scan, entry: os.DirEntry[str], place: str) -> None:
    if entry.name in PRUNED:
        scan.skipped.append(Skip(place, PRUNED[entry.name]))
        return
    try:
        entries = _entries(entry.path)
    except OSError as error:
        scan.skipped.append(Skip(place, f"cannot be listed: {error.strerror}"))
        return
    tasks, first = len(scan.tasks), len(scan.skipped)
    _visit(scan, entry.path, place, entries)
    below = scan.skipped[first:]
    if len(scan.tasks) == tasks and below and all(skip.reason == NOTHING for skip in below):
        scan.skipped[first:] = [Skip(place, NOTHING)]


NOTHING: Final = "no task.toml in it or below it"


def _why_no_task(name: str, names: set[str]) -> str:
    looks = sorted(names & {"instruction.md", "tests", "environment", "solution", "task.yaml", "task.toml"})
    if "task.yaml" in looks:
        return "looks like a Terminal-Bench task (task.yaml), which is another format"
    if "instruction.md" in looks or len(looks) >= 2:
        return f"looks like a task ({', '.join(looks)}) but has no {TASK_FILE}"
    if not names and (SHORT_ID.match(name) or UUID.match(name) or DIGEST.match(name)):
        return "partial download: the folder is empty"
    return NOTHING


def _look_for_nested(scan: _Scan, place: str, entries: list[os.DirEntry[str]]) -> None:
    """Say which task.toml files lie inside a task, beside its known parts: they are not tasks of their own."""
    for entry in _folders(entries):
        if entry.name not in PARTS and (inner := first_task(Path(entry.path))):
            where = _below(place, entry.name) if inner == "." else f"{_below(place, entry.name)}/{inner}"
            scan.skipped.append(Skip(where, f"lies inside the task {place}, which was not searched further"))


def _ref(folder: str, place: str) -> TaskRef:
    path = Path(folder)
    own, parent = path.name, path.parent.name
    if DIGEST.match(own):
        return TaskRef(place, path, parent or own, own)
    wrapped = place != "." and (SHORT_ID.match(parent) or UUID.match(parent))
    return TaskRef(place, path, own, parent if wrapped else place)


def _dataset(root: Path) -> tuple[str, str, tuple[Finding, ...]]:
    """Name and description for the suite: those of dataset.toml, else the folder's name."""
    try:
        table = toml.load((root / "dataset.toml").read_bytes()).get("dataset")
    except (OSError, toml.TomlError):
        table = None
    stated = table if isinstance(table, dict) else {}
    name, description = stated.get("name"), stated.get("description")
    return (
        name.rpartition("/")[2] if isinstance(name, str) and name.strip("/") else root.name,
        description if isinstance(description, str) else "",
        (),
    )
