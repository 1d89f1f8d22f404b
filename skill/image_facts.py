"""What an image itself says, seen by looking into it; nothing of it was run."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from skill.dockerfile import is_root
from skill.entrypoint import started_by

SHELL: Final = "bash"  # what Margin starts every verifier with


class There(StrEnum):
    """What stands at a path of an image."""

    NOTHING = "nothing"
    FILE = "file"
    EMPTY = "empty folder"
    FOLDER = "folder"  # with something in it


@dataclass(frozen=True)
class ImageFacts:
    """One image; a path that was not looked at is in no table."""

    name: str  # as it was asked for
    digest: str  # the engine's id, which is the digest of the image's configuration
    platform: str  # linux/amd64
    workdir: str  # "/" where the image sets none
    user: str  # empty: root
    env: Mapping[str, str] = field(default_factory=dict)
    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    programs: frozenset[str] | None = None  # names in the folders of PATH; None: not looked at
    paths: Mapping[str, There] = field(default_factory=dict)
    script: str | None = None  # the entrypoint's text where it is a small script

    @property
    def runs_as_root(self) -> bool:
        """Whether the image's user is root."""
        return is_root(self.user)

    @property
    def starts(self) -> str:
        """What the entrypoint would start; empty when it only hands over."""
        return started_by(self.entrypoint, lambda _: self.script)

    def lacks(self, program: str) -> bool:
        """Whether the folders of PATH were looked at and do not hold ``program``."""
        return self.programs is not None and program not in self.programs

    def at(self, path: str) -> There | None:
        """What stands at ``path``, None when nobody looked."""
        return self.paths.get(path)


def from_config(name: str, digest: str, platform: str, config: Mapping[str, Any]) -> ImageFacts:
    """The facts in an image's ``config`` object, as engines and registries give it."""
    pairs = (str(item).partition("=") for item in config.get("Env") or ())
    return ImageFacts(
        name=name,
        digest=digest,
        platform=platform,
        workdir=posixpath.normpath(str(config.get("WorkingDir") or "/")),
        user=str(config.get("User") or ""),
        env={key: value for key, _, value in pairs},
        entrypoint=tuple(map(str, config.get("Entrypoint") or ())),
        cmd=tuple(map(str, config.get("Cmd") or ())),
    )


def to_table(facts: ImageFacts) -> dict[str, object]:
    """``facts`` as JSON values."""
    return {
        **vars(facts),
        "env": dict(facts.env),
        "entrypoint": list(facts.entrypoint),
        "cmd": list(facts.cmd),
        "programs": None if facts.programs is None else sorted(facts.programs),
        "paths": {path: there.value for path, there in sorted(facts.paths.items())},
    }


def from_table(table: Mapping[str, object]) -> ImageFacts:
    """What `to_table` wrote; raises KeyError, TypeError or ValueError for anything else."""
    programs, paths, env = table["programs"], table["paths"], table["env"]
    if not (isinstance(paths, dict) and isinstance(env, dict) and isinstance(programs, list | None)):
        raise TypeError("no facts of an image")
    return ImageFacts(
        name=str(table["name"]),
        digest=str(table["digest"]),
        platform=str(table["platform"]),
        workdir=str(table["workdir"]),
        user=str(table["user"]),
        env={str(name): str(value) for name, value in env.items()},
        entrypoint=_words(table["entrypoint"]),
        cmd=_words(table["cmd"]),
        programs=None if programs is None else frozenset(map(str, programs)),
        paths={str(path): There(there) for path, there in paths.items()},
        script=None if table["script"] is None else str(table["script"]),
    )


def _words(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("no list of words")
    return tuple(str(word) for word in value)
