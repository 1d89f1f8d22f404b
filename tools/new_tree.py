"""A fresh folder of ours, filled once with exclusive creates.

Fast, because nobody else sees the folder before one rename publishes it: a file costs one open, one write
and one close. Paths are resolved as in tools/workspace.py.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tools.workspace import CREATE, DIRECTORY_MODE, Root, components, enter, translated, write_all

CHUNK = 1 << 20


class NewTree(Root):
    """A fresh folder of ours that is filled once, every file created exclusively.

    ``root`` must not exist; it is made. Folders stay open until the block ends, so that a file costs one
    open, one write and one close.
    """

    def __init__(self, root: Path) -> None:
        with translated(str(root)):
            root.mkdir(mode=DIRECTORY_MODE)
            root.chmod(DIRECTORY_MODE)
        super().__init__(root)
        self._open: dict[tuple[str, ...], int] = {(): self.fd}

    def __enter__(self) -> NewTree:
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self._open.values():
            os.close(fd)

    def put(self, path: str, data: bytes, mode: int) -> None:
        """Create ``path`` with these bytes; raises WorkspaceError when it is there already."""
        *parents, name = components(path)
        with translated(path):
            fd = os.open(name, CREATE, 0o600, dir_fd=self._parent(tuple(parents)))
            try:
                write_all(fd, data)
                os.fchmod(fd, mode & 0o777)
            finally:
                os.close(fd)

    def copy(self, path: str, source: Path, mode: int) -> str:
        """Create ``path`` as a byte copy of ``source`` and return the sha256 of what was written.

        OSError of the source side passes through untranslated: it is the dataset's defect, not ours.
        """
        *parents, name = components(path)
        origin = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            with translated(path):
                fd = os.open(name, CREATE, 0o600, dir_fd=self._parent(tuple(parents)))
            try:
                return _pour(origin, fd, path, mode)
            finally:
                os.close(fd)
        finally:
            os.close(origin)

    def _parent(self, parts: tuple[str, ...]) -> int:
        """The open descriptor of a folder of the tree, made when it is new."""
        fd = self._open.get(parts)
        if fd is None:
            fd = self._open[parts] = enter(self._parent(parts[:-1]), parts[-1], create=True)
        return fd


def _pour(origin: int, target: int, path: str, mode: int) -> str:
    """Copy what ``origin`` holds into ``target`` in bounded memory; returns the sha256."""
    seen = hashlib.sha256()
    while chunk := os.read(origin, CHUNK):
        seen.update(chunk)
        with translated(path):
            write_all(target, chunk)
    with translated(path):
        os.fchmod(target, mode & 0o777)
    return seen.hexdigest()
