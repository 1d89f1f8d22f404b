"""Finding the tasks of a Terminal-Bench dataset.

The framework takes every child of a dataset's folder for a task; checkouts hold them at any depth. A file task.yaml
beside a run-tests.sh, or with keys that only a task has, decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skill.errors import SourceError
from skill.sources.base import Inventory, Skip, TaskRef, in_order
from skill.sources.files import odd_name

TASK_FILE: Final = "task.yaml"
SCRIPT: Final = "run-tests.sh"
OTHERS: Final = "task.toml"  # of a Harbor task, in whose folder nobody looks for tasks of Terminal-Bench
OWN_KEY: Final = re.compile(
    rb"^(?:instruction|descriptions|parser_name|max_agent_timeout_sec|max_test_timeout_sec)[ \t]*:", re.MULTILINE
)
HEAD: Final = 262_144  # bytes of a task.yaml that are searched for a key
MAX_DEPTH: Final = 40
PRUNED: Final = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
NO_MARKS: Final = "its task.yaml is not one of Terminal-Bench: no run-tests.sh beside it, no key of a task in it"
ZIPPED: Final = "a zipped task, as a checkout of the framework's registry holds them; unzip it first"
Entry = os.DirEntry[str]


@dataclass
class _Scan:
    """What a walk has found so far."""

    tasks: list[TaskRef] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    def skip(self, place: str, reason: str) -> None:
        self.skipped.append(Skip(place if place.isprintable() else ascii(place)[1:-1], reason))


def first_task(root: Path) -> str | None:
    """The folder of a task below ``root`` ("." for ``root`` itself), nearest first; None without one."""
    level = [(str(root), ".")]
    for _ in range(MAX_DEPTH):
        deeper: list[tuple[str, str]] = []
        for folder, place in level:
            try:
                entries = _entries(folder)
            except OSError:
                continue
            if is_task(entries):
                return place
            if any(entry.name == OTHERS for entry in entries):
                continue
            deeper += [(entry.path, _below(place, entry.name)) for entry in _folders(entries)]
        level = deeper
    return None


def take_inventory(root: Path) -> Inventory:
    """All tasks below ``root`` sorted by id, and what was left aside; SourceError for an unlistable ``root``.

    A found task is not descended into, links are not followed.
    """
    root = root.resolve()
    scan = _Scan()
    try:
        _visit(scan, str(root), ".", 0)
    except OSError as error:
        raise SourceError(root, f"cannot be listed: {error.strerror}", "name a dataset's folder") from error
    if scan.tasks != [] and scan.tasks[0].id != ".":
        _note_zips(scan, root)
    skipped = tuple(sorted(scan.skipped, key=lambda skip: skip.path))
    return Inventory("terminal-bench", root, root.name, "", in_order(iter(scan.tasks)), skipped)


def is_task(entries: list[Entry]) -> bool:
    """Whether a folder with these entries is a task."""
    files = {entry.name: entry for entry in entries if _is_file(entry)}
    return TASK_FILE in files and (SCRIPT in files or _has_own_key(files[TASK_FILE].path))


def _is_file(entry: Entry) -> bool:
    """Whether a file is there, through links; False for a link in a circle."""
    return entry.is_file(follow_symlinks=False) or (entry.is_symlink() and Path(entry.path).is_file())


def _has_own_key(path: str) -> bool:
    try:
        with Path(path).open("rb") as stream:
            return OWN_KEY.search(stream.read(HEAD)) is not None
    except OSError:
        return False


def _entries(folder: str) -> list[Entry]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def _folders(entries: list[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name not in PRUNED)


def _below(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"


def _visit(scan: _Scan, folder: str, place: str, depth: int) -> None:
    """Record the task in ``folder``, or what lies below it, or why it was left aside; OSError if unlisted."""
    entries = _entries(folder)
    if is_task(entries):
        path = Path(folder)
        scan.tasks.append(TaskRef(place, path, path.name, place))
        return
    if any(entry.name == TASK_FILE and _is_file(entry) for entry in entries):
        scan.skip(place, NO_MARKS)
    elif any(entry.name == SCRIPT and _is_file(entry) for entry in entries):
        scan.skip(place, f"looks like a task ({SCRIPT}) but has no {TASK_FILE}")
    for entry in entries:
        _look_at(scan, entry, _below(place, entry.name), depth)


def _look_at(scan: _Scan, entry: Entry, place: str, depth: int) -> None:
    if entry.is_symlink():
        if Path(entry.path).is_dir():  # unlike the entry, it takes a link in a circle for no folder
            scan.skip(place, "a symbolic link to a folder; links are not followed")
    elif not entry.is_dir(follow_symlinks=False) or entry.name in PRUNED:
        return
    elif "UTF-8" in odd_name(entry.name):
        scan.skip(place, "its name is not UTF-8")
    elif depth >= MAX_DEPTH:
        scan.skip(place, "nested too deeply to be searched")
    else:
        try:
            _visit(scan, entry.path, place, depth + 1)
        except OSError as error:
            scan.skip(place, f"cannot be listed: {error.strerror}")


def _note_zips(scan: _Scan, root: Path) -> None:
    """Report archives that lie beside tasks."""
    for folder in sorted({ref.root.parent for ref in scan.tasks}):
        for path in sorted(folder.glob("*.zip")):
            scan.skip(path.relative_to(root).as_posix(), ZIPPED)
