"""Files on their way into a container: what Margin packs, with the modes and owners it gives.

Margin keeps the nine permission bits of a file (000 becomes 0644), owner 0:0, directories 0755, drops empty
directories, and refuses links and special files (rows M30 to M36 of references/margin-contract.md).
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Final

from skill.packing import Kind, packed_path, read_folder
from tools.errors import CaseUnreadable

CHUNK: Final = 1 << 20
SPOOL_BYTES: Final = 32 << 20


@dataclass(frozen=True)
class Packed:
    """One file as it is packed: bytes at hand, or a file to take them from."""

    path: str  # relative, posix
    mode: int
    data: bytes | Path

    def open(self) -> IO[bytes]:
        """A stream of the file's bytes."""
        return io.BytesIO(self.data) if isinstance(self.data, bytes) else self.data.open("rb")

    @property
    def sha256(self) -> str:
        """The hex sha256 of the bytes."""
        whole = hashlib.sha256()
        with self.open() as stream:
            while chunk := stream.read(CHUNK):
                whole.update(chunk)
        return whole.hexdigest()

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size


def files_below(root: Path) -> list[Packed]:
    """Every file below ``root`` as Margin packs it, sorted; raises CaseUnreadable for what Margin refuses."""
    folder = read_folder(root)
    if folder.kind is not Kind.FOLDER:
        raise CaseUnreadable(root.name, "is not a folder")
    found = []
    for entry in folder.entries:
        if entry.kind is Kind.FOLDER:
            continue
        path = packed_path(entry.path)
        if entry.kind is not Kind.FILE or not entry.readable or path is None:
            raise CaseUnreadable(f"{root.name}/{entry.path}", "is a link, special or unreadable: not packed")
        found.append(Packed(path, entry.mode & 0o777 or 0o644, root / entry.path))
    return found


def digest(files: Iterable[Packed]) -> str:
    """The hex sha256 of names, modes and contents; times and owners do not count."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file.path}\0{file.mode:o}\0{file.sha256}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def tar(files: Sequence[Packed]) -> IO[bytes]:
    """A tar of ``files`` and the folders they need, owned by 0:0, dated now; on disk when it is large."""
    stream: IO[bytes] = tempfile.SpooledTemporaryFile(SPOOL_BYTES)  # noqa: SIM115 - the caller closes it
    now = int(time.time())
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for folder in _folders(files):
            archive.addfile(_member(folder, tarfile.DIRTYPE, 0o755, now))
        for file in files:
            member = _member(file.path, tarfile.REGTYPE, file.mode, now)
            member.size = file.size
            with file.open() as content:
                archive.addfile(member, content)
    stream.seek(0)
    return stream


def first_file(pieces: Iterable[bytes], limit: int) -> bytes | None:
    """The first ``limit`` bytes of the only file in a tar that comes in ``pieces``; None for anything but a file."""
    with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as stream:
        for piece in pieces:
            stream.write(piece)
            if stream.tell() > limit + CHUNK:
                break
        stream.seek(0)
        try:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                member = archive.next()
                content = archive.extractfile(member) if member is not None and member.isreg() else None
                return content.read(limit) if content else None
        except tarfile.TarError:
            return None


def _folders(files: Iterable[Packed]) -> list[str]:
    """Every folder on the way to a file, parents first."""
    folders = {str(parent) for file in files for parent in PurePosixPath(file.path).parents}
    return sorted(folders - {"."})


def _member(path: str, kind: bytes, mode: int, mtime: int) -> tarfile.TarInfo:
    """A tar header with Margin's ownership."""
    member = tarfile.TarInfo(path)
    member.type, member.mode, member.mtime = kind, mode, mtime
    return member
