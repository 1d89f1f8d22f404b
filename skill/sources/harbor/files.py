"""The files of one part of a task: tests/, solution/ or environment/.

Links that stay inside the task are resolved, a link to a folder is expanded; whatever cannot be carried over
truthfully (a link that leaves, a device, a name that Margin's packing would rewrite) is a refusal.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from skill.contract import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES
from skill.finding import Finding
from skill.sources.base import Refusal, SourceFile
from skill.sources.harbor.notes import note

LFS_HEADER: Final = b"version https://git-lfs.github.com/spec/"
LFS_SIZES: Final = range(100, 200)  # a pointer has three short lines
MAX_DEPTH: Final = 64
KINDS: Final = {stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket", stat.S_IFBLK: "a device", stat.S_IFCHR: "a device"}


@dataclass
class Part:
    """What one folder of a task holds."""

    name: str  # "tests", "solution", "environment"
    task: str  # real path of the task folder
    exists: bool = False
    files: list[SourceFile] = field(default_factory=list)
    empty_dirs: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def find(self, path: str) -> SourceFile | None:
        """The file at ``path``, or None."""
        return next((file for file in self.files if file.path == path), None)

    def refuse(self, code: str, path: str, why: str) -> None:
        """Add a refusal that names a path of this part."""
        shown = ascii(f"{self.name}/{path}" if path else f"{self.name}/")[1:-1]
        self.refusals.append(Refusal(code, f"{shown} {why}"))


def read_part(task: str, name: str) -> Part:
    """Everything in the folder ``name`` of ``task``, sorted by path; an absent folder gives an empty part."""
    part = Part(name, task)
    folder = f"{task}/{name}"
    if not os.path.isdir(folder):
        if os.path.lexists(folder):
            part.refuse("bad-layout", "", "is not a folder")
        return part
    if os.path.islink(folder) and not _inside(task, os.path.realpath(folder)):
        part.refuse("link-escape", "", "is a link that leaves the task")
        return part
    part.exists = True
    _walk(part, folder, "", (os.path.realpath(folder),))
    part.files.sort(key=lambda file: file.path)
    part.empty_dirs.sort()
    _weigh(part)
    return part


def single_file(task: str, name: str) -> tuple[SourceFile | None, Refusal | None]:
    """A file at the top of the task, or why it cannot be taken; (None, None) when it is not there."""
    part = Part(".", task)
    try:
        with os.scandir(task) as entries:
            entry = next((entry for entry in entries if entry.name == name), None)
    except OSError as error:
        return None, Refusal("unreadable", f"the task folder cannot be listed: {error.strerror}")
    if entry is not None:
        _take(part, entry, name, ())
    if part.refusals:
        return None, Refusal(part.refusals[0].code, part.refusals[0].sentence.removeprefix("./"))
    if entry is not None and not part.files:
        return None, Refusal("bad-layout", f"{name} is not a file")
    return (part.files[0] if part.files else None), None


def _walk(part: Part, folder: str, prefix: str, trail: tuple[str, ...]) -> None:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError as error:
        part.refuse("unreadable", prefix, f"cannot be listed: {error.strerror}")
        return
    if not entries and prefix:
        part.empty_dirs.append(prefix.rstrip("/"))
    for entry in entries:
        _take(part, entry, prefix + entry.name, trail)


def _take(part: Part, entry: os.DirEntry[str], path: str, trail: tuple[str, ...]) -> None:
    if problem := _odd_name(path):
        part.refuse("unusual-name", path, problem)
    elif entry.is_symlink():
        _follow(part, entry, path, trail)
    elif entry.is_dir(follow_symlinks=False):
        _enter(part, entry.path, path, trail)
    else:
        _add(part, entry.path, path, entry.stat(follow_symlinks=False))


def _enter(part: Part, folder: str, path: str, trail: tuple[str, ...]) -> None:
    if len(trail) > MAX_DEPTH:
        part.refuse("bad-layout", path, "is nested too deeply")
    elif part.name != ".":
        _walk(part, folder, f"{path}/", (*trail, os.path.realpath(folder)))


def _follow(part: Part, entry: os.DirEntry[str], path: str, trail: tuple[str, ...]) -> None:
    real = os.path.realpath(entry.path)
    target = os.readlink(entry.path)
    if not _inside(part.task, real):
        part.refuse("link-escape", path, "is a link that leaves the task")
    elif real in trail:
        part.refuse("link-broken", path, "is a link to a folder that holds it")
    elif os.path.isdir(real):
        part.findings.append(note("S301", f"{part.name}/{path}", target))
        _enter(part, real, path, trail)
    elif os.path.lexists(real) and not os.path.islink(real):
        part.findings.append(note("S301", f"{part.name}/{path}", target))
        _add(part, real, path, os.stat(real), target)
    else:
        part.refuse("link-broken", path, "is a link to nothing")


def _add(part: Part, host: str, path: str, status: os.stat_result, link: str = "") -> None:
    kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
    if kind != stat.S_IFREG:
        part.refuse("special-file", path, f"is {KINDS.get(kind, 'no regular file')}")
        return
    if not mode & 0o444:
        part.refuse("unreadable", path, "may be read by nobody (mode 000)")
    elif status.st_size in LFS_SIZES and _is_pointer(part, host, path):
        part.refuse("lfs-pointer", path, "is a Git LFS pointer, not the file; run `git lfs pull` in the source")
    if mode & 0o7000:
        part.findings.append(note("S305", f"{part.name}/{path}"))
    part.files.append(SourceFile(path, Path(host), status.st_size, mode & 0o777, link))


def _is_pointer(part: Part, host: str, path: str) -> bool:
    try:
        with open(host, "rb") as file:
            return file.read(len(LFS_HEADER)) == LFS_HEADER
    except OSError as error:
        part.refuse("unreadable", path, f"cannot be read: {error.strerror}")
        return False


def _odd_name(path: str) -> str:
    """Why Margin's packing, or a list of hashes, would not keep the name; empty when it would."""
    if path.isascii() and path.isprintable():
        if "\\" in path:
            return "has a backslash in its name, which Margin turns into a slash"
        return "has outer blanks in its name, which Margin strips" if path != path.strip() else ""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "has a name that is not UTF-8"
    if any(ord(char) < 32 or ord(char) == 127 for char in path):
        return "has a control character in its name"
    return "has outer blanks in its name, which Margin strips" if path != path.strip() else ""


def _inside(task: str, real: str) -> bool:
    return real == task or real.startswith(f"{task}/")


def _weigh(part: Part) -> None:
    total = sum(file.size for file in part.files)
    if total > MAX_UNPACKED_BYTES:
        part.refuse("too-large", "", f"holds {total} bytes; Margin packs at most {MAX_UNPACKED_BYTES}")
    elif total > MAX_PACKED_BYTES:
        part.findings.append(note("S308", f"{part.name}/", f"{total} bytes"))
