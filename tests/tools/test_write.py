"""``write`` and ``chmod``: what may be written, how, and that a gate's word comes before the file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import NAME, SCRIPT, Place, verifier
from tools.toolbox import Answer

CASE = f"suite/cases/{NAME}"
CHECK = f"{CASE}/tests/check.py"


@pytest.fixture
def there(tmp_path: Path) -> Place:
    return Place(tmp_path, {"tests/expected.csv": "1,2\n", "tests/helper.sh": "#!/bin/sh\necho help\n"})


def write(there: Place, **arguments: Any) -> Answer:
    return there.toolbox().dispatch("write", {key.rstrip("_"): value for key, value in arguments.items()})


def test_a_sound_verifier_lands_and_is_executable(there: Place) -> None:
    answer = write(there, path=SCRIPT, content=verifier())
    assert answer.text.splitlines()[1] == f"gates: {NAME} has no errors and no warnings"
    assert (there.case / "tests/test.sh").stat().st_mode & 0o777 == 0o755


def test_one_that_a_gate_refuses_does_not(there: Place) -> None:
    before = there.tree()
    answer = write(there, path=SCRIPT, content="#!/bin/bash\npython3 /tests/check.py || true\nexit 0\n")
    assert answer.is_error
    assert answer.text.startswith(f"gate: {SCRIPT} was not written, because it would have\n{SCRIPT}:3: error SC611 ")
    assert there.tree() == before
    assert list(there.root.glob("*.gate")) == []


def test_an_edit_that_makes_it_worse_does_not_land(there: Place) -> None:
    write(there, path=SCRIPT, content=verifier())
    answer = write(there, path=SCRIPT, old="timeout -k 5 45 ", new="timeout -k 5 4500 ")
    assert answer.text.startswith("gate: ")
    assert (there.case / "tests/test.sh").read_text() == verifier()


def test_a_draft_with_defects_may_be_repaired_one_at_a_time(there: Place) -> None:
    (there.case / "tests/test.sh").write_text(verifier().replace("45", "4500").replace("exit 2;", "exit 3;"))
    (there.case / "tests/test.sh").chmod(0o755)
    answer = write(there, path=SCRIPT, old="4500", new="45")
    assert not answer.is_error
    assert "1 errors" in answer.text


ALLOWED: list[tuple[str, dict[str, Any]]] = [
    ("a new file", {"path": f"{CASE}/tests/deep/er/new.txt", "content": "x"}),
    ("a copy of the source's", {"path": CHECK, "from": "source/tests/check.py"}),
    ("a small edit of the source's", {"path": CHECK, "old": "import sys\n", "new": "import sys  # \n"}),
    ("the source's script beside", {"path": f"{CASE}/tests/source-test.sh", "from": "source/tests/test.sh"}),
    ("a copy of a fixture", {"path": f"{CASE}/tests/expected.csv", "from": "source/tests/expected.csv"}),
    ("another limit", {"path": f"{CASE}/case.toml", "old": "= 60", "new": "= 90"}),
]


@pytest.mark.parametrize(("name", "arguments"), ALLOWED, ids=[row[0] for row in ALLOWED])
def test_what_may_be_written(name: str, arguments: dict[str, Any], there: Place) -> None:
    answer = there.toolbox().dispatch("write", arguments)
    assert not answer.is_error, answer.text


REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("the prompt", "must_be_copy", {"path": f"{CASE}/prompt.md", "content": "x"}),
    ("the prompt as a copy", "must_be_copy", {"path": f"{CASE}/prompt.md", "from": "source/instruction.md"}),
    ("the Dockerfile", "must_be_copy", {"path": f"{CASE}/env/Dockerfile", "content": "FROM x"}),
    ("the oracle", "must_be_copy", {"path": f"{CASE}/oracle/solve.sh", "content": "x"}),
    ("a file beside tests", "must_be_copy", {"path": f"{CASE}/notes.md", "content": "x"}),
    ("tests itself", "must_be_copy", {"path": f"{CASE}/tests", "content": "x"}),
    ("a fixture", "must_be_copy", {"path": f"{CASE}/tests/expected.csv", "old": "1,2", "new": "1,3"}),
    ("a fixture, typed", "must_be_copy", {"path": f"{CASE}/tests/expected.csv", "content": "1,2\n"}),
    ("a source file, typed", "must_be_copy", {"path": CHECK, "content": "import sys\n"}),
    ("the source's script, typed", "must_be_copy", {"path": f"{CASE}/tests/source-test.sh", "content": "x"}),
    ("the library", "generated", {"path": f"{CASE}/tests/.verdict/lib.sh", "content": "x"}),
    ("another library", "generated", {"path": f"{CASE}/tests/.verdict/other.sh", "content": "x"}),
    ("the source", "read_only", {"path": "source/tests/test.sh", "content": "x"}),
    ("the skill", "read_only", {"path": "skill/SKILL.md", "content": "x"}),
    ("the suite's list", "not_allowed", {"path": "suite/suite.toml", "content": "x"}),
    ("a case that is none", "not_found", {"path": "suite/cases/other/tests/x", "content": "x"}),
    ("a folder", "is_folder", {"path": f"{CASE}/tests/folder", "content": "x"}),
    ("below a file", "not_a_folder", {"path": f"{CHECK}/x", "content": "x"}),
    ("two ways at once", "bad_arguments", {"path": SCRIPT, "content": "x", "from": "source/tests/test.sh"}),
    ("no way at all", "bad_arguments", {"path": SCRIPT}),
    ("old without new", "bad_arguments", {"path": CHECK, "old": "x"}),
    ("new without old", "bad_arguments", {"path": CHECK, "content": "x", "new": "y"}),
    ("text that is not there", "no_unique_match", {"path": CHECK, "old": "nowhere", "new": ""}),
    ("text that is there twice", "no_unique_match", {"path": CHECK, "old": "s", "new": ""}),
    ("no text", "no_unique_match", {"path": CHECK, "old": "", "new": "x"}),
    ("an edit of nothing", "not_found", {"path": SCRIPT, "old": "a", "new": "b"}),
    ("a copy of nothing", "not_found", {"path": CHECK, "from": "source/tests/none.py"}),
    ("a copy of a folder", "is_folder", {"path": CHECK, "from": "source/tests"}),
    ("a copy from the suite", "bad_arguments", {"path": CHECK, "from": SCRIPT}),
    ("half a character", "bad_arguments", {"path": f"{CASE}/tests/x", "content": "\ud800"}),
    ("a number for text", "bad_arguments", {"path": SCRIPT, "content": 1}),
    ("another argument", "bad_arguments", {"path": SCRIPT, "content": "x", "mode": "0777"}),
    (
        "another name in case.toml",
        "not_allowed",
        {"path": f"{CASE}/case.toml", "old": f'name = "{NAME}"', "new": 'name = "x"'},
    ),
    ("broken TOML", "bad_toml", {"path": f"{CASE}/case.toml", "old": "[metadata]", "new": "[metadata"}),
]


@pytest.mark.parametrize(("name", "code", "arguments"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_may_not(name: str, code: str, arguments: dict[str, Any], there: Place) -> None:
    (there.case / "tests/folder").mkdir()
    before = there.tree()
    answer = there.toolbox().dispatch("write", arguments)
    assert (answer.is_error, answer.text.partition(":")[0]) == (True, code)
    assert there.tree() == before


def test_a_copy_keeps_bytes_and_mode(there: Place) -> None:
    data = b"\x00\xff\r\n" * 1000
    (there.source / "tests/blob").write_bytes(data)
    (there.source / "tests/blob").chmod(0o755)
    write(there, path=f"{CASE}/tests/blob", from_="source/tests/blob")
    assert (there.case / "tests/blob").read_bytes() == data
    assert (there.case / "tests/blob").stat().st_mode & 0o777 == 0o755


def test_chmod_changes_the_mode_and_nothing_else(there: Place) -> None:
    toolbox = there.toolbox()
    before = (there.case / "tests/helper.sh").read_bytes()
    for executable, mode in ((True, 0o755), (False, 0o644)):
        answer = toolbox.dispatch("chmod", {"path": f"{CASE}/tests/helper.sh", "executable": executable})
        assert not answer.is_error, answer.text
        assert (there.case / "tests/helper.sh").stat().st_mode & 0o777 == mode
    assert (there.case / "tests/helper.sh").read_bytes() == before


def test_chmod_is_gated_too(there: Place) -> None:
    write(there, path=SCRIPT, content=verifier())
    answer = there.toolbox().dispatch("chmod", {"path": SCRIPT, "executable": False})
    assert answer.text.startswith("gate: ")
    assert (there.case / "tests/test.sh").stat().st_mode & 0o111


def test_an_edit_that_landed_before_a_crash_is_not_made_twice(there: Place) -> None:
    write(there, path=SCRIPT, content=verifier())
    arguments = {"path": SCRIPT, "old": "main() {\n", "new": "main() {\n  : again\n"}
    toolbox = there.toolbox()
    before = toolbox.target("write", arguments)
    first = toolbox.dispatch("write", arguments)
    assert toolbox.dispatch("write", arguments, resumed_from=before) == first
    assert (there.case / "tests/test.sh").read_text().count(": again") == 1


def test_a_shadow_left_by_a_crash_is_in_nobodys_way(there: Place) -> None:
    left = there.suite.with_name(f"{there.suite.name}.gate") / NAME / "cases" / NAME / "tests"
    left.mkdir(parents=True)
    (left / "check.py").hardlink_to(there.case / "tests/check.py")
    answer = write(there, path=CHECK, old="import sys\n", new="import sys  #\n")
    assert not answer.is_error, answer.text


def names(held: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """A program's list of what is in tests/."""
    return {"names.txt": "\n".join(sorted(held.keys() - {"names.txt"})).encode()}


def test_what_a_program_keeps_in_step_is_written_along(there: Place) -> None:
    toolbox = there.toolbox(seal=names)
    toolbox.dispatch("write", {"path": f"{CASE}/tests/new.txt", "content": "x"})
    assert "new.txt" in (there.case / "tests/names.txt").read_text().splitlines()
    before = there.tree()
    toolbox.dispatch("write", {"path": f"{CASE}/case.toml", "old": "= 60", "new": "= 90"})
    changed = {path for path, digest in there.tree().items() if before.get(path) != digest}
    assert changed == {f"suite/cases/{NAME}/case.toml"}


def test_a_write_that_is_refused_changes_nothing_along(there: Place) -> None:
    before = there.tree()
    assert there.toolbox(seal=names).dispatch("write", {"path": SCRIPT, "content": "#!/bin/bash\nexit 0\n"}).is_error
    assert there.tree() == before
