"""Reading one text of a suite: never through a link that leaves it, never a FIFO, never a giant."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

MAX_TEXT: Final = 64 << 20  # larger is no prompt, no script and no TOML anybody wrote


class Reading(StrEnum):
    """How reading one file ended."""

    READ = "read"
    ABSENT = "absent"
    NOT_A_FILE = "not a regular file"
    OUTSIDE = "a link that leaves the suite"
    UNREADABLE = "unreadable"
    TOO_LARGE = "larger than 64 MiB"


@dataclass(frozen=True)
class Text:
    """One file's bytes, or why there are none."""

    reading: Reading
    data: bytes = b""
    is_link: bool = False

    @property
    def is_there(self) -> bool:
        """Whether the bytes were read."""
        return self.reading is Reading.READ


def read_text(path: Path, inside: Path) -> Text:
    """The file at ``path``, through a link only when it stays below ``inside``; never blocks on a FIFO."""
    try:
        is_link = stat.S_ISLNK(os.lstat(path).st_mode)
        if is_link and leaves(path, inside):
            return Text(Reading.OUTSIDE, is_link=True)
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Text(Reading.NOT_A_FILE, is_link=is_link)
        if status.st_size > MAX_TEXT:
            return Text(Reading.TOO_LARGE, is_link=is_link)
        return Text(Reading.READ, path.read_bytes(), is_link)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return Text(Reading.ABSENT)
    except OSError:
        return Text(Reading.UNREADABLE)


def leaves(path: Path, inside: Path) -> bool:
    """Whether ``path``, its links resolved, lies outside ``inside``."""
    try:
        resolved, root = os.path.realpath(path), os.path.realpath(inside)
    except (OSError, ValueError):
        return False
    return resolved != root and not resolved.startswith(root.rstrip("/") + "/")
