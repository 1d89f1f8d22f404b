"""A recipe: a folder with recipe.toml and the files that it names, read and judged as a whole."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from skill.errors import RecipeError
from skill.recipe import schema, template
from skill.toml import TomlError, TomlTable, TomlValue, load

NAME: Final = "recipe.toml"
DATA: Final = "data.json"
MAX_FILE: Final = 1 << 20  # what is larger belongs to the source


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


def read_recipe(place: Path) -> Recipe:
    """The recipe in the folder ``place``, or in the file of that name; raises RecipeError with every fault."""
    path = place / NAME if place.is_dir() else place
    document = _document(path)
    found = list(schema.faults(document))
    if not found:
        recipe = _made(path.parent, document, files := _files(path, document))
        found = list(_against(recipe, files))
        if not found:
            return recipe
    raise RecipeError(path, "\n  ".join(["is no recipe:", *found]))


def _document(path: Path) -> TomlTable:
    try:
        return load(path.read_bytes())
    except OSError as error:
        raise RecipeError(path, f"cannot be read: {error.strerror}", f"a recipe is a folder with {NAME}") from error
    except TomlError as error:
        place = f"{path}:{error.line}" if error.line else path
        raise RecipeError(place, f"is no TOML: {error}") from error


def _files(path: Path, document: TomlTable) -> dict[str, bytes]:
    """The bytes of every file of the recipe's folder that it names."""
    held: dict[str, bytes] = {}
    for name in sorted(set(_named(document))):
        place = path.parent / name
        try:
            if not place.resolve().is_relative_to(path.parent.resolve()) or not place.is_file():
                raise RecipeError(place, "is no file of the recipe", f"{path.name} names it")
            held[name] = place.read_bytes()
        except OSError as error:
            raise RecipeError(place, f"cannot be read: {error.strerror}") from error
        if len(held[name]) > MAX_FILE:
            raise RecipeError(place, "has more than 1 MiB", "files of that size belong to the source")
    return held


def _named(document: TomlTable) -> Iterator[str]:
    for table in ("environment", "verifier", "oracle"):
        part = _table(document, table)
        yield from (str(part[key]) for key in ("dockerfile", "script") if key in part)
        yield from (str(file["copy"]) for file in _tables(part, "files") if "copy" in file)


def _made(folder: Path, document: TomlTable, files: Mapping[str, bytes]) -> Recipe:
    rows, case, environment, verifier, oracle, fields = (
        _table(document, name) for name in ("rows", "case", "environment", "verifier", "oracle", "fields")
    )
    whole = hashlib.sha256(repr(sorted(document.items())).encode())
    for name, data in sorted(files.items()):
        whole.update(b"\0%s\0%s" % (name.encode(), hashlib.sha256(data).digest()))
    timeout = case.get("timeout_seconds", 0)
    return Recipe(
        folder=folder,
        name=str(document["name"]),
        description=str(document.get("description", "")),
        rows=Rows(
            str(rows["format"]), _texts(rows, "files"), str(rows.get("list", "")), str(rows.get("id", "")),
            {name: str(path) for name, path in _table(rows, "read").items()},
        ),
        skips=tuple(_skip(skip) for skip in _tables(document, "skip")),
        prompt=str(case["prompt"]),
        agent_cwd=str(case["agent_cwd"]),
        timeout=timeout if isinstance(timeout, int) else str(timeout),
        metadata=_texts(case, "metadata"),
        constants=_table(case, "constants"),
        image=str(environment.get("image", "")),
        dockerfile=str(environment.get("dockerfile", "")),
        environment=_part(environment),
        run=str(verifier.get("run", "")),
        script=str(verifier.get("script", "")),
        verifier=_part(verifier),
        solve=str(oracle.get("script", "")),
        oracle=_part(oracle),
        shared=frozenset(_texts(fields, "shared")),
        unused=frozenset(_texts(fields, "unused")),
        files=files,
        digest=whole.hexdigest(),
    )  # fmt: skip


def _skip(table: TomlTable) -> Skip:
    return Skip(
        str(table["field"]), str(table["reason"]), table.get("equals"), str(table.get("matches", "")),
        bool(table.get("missing")),
    )  # fmt: skip


def _part(table: TomlTable) -> PartRules:
    rules = (
        FileRule(str(file["path"]), str(file.get("field", "")), str(file.get("copy", "")), str(file.get("from", "")))
        for file in _tables(table, "files")
    )
    return PartRules(tuple(rules), _texts(table, "data"))


def _against(recipe: Recipe, files: Mapping[str, bytes]) -> Iterator[str]:
    """What a recipe whose keys are sound still has wrong."""
    texts = {"case.prompt": recipe.prompt, "environment.image": recipe.image}
    try:
        texts |= {recipe.dockerfile: files[recipe.dockerfile].decode()} if recipe.dockerfile else {}
    except UnicodeDecodeError:
        yield f"{recipe.dockerfile}: is not UTF-8"
        return
    parts = {"environment": recipe.environment, "verifier": recipe.verifier, "oracle": recipe.oracle}
    for name, part in parts.items():
        texts |= {f"{name}.files: {text}": text for rule in part.files for text in (rule.path, rule.source)}
    bad = {where: said for where, text in texts.items() if text and (said := template.fault(text))}
    yield from (f"{where}: {said}" for where, said in bad.items())
    for skip in recipe.skips:
        try:
            re.compile(skip.matches)
        except re.error as error:
            yield f"skip: {skip.matches!r:.60} is no regular expression: {error}"
    for name, part in parts.items():
        yield from _twice(name, (*(rule.path for rule in part.files), *([DATA] if part.data else [])))
    if bad:
        return
    for name in sorted(recipe.hidden & recipe.shown):
        yield (
            f"the field {name!r} is graded with and shown to the agent as well; if it gives nothing away, say so in"
            " fields.shared"
        )
    for name in sorted(recipe.unused & recipe.used):
        yield f"fields.unused lists {name!r}, which is used"


def _twice(part: str, paths: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        if path in seen:
            yield f"{part}.files: {path} is made twice"
        seen.add(path)


def _table(document: TomlTable, name: str) -> TomlTable:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _tables(document: TomlTable, name: str) -> list[TomlTable]:
    value = document.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(document: TomlTable, name: str) -> tuple[str, ...]:
    value: Any = document.get(name)
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
