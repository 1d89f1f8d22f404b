"""Finding the tasks of a Terminal-Bench dataset.

The framework takes every child of a dataset's folder for a task; checkouts hold them at any depth. A file task.yaml
beside a run-tests.sh, or with keys that only a task has, decides.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from skill.sources.base import Inventory, TaskRef, in_order
from skill.sources.scan import Entry, Scan, below, entries_of, is_file, look_at, nearest, scanned

TASK_FILE: Final = "task.yaml"
SCRIPT: Final = "run-tests.sh"
OTHERS: Final = "task.toml"  # of a Harbor task, in whose folder nobody looks for tasks of Terminal-Bench
OWN_KEY: Final = re.compile(
    rb"^(?:instruction|descriptions|parser_name|max_agent_timeout_sec|max_test_timeout_sec)[ \t]*:", re.MULTILINE
)
HEAD: Final = 262_144  # bytes of a task.yaml that are searched for a key
NO_MARKS: Final = "its task.yaml is not one of Terminal-Bench: no run-tests.sh beside it, no key of a task in it"
ZIPPED: Final = "a zipped task, as a checkout of the framework's registry holds them; unzip it first"


def first_task(root: Path) -> str | None:
    """The folder of a task below ``root`` ("." for ``root`` itself), nearest first; None without one."""
    return nearest(root, is_task, not_in=OTHERS)


def take_inventory(root: Path) -> Inventory:
    """All tasks below ``root`` sorted by id, and what was left aside; SourceError for an unlistable ``root``.

    A found task is not descended into, links are not followed.
    """
    root = root.resolve()
    scan = scanned(root, _visit)
    if scan.tasks != [] and scan.tasks[0].id != ".":
        _note_zips(scan, root)
    skipped = tuple(sorted(scan.skipped, key=lambda skip: skip.path))
    return Inventory("terminal-bench", root, root.name, "", in_order(iter(scan.tasks)), skipped)


def is_task(entries: list[Entry]) -> bool:
    """Whether a folder with these entries is a task."""
    files = {entry.name: entry for entry in entries if is_file(entry)}
    return TASK_FILE in files and (SCRIPT in files or _has_own_key(files[TASK_FILE].path))


def _has_own_key(path: str) -> bool:
    try:
        with Path(path).open("rb") as stream:
            return OWN_KEY.search(stream.read(HEAD)) is not None
    except OSError:
        return False


def _visit(scan: Scan, folder: str, place: str, depth: int) -> None:
    """Record the task in ``folder``, or what lies below it, or why it was left aside; OSError if unlisted."""
    entries = entries_of(folder)
    if is_task(entries):
        path = Path(folder)
        scan.tasks.append(TaskRef(place, path, path.name, place))
        return
    if any(entry.name == TASK_FILE and is_file(entry) for entry in entries):
        scan.skip(place, NO_MARKS)
    elif any(entry.name == SCRIPT and is_file(entry) for entry in entries):
        scan.skip(place, f"looks like a task ({SCRIPT}) but has no {TASK_FILE}")
    for entry in entries:
        look_at(scan, entry, below(place, entry.name), depth, _visit)


def _note_zips(scan: Scan, root: Path) -> None:
    """Report archives that lie beside tasks."""
    for folder in sorted({ref.root.parent for ref in scan.tasks}):
        for path in sorted(folder.glob("*.zip")):
            scan.skip(path.relative_to(root).as_posix(), ZIPPED)
