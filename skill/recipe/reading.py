"""recipe.toml and the files that it names, read and judged as a whole."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from skill.errors import RecipeError
from skill.recipe import schema, template
from skill.recipe.recipe import DATA, NAME, FileRule, PartRules, Recipe, Rows, Skip
from skill.toml import TomlError, TomlTable, load

MAX_FILE: Final = 1 << 20  # what is larger belongs to the source


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
