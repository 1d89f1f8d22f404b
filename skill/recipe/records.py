"""The records of a source, one at a time: where each stands, and its fields.

Files are read in the order of their names and never as a whole where the format allows it; a record is found again
by its place. What cannot be read as a record still has a place, and says what is wrong when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skill.errors import SourceError
from skill.recipe.errors import BadRecord
from skill.recipe.recipe import Rows
from skill.recipe.tables import MAX_RECORD, Record, decoded, table
from skill.toml import TomlError, load

MAX_FILE: Final = 16 << 20  # of a folder's file that is a field


@dataclass(frozen=True)
class Place:
    """Where a record stands: file (or folder), number from 1, and the byte or index by which it is found."""

    path: Path
    number: int
    at: int = 0

    def shown(self, root: Path) -> str:
        """The place as reports name it."""
        name = self.path.relative_to(root).as_posix() if self.path.is_relative_to(root) else self.path.name
        return f"{name}:{self.number}" if self.number else name


def places(rows: Rows, root: Path) -> Iterator[Place]:
    """Every record's place, in order; SourceError for a file that cannot be read at all."""
    for path in _matching(rows, root):
        try:
            yield from _in_file(rows, path)
        except OSError as error:
            raise SourceError(path, f"cannot be read: {error.strerror}", "mend its rights") from error


def record_at(rows: Rows, place: Place) -> Record:
    """The fields at ``place``; raises BadRecord when there is no record, OSError when the file is gone."""
    if rows.format == "folders":
        return _folder(rows, place.path)
    value = _line(place) if rows.format == "jsonl" else table(rows.format, rows.list, place.path)[place.at]
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise BadRecord(f"is no record but {type(value).__name__}")
    return value


def _matching(rows: Rows, root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    wanted = Path.is_dir if rows.format == "folders" else Path.is_file
    found = {path for pattern in rows.files for path in _globbed(root, pattern) if wanted(path)}
    inside = [path for path in found if path.resolve().is_relative_to(root.resolve())]
    return sorted(inside, key=lambda path: path.relative_to(root).as_posix())


def _globbed(root: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from root.glob(pattern)
    except (ValueError, NotImplementedError) as error:
        raise SourceError(
            root, f"rows.files: {pattern!r:.60} is no pattern: {error}", "such as data/**/*.json"
        ) from error


def _in_file(rows: Rows, path: Path) -> Iterator[Place]:
    if rows.format == "folders":
        yield Place(path, 0)
    elif rows.format == "jsonl":
        at = 0
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield Place(path, number, at)
                at += len(line)
    else:
        yield from (Place(path, index + 1, index) for index in range(len(table(rows.format, rows.list, path))))


def _line(place: Place) -> Any:
    with place.path.open("rb") as stream:
        stream.seek(place.at)
        line = stream.readline(MAX_RECORD + 1)
    if len(line) > MAX_RECORD:
        raise BadRecord("has more than 64 MiB")
    return decoded(line)


def _folder(rows: Rows, path: Path) -> Record:
    """A folder as a record: its name as ``_folder``, and each file that the recipe reads, where it is there.

    A file that ends in .json, .yaml or .toml is what it says, any other is a text.
    """
    record: dict[str, Any] = {"_folder": path.name}
    for name, inner in rows.read.items():
        file = path / inner
        if file.is_file() and file.resolve().is_relative_to(path.resolve()):
            record[name] = _value(_text(file, inner), inner)
    return record


def _value(text: str, inner: str) -> Any:
    import yaml

    try:
        if inner.endswith(".json"):
            return decoded(text.encode())
        if inner.endswith((".yaml", ".yml")):
            return yaml.safe_load(text)
        return load(text.encode()) if inner.endswith(".toml") else text
    except (BadRecord, yaml.YAMLError, TomlError, RecursionError) as error:
        raise BadRecord(f"{inner} cannot be read: {' '.join(str(error).split())[:200]}") from error


def _text(file: Path, inner: str) -> str:
    if os.stat(file).st_size > MAX_FILE:  # noqa: PTH116
        raise BadRecord(f"{inner} has more than 16 MiB")
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRecord(f"{inner} is not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise BadRecord(f"{inner} cannot be read: {error.strerror}") from error
