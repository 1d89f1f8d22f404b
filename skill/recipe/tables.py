"""Files that hold many records and have to be read whole: JSON, YAML, TOML, tables, Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from skill.errors import SourceError
from skill.recipe.errors import BadRecord
from skill.toml import TomlError, load

MAX_DOCUMENT: Final = 1 << 30  # bytes of a document that has to be read whole
MAX_RECORD: Final = 64 << 20
csv.field_size_limit(MAX_RECORD)

Record = Mapping[str, Any]
NOTHING: Final = object()  # what stands under a name that a record does not have; null is a value


@lru_cache(maxsize=2)
def table(format_: str, listed: str, path: Path) -> list[Any]:
    """The records of a file that is read whole; SourceError when it cannot be."""
    if path.stat().st_size > MAX_DOCUMENT:
        raise SourceError(path, "is too large to be read as one document", "write it as JSON lines")
    try:
        return _READERS[format_](listed, path)
    except BadRecord as error:
        raise SourceError(path, str(error), f"a file of the format {format_}") from error


def _json(listed: str, path: Path) -> list[Any]:
    return _listed(listed, decoded(path.read_bytes()))


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
    parquet = _reader_of_parquet()
    try:
        return list(parquet.read_table(path).to_pylist())
    except (OSError, ValueError) as error:
        raise BadRecord(f"is no Parquet: {str(error)[:200]}") from error


def first_of_parquet(path: Path, rows: int) -> str:
    """The first rows, a line of JSON each; raises BadRecord when they cannot be had."""
    parquet = _reader_of_parquet()
    try:
        found = next(parquet.ParquetFile(path).iter_batches(batch_size=rows), None)
    except (OSError, ValueError) as error:
        raise BadRecord(f"is no Parquet: {str(error)[:200]}") from error
    return "\n".join(json.dumps(row, default=str) for row in (found.to_pylist() if found else ()))


def _reader_of_parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise BadRecord("needs pyarrow (pip install 'suite-converter[parquet]')") from None
    return parquet


_READERS: Final[Mapping[str, Callable[[str, Path], list[Any]]]] = {
    "json": _json,
    "yaml": _yaml,
    "toml": _toml,
    "csv": _comma_separated,
    "tsv": _tab_separated,
    "parquet": _parquet,
}  # fmt: skip


def field_of(record: Record, name: str) -> Any:
    """The value under a dotted name; raises BadRecord where there is none."""
    found = value_at(record, name)
    if found is NOTHING:
        raise BadRecord(f"has no field {name!r}")
    return found


def value_at(record: Record, name: str) -> Any:
    """The value under a dotted name; NOTHING where there is none."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return NOTHING
        value = value[part]
    return value


def decoded(data: bytes) -> Any:
    """The JSON value in ``data``; raises BadRecord when it is none."""
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise BadRecord(f"is not UTF-8 (byte {error.start})") from error
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"is no JSON: {error}") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
