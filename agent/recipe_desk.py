"""Where a session writes a recipe: a suite below the run folder that begins empty, and what was drafted in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from agent.recipe_brief import brief
from agent.run_folder import remove
from skill.case import Case
from skill.contract import CASES_DIR, SUITE_FILE
from skill.errors import RecipeError
from skill.finding import Finding, Severity
from skill.recipe.reading import read_recipe
from skill.recipe.recipe import NAME, Recipe
from skill.rules import check_case
from skill.toml import TomlTable, dump

FOLDER: Final = "unknown"  # below the run folder
OWN: Final = "recipe"  # below suite/: all that the session writes
DRAFT: Final = "draft.json"  # of the desk: what the last draft found
CODE: Final = "recipe"  # of findings about a recipe, which no rule makes


@dataclass(frozen=True)
class Draft:
    """What the last draft found."""

    recipe: str = ""  # the digest of the recipe that it was made from
    cases: Mapping[str, Sequence[Finding]] = field(default_factory=dict)  # name -> what drafting said of it
    converted: int = 0  # records that would be
    left: int = 0  # records that are refused, or fail


@dataclass(frozen=True)
class Desk:
    """The surroundings of the session on disk."""

    root: Path  # <run>/unknown
    source: Path  # resolved

    @property
    def suite(self) -> Path:
        """The suite that the session sees."""
        return self.root / "suite"

    @property
    def folder(self) -> Path:
        """The folder of it that the session writes."""
        return self.suite / OWN

    @property
    def text(self) -> Path:
        """The file with what the session was told first."""
        return self.root / "brief.txt"

    @property
    def has_brief(self) -> bool:
        """Whether some session was begun here, told this or something else."""
        return self.text.is_file()

    def brief(self) -> str:
        """What the session is told first; equal sources give equal briefs."""
        return brief(self.source)

    def is_laid(self, text: str) -> bool:
        """Whether an earlier part of the run, told the same, has left its work here."""
        return self.folder.is_dir() and self.has_brief and self.text.read_text("utf-8") == text

    def lay(self, text: str) -> None:
        """Afterwards the suite is empty; whole or not at all."""
        for left in (self.root / DRAFT, self.suite):
            remove(left)
        self.folder.mkdir(parents=True)
        (self.suite / CASES_DIR).mkdir()
        self.write_suite(())
        self.text.write_text(text, "utf-8")

    def write_suite(self, names: Sequence[str]) -> None:
        """Afterwards suite.toml lists the cases ``names``."""
        table: TomlTable = {"kind": "test_suite", "name": "session", "description": "a few cases"}
        head = dump({**table, "cases": [*sorted(names)]})
        (self.suite / SUITE_FILE).write_text(head)

    @property
    def last(self) -> Draft:
        """What the last draft found; an empty one before there was any."""
        try:
            table = json.loads((self.root / DRAFT).read_bytes())
        except (OSError, ValueError):  # none, or one that was cut off
            return Draft()
        found = {
            name: [Finding(**{**row, "severity": Severity(row["severity"])}) for row in rows]
            for name, rows in table["cases"].items()
        }
        return Draft(table["recipe"], found, table["converted"], table["left"])

    def keep(self, draft: Draft) -> None:
        """Afterwards ``draft`` is the last one."""
        table: dict[str, Any] = {**vars(draft)}
        table["cases"] = {name: [dict(vars(row)) for row in rows] for name, rows in draft.cases.items()}
        (self.root / DRAFT).write_text(json.dumps(table))

    def names(self) -> tuple[str, ...]:
        """The cases that there are now."""
        return tuple(self.last.cases)

    def gate(self, root: Path, case: str) -> list[Finding]:
        """All that the gates say about a case in a suite's ``root``, and what drafting said of it."""
        return [*check_case(Case(root, case, 0)), *self.last.cases.get(case, ())]

    def recipe(self) -> Recipe:
        """The recipe as it stands; raises RecipeError with every fault."""
        return require_own_files(read_recipe(self.folder), self.source)

    def errors(self) -> list[Finding]:
        """What keeps the recipe from counting, whatever the gates say of its cases."""
        try:
            digest = self.recipe().digest
        except RecipeError as error:
            faults = error.reason.split("\n  ")[1:] or [str(error)]
            return [_finding(self.told(fault)) for fault in faults]
        last = self.last
        if last.recipe != digest:
            return [_finding("nothing was drafted from the recipe as it stands", "call draft")]
        return [] if last.cases else [_finding("no record of the source becomes a case")]

    def told(self, error: object) -> str:
        """``error`` with the paths that the session knows in place of this machine's."""
        source = self.source.parent if self.source.is_file() else self.source
        return str(error).replace(str(self.suite), "suite").replace(str(source), "source")


def require_own_files(recipe: Recipe, source: Path) -> Recipe:
    """``recipe``, unless it takes files from around a source that is one file: those are nobody's to give."""
    if source.is_file() and recipe.takes_files:
        raise RecipeError(recipe.folder / NAME, "is no recipe:\n  a source of one file has no files for `from`")
    return recipe


def _finding(message: str, fix: str = "") -> Finding:
    return Finding(f"{OWN}/{NAME}", 0, CODE, Severity.ERROR, message, fix)
