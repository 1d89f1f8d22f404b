"""Source frameworks, tried in order; which one a folder belongs to is told by evidence, never guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from skill.errors import SourceError
from skill.sources.base import Source
from skill.sources.harbor import HARBOR

SOURCES: Final[tuple[Source, ...]] = (HARBOR,)


def detect(root: Path, sources: tuple[Source, ...] = SOURCES) -> Source:
    """The one framework whose marks ``root`` bears; raises SourceError, with the evidence, else."""
    if not root.is_dir():
        raise SourceError(root, "is not a folder", "name the folder of a dataset")
    found = [(source, evidence) for source in sources if (evidence := source.detect(root)) is not None]
    if len(found) == 1:
        return found[0][0]
    if found:
        seen = "; ".join(f"{source.name} ({evidence})" for source, evidence in found)
        raise SourceError(root, f"bears the marks of several frameworks: {seen}", "name a folder with one of them")
    known = ", ".join(source.name for source in sources)
    raise SourceError(root, f"bears the marks of no known framework ({known})", "a Harbor task has a file task.toml")
