"""The files of one part of a task: tests/, solution/ or environment/.

Links that stay inside the task are resolved, a link to a folder is expanded; whatever cannot be carried over
truthfully (a link that leaves, a device, a name that Margin's packing would rewrite) is a refusal.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skill.errors import SourceError
from skill.sources.base import SourceFile, TaskRef
from skill.sources.notes import Remarks

LFS_HEADER: Final = b"version https://git-lfs.github.com/spec/"
LFS_SIZES: Final = range(100, 200)  # a pointer has three short lines
MAX_DEPTH: Final = 64
MAX_LINKS: Final = 5_000  # links to folders can multiply a few files without bound
KINDS: Final = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}

Entries = Mapping[str, "os.DirEntry[str]"]


@dataclass
class Part(Remarks):
    """What one folder of a task holds; ``name`` is "" for single files at the top of the task."""

    name: str = ""
    task: str = ""  # real path of the task folder
    exists: bool = False
    links: int = 0  # followed so far
    files: list[SourceFile] = field(default_factory=list)
    empty_dirs: list[str] = field(default_factory=list)

    def find(self, path: str) -> SourceFile | None:
        """The file at ``path``, or None."""
        return next((file for file in self.files if file.path == path), None)

    def place(self, path: str) -> str:
        """``path`` as reports show it: below the task, in plain ASCII."""
        whole = f"{self.name}/{path}" if self.name else path
        return whole if whole.isascii() and whole.isprintable() else ascii(whole)[1:-1]

    def cannot(self, code: str, path: str, why: str, *, allowable: bool = False) -> None:
        """Refuse because of one path of this part."""
        self.refuse(code, f"{self.place(path)} {why}", allowable=allowable)


def task_entries(root: str) -> Entries:
    """What lies at the top of a task, by name; raises OSError when it cannot be listed."""
    with os.scandir(root) as found:
        return {entry.name: entry for entry in found}


def listed_task(ref: TaskRef) -> tuple[str, Entries]:
    """The real path of a task and what lies at its top; raises SourceError when it cannot be listed."""
    root = str(ref.root.resolve())
    try:
        return root, task_entries(root)
    except OSError as error:
        raise SourceError(ref.root, f"cannot be listed: {error.strerror}", "scan the dataset again") from error


def read_part(task: str, entries: Entries, name: str) -> Part:
    """Everything in the folder ``name`` of ``task``, sorted by path; no folder gives an empty part."""
    part = Part(name=name, task=task)
    if (entry := entries.get(name)) is None:
        return part
    if entry.is_symlink():
        _follow(part, entry, "", (task,))
    elif entry.is_dir():
        _walk(part, entry.path, "", (task,))
    else:
        part.cannot("bad-layout", "", "is not a folder")
    part.exists = not part.refusals or bool(part.files)
    part.files.sort(key=lambda file: file.path)
    part.empty_dirs.sort()
    return part


def read_some(task: str, entries: Entries, wanted: Callable[[str], bool]) -> Part:
    """What lies at the top of ``task`` under a name that is ``wanted``, folders with all that is in them."""
    part = Part(task=task, exists=True)
    for name in sorted(filter(wanted, entries)):
        _take(part, entries[name], name, (task,))
    part.files.sort(key=lambda file: file.path)
    part.empty_dirs.sort()
    return part


def single_file(task: str, entries: Entries, name: str) -> tuple[SourceFile | None, Part]:
    """The file ``name`` at the top of the task, if there is one that can be read, and remarks about it."""
    part = Part(task=task)
    if (entry := entries.get(name)) is not None:
        if entry.is_dir():
            part.cannot("bad-layout", name, "is a folder, not a file")
        else:
            _take(part, entry, name, (task,))
    return (part.files[0] if part.files else None), part


def read_bytes(file: SourceFile, part: Part) -> bytes | None:
    """The bytes of a file; None, with a refusal in ``part``, when they cannot be read."""
    try:
        return file.read()
    except OSError as error:
        part.cannot("unreadable", file.path, f"cannot be read: {error.strerror}")
        return None


def _walk(part: Part, folder: str, prefix: str, trail: tuple[str, ...]) -> None:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError as error:
        part.cannot("unreadable", prefix, f"cannot be listed: {error.strerror}")
        return
    if not entries and prefix:
        part.empty_dirs.append(prefix.rstrip("/"))
    for entry in entries:
        _take(part, entry, prefix + entry.name, trail)


def _take(part: Part, entry: os.DirEntry[str], path: str, trail: tuple[str, ...]) -> None:
    if problem := odd_name(path):
        part.cannot("unusual-name", path, problem)
    elif entry.is_symlink():
        _follow(part, entry, path, trail)
    elif entry.is_dir(follow_symlinks=False):
        _enter(part, entry.path, path, trail)
    else:
        _add(part, entry.path, path, entry.stat(follow_symlinks=False))


def _enter(part: Part, folder: str, path: str, trail: tuple[str, ...]) -> None:
    if len(trail) > MAX_DEPTH:
        part.cannot("too-large", path, "is nested too deeply")
    else:
        _walk(part, folder, f"{path}/" if path else "", (*trail, folder))


def _follow(part: Part, entry: os.DirEntry[str], path: str, trail: tuple[str, ...]) -> None:
    """Take what a link inside the task points to; ``trail`` are the real folders on the way here."""
    part.links += 1
    if part.links > MAX_LINKS:
        part.cannot("too-large", "", f"leads through more than {MAX_LINKS} links")
        return
    try:
        real = Path(entry.path).resolve(strict=True)
        status = real.stat()
        target = str(Path(entry.path).readlink())
    except (OSError, RuntimeError):  # nothing there, or links in a circle
        part.cannot("link-broken", path, "is a link to nothing")
        return
    if not real.is_relative_to(part.task):
        part.cannot("link-escape", path, "is a link that leaves the task")
    elif str(real) in trail:
        part.cannot("link-broken", path, "is a link to a folder that holds it")
    else:
        part.note("S301", part.place(path), target)
        if stat.S_ISDIR(status.st_mode):
            _enter(part, str(real), path, trail)
        else:
            _add(part, str(real), path, status, target)


def _add(part: Part, host: str, path: str, status: os.stat_result, link: str = "") -> None:
    kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind != stat.S_IFREG:
        part.cannot("special-file", path, f"is {KINDS.get(kind, 'a device')}")
        return
    file = SourceFile(path, Path(host), status.st_size, mode & 0o777, link)
    if not mode & 0o444:
        part.cannot("unreadable", path, f"may be read by nobody (mode {mode & 0o777:03o})")
    elif status.st_size in LFS_SIZES and (read_bytes(file, part) or b"").startswith(LFS_HEADER):
        part.cannot("lfs-pointer", path, "is a Git LFS pointer; `git lfs pull` brings the file", allowable=True)
    if mode & 0o7000:
        part.note("S305", part.place(path))
    part.files.append(file)


def odd_name(path: str) -> str:
    """Why a path would not survive Margin's packing or a list of hashes; empty when it would."""
    if "\\" in path:
        return "has a backslash in its name, which Margin turns into a slash"
    if path != path.strip():
        return "has outer blanks in its name, which Margin strips"
    if path.isascii() and path.isprintable():
        return ""
    if any(ord(char) < 32 or ord(char) == 127 for char in path):
        return "has a control character in its name"
    return "has a name that is not UTF-8" if any(0xD800 <= ord(char) <= 0xDFFF for char in path) else ""
