"""task.toml read against the table of fields: typed values, metadata, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from skill import toml
from skill.sources.harbor.fields import FIELDS, Field
from skill.sources.notes import Remarks
from skill.toml import TomlTable, TomlValue

NEWEST_SCHEMA: Final = (1, 4)
PLACEHOLDER: Final = re.compile(r"\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}|(?:=|\[|,)\s*\{[A-Za-z_]\w*\}|__[A-Z][A-Z0-9_]+__")
HOLE: Final = re.compile(r"\{\{[^{}\n]*\}\}|\{[A-Za-z_]\w*\}|__[A-Z][A-Z0-9_]+__|<[A-Za-z_-]+>")


@dataclass
class Config(Remarks):
    """The tables of a task.toml, every known value of the type that Harbor demands."""

    tables: dict[str, TomlTable] = field(default_factory=dict)
    metadata: TomlTable = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)  # dotted names of keys that Harbor ignores

    def get(self, table: str, key: str) -> TomlValue | None:
        """The value of a known key, or None when it is absent or was refused."""
        return self.tables.get(table, {}).get(key)

    def text(self, table: str, key: str) -> str | None:
        """The string under a key, None when there is none or it is blank."""
        value = self.get(table, key)
        return value if isinstance(value, str) and value.strip() else None

    def rows(self, table: str, key: str) -> list[TomlTable]:
        """The tables of an array under a key, empty when there is none."""
        value = self.get(table, key)
        return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def read_config(data: bytes) -> Config:
    """``data`` as a configuration; defects are refusals in it, unknown keys findings. Never raises."""
    config = Config()
    try:
        document = toml.load(data)
    except toml.TomlError as error:
        _unreadable(config, data, error)
        return config
    for name in FIELDS:
        table = document if name == "" else document.get(name, {})
        config.tables[name] = dict(_known(config, name, table)) if isinstance(table, dict) else {}
    _check_versions(config)
    _check_sizes(config)
    own = document.get("metadata", {})
    config.metadata = _metadata(config, own if isinstance(own, dict) else {})
    return config


def _unreadable(config: Config, data: bytes, error: toml.TomlError) -> None:
    where = f" (line {error.line})" if error.line else ""
    if found := PLACEHOLDER.search(data.decode("utf-8", "replace")):
        hole = found[0].lstrip("=[, ")
        config.refuse("template", f"task.toml is a template with the unfilled placeholder {hole:.60}{where}")
    else:
        config.refuse("bad-toml", f"task.toml cannot be read: {error}{where}")


def _known(config: Config, table: str, values: TomlTable) -> Iterator[tuple[str, TomlValue]]:
    fields = FIELDS[table]
    for key, value in values.items():
        known = fields.get(key)
        dotted = f"{table}.{key}" if table else key
        if known is None:
            config.unknown.add(dotted)
            config.note("S001", "task.toml", dotted)
        elif known.check(value):
            yield key, value
        elif table == "task" and not _is_template(value):  # the identity decides nothing here; it is kept as it stands
            config.note("S015", "task.toml", f"{dotted} = {value!r:.60}")
            yield key, value
        else:
            _bad_field(config, dotted, known, value)


def _is_template(value: TomlValue) -> bool:
    return isinstance(value, str) and HOLE.search(value) is not None


def _bad_field(config: Config, dotted: str, known: Field, value: TomlValue) -> None:
    if isinstance(value, str) and (found := HOLE.search(value)):
        config.refuse("template", f"task.toml is a template: {dotted} holds the unfilled placeholder {found[0]:.60}")
        return
    wanted = (known.check.__doc__ or "").rstrip(".")
    sentence = f"{dotted} = {value!r:.60} is not accepted by Harbor; it wants {wanted[:1].lower()}{wanted[1:]}"
    config.refuse("bad-field", sentence)


def _check_versions(config: Config) -> None:
    stated = config.text("", "schema_version") or config.text("", "version") or ""
    parts = tuple(int(part) for part in stated.split(".")[:2] if part.isdigit())
    if parts > NEWEST_SCHEMA:
        config.note("S002", "task.toml", stated)


def _check_sizes(config: Config) -> None:
    """Harbor refuses a size that is given in both spellings with different values."""
    for old, new in (("memory", "memory_mb"), ("storage", "storage_mb")):
        text, number = config.get("environment", old), config.get("environment", new)
        if isinstance(text, str) and isinstance(number, int) and _megabytes(text) != number:
            config.refuse("bad-field", f"environment.{old} and environment.{new} contradict each other")


def _megabytes(text: str) -> int:
    amount, unit = float(text.strip()[:-1]), text.strip()[-1].upper()
    return int(amount * {"G": 1024, "M": 1, "K": 1 / 1024}[unit])


def _metadata(config: Config, own: TomlTable) -> TomlTable:
    """The task's own metadata first, as typed there; then what Harbor's fields leave, in table order."""
    kept = dict(own)
    _fill_from_task(config, kept)
    for table, fields in FIELDS.items():
        values = config.tables[table]
        for key, known in fields.items():
            if known.keep_as and key in values:
                kept[_free_name(config, own, known.keep_as, table)] = values[key]
    return kept


def _fill_from_task(config: Config, kept: TomlTable) -> None:
    """Author and tags of the package, where the metadata names none."""
    authors, keywords = config.get("task", "authors"), config.get("task", "keywords")
    first = authors[0] if isinstance(authors, list) and authors else None
    if isinstance(first, dict):
        for key, name in (("author_name", "name"), ("author_email", "email")):
            value = first.get(name)
            if isinstance(value, str):
                kept.setdefault(key, value)
    if isinstance(keywords, list):
        kept.setdefault("tags", keywords)


def _free_name(config: Config, own: TomlTable, name: str, table: str) -> str:
    if name not in own:
        return name
    config.note("S012", "task.toml", name)
    free = f"harbor_field_{table}_{name.removeprefix('harbor_')}"
    while free in own:
        free += "_"
    return free
