"""A session with a folder of its own: what it may see and write there, and cases that come into being by drafting."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from skill.finding import Finding, Severity
from skill.manifest import load, skill_root
from tests.support.sessions import NAME, Place, gate
from tools.toolbox import Answer, Toolbox
from tools.workbench import Drafted, Own

STALE = Finding("mould/form.txt", 0, "mould", Severity.ERROR, "no case was cast from it")
FORM = "suite/mould/form.txt"


class Casting:
    """A session that casts its one case from a mould, when the form says so."""

    def __init__(self, root: Path) -> None:
        place = Place(root)
        self.suite, self.source = place.suite, place.source
        self.kept = root / "kept"
        shutil.move(place.case, self.kept)
        (self.suite / "mould").mkdir()
        shelf = root / "shelf"
        (shelf / "recipes/one").mkdir(parents=True)
        (shelf / "recipes/one/form.txt").write_text("ready\n")
        (shelf / "other").write_text("not shipped\n")
        own = Own("mould", self.cast, self.errors)
        self.toolbox = Toolbox(load(skill_root()), self.source, self.suite, self.names, gate, own=own, shelf=shelf)

    def names(self) -> tuple[str, ...]:
        return tuple(path.name for path in (self.suite / "cases").iterdir())

    def errors(self) -> list[Finding]:
        return [] if self.names() else [STALE]

    def cast(self) -> Drafted:
        shutil.copytree(self.kept, self.suite / "cases" / NAME, dirs_exist_ok=True)
        return Drafted("cast", "words of others")

    def call(self, name: str, **arguments: Any) -> Answer:
        return self.toolbox.dispatch(name, {key.rstrip("_"): value for key, value in arguments.items()})


@pytest.fixture
def session(tmp_path: Path) -> Casting:
    return Casting(tmp_path)


def test_a_file_of_the_folder_is_written_edited_and_read(session: Casting) -> None:
    assert session.call("write", path=FORM, content="half\n").text.startswith(f"{FORM}: now 5 bytes, mode 0644")
    assert not session.call("write", path=FORM, old="half", new="ready").is_error
    assert session.call("read", path="suite/mould").text.count("form.txt") == 1
    assert (session.suite / "mould/form.txt").read_text() == "ready\n"


def test_an_edit_that_landed_before_a_crash_is_not_made_twice(session: Casting) -> None:
    session.call("write", path=FORM, content="a\n")
    edit = {"path": FORM, "old": "a", "new": "aa"}
    before = session.toolbox.target("write", edit)
    first = session.toolbox.dispatch("write", edit)
    assert session.toolbox.dispatch("write", edit, resumed_from=before) == first
    assert (session.suite / "mould/form.txt").read_text() == "aa\n"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("suite/mould/FORM.txt", "name_clash"),
        ("suite/mould/deep/\x07", "bad_path"),
        ("suite/mould", "is_folder"),
        ("suite/moulds/x", "not_allowed"),
        ("suite/cases/x/tests/test.sh", "not_allowed"),
        ("suite/suite.toml", "not_allowed"),
        ("source/x", "read_only"),
        ("skill/recipes/one/form.txt", "read_only"),
    ],
)
def test_nothing_else_is_written(path: str, code: str, session: Casting) -> None:
    session.call("write", path=FORM, content="half\n")
    answer = session.call("write", path=path, content="x")
    assert (answer.is_error, answer.text.partition(":")[0]) == (True, code)


def test_copies_come_from_the_source_and_from_shipped_recipes(session: Casting) -> None:
    assert not session.call("write", path=FORM, from_="skill/recipes/one/form.txt").is_error
    assert not session.call("write", path="suite/mould/check.py", from_="source/tests/check.py").is_error
    for other in ("suite/cases", "skill/SKILL.md", "skill/other"):
        assert session.call("write", path=FORM, from_=other).is_error
    assert (session.suite / "mould/form.txt").read_text() == "ready\n"


def test_of_the_shelf_only_the_recipes_are_seen(session: Casting) -> None:
    assert "one/" in session.call("read", path="skill/recipes").text
    assert "skill/recipes/one/form.txt:1" in session.call("read", path="skill/recipes", search="ready").text
    assert session.call("read", path="skill/other").text.startswith("not_found")


def test_other_sessions_have_no_shelf_and_no_folder(tmp_path: Path) -> None:
    toolbox = Place(tmp_path).toolbox()
    for path in ("skill/recipes", "skill/recipes/question-table/check.py", "suite/recipe"):
        assert toolbox.dispatch("read", {"path": path}).text.startswith("not_found")
    copied = toolbox.dispatch(
        "write", {"path": f"suite/cases/{NAME}/tests/x.py", "from": "skill/recipes/question-table/check.py"}
    )
    assert copied.text.startswith("not_found")


def test_a_case_is_there_once_it_is_drafted(session: Casting) -> None:
    assert session.toolbox.errors() == [STALE]
    assert session.call("margin_run").text.startswith("suite/mould/form.txt: error mould no case was cast")
    assert session.call("read", path=f"suite/cases/{NAME}/case.toml").text.startswith("not_found")
    said = session.call("draft").text
    assert said.startswith("cast\nWhat the source has a say in.")
    assert f'name = "{NAME}"' in session.call("read", path=f"suite/cases/{NAME}/case.toml").text
    assert STALE not in session.toolbox.errors()


def test_a_drafted_case_is_not_written_to(session: Casting) -> None:
    session.call("draft")
    script = f"suite/cases/{NAME}/tests/check.py"
    before = session.call("read", path=script).text
    assert session.call("write", path=script, content="x").text.startswith("not_allowed")
    assert session.call("chmod", path=script, executable=True).text.startswith("not_available")
    assert session.call("read", path=script).text == before
