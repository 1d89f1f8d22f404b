"""What recipe.toml may say, key by key; every fault is told at once, with its place and what would be right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from skill.toml import TomlTable, TomlValue

SCHEMA: Final = "suite-converter/recipe/1"
FORMATS: Final = ("jsonl", "json", "csv", "tsv", "yaml", "toml", "parquet", "folders")


@dataclass(frozen=True)
class Key:
    """One key: what it takes, in words and as a test, and whether it has to be there."""

    wants: str
    fits: Callable[[TomlValue], bool]
    needed: bool = False


def _is_text(value: TomlValue) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: TomlValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) and item for item in value)


def _is_table(value: TomlValue) -> bool:
    return isinstance(value, dict)


def _is_tables(value: TomlValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _is_path(value: TomlValue) -> bool:
    """A relative path that stays below where it starts."""
    return isinstance(value, str) and is_inside(value)


def _is_field_table(value: TomlValue) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) and is_inside(item) for item in value.values())


def _is_count(value: TomlValue) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool) and value > 0) or _is_text(value)


def is_inside(path: str) -> bool:
    """Whether ``path`` is relative and has no part that leads out of the folder it is taken from."""
    parts = path.split("/")
    return bool(path) and "\0" not in path and "\\" not in path and not any(part in ("", ".", "..") for part in parts)


def _is_absolute(value: TomlValue) -> bool:
    return isinstance(value, str) and (value == "/" or (value.startswith("/") and is_inside(value[1:])))


TEXT: Final = Key("a text", _is_text)
TEXTS: Final = Key("a list of texts", _is_texts)
PATH: Final = Key("a relative path without ..", _is_path)
PLACE: Final = Key("an absolute path", _is_absolute)
TABLES: Final = Key("an array of tables", _is_tables)
COUNT: Final = Key("a whole number, or the name of a field that holds one", _is_count)
CONSTANTS: Final = Key("a table", _is_table)
ANY: Final = Key("a value", lambda _: True)


def _needed(key: Key) -> Key:
    return Key(key.wants, key.fits, needed=True)


FILE: Final[Mapping[str, Key]] = {"path": _needed(PATH), "field": TEXT, "copy": PATH, "from": TEXT}
TABLE_KEYS: Final[Mapping[str, Mapping[str, Key]]] = {
    "": {
        "schema": _needed(Key(f'"{SCHEMA}"', lambda value: value == SCHEMA)),
        "name": _needed(TEXT),
        "description": TEXT,
        "rows": _needed(CONSTANTS),
        "skip": TABLES,
        "case": _needed(CONSTANTS),
        "environment": _needed(CONSTANTS),
        "verifier": _needed(CONSTANTS),
        "oracle": CONSTANTS,
        "fields": CONSTANTS,
    },
    "rows": {
        "format": _needed(Key(f"one of {', '.join(FORMATS)}", lambda value: value in FORMATS)),
        "files": _needed(TEXTS),
        "list": TEXT,
        "id": TEXT,
        "read": Key("a table of field = relative path", _is_field_table),
    },
    "case": {
        "prompt": _needed(TEXT),
        "agent_cwd": _needed(PLACE),
        "timeout_seconds": COUNT,
        "metadata": TEXTS,
        "constants": CONSTANTS,
    },
    "environment": {"image": TEXT, "dockerfile": PATH, "files": TABLES, "data": TEXTS},
    "verifier": {"run": TEXT, "script": PATH, "files": TABLES, "data": TEXTS},
    "oracle": {"script": _needed(PATH), "files": TABLES, "data": TEXTS},
    "fields": {"shared": TEXTS, "unused": TEXTS},
}
SKIP: Final[Mapping[str, Key]] = {
    "field": _needed(TEXT),
    "reason": _needed(TEXT),
    "equals": ANY,
    "matches": TEXT,
    "missing": Key("true", lambda value: value is True),
}


def faults(document: TomlTable) -> Iterator[str]:
    """Everything that is wrong with the keys of a recipe, one sentence each."""
    yield from _of(document, TABLE_KEYS[""], "")
    for table, keys in TABLE_KEYS.items():
        value = document.get(table)
        if table and isinstance(value, dict):
            yield from _of(value, keys, f"{table}.")
            for number, file in enumerate(_tables(value.get("files")), 1):
                yield from _of(file, FILE, f"{table}.files[{number}].")
                if len(file.keys() & {"field", "copy", "from"}) != 1:
                    yield f"{table}.files[{number}]: says where its bytes come from with one of field, copy, from"
    for number, skip in enumerate(_tables(document.get("skip")), 1):
        yield from _of(skip, SKIP, f"skip[{number}].")
        if len(skip.keys() & {"equals", "matches", "missing"}) != 1:
            yield f"skip[{number}]: says which records with one of equals, matches, missing"
    yield from _together(document)


def _of(table: TomlTable, keys: Mapping[str, Key], where: str) -> Iterator[str]:
    for name, key in keys.items():
        if key.needed and name not in table:
            yield f"{where}{name} is missing; it is {key.wants}"
    for name, value in table.items():
        if name not in keys:
            yield f"{where}{name} is no key of a recipe; here are {', '.join(keys)}"
        elif not keys[name].fits(value):
            yield f"{where}{name} = {value!r:.60} is not {keys[name].wants}"


def _together(document: TomlTable) -> Iterator[str]:
    """What single keys do not show."""
    environment, verifier, rows = (_table(document.get(name)) for name in ("environment", "verifier", "rows"))
    if len(environment.keys() & {"image", "dockerfile"}) != 1:
        yield "environment: has one of image, dockerfile"
    if len(verifier.keys() & {"run", "script"}) != 1:
        yield "verifier: has one of run, script"
    if isinstance(run := verifier.get("run"), str) and "\n" in run:
        yield "verifier.run: is one command; longer ones are a script"
    if rows.get("format") == "folders" and not rows.get("read"):
        yield 'rows.read: names the files that are fields, such as prompt = "README.md"'
    if rows.get("format") != "folders" and rows.get("read"):
        yield "rows.read: is for folders"


def _table(value: TomlValue | None) -> TomlTable:
    return value if isinstance(value, dict) else {}


def _tables(value: TomlValue | None) -> list[TomlTable]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
