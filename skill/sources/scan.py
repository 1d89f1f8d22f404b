"""Looking for the task folders of a dataset, at any depth; each source says what a task is.

A found task is not descended into, links are not followed, and what is left aside is told with its reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skill.errors import SourceError
from skill.sources.base import Skip, TaskRef
from skill.sources.files import odd_name

MAX_DEPTH: Final = 40
PRUNED: Final = {
    ".git": "version control data",
    ".hg": "version control data",
    ".svn": "version control data",
    "node_modules": "installed packages",
    ".venv": "installed packages",
    "__pycache__": "compiled Python",
}
Entry = os.DirEntry[str]


@dataclass
class Scan:
    """What a walk has found so far."""

    tasks: list[TaskRef] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    def skip(self, place: str, reason: str) -> None:
        """Leave ``place`` aside; the line holds no character that a terminal would obey."""
        self.skipped.append(Skip(place if place.isprintable() else ascii(place)[1:-1], reason))


Visit = Callable[[Scan, str, str, int], None]  # of a folder, its place below the dataset, and the depth


def entries_of(folder: str) -> list[Entry]:
    """What lies in ``folder``, sorted by name; raises OSError when it cannot be listed."""
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: entry.name)


def folders(entries: list[Entry]) -> Iterator[Entry]:
    """The real folders that are searched."""
    return (entry for entry in entries if entry.is_dir(follow_symlinks=False) and entry.name not in PRUNED)


def is_file(entry: Entry) -> bool:
    """Whether a file is there, through links; False for a link in a circle, which the entry would raise for."""
    return entry.is_file(follow_symlinks=False) or (entry.is_symlink() and Path(entry.path).is_file())


def below(place: str, name: str) -> str:
    """The place of what is called ``name`` in ``place``, "." being the dataset itself."""
    return name if place == "." else f"{place}/{name}"


def nearest(root: Path, is_task: Callable[[list[Entry]], bool], not_in: str = "") -> str | None:
    """The folder of a task below ``root`` ("." for ``root`` itself), nearest first; None without one.

    Folders that hold an entry called ``not_in`` are not searched: they are another framework's.
    """
    level = [(str(root), ".")]
    for _ in range(MAX_DEPTH):
        deeper: list[tuple[str, str]] = []
        for folder, place in level:
            try:
                entries = entries_of(folder)
            except OSError:
                continue
            if is_task(entries):
                return place
            if not any(entry.name == not_in for entry in entries):
                deeper += [(entry.path, below(place, entry.name)) for entry in folders(entries)]
        level = deeper
    return None


def scanned(root: Path, visit: Visit) -> Scan:
    """What ``visit`` finds from the resolved ``root`` on; raises SourceError when that cannot be listed."""
    scan = Scan()
    try:
        visit(scan, str(root), ".", 0)
    except OSError as error:
        raise SourceError(root, f"cannot be listed: {error.strerror}", "name a dataset's folder") from error
    return scan


def look_at(scan: Scan, entry: Entry, place: str, depth: int, visit: Visit) -> None:
    """Visit ``entry`` where it is a folder that can be searched, else say why not; files are nobody's here."""
    if entry.is_symlink():
        if Path(entry.path).is_dir():  # unlike the entry, it takes a link in a circle for no folder
            scan.skip(place, "a symbolic link to a folder; links are not followed")
    elif not entry.is_dir(follow_symlinks=False):
        return
    elif entry.name in PRUNED:
        scan.skip(place, PRUNED[entry.name])
    elif "UTF-8" in odd_name(entry.name):
        scan.skip(place, "its name is not UTF-8")
    elif depth >= MAX_DEPTH:
        scan.skip(place, "nested too deeply to be searched")
    else:
        try:
            visit(scan, entry.path, place, depth + 1)
        except OSError as error:
            scan.skip(place, f"cannot be listed: {error.strerror}")
