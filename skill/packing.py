"""The folders that Margin packs (tests/, env/, oracle/): what lies in them and what packing makes of it.

Packing takes every regular file and nothing else, cleans the paths the way Go's ``path.Clean`` does, and has
two limits: the sum of the file sizes and the size of the gzipped tar (contract rows M30 to M41).
"""

from __future__ import annotations

import os
import posixpath
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Final

from skill.contract import MAX_PACKED_BYTES
from skill.settings import GO_SPACE

BLOCK: Final = 512
MARGIN_OF_ERROR: Final = 8 << 20  # how far zlib's size may be from that of Go's gzip at this scale


class Kind(StrEnum):
    """What a name in a folder stands for; links are never followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    SPECIAL = "special"  # FIFO, socket, device
    ABSENT = "absent"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Entry:
    """One thing below a folder."""

    path: str  # posix, relative to the folder
    kind: Kind
    size: int = 0
    mode: int = 0  # the permission bits, setuid and friends included
    readable: bool = True

    @property
    def is_executable(self) -> bool:
        """Whether anybody may execute it."""
        return bool(self.mode & 0o111)


@dataclass(frozen=True)
class Folder:
    """All that is below one folder, sorted by path; ``kind`` says what stands at its own name."""

    host: Path
    kind: Kind
    entries: tuple[Entry, ...] = ()

    @property
    def files(self) -> tuple[Entry, ...]:
        """The regular files."""
        return tuple(entry for entry in self.entries if entry.kind is Kind.FILE)

    @property
    def size(self) -> int:
        """The sum of the file sizes."""
        return sum(entry.size for entry in self.entries)

    def find(self, path: str) -> Entry | None:
        """The entry at ``path``, None when there is none."""
        return self._by_path.get(path)

    @cached_property
    def _by_path(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.entries}

    def empty_folders(self) -> Iterator[str]:
        """Every folder that holds no file at any depth, outermost only."""
        kept = {""}
        for entry in self.entries:
            parent = posixpath.dirname(entry.path)
            while entry.kind is not Kind.FOLDER and parent not in kept:
                kept.add(parent)
                parent = posixpath.dirname(parent)
        for entry in self.entries:
            if entry.kind is Kind.FOLDER and entry.path not in kept and posixpath.dirname(entry.path) in kept:
                yield entry.path


def kind_of(host: Path) -> Kind:
    """What stands at ``host`` itself, links not followed."""
    try:
        return _kind(os.lstat(host).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return Kind.ABSENT
    except OSError:
        return Kind.UNREADABLE


def list_names(host: Path) -> dict[str, Kind] | None:
    """What lies directly in ``host`` (itself reached through links); None when it cannot be listed."""
    try:
        with os.scandir(host) as entries:
            return {entry.name: _kind(entry.stat(follow_symlinks=False).st_mode) for entry in entries}
    except (OSError, ValueError):
        return None


def read_folder(host: Path) -> Folder:
    """The listing of ``host``; empty when a link or a file stands at its name, as ``kind`` says."""
    kind = kind_of(host)
    if kind is not Kind.FOLDER:
        return Folder(host, kind)
    return Folder(host, kind, tuple(sorted(_walk(os.fspath(host)), key=lambda entry: entry.path)))


def _walk(root: str) -> Iterator[Entry]:
    """Every entry below ``root``; a folder that cannot be listed is unreadable."""
    pending = [""]
    while pending:
        below = pending.pop()
        try:
            with os.scandir(root + "/" + below) as names:
                for name in names:
                    status = name.stat(follow_symlinks=False)
                    kind, mode, path = _kind(status.st_mode), stat.S_IMODE(status.st_mode), below + name.name
                    size = status.st_size if kind is Kind.FILE else 0
                    readable = kind is not Kind.FILE or mode & 0o444 == 0o444 or os.access(name.path, os.R_OK)
                    yield Entry(path, kind, size, mode, readable)
                    if kind is Kind.FOLDER:
                        pending.append(path + "/")
        except OSError:
            yield Entry(below.rstrip("/"), Kind.UNREADABLE, readable=False)


def _kind(mode: int) -> Kind:
    """The kind that a status mode tells."""
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.SPECIAL


def packed_path(path: str) -> str | None:
    """The name under which Margin packs ``path``; None when it refuses it."""
    clean = posixpath.normpath(path.strip(GO_SPACE).replace("\\", "/") or ".")
    if clean in (".", "..") or clean.startswith(("/", "../")):
        return None
    return clean


def tar_size(folder: Folder) -> int:
    """An upper bound of the tar that Margin packs: header, padded content and long-name records per file."""
    total = 2 * BLOCK
    for entry in folder.files:
        name = len(os.fsencode(entry.path))
        extra = 0 if name <= 100 and entry.path.isascii() else 2 * BLOCK + name + BLOCK
        total += BLOCK + extra + -(-entry.size // BLOCK) * BLOCK
    return total


def packed_size(folder: Folder) -> int:
    """About the size of the gzipped tar, or a bound below the limit; files are read only beyond it."""
    bound = tar_size(folder)
    if bound <= MAX_PACKED_BYTES - BLOCK * 64:
        return bound
    packer, total = zlib.compressobj(9), 0
    for entry in folder.files:
        total += len(packer.compress(entry.path.encode(errors="surrogateescape").ljust(BLOCK, b"\0")))
        with (folder.host / entry.path).open("rb") as stream:
            while chunk := stream.read(1 << 20):
                total += len(packer.compress(chunk))
    return total + len(packer.flush())
