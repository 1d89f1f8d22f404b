"""The paths a model may name: what is plain is found, and nothing else is reached by any spelling."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.sessions import NAME, SCRIPT, Place, verifier
from tools.errors import ToolError
from tools.toolbox import Toolbox
from tools.virtual import place

PLAIN = [
    "source",
    "source/",
    "source/tests/test.sh",
    "suite/cases/x",
    "skill/SKILL.md",
    "source/..a/.hidden",
    "source/ä b",
]
BAD = [
    "",
    "/",
    ".",
    "..",
    "tests/test.sh",
    "/etc/passwd",
    "//source/x",
    "source//x",
    "source/../x",
    "source/./x",
    "source/..",
    "source/x/../../../etc/passwd",
    "./source/x",
    "Source/x",
    "SUITE/x",
    "ѕource/x",  # a Cyrillic letter
    "source\0/x",
    "source/x\0.sh",
    "source/\ud800",
    "source\\x",
    "sourcе",
    "source /x",
    " source/x",
    "file://source/x",
    "~/x",
    "source/" + "x" * 2_000,
    "source" + "/x" * 1_000,
]


@pytest.mark.parametrize("path", PLAIN)
def test_a_plain_path_is_a_place(path: str) -> None:
    assert str(place(path)) == path.removesuffix("/")


@pytest.mark.parametrize("path", BAD)
def test_anything_else_is_none(path: str) -> None:
    with pytest.raises(ToolError, match="bad_path"):
        place(path)


@pytest.fixture
def there(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("sesame")
    return made


def said(toolbox: Toolbox, tool: str, **arguments: object) -> str:
    return toolbox.dispatch(tool, {key.rstrip("_"): value for key, value in arguments.items()}).text


def plant_link(at: Path, outside: Path) -> None:
    at.symlink_to(outside / "secret")


def plant_relative_link(at: Path, outside: Path) -> None:
    at.symlink_to(os.path.relpath(outside / "secret", at.parent))


def plant_dangling_link(at: Path, outside: Path) -> None:
    at.symlink_to(outside / "new")


def plant_loop(at: Path, outside: Path) -> None:
    at.symlink_to(at.name)


def plant_pipe(at: Path, outside: Path) -> None:
    os.mkfifo(at)


def plant_linked_folder(at: Path, outside: Path) -> None:
    at.symlink_to(outside)


PLANTS = [plant_link, plant_relative_link, plant_dangling_link, plant_loop, plant_pipe, plant_linked_folder]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize("root", ["source", "suite"])
def test_what_is_no_plain_file_is_neither_read_nor_written(root: str, plant, there: Place) -> None:
    folder = there.source if root == "source" else there.case
    plant(folder / "tests" / "odd", there.root / "outside")
    top = "source" if root == "source" else f"suite/cases/{NAME}"
    toolbox = there.toolbox()
    answers = [
        said(toolbox, "read", path=f"{top}/tests/odd"),
        said(toolbox, "read", path=f"{top}/tests/odd/secret"),
        said(toolbox, "read", path=top, search="sesame"),
        said(toolbox, "read", path=f"{top}/tests"),
        said(toolbox, "write", path=f"suite/cases/{NAME}/tests/odd", content="changed"),
        said(toolbox, "write", path=f"suite/cases/{NAME}/tests/odd/secret", content="changed"),
        said(toolbox, "write", path=f"suite/cases/{NAME}/tests/copy", from_=f"{top}/tests/odd"),
        said(toolbox, "chmod", path=f"suite/cases/{NAME}/tests/odd", executable=True),
    ]
    assert "sesame" not in "".join(answers[:2] + answers[3:])
    assert "0 lines hold" in answers[2]
    assert [path.name for path in (there.root / "outside").iterdir()] == ["secret"]
    assert (there.root / "outside" / "secret").read_text() == "sesame"
    assert (there.root / "outside" / "secret").stat().st_mode & 0o111 == 0


def test_a_hard_link_is_not_written_through(there: Place) -> None:
    (there.case / "tests" / "odd.sh").hardlink_to(there.root / "outside" / "secret")
    toolbox = there.toolbox()
    assert "hard links" in said(toolbox, "write", path=f"suite/cases/{NAME}/tests/odd.sh", content="#!/bin/sh\n")
    assert "hard links" in said(toolbox, "chmod", path=f"suite/cases/{NAME}/tests/odd.sh", executable=True)
    assert (there.root / "outside" / "secret").read_text() == "sesame"


@pytest.mark.skipif(os.geteuid() != 0, reason="devices are made by root only")
def test_a_device_is_not_opened(there: Place) -> None:
    os.mknod(there.source / "tests" / "zero", 0o20666, os.makedev(1, 5))
    assert "no regular file" in said(there.toolbox(), "read", path="source/tests/zero")


def test_setuid_is_never_kept(there: Place) -> None:
    (there.source / "tests" / "su.sh").write_text("#!/bin/sh\n")
    (there.source / "tests" / "su.sh").chmod(0o6755)
    said(there.toolbox(), "write", path=f"suite/cases/{NAME}/tests/su.sh", from_="source/tests/su.sh")
    assert (there.case / "tests" / "su.sh").stat().st_mode & 0o7777 == 0o755


def test_only_the_cases_of_the_session_are_seen(there: Place) -> None:
    (there.suite / "cases" / "other").mkdir()
    (there.suite / "cases" / "other" / "prompt.md").write_text("x")
    toolbox = there.toolbox()
    assert "other" not in said(toolbox, "read", path="suite/cases").replace("others wrote", "")
    assert "no case of this session" in said(toolbox, "read", path="suite/cases/other/prompt.md")
    assert "no case of this session" in said(toolbox, "write", path="suite/cases/other/tests/x", content="x")
    assert "no case of this session" in said(toolbox, "read", path="suite/suite.toml")


def test_only_the_pages_of_the_skill_are_seen(there: Place) -> None:
    toolbox = there.toolbox()
    listing = said(toolbox, "read", path="skill").splitlines()[2:-1]
    assert listing[0].startswith("SKILL.md  ")
    assert listing[1:] == ["references/"]
    assert "no page of the skill" in said(toolbox, "read", path="skill/pyproject.toml")
    assert "no page of the skill" in said(toolbox, "read", path="skill/agent/cli.py")
    assert "Working directories" in said(toolbox, "read", path="skill/SKILL.md", search="Working directories")


TWINS = ["TEST.SH", "Test.sh", "tEST.sh", "ｔest.sh"]


@pytest.mark.parametrize("name", TWINS)
def test_a_name_that_differs_only_in_case_is_refused(name: str, there: Place) -> None:
    toolbox = there.toolbox()
    said(toolbox, "write", path=SCRIPT, content=verifier())
    assert said(toolbox, "write", path=f"suite/cases/{NAME}/tests/{name}", content="x").startswith("name_clash: ")


@pytest.mark.parametrize("name", ["a\nb", "a\x1bb", "a\u202eb"])
def test_a_name_that_cannot_be_printed_is_refused(name: str, there: Place) -> None:
    assert said(there.toolbox(), "write", path=f"suite/cases/{NAME}/tests/{name}", content="x").startswith("bad_path: ")


def test_a_name_too_long_for_the_file_system_is_told(there: Place) -> None:
    toolbox = there.toolbox()
    assert said(toolbox, "read", path="source/" + "x" * 300).startswith("bad_path: ")
