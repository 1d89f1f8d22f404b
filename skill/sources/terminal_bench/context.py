"""What of a task's folder its Dockerfile is built from: the files that it copies, and nothing else.

Terminal-Bench hands Docker the whole folder. Where a Dockerfile copies all of it, what only the harness needs (tests,
solution, task.yaml) is left out, unless a line of the Dockerfile names it.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from skill import dockerfile
from skill.dockerfile import Dockerfile
from skill.dockerfile_ignore import IGNORE_FILE
from skill.sources.base import SourceFile
from skill.sources.dialect import COMPOSE, Compose
from skill.sources.files import Entries, Part, read_bytes, read_some

HARNESS: Final = ("task.yaml", "run-tests.sh", "solution.sh", "solution.yaml", "tests", COMPOSE)
STARTUP: Final = re.compile(
    rb"^(?!\s*#).*(?:>>?|tee).*(?:\.bashrc|\.profile|\.bash_profile|/etc/profile)", re.MULTILINE
)


@dataclass
class Context:
    """The files of the build, relative to the folder it starts from, the Dockerfile under its usual name."""

    part: Part
    left_out: list[str] = field(default_factory=list)  # names of the harness's own files that were not taken along
    named: set[str] = field(default_factory=set)  # names of the harness's own files that the Dockerfile copies


def read_context(root: str, entries: Entries, compose: Compose) -> Context:
    """The build context that ``compose`` names, of the task at ``root``; without a Dockerfile it has no files."""
    inner = compose.context
    place = posixpath.normpath(posixpath.join(inner, compose.dockerfile))
    top = place.partition("/")[0]
    found = read_some(root, entries, lambda name: name == top)
    own = found.find(place)
    data = read_bytes(own, found) if own else None
    if own is None or data is None:
        return Context(Part(task=root, exists=True, refusals=found.refusals))
    context = _gathered(root, entries, inner, dockerfile.parse(data), data)
    kept = [file for file in context.part.files if file.path != "Dockerfile"]
    named = SourceFile("Dockerfile", own.host, own.size, own.mode, own.link, origin=place)
    context.part.files = sorted([*kept, named], key=lambda file: file.path)
    if STARTUP.search(data):
        context.part.note("S614", place)
    return context


def _gathered(root: str, entries: Entries, inner: str, facts: Dockerfile, data: bytes) -> Context:
    prefix = f"{inner}/" if inner else ""
    wanted = [posixpath.normpath(f"/{source}").strip("/") for copy in facts.copies for source in copy.sources]
    whole = bool(facts.needs_buildkit and b"--mount" in data) or any(_is_all(path) for path in wanted)
    named = {name for name in HARNESS for path in wanted if _names(path, name)}
    spoken = {name for name in HARNESS if len(re.findall(rb"(?<![\w.-])" + re.escape(name).encode(), data)) > 0}
    left_out = [name for name in HARNESS if whole and name in entries and name not in named | spoken and not inner]
    tops = {(prefix + path).partition("/")[0] for path in wanted} | {(prefix + IGNORE_FILE).partition("/")[0]}

    def is_wanted(name: str) -> bool:
        if whole and not inner:
            return name not in left_out
        return name in tops or any(fnmatch.fnmatchcase(name, top) for top in tops if any(c in top for c in "*?["))

    part = read_some(root, entries, is_wanted)
    part.files = [_inside(file, prefix) for file in part.files if _is_taken(file.path, prefix, wanted, whole)]
    part.empty_dirs = [path.removeprefix(prefix) for path in part.empty_dirs if path.startswith(prefix)]
    return Context(part, left_out, named)


def _is_all(path: str) -> bool:
    return path in ("", "*")


def _names(path: str, name: str) -> bool:
    """Whether a source of COPY is a file of the harness, or lies in its folder."""
    return path == name or path.startswith(f"{name}/") or (path != "*" and fnmatch.fnmatchcase(name, path))


def _is_taken(path: str, prefix: str, wanted: Sequence[str], whole: bool) -> bool:
    """Whether a file of the task is one that the Dockerfile copies."""
    if not path.startswith(prefix):
        return False
    inner = path.removeprefix(prefix)
    if whole or inner == IGNORE_FILE:
        return True
    parents = [inner, *("/".join(inner.split("/")[:count]) for count in range(1, inner.count("/") + 1))]
    return any(parent == path or fnmatch.fnmatchcase(parent, path) for path in wanted for parent in parents)


def _inside(file: SourceFile, prefix: str) -> SourceFile:
    return SourceFile(file.path.removeprefix(prefix), file.host, file.size, file.mode, file.link, origin=file.path)
