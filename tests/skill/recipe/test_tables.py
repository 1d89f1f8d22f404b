"""The formats that records come in, and files that are not what the recipe says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import Table, parquet

from skill.errors import SourceError
from skill.recipe.errors import BadRecord
from skill.recipe.recipe import Rows
from skill.recipe.records import places, record_at
from skill.recipe.tables import field_of

GOOD = {
    "jsonl": '{"id": "a", "n": 1}\n\n{"id": "b", "n": 2}\n',
    "json": '[{"id": "a", "n": 1}, {"id": "b", "n": 2}]',
    "yaml": "- {id: a, n: 1}\n- {id: b, n: 2}\n",
    "toml": '[[rows]]\nid = "a"\nn = 1\n[[rows]]\nid = "b"\nn = 2\n',
    "csv": '\ufeffid,n\na,1\nb,"2"\n',
    "tsv": "id\tn\na\t1\nb\t2\n",
}


def rows(format_: str) -> Rows:
    return Rows(format_, ("*",), "rows" if format_ == "toml" else "")


@pytest.mark.parametrize("format_", GOOD)
def test_two_records(format_: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_text(GOOD[format_])
    found = [record_at(rows(format_), place) for place in places(rows(format_), tmp_path)]
    assert [(record["id"], int(record["n"])) for record in found] == [("a", 1), ("b", 2)]


def test_parquet(tmp_path: Path) -> None:
    parquet.write_table(Table.from_pylist([{"id": "a", "tags": ["x"]}, {"id": "b", "tags": []}]), tmp_path / "table")
    found = [record_at(rows("parquet"), place) for place in places(rows("parquet"), tmp_path)]
    assert found == [{"id": "a", "tags": ["x"]}, {"id": "b", "tags": []}]


def test_a_table_by_name(tmp_path: Path) -> None:
    (tmp_path / "table").write_text('{"set": {"a": {"n": 1}, "b": {"n": 2}}}')
    named = Rows("json", ("*",), "set")
    found = [record_at(named, place) for place in places(named, tmp_path)]
    assert found == [{"_key": "a", "n": 1}, {"_key": "b", "n": 2}]


BROKEN = [
    ("json", b"[1,", "is no JSON"),
    ("json", b'{"a": {"n": 1}} x', "is no JSON"),
    ("json", b"3", "holds no list of records"),
    ("json", b'"\xff"', "is not UTF-8 (byte 1)"),
    ("yaml", b"a: [", "is no YAML"),
    ("yaml", b"!!python/object/apply:os.system [id]", "is no YAML"),
    ("toml", b"rows = 1", "holds no list of records at rows"),
    ("toml", b"[", "is no TOML"),
    ("csv", b'id\n"a', "is no table"),
    ("csv", b"id\n\xe9\n", "is not UTF-8"),
    ("parquet", b"PAR1", "is no Parquet"),
]


@pytest.mark.parametrize(("format_", "data", "said"), BROKEN)
def test_a_file_that_is_something_else(format_: str, data: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(data)
    with pytest.raises(SourceError, match="table") as caught:
        list(places(rows(format_), tmp_path))
    assert said in str(caught.value)


def test_a_row_of_another_length_is_refused_alone(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("id,n\na,1\nb\nc,3\n")
    first, second, third = places(rows("csv"), tmp_path)
    assert record_at(rows("csv"), first)["id"] == "a"
    with pytest.raises(BadRecord, match="is no record"):
        record_at(rows("csv"), second)
    assert record_at(rows("csv"), third)["n"] == "3"


NAMES: list[tuple[str, Callable[[object], bool]]] = [
    ("a.b", lambda value: value == 1),
    ("a", lambda value: value == {"b": 1}),
    ("c.d", lambda value: value == 2),
]


@pytest.mark.parametrize(("name", "right"), NAMES)
def test_dotted_names(name: str, right: Callable[[object], bool]) -> None:
    assert right(field_of({"a": {"b": 1}, "c.d": 2}, name))
    with pytest.raises(BadRecord, match="has no field"):
        field_of({"a": {"b": 1}}, f"{name}.x")
