"""recipe.toml: what it may say, and that every fault is told with its place and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.errors import RecipeError
from skill.recipe.reading import read_recipe
from tests.support.recipes import RECIPE, put_recipe


def test_a_sound_recipe(tmp_path: Path) -> None:
    recipe = read_recipe(put_recipe(tmp_path))
    assert recipe.name == "harbour"
    assert recipe.shown == {"question"}
    assert recipe.hidden == {"answer"}
    assert recipe.used == {"id", "question", "answer"}


def test_the_digest_covers_the_files(tmp_path: Path) -> None:
    one = read_recipe(put_recipe(tmp_path / "one")).digest
    assert read_recipe(put_recipe(tmp_path / "two")).digest == one
    assert read_recipe(put_recipe(tmp_path / "three", files={"check.py": "pass\n"})).digest != one


FAULTS = [
    ('name = "harbour"', "", "name is missing; it is a text"),
    ('name = "harbour"', 'nom = "harbour"', "nom is no key of a recipe; here are schema, name"),
    ("recipe/1", "recipe/9", 'is not "suite-converter/recipe/1"'),
    ('format = "jsonl"', 'format = "xml"', "rows.format = 'xml' is not one of jsonl, json, csv"),
    ('agent_cwd = "/app"', 'agent_cwd = "app"', "case.agent_cwd = 'app' is not an absolute path"),
    ('agent_cwd = "/app"', 'agent_cwd = "/app/../etc"', "is not an absolute path"),
    ("timeout_seconds = 60", "timeout_seconds = 0", "timeout_seconds = 0 is not a whole number"),
    ('dockerfile = "Dockerfile"', 'dockerfile = "../Dockerfile"', "is not a relative path without .."),
    ('dockerfile = "Dockerfile"', "", "environment: has one of image, dockerfile"),
    ('run = "python3 /tests/check.py"', "", "verifier: has one of run, script"),
    ('run = "python3 /tests/check.py"', 'run = "a\\nb"', "verifier.run: is one command"),
    ('copy = "check.py" }', 'copy = "check.py", field = "answer" }', "with one of field, copy, from"),
    ('path = "check.py", copy', 'path = "../check.py", copy', "verifier.files[1].path"),
    ('path = "check.py", copy', 'path = "data.json", copy', "verifier.files: data.json is made twice"),
    ('"{{ question }}"', '"{{ question"', "case.prompt: line 1"),
    ('"{{ question }}"', '"{{ question.upper() }}"', "but no call"),
    ('"{{ question }}"', '"{{ question * 99 }}"', "but no mul"),
    ('"{{ question }}"', "\"{{ question|attr('x') }}\"", "no filter 'attr'"),
    ('"{{ question }}"', '"{{ question }}{{ answer }}"', "the field 'answer' is graded with and shown"),
    ("[oracle]", '[fields]\nunused = ["answer"]\n[oracle]', "fields.unused lists 'answer', which is used"),
    ("[oracle]", '[[skip]]\nfield = "id"\nreason = "x"\n[oracle]', "with one of equals, matches, missing"),
    ("[oracle]", '[[skip]]\nfield = "id"\nreason = "x"\nmatches = "("\n[oracle]', "is no regular expression"),
]


@pytest.mark.parametrize(("before", "after", "said"), FAULTS)
def test_faults(before: str, after: str, said: str, tmp_path: Path) -> None:
    assert before in RECIPE
    with pytest.raises(RecipeError) as caught:
        read_recipe(put_recipe(tmp_path, RECIPE.replace(before, after, 1)))
    assert said in str(caught.value)


def test_all_faults_at_once(tmp_path: Path) -> None:
    text = RECIPE.replace('name = "harbour"', "").replace('format = "jsonl"', "format = 1")
    with pytest.raises(RecipeError) as caught:
        read_recipe(put_recipe(tmp_path, text))
    assert "name is missing" in str(caught.value)
    assert "rows.format = 1" in str(caught.value)


def test_a_file_outside_of_the_recipe_is_none_of_its_own(tmp_path: Path) -> None:
    place = put_recipe(tmp_path / "recipe")
    (tmp_path / "outside.py").write_text("pass\n")
    (place / "check.py").unlink()
    (place / "check.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(RecipeError, match="is no file of the recipe"):
        read_recipe(place)


@pytest.mark.parametrize("text", ["[rows", "a = 1\na = 2\n"])
def test_broken_toml_is_told_with_its_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"recipe\.toml(:\d+)?: is no TOML"):
        read_recipe(put_recipe(tmp_path, text))


def test_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot be read"):
        read_recipe(tmp_path)
