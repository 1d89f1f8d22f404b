"""Errors of the skill layer.

SkillError              the base: one line with path, reason and remedy
├── SourceError         the source dataset or one of its tasks cannot be read
│   └── UnknownSource   it bears the marks of no framework that has an adapter
├── SuiteError          a Margin suite cannot be read at all (its defects are findings, not errors)
├── RecipeError         a recipe.toml says something that a recipe cannot say
└── ManifestError       SKILL.md or one of its references is missing or malformed
"""

from __future__ import annotations

from pathlib import Path


class SkillError(Exception):
    """Something the user has to mend; ``str()`` is the one line that says so."""

    def __init__(self, path: Path | str, reason: str, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{self.path}: {reason}" + (f" ({remedy})" if remedy else ""))


class SourceError(SkillError):
    """The source dataset or one of its tasks cannot be read."""


class UnknownSource(SourceError):
    """The source bears the marks of no framework that has an adapter; a recipe can describe it."""


class SuiteError(SkillError):
    """The folder given as a suite cannot be read at all."""


class RecipeError(SkillError):
    """A recipe says something that a recipe cannot say; ``reason`` holds every fault, one a line."""


class ManifestError(SkillError):
    """The skill document or one of its references is missing or malformed."""
