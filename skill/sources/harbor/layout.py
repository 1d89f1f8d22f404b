"""Finding the tasks of a Harbor dataset in whatever layout it was downloaded, cloned or written.

Known layouts: flat, category folders of any depth, wrapper folders named by a 22-character short id or a
UUID, package caches ``<org>/<name>/<64 hex digits>``, and a single task. A file called task.toml decides.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from skill import toml
from skill.sources.base import Inventory, TaskRef, in_order
from skill.sources.scan import Entry, Scan, below, entries_of, folders, is_file, look_at, nearest, scanned

SHORT_ID: Final = re.compile(r"[2-9A-HJ-NP-Za-km-z]{22}\Z")
UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
TASK_FILE: Final = "task.toml"
TASK_PARTS: Final = frozenset({"environment", "tests", "solution", "steps"})
NOTHING: Final = f"no {TASK_FILE} in it or below it"
DATASET_FILES: Final = {
    "metric.py": "a custom metric over rewards; a suite has none, so this aggregation is lost",
    "registry.json": "a registry of datasets, not a task",
}


def first_task(root: Path) -> str | None:
    """The folder of a task.toml below ``root`` ("." for ``root`` itself), nearest first; None without one."""
    return nearest(root, _is_task)


def take_inventory(root: Path) -> Inventory:
    """All tasks below ``root`` sorted by id, and every folder left aside with the reason.

    A found task is not descended into, links are not followed. Raises SourceError for an unlistable ``root``.
    """
    root = root.resolve()
    scan = scanned(root, _visit)
    name, description = _dataset(scan, root)
    return Inventory(
        framework="harbor",
        root=root,
        name=name,
        description=description,
        tasks=in_order(iter(scan.tasks)),
        skipped=tuple(sorted(scan.skipped, key=lambda skip: skip.path)),
    )


def _is_task(entries: list[Entry]) -> bool:
    return any(entry.name == TASK_FILE and is_file(entry) for entry in entries)


def _visit(scan: Scan, folder: str, place: str, depth: int) -> None:
    """Record the task in ``folder``, or what lies below it, or why it was left aside; OSError if unlisted."""
    entries = entries_of(folder)
    if _is_task(entries):
        scan.tasks.append(_ref(folder, place))
        _look_for_nested(scan, place, entries)
        return
    tasks, skipped = len(scan.tasks), len(scan.skipped)
    for entry in entries:
        _look_at(scan, entry, below(place, entry.name), depth)
    reason = _why_no_task(folder.rpartition("/")[2], {entry.name for entry in entries})
    telling = [skip for skip in scan.skipped[skipped:] if skip.reason != NOTHING]
    if reason != NOTHING or (len(scan.tasks) == tasks and place != "." and not telling):
        scan.skipped[skipped:] = telling  # one line for the whole branch
        scan.skip(place, reason)


def _look_at(scan: Scan, entry: Entry, place: str, depth: int) -> None:
    if entry.name in DATASET_FILES and is_file(entry):
        scan.skip(place, DATASET_FILES[entry.name])
    else:
        look_at(scan, entry, place, depth, _visit)


def _why_no_task(name: str, names: set[str]) -> str:
    looks = sorted(names & (TASK_PARTS | {"instruction.md"}) - {"steps"})
    if "task.yaml" in names:
        return "looks like a Terminal-Bench task (task.yaml), which is another format"
    if "instruction.md" in looks or len(looks) >= 2:
        return f"looks like a task ({', '.join(looks)}) but has no {TASK_FILE}"
    if not names and (SHORT_ID.match(name) or UUID.match(name) or DIGEST.match(name)):
        return "partial download: the folder is empty"
    return NOTHING


def _look_for_nested(scan: Scan, place: str, entries: list[Entry]) -> None:
    """Report task.toml files inside a task, beside its known parts: they are not tasks of their own."""
    for entry in folders(entries):
        if entry.name not in TASK_PARTS and (inner := first_task(Path(entry.path))):
            where = below(place, entry.name) + ("" if inner == "." else f"/{inner}")
            scan.skip(where, f"lies inside the task {place}, which was not searched further")


def _ref(folder: str, place: str) -> TaskRef:
    path = Path(folder)
    own, parent = path.name, path.parent.name
    if DIGEST.match(own):
        return TaskRef(place, path, parent or own, own)
    wrapped = place != "." and (SHORT_ID.match(parent) or UUID.match(parent))
    return TaskRef(place, path, own, parent if wrapped else place)


def _dataset(scan: Scan, root: Path) -> tuple[str, str]:
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
