"""A Dockerfile beside the files it is built from: its entrypoint's script, and what its COPY lines name."""

from __future__ import annotations

import fnmatch
import posixpath
from typing import Final

from skill.dockerfile import Dockerfile
from skill.entrypoint import MAX_SCRIPT, started_by
from skill.sources.files import Part

LEAKS: Final = frozenset({"solution", "oracle"})


def starts(entrypoint: tuple[str, ...], environment: Part) -> str:
    """What an entrypoint starts before or instead of handing over, empty for nothing; its script is a file here."""
    return started_by(entrypoint, lambda program: _script(program, environment))


def _script(program: str, environment: Part) -> str | None:
    name = posixpath.basename(program)
    file = next((file for file in environment.files if posixpath.basename(file.path) == name), None)
    if file is None or file.size > MAX_SCRIPT:
        return None
    try:
        return file.read().decode("utf-8", "replace")
    except OSError:
        return None


def leaked_solutions(facts: Dockerfile) -> list[str]:
    """Sources of COPY lines that lie in a folder called like the reference solution's."""
    sources = (source for copy in facts.copies for source in copy.sources)
    return [source for source in sources if source.lstrip("./").partition("/")[0] in LEAKS]


def missing_sources(facts: Dockerfile, environment: Part) -> list[str]:
    """Sources of COPY and ADD lines that nothing in environment/ answers to, as Docker looks for them."""
    wanted = {source for copy in facts.copies for source in copy.sources}
    if not wanted:
        return []
    there = {file.path for file in environment.files} | set(environment.empty_dirs)
    there |= {parent for path in there for parent in _parents(path)}
    return sorted(source for source in wanted if not _is_there(source, there))


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _is_there(source: str, there: set[str]) -> bool:
    if "$" in source or "://" in source or source.startswith("git@"):
        return True
    path = posixpath.normpath(f"/{source}").strip("/")
    if not path or path in there:
        return True
    return any(mark in path for mark in "*?[") and any(fnmatch.fnmatchcase(name, path) for name in there)
