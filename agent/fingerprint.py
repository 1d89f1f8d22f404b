"""What a result depends on and what it left behind, as digests: the base of going on where a run stopped."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from agent.outcome import Outcome, TaskResult
from skill.sources.base import TaskRef

CHUNK = 1 << 20


def is_intact(place: Path, before: TaskResult) -> bool:
    """Whether the staged case is exactly what the ledger of the earlier run says."""
    rows = {row.path: row for row in before.ledger}
    if before.outcome is not Outcome.CONVERTED or not rows or place.is_symlink() or not place.is_dir():
        return False
    found = dict(_files(os.fspath(place)))
    return found.keys() == rows.keys() and all(
        stat.S_ISREG(status.st_mode)
        and status.st_mode & 0o777 == rows[name].mode
        and _digest(place / name).hexdigest() == rows[name].sha256
        for name, status in found.items()
    )


def task_key(ref: TaskRef, salt: str) -> str:
    """The digest of ``salt`` and of all that the task is made from; empty where nobody can tell."""
    if not ref.number:
        return source_key(ref.root, f"{salt}{ref.key}")
    return hashlib.sha256(f"{salt}\0{ref.key}".encode(errors="surrogateescape")).hexdigest() if ref.key else ""


def source_key(root: Path, salt: str) -> str:
    """The digest of ``salt`` and of every name, mode and byte below ``root``; links are told, not followed."""
    whole = hashlib.sha256(salt.encode(errors="surrogateescape"))
    top = os.fspath(root)
    for name, status in _files(top):
        whole.update(b"%s\0%o\0%d\0" % (os.fsencode(name), status.st_mode, status.st_size))
        path = f"{top}/{name}"
        if stat.S_ISLNK(status.st_mode):
            whole.update(os.fsencode(Path(path).readlink()))
            if Path(path).is_file():
                whole.update(_digest(path).digest())
        elif stat.S_ISREG(status.st_mode):
            whole.update(_digest(path).digest())
    return whole.hexdigest()


def _files(top: str, below: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """The relative path and status of everything below ``top`` that is no folder, in a stable order."""
    with os.scandir(f"{top}/{below}") as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(top, f"{below}{entry.name}/")
        else:
            yield below + entry.name, entry.stat(follow_symlinks=False)


def _digest(path: str | Path) -> hashlib._Hash:
    """The sha256 of a regular file, read in pieces when it is large."""
    seen = hashlib.sha256()
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        while chunk := os.read(fd, CHUNK):
            seen.update(chunk)
    finally:
        os.close(fd)
    return seen
