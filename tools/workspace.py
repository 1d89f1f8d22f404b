"""The only place that writes files: below one root, through no link, whole or not at all.

A path is walked component by component with directory file descriptors and ``O_NOFOLLOW``, so neither a
planted link nor a renamed folder can lead a write elsewhere. Modes are set explicitly and owe nothing to
the umask. `Workspace` replaces single files atomically in a tree that others may see; tools/new_tree.py fills
a fresh folder of ours.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from tools.errors import WorkspaceError

DIRECTORY_MODE = 0o755
OPEN_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def components(path: str) -> tuple[str, ...]:
    """The parts of a relative posix path; raises WorkspaceError for anything that could leave the root."""
    parts = tuple(path.split("/"))
    if not path or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise WorkspaceError(path, "is not a plain relative path", "write only below the output")
    return parts


class Root:
    """An open folder below which paths are resolved; closes with the ``with`` block."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with translated(str(root)):
            self.fd = os.open(root, OPEN_DIR)

    def close(self) -> None:
        """Release the folder; the object is of no use afterwards."""
        os.close(self.fd)

    @contextlib.contextmanager
    def _folder(self, parts: tuple[str, ...], *, create: bool) -> Iterator[int]:
        """The descriptor of the folder ``parts``, made on the way when ``create`` says so."""
        fd = os.dup(self.fd)
        try:
            for part in parts:
                below = enter(fd, part, create=create)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)


class Workspace(Root):
    """A tree in which single files are replaced atomically."""

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Afterwards ``path`` is a regular file of these bytes and this mode; before, it was untouched.

        Raises WorkspaceError when the path leaves the root, goes through a link, or names something
        that is not a regular file with a single name.
        """
        with self.replacing(path, mode) as stream:
            stream.write(data)

    @contextlib.contextmanager
    def replacing(self, path: str, mode: int = 0o644) -> Iterator[BinaryIO]:
        """A stream whose content becomes the file ``path`` when the block ends well; see `write`."""
        *parents, name = components(path)
        with translated(path), self._folder(tuple(parents), create=True) as folder:
            _refuse_special(folder, name, path)
            with _replacement(folder, name, mode) as stream:
                yield stream

    def chmod(self, path: str, mode: int) -> None:
        """Afterwards the regular file ``path`` has exactly the permission bits ``mode``."""
        *parents, name = components(path)
        with translated(path), self._folder(tuple(parents), create=False) as folder:
            _refuse_special(folder, name, path)
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                os.fchmod(fd, mode & 0o777)
            finally:
                os.close(fd)

    def read(self, path: str) -> bytes:
        """The bytes of the regular file ``path``, reached through no link."""
        *parents, name = components(path)
        with translated(path), self._folder(tuple(parents), create=False) as folder:
            _refuse_special(folder, name, path)
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            with os.fdopen(fd, "rb") as stream:
                return stream.read()


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn OSError into a WorkspaceError about ``path`` that keeps the errno."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(path, f"cannot be written: {error.strerror}", errno=error.errno or 0) from error


def enter(folder: int, name: str, *, create: bool) -> int:
    """The descriptor of the folder ``name`` in ``folder``; never follows a link."""
    try:
        return os.open(name, OPEN_DIR, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, DIRECTORY_MODE, dir_fd=folder)
    fd = os.open(name, OPEN_DIR, dir_fd=folder)
    os.fchmod(fd, DIRECTORY_MODE)
    return fd


def _refuse_special(folder: int, name: str, path: str) -> None:
    """Raise WorkspaceError unless ``name`` is absent or a regular file with a single name."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise WorkspaceError(path, "is a symbolic link", "links are never written through")
    if not stat.S_ISREG(found.st_mode):
        raise WorkspaceError(path, "is not a regular file")
    if found.st_nlink > 1:
        raise WorkspaceError(path, "has other names (hard links)", "writing would change those too")


@contextlib.contextmanager
def _replacement(folder: int, name: str, mode: int) -> Iterator[BinaryIO]:
    """A temporary file beside ``name`` that is renamed over it; nothing is left behind on failure."""
    temporary = f".tmp-{secrets.token_hex(8)}"
    fd = os.open(temporary, CREATE, 0o600, dir_fd=folder)
    try:
        with os.fdopen(fd, "wb") as stream:
            yield stream
            stream.flush()
            os.fchmod(fd, mode & 0o777)
            os.fsync(fd)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data``, whatever the kernel takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
