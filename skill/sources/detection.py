"""Which framework a folder comes from: told by evidence, never guessed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from skill.errors import SourceError, UnknownSource
from skill.sources.base import Source
from skill.sources.harbor import HARBOR
from skill.sources.mixed import Mixed
from skill.sources.terminal_bench import TERMINAL_BENCH

SOURCES: Final[tuple[Source, ...]] = (HARBOR, TERMINAL_BENCH)
MARKS: Final = "a Harbor task has a file task.toml, one of Terminal-Bench task.yaml and run-tests.sh"
RECIPE: Final = "for any other source write a recipe (references/recipes.md), or start from a shipped one"
SUITE: Final = re.compile(rb"^[ \t]*kind[ \t]*=[ \t]*[\"']test_suite[\"']", re.MULTILINE)


def detect(root: Path, sources: tuple[Source, ...] = SOURCES) -> Source:
    """The source whose marks ``root`` bears, a `Mixed` one for a tree that can be split by folder.

    Raises UnknownSource when there are no marks, SourceError with the evidence when there are those of several
    frameworks in one task.
    """
    if not root.is_dir():
        raise UnknownSource(root, "is not a folder", f"name the folder of a dataset; {RECIPE}")
    if _is_suite(root):
        raise SourceError(root, "is a Margin suite already (suite.toml)", "`check` looks at it, `prove` runs it")
    found = [(source, evidence) for source in sources if (evidence := source.detect(root)) is not None]
    if not found:
        known = ", ".join(source.name for source in sources)
        raise UnknownSource(root, f"bears the marks of no known framework ({known})", f"{MARKS}; {RECIPE}")
    if len(found) == 1:
        return found[0][0]
    mixed = Mixed(tuple(source for source, _ in found))
    owners = {owner.name: owner for ref in mixed.inventory(root).tasks for owner in mixed.owners(ref)}
    if len(owners) == 1:
        return next(iter(owners.values()))  # what another one sees lies inside of tasks
    if all(ref.id == "." for ref in mixed.inventory(root).tasks):
        seen = "; ".join(f"{source.name} ({evidence})" for source, evidence in found)
        said = f"bears the marks of several frameworks: {seen}"
        raise SourceError(root, said, "take the files of all but one of them away")
    return mixed


def _is_suite(root: Path) -> bool:
    try:
        return SUITE.search((root / "suite.toml").read_bytes()) is not None
    except OSError:
        return False
