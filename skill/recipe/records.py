"""The records of a source, one at a time: where each stands, and its fields.

Files are read in the order of their names and never as a whole where the format allows it; a record is found again
by its place. What cannot be read as a record still has a place, and says what is wrong when it is asked for.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from skill.errors import SourceError
from skill.recipe.errors import BadRecord
from skill.recipe.recipe import Rows
from skill.toml import TomlError, load

MAX_DOCUMENT: Final = 1 << 30  # bytes of a document that has to be read whole
MAX_RECORD: Final = 64 << 20
MAX_FILE: Final = 16 << 20  # of a folder's file that is a field
csv.field_size_limit(MAX_RECORD)

Record = Mapping[str, Any]


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
    value = _line(place) if rows.format == "jsonl" else _table(rows.format, rows.list, place.path)[place.at]
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise BadRecord(f"is no record but {type(value).__name__}")
    return value


def field_of(record: Record, name: str) -> Any:
    """The value under a dotted name; raises BadRecord where there is none."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise BadRecord(f"has no field {name!r}")
        value = value[part]
    return value


def _matching(rows: Rows, root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    wanted = Path.is_dir if rows.format == "folders" else Path.is_file
    found = {path for pattern in rows.files for path in root.glob(pattern) if wanted(path)}
    inside = [path for path in found if path.resolve().is_relative_to(root.resolve())]
    return sorted(inside, key=lambda path: path.relative_to(root).as_posix())


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
        yield from (Place(path, index + 1, index) for index in range(len(_table(rows.format, rows.list, path))))


def _line(place: Place) -> Any:
    with place.path.open("rb") as stream:
        stream.seek(place.at)
        line = stream.readline(MAX_RECORD + 1)
    if len(line) > MAX_RECORD:
        raise BadRecord("has more than 64 MiB")
    return _decoded(line)


def _decoded(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise BadRecord(f"is not UTF-8 (byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"is no JSON: {error}") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


@lru_cache(maxsize=2)
def _table(format_: str, listed: str, path: Path) -> list[Any]:
    """The records of a file that is read whole; SourceError when it cannot be."""
    if path.stat().st_size > MAX_DOCUMENT:
        raise SourceError(path, "is too large to be read as one document", "write it as JSON lines")
    try:
        return _READERS[format_](listed, path)
    except BadRecord as error:
        raise SourceError(path, str(error), f"a file of the format {format_}") from error


def _json(listed: str, path: Path) -> list[Any]:
    return _listed(listed, _decoded(path.read_bytes()))


def _yaml(listed: str, path: Path) -> list[Any]:
    import yaml

    try:
        return _listed(listed, yaml.safe_load(path.read_bytes()))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadRecord(f"is no YAML: {' '.join(str(error).split())[:200]}") from error


def _toml(listed: str, path: Path) -> list[Any]:
    try:
        return _listed(listed, load(path.read_bytes()))
    except TomlError as error:
        raise BadRecord(f"is no TOML: {error} (line {error.line})") from error


def _listed(listed: str, document: Any) -> list[Any]:
    """The list of records in a document; of a table, its values, each with its name as ``_key``."""
    value = field_of(document, listed) if listed else document
    if isinstance(value, dict):
        return [{"_key": name, **row} if isinstance(row, dict) else row for name, row in value.items()]
    if not isinstance(value, list):
        raise BadRecord(f"holds no list of records{f' at {listed}' if listed else ''}")
    return value


def _comma_separated(_: str, path: Path) -> list[Any]:
    return _separated(path, ",")


def _tab_separated(_: str, path: Path) -> list[Any]:
    return _separated(path, "\t")


def _separated(path: Path, delimiter: str) -> list[Any]:
    """The records of a spreadsheet's export: a line of names first, every value a text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            names = next(reader, [])
            return [_row(names, values) for values in reader if values]
    except UnicodeDecodeError as error:
        raise BadRecord(f"is not UTF-8 (byte {error.start})") from error
    except csv.Error as error:
        raise BadRecord(f"is no table: {error}") from error


def _row(names: list[str], values: list[str]) -> dict[str, str] | str:
    return dict(zip(names, values, strict=True)) if len(names) == len(values) else f"{len(values)} values"


def _parquet(_: str, path: Path) -> list[Any]:
    try:
        from pyarrow import parquet
    except ImportError:
        raise BadRecord("needs pyarrow (pip install 'suite-converter[parquet]')") from None
    try:
        return list(parquet.read_table(path).to_pylist())
    except (OSError, ValueError) as error:
        raise BadRecord(f"is no Parquet: {str(error)[:200]}") from error


_READERS: Final[Mapping[str, Callable[[str, Path], list[Any]]]] = {
    "json": _json,
    "yaml": _yaml,
    "toml": _toml,
    "csv": _comma_separated,
    "tsv": _tab_separated,
    "parquet": _parquet,
}  # fmt: skip


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
            return _decoded(text.encode())
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
