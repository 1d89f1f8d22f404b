"""The paths that the model knows: ``source/``, ``suite/`` and ``skill/``, and nothing of this machine.

A path is walked component by component with directory descriptors and ``O_NOFOLLOW`` below the root that its
first component names; no link is followed, and nothing that is not a regular file is opened. A hard link
cannot be told from the file itself, so reading one is allowed; `tools.workspace` refuses to write one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.errors import ToolError, WorkspaceError
from tools.plain import plain
from tools.workspace import Root

SOURCE, SUITE, SKILL = "source", "suite", "skill"
RECIPES: Final = "recipes"  # below skill/: those that are shipped
ROOTS: Final = (SKILL, SOURCE, SUITE)
MAX_PATH: Final = 1024
READ_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_SAID: Mapping[int, tuple[str, str]] = {
    errno.ENOENT: ("not_found", "there is no such file or folder"),
    errno.ELOOP: ("is_link", "is a symbolic link, and links are not followed"),
    errno.ENOTDIR: ("not_a_folder", "a part of it is no folder, or is a link, and links are not followed"),
    errno.EISDIR: ("is_folder", "is a folder"),
    errno.EACCES: ("unreadable", "may not be opened"),
    errno.EPERM: ("unreadable", "may not be opened"),
    errno.ENXIO: ("not_a_file", "is no regular file"),
    errno.ENAMETOOLONG: ("bad_path", "is too long for a path"),
}


@dataclass(frozen=True)
class Place:
    """A path that is plain: a root and the components below it."""

    root: str
    parts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return plain("/".join((self.root, *self.parts)))

    @property
    def below(self) -> str:
        """The path relative to the root, as it is."""
        return "/".join(self.parts)


@dataclass(frozen=True)
class Entry:
    """One name in a folder."""

    name: str
    mode: int
    size: int


def place(path: str) -> Place:
    """The place that ``path`` names; raises ToolError for anything but a plain path below one of the roots."""
    if len(path) > MAX_PATH:
        raise ToolError("bad_path", f"the path has more than {MAX_PATH} characters")
    root, *parts = path.removesuffix("/").split("/")
    if root not in ROOTS:
        raise ToolError("bad_path", f"{plain(path)[:80]!r} does not begin with source/, suite/ or skill/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise ToolError("bad_path", f"{plain(path)[:80]!r} is no plain path: no empty part, no . and no ..")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ToolError("bad_path", f"{plain(path)[:80]!r} cannot be the name of a file") from None
    return Place(root, tuple(parts))


@contextlib.contextmanager
def told(where: Place) -> Iterator[None]:
    """Turn what an operating system says about ``where`` into a ToolError; what the machine lacks is raised."""
    try:
        yield
    except WorkspaceError as error:
        if error.errno and error.errno not in _SAID:
            raise
        code, sentence = _SAID.get(error.errno, ("refused", error.reason))
        raise ToolError(code, f"{where}: {sentence}") from None
    except OSError as error:
        if error.errno is None or error.errno not in _SAID:
            raise
        code, sentence = _SAID[error.errno]
        raise ToolError(code, f"{where}: {sentence}") from None


class Reader(Root):
    """Reads below one root, through no link."""

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def status(self, parts: tuple[str, ...]) -> os.stat_result:
        """What stands at ``parts``; a link is told as a link. Raises OSError."""
        if not parts:
            return os.fstat(self.fd)
        with self._folder(parts[:-1], create=False) as folder:
            return os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)

    def read(self, parts: tuple[str, ...], most: int) -> bytes:
        """At most ``most`` bytes of the regular file ``parts``; raises OSError."""
        with self._folder(parts[:-1], create=False) as folder:
            fd = os.open(parts[-1], READ_FILE, dir_fd=folder)
        with os.fdopen(fd, "rb") as stream:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
            return stream.read(most)

    def link_target(self, parts: tuple[str, ...]) -> str:
        """The text of the link ``parts``; raises OSError."""
        with self._folder(parts[:-1], create=False) as folder:
            return os.readlink(parts[-1], dir_fd=folder)

    def entries(self, parts: tuple[str, ...]) -> list[Entry]:
        """What lies in the folder ``parts``, by name; raises OSError."""
        with self._folder(parts, create=False) as folder, os.scandir(folder) as listing:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in listing]
        return [Entry(name, status.st_mode, status.st_size) for name, status in sorted(found)]


class Roots:
    """The three roots on this machine, and what of them this session may see.

    A ``source`` that is a file is seen alone in its folder. ``own`` is a folder of the session's below suite/, and
    ``shelf`` the folder whose ``recipes`` are seen as skill/recipes.
    """

    def __init__(
        self,
        source: Path,
        suite: Path,
        skill: Path,
        pages: tuple[str, ...],
        cases: tuple[str, ...],
        *,
        own: str = "",
        shelf: Path | None = None,
    ) -> None:
        self._alone = source.name if source.is_file() else ""
        self._paths = {SOURCE: source.parent if self._alone else source, SUITE: suite, SKILL: skill}
        self._pages = pages  # below skill/
        self._cases = cases  # below suite/cases/
        self._own, self._shelf = own, shelf

    def open(self, where: Place) -> Reader:
        """A reader of the root of ``where``; raises ToolError when the session may not see ``where``."""
        if not self.sees(where):
            raise ToolError("not_found", f"{where}: {self._said(where.root)}")
        with told(Place(where.root)):
            return Reader(self._shelf if self._shelf and is_shipped(where) else self._paths[where.root])

    def sees(self, where: Place) -> bool:
        """Whether ``where`` is part of this session, or a folder on the way to what is."""
        if where.root == SUITE:
            wanted: list[tuple[str, ...]] = [("cases", name) for name in self._cases]
            wanted += [(self._own,)] if self._own else []
            return any(where.parts[: len(path)] == path[: len(where.parts)] for path in wanted)
        if where.root == SKILL:
            wanted = [tuple(page.split("/")) for page in self._pages]
            return any(where.parts == path[: len(where.parts)] for path in wanted) or (
                self._shelf is not None and is_shipped(where)
            )
        return not self._alone or where.parts[:1] in ((), (self._alone,))

    def _said(self, root: str) -> str:
        if root == SKILL:
            return "no page of the skill; there are " + ", ".join(f"skill/{page}" for page in self._pages)
        if root == SOURCE:
            return f"there is only {SOURCE}/{plain(self._alone)}"
        seen = [f"{SUITE}/{self._own}"] * bool(self._own) + [f"{SUITE}/cases/{name}" for name in self._cases]
        return "no case of this session; there are " + ", ".join(seen)


def is_shipped(where: Place) -> bool:
    """Whether ``where`` is the folder of shipped recipes, or in it."""
    return where.root == SKILL and where.parts[:1] == (RECIPES,)
