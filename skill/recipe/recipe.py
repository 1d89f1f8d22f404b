"""A sound recipe as values: where records are, what becomes of their fields, who may see which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from skill.recipe import template
from skill.toml import TomlValue

NAME: Final = "recipe.toml"
DATA: Final = "data.json"


@dataclass(frozen=True)
class Rows:
    """Where the records are."""

    format: str
    files: tuple[str, ...]  # globs below the source
    list: str = ""  # dotted place of the records in a document
    id: str = ""  # the field that names a record
    read: Mapping[str, str] = field(default_factory=dict)  # of folders: field -> file in the folder


@dataclass(frozen=True)
class Skip:
    """Records that are left out, and why."""

    field: str
    reason: str
    equals: TomlValue | None = None
    matches: str = ""
    missing: bool = False


@dataclass(frozen=True)
class FileRule:
    """One file, or folder, of a part: its bytes come from a field, from the recipe, or from the source."""

    path: str  # a template, too
    field: str = ""
    copy: str = ""
    source: str = ""  # a template of a path: in the record's folder, else below the source


@dataclass(frozen=True)
class PartRules:
    """What environment/, tests/ or solution/ of a source task is made of."""

    files: tuple[FileRule, ...] = ()
    data: tuple[str, ...] = ()  # fields that go to data.json

    @property
    def fields(self) -> frozenset[str]:
        """The fields that end up in this part."""
        named = {rule.field for rule in self.files if rule.field} | set(self.data)
        texts = [text for rule in self.files for text in (rule.source, rule.path) if "{{" in text]
        return frozenset(named).union(*(template.fields_of(text) for text in texts))


@dataclass(frozen=True)
class Recipe:
    """A sound recipe; ``files`` are the bytes of what it names in its own folder."""

    folder: Path
    name: str
    description: str
    rows: Rows
    skips: tuple[Skip, ...]
    prompt: str  # a template
    agent_cwd: str
    timeout: int | str  # seconds, or the field that holds them
    metadata: tuple[str, ...]
    constants: Mapping[str, TomlValue]
    image: str  # a template; empty where ``dockerfile`` counts
    dockerfile: str
    environment: PartRules
    run: str
    script: str
    verifier: PartRules
    solve: str  # script of the oracle; empty where there is none
    oracle: PartRules
    shared: frozenset[str]
    unused: frozenset[str]
    files: Mapping[str, bytes]
    digest: str

    @cached_property
    def shown(self) -> frozenset[str]:
        """The fields that the agent may see: in the prompt, the image or the environment."""
        texts = [self.prompt, self.image, self._text(self.dockerfile)]
        return self.environment.fields.union(*(template.fields_of(text) for text in texts if text))

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The fields that only grading and the oracle may see."""
        return (self.verifier.fields | self.oracle.fields) - self.shared

    @cached_property
    def used(self) -> frozenset[str]:
        """Every field that has some use."""
        own = {self.rows.id, self.timeout if isinstance(self.timeout, str) else "", *self.metadata}
        own |= {skip.field for skip in self.skips}
        return self.shown | self.verifier.fields | self.oracle.fields | frozenset(own - {""})

    @property
    def takes_files(self) -> bool:
        """Whether files of the source beside the record belong to its task."""
        parts = (self.environment, self.verifier, self.oracle)
        return any(rule.source for part in parts for rule in part.files)

    def _text(self, path: str) -> str:
        return self.files[path].decode() if path else ""
