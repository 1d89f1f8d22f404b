"""What a candidate changed in its container, as plain data: the files that a wrong candidate is made from."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

_NOISE: Final = re.compile(
    r"^/(?:tmp|var/tmp|run|proc|sys|dev|logs|solution|var/(?:cache|log|lib/(?:apt|dpkg|rpm|pacman|systemd|ucf)))(?:/|$)"
    r"|^/(?:lib(?:32|64)?|s?bin|usr/(?!local/)[^/]+|usr/local/(?:lib|share|include|man))(?:/|$)"
    r"|^/etc/(?:ld\.so\.cache|alternatives|ssl/certs|ca-certificates|resolv\.conf|hosts|hostname|mtab|\.pwd\.lock)(?:/|$)"
    r"|^/(?:root|home/[^/]+)/\.(?:cache|npm|cargo|rustup|m2|gradle|local|config/go|\w+_history|wget-hsts)(?:/|$)"
    r"|^/(?:root|home/[^/]+)/go/pkg/"
    r"|/(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|site-packages|dist-packages|node_modules|\.?venv|\.tox)(?:/|$)"
    r"|/\.git/(?:objects|logs|index$|COMMIT_EDITMSG$|ORIG_HEAD$)"
    r"|\.py[co]$|/\.DS_Store$|/\.wh\."
)
_HARNESS: Final = re.compile(r"^/(?:solution|oracle|tests|logs/(?:verifier|agent|artifacts))(?:/|$)")
_BUILT: Final = re.compile(
    r"/(?:build|dist|target|out|obj|bin|coverage|\.git|\.next|vendor)/|\.(?:o|a|so|class|lock|log|map)$"
)


class Form(StrEnum):
    """What stands at a path."""

    FILE = "file"
    LINK = "link"
    GONE = "gone"  # was there before
    FIFO = "fifo"
    FOLDER = "folder"
    DEVICE = "device"


@dataclass(frozen=True)
class Changed:
    """One path that the right candidate made, changed or removed."""

    path: str  # absolute in the container
    form: Form
    data: bytes = b""  # of a file; the target of a link
    before: bytes | None = None  # None: no regular file was there
    mode: int = 0o644
    owner: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Work:
    """The right candidate's work; ``left_out`` paths are too many, too big or of another form."""

    files: tuple[Changed, ...] = ()
    left_out: int = 0
    harness: tuple[str, ...] = ()  # places of the harness that the reference solution left changed

    def to_dict(self) -> dict[str, Any]:
        """The work as JSON-able values."""
        rows = [
            {
                "path": file.path,
                "form": file.form.value,
                "data": base64.b64encode(file.data).decode(),
                "before": None if file.before is None else base64.b64encode(file.before).decode(),
                "mode": file.mode,
                "owner": list(file.owner),
            }
            for file in self.files
        ]
        return {"files": rows, "left_out": self.left_out, "harness": list(self.harness)}


def work_from_dict(table: Mapping[str, Any]) -> Work:
    """The work that ``Work.to_dict`` wrote; raises KeyError, TypeError or ValueError for anything else."""
    files = []
    for row in table["files"]:
        before = None if row["before"] is None else base64.b64decode(row["before"])
        user, group = row["owner"]
        data, owner = base64.b64decode(row["data"]), (int(user), int(group))
        files.append(Changed(str(row["path"]), Form(row["form"]), data, before, int(row["mode"]), owner))
    return Work(tuple(files), int(table["left_out"]), tuple(str(path) for path in table["harness"]))


def is_harness(path: str) -> bool:
    """Whether a harness uses ``path`` for the solution, the tests or what they write, whatever the prompt names."""
    return _HARNESS.search(path) is not None


def is_noise(path: str, told: str = "") -> bool:
    """Whether a change at ``path`` is a by-product, unless ``told`` (the prompt) names the path itself."""
    return _NOISE.search(path) is not None and not _names(told, path)


def by_weight(paths: Iterable[str], agent_cwd: str, told: str = "") -> list[str]:
    """``paths`` with what the task is likely to be judged by first: named, in the workspace, no build product."""
    home = agent_cwd.rstrip("/") + "/"

    def rank(path: str) -> tuple[bool, bool, bool, int, str]:
        name = path.rsplit("/", 1)[-1]
        return (
            _BUILT.search(path) is not None,
            not _names(told, name),
            not path.startswith(home),
            path.count("/"),
            path,
        )

    return sorted(paths, key=rank)


def _names(told: str, path: str) -> bool:
    """Whether the text names ``path`` as a word."""
    at = told.find(path)
    return at >= 0 and not (told[at + len(path) : at + len(path) + 1].isalnum())
