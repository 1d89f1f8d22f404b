"""What a result depends on and what it left behind, as digests: the base of going on where a run stopped."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from agent.outcome import Outcome, TaskResult

CHUNK = 1 << 20


def is_intact(place: Path, before: TaskResult) -> bool:
    """Whether the staged case is exactly what the ledger of the earlier run says."""
    rows = {row.path: row for row in before.ledger}
    if before.outcome is not Outcome.CONVERTED or not rows or place.is_symlink():
        return False
    found = {path.relative_to(place).as_posix(): path for path in _files(place)}
    return found.keys() == rows.keys() and all(
        not path.is_symlink()
        and path.stat().st_mode & 0o777 == rows[name].mode
        and _digest(path) == rows[name].sha256
        for name, path in found.items()
    )


def source_key(root: Path, salt: str) -> str:
    """The digest of ``salt`` and of every name, mode and byte below ``root``; links are told, not trusted."""
    whole = hashlib.sha256(salt.encode(errors="surrogateescape"))
    for path in _files(root):
        name = os.fsencode(path.relative_to(root))
        mode = path.lstat().st_mode
        whole.update(b"%s\0%o\0" % (name, mode))
        if path.is_symlink():
            whole.update(os.fsencode(path.readlink()))
        if path.is_file():
            whole.update(_digest(path).encode())
    return whole.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    """Everything below ``root`` that is no folder, in a stable order."""
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        folders[:] = sorted(set(folders) - set(links))
        yield from (Path(folder, name) for name in sorted([*names, *links]))


def _digest(path: Path) -> str:
    seen = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            seen.update(chunk)
    return seen.hexdigest()
