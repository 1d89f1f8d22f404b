"""`convert --recipe`: shipped recipes over their own small sources, and what a person can get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.cli import main
from agent.recipes import shipped
from tests.support.harbor import snapshot
from tests.support.recipes import ROW, put_recipe, put_rows

RECIPES = shipped()


def convert(source: Path, out: Path, *more: str) -> int:
    return main(["convert", str(source), "-o", str(out), "--proof", "none", "--quiet", *more])


def books(out: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((out.parent / f"{out.name}.run" / "report.json").read_bytes())["books"]
    return found


def test_which_are_shipped() -> None:
    page = (Path(__file__).parents[2] / "references" / "recipes.md").read_text()
    assert RECIPES
    assert all(f"| `{name}` |" in page for name in RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_a_shipped_recipe_converts_its_source(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert convert(RECIPES[name] / "source", out, "--recipe", name) == 0
    found = books(out)
    assert found["in"] == found["converted"] > 0
    assert main(["check", str(out), "--quiet"]) == 0


def test_every_record_is_in_the_books(tmp_path: Path) -> None:
    recipe = put_recipe(tmp_path / "recipe")
    source = put_rows(tmp_path / "source", [ROW, "{", {**ROW, "id": "pier"}, {"id": "x"}])
    assert convert(source, tmp_path / "out", "--recipe", str(recipe)) == 1
    assert books(tmp_path / "out") == {"in": 4, "converted": 2, "refused": 2, "failed": 0}


def test_equal_ids_give_distinct_cases(tmp_path: Path) -> None:
    recipe = put_recipe(tmp_path / "recipe")
    source = put_rows(tmp_path / "source", [ROW, ROW])
    assert convert(source, tmp_path / "out", "--recipe", str(recipe)) == 0
    assert len(list((tmp_path / "out" / "cases").iterdir())) == 2


def test_one_file_as_source_and_the_same_bytes_again(tmp_path: Path) -> None:
    recipe = put_recipe(tmp_path / "recipe")
    source = put_rows(tmp_path / "source", [ROW])
    for name in ("one", "two"):
        assert convert(source / "rows.jsonl", tmp_path / name, "--recipe", str(recipe)) == 0
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")


WRONG = [
    (["--recipe", "no-such"], "no such file, and no shipped recipe of that name (shipped: assertion-table"),
    ([], "bears the marks of no known framework"),
]


@pytest.mark.parametrize(("flags", "said"), WRONG)
def test_what_a_person_can_get_wrong(
    flags: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = put_rows(tmp_path / "source", [ROW])
    assert convert(source, tmp_path / "out", *flags) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_recipe_that_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = put_recipe(tmp_path / "recipe")
    (tmp_path / "source").mkdir()
    assert convert(tmp_path / "source", tmp_path / "out", "--recipe", str(recipe)) == 2
    assert "holds no record that the recipe describes" in capsys.readouterr().err
