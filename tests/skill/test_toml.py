from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill.toml import TomlError, TomlTable, dump, load

SCALARS = st.one_of(
    st.text(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False),
    st.booleans(),
    st.datetimes(),
    st.dates(),
    st.times(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(), VALUES, max_size=6))
def test_no_value_changes_the_structure_of_what_is_written(table: TomlTable) -> None:
    assert tomllib.loads(dump(table)) == table


def test_equal_values_of_different_kinds_are_kept_apart() -> None:
    assert dump({"a": 1, "b": True, "c": 1.0}) == "a = 1\nb = true\nc = 1.0\n"


def test_tables_come_last_and_keys_keep_their_order() -> None:
    assert (
        dump({"z": 1, "metadata": {"b": "x", "a": ["y"]}, "a": 2}) == 'z = 1\na = 2\n\n[metadata]\nb = "x"\na = ["y"]\n'
    )


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"a = 1\nb = = 2\n", 2), (b"a = 1\n\xff = 2\n", 2), (b"\xef\xbb\xbfa = 1\n", 1), (b"a = 1\na = 2\n", 2)],
)
def test_what_is_no_toml_is_an_error_with_its_line(data: bytes, line: int) -> None:
    with pytest.raises(TomlError) as error:
        load(data)
    assert error.value.line == line
