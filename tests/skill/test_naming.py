"""Case names: file-safe, unique on every file system, independent of order."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill.contract import NAME
from skill.naming import MAX_LENGTH, case_names, safe_name
from skill.sources.base import TaskRef


def _refs(*wished: tuple[str, str]) -> list[TaskRef]:
    """Tasks from pairs of salt and name."""
    return [TaskRef(f"{salt}/{name}", Path("/"), name, salt) for salt, name in wished]


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        ("hello-world", "hello-world"),
        ("a_b.c-2", "a_b.c-2"),
        ("Heron", "Heron"),
        ("two words", "two-words"),
        ("a/b:c*d", "a-b-c-d"),
        (".hidden", "hidden"),
        ("__init__", "init__"),
        ("-flag", "flag"),
        ("ends.", "ends"),
        ("Été", "Ete"),
        ("ﬁn²", "fin2"),
        ("tab\tnew\nline", "tab-new-line"),
    ],
)
def test_names_that_can_be_spelled(wished: str, name: str) -> None:
    assert safe_name(wished) == name


@pytest.mark.parametrize("wished", ["", ".", "..", "...", "   ", "con", "NUL.txt", "任务", "任务-1", "🙂", "\udcff"])
def test_names_that_cannot_be_spelled_get_a_hash_that_stays(wished: str) -> None:
    assert NAME.match(safe_name(wished))
    assert safe_name(wished) == safe_name(unicodedata.normalize("NFD", wished))


def test_different_names_that_ascii_cannot_spell_stay_different() -> None:
    assert len({safe_name(wished) for wished in ("任务", "任物", "任", ".", "..", "")}) == 6


def test_long_names_are_cut_and_stay_different() -> None:
    one, two = safe_name("x" * 300), safe_name("x" * 301)
    assert len(one) == len(two) == MAX_LENGTH and one != two
    assert safe_name("y" * MAX_LENGTH) == "y" * MAX_LENGTH


def test_unique_names_are_left_alone() -> None:
    assert case_names(_refs(("p", "reef"), ("q", "heron"))) == {"p/reef": "reef", "q/heron": "heron"}


@pytest.mark.parametrize(
    "group",
    [
        ("Sort It", "Sort-It"),
        ("heron", "Heron"),
        ("Été", unicodedata.normalize("NFD", "Été")),
        ("a b", "a:b", "a*b"),
    ],
)
def test_every_member_of_a_colliding_group_gets_a_suffix(group: tuple[str, ...]) -> None:
    names = case_names(_refs(*((f"id{at}", name) for at, name in enumerate(group))))
    assert len({name.lower() for name in names.values()}) == len(group)
    assert all(name.lower().startswith(f"{safe_name(group[0]).lower()}-") for name in names.values())


def test_a_suffix_depends_on_the_source_id_alone() -> None:
    pair = case_names(_refs(("one", "t"), ("two", "t")))
    three = case_names(_refs(("three", "t"), ("two", "t"), ("one", "t")))
    assert pair["one/t"] == three["one/t"] and pair["two/t"] == three["two/t"]


def test_a_natural_name_that_looks_like_a_suffixed_one_is_told_apart() -> None:
    taken = case_names(_refs(("one", "t"), ("two", "t")))["one/t"]
    names = case_names(_refs(("one", "t"), ("two", "t"), ("three", taken)))
    assert len({name.lower() for name in names.values()}) == 3


def test_equal_salts_are_told_apart_by_the_path() -> None:
    names = case_names([TaskRef(f"w/{at}", Path("/"), "t", "w") for at in ("a", "b")])
    assert len(set(names.values())) == 2


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=6)), unique=True, max_size=12), st.randoms())
def test_any_set_of_tasks_gets_safe_unique_names_in_any_order(wished: list[tuple[str, str]], random: Random) -> None:
    refs = _refs(*wished)
    names = case_names(refs)
    random.shuffle(refs)
    assert case_names(refs) == names
    assert len({name.lower() for name in names.values()}) == len({ref.id for ref in refs})
    assert all(NAME.match(name) and len(name) <= MAX_LENGTH for name in names.values())
