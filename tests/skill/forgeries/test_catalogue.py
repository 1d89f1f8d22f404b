"""The catalogue as data: what each forgery needs, plants, and leaves harmless."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from skill.forgeries import NOT_PLANTABLE, Forgery, ForgeryFacts, all_forgeries, facts_of, script_of
from skill.forgeries_page import PAGE, render
from tests.support.cases import script, write_case

BARE = ForgeryFacts("/app", "/app", "/tests", (), frozenset(), (), (), (), (), (), (), (), (), (), ())
EVERYTHING = replace(
    BARE,
    staged=("test_a.py", "helper.py", "expected.txt"),
    runners=frozenset("pytest unittest python node go cargo make java R git curl uv".split()),
    words=("cp", "grep", "sqlite3"),
    sourced=("/root/.profile",),
    modules=("tide",),
    module_folders=("/app",),
    programs=("/app/run.sh", "/app/main.py", "/app/main.js"),
    graders=("/opt/grade.py", "/app/test_b.py"),
    outputs=("/app/out.txt", "/app/more.csv", "/app/third.json"),
    patterns=("good",),
    steering_variables=("/etc/bash.env",),
)
BASH = shutil.which("bash") or "bash"
ROWS = pytest.mark.parametrize("row", all_forgeries(), ids=[row.code for row in all_forgeries()])


def test_the_page_is_what_the_catalogue_says() -> None:
    assert PAGE.read_text() == render()


def test_codes_and_names_are_given_once() -> None:
    named = [(row.code, row.name) for row in all_forgeries()] + [(row.code, row.name) for row in NOT_PLANTABLE]
    assert len({code for code, _ in named}) == len({name for _, name in named}) == len(named)


@ROWS
def test_a_row_says_who_falls_for_it_and_what_stops_it(row: Forgery) -> None:
    assert row.sentence.endswith(".")
    assert "Falls for it: " in row.page and "Stopped by: " in row.page


@ROWS
def test_a_plant_needs_what_it_says(row: Forgery) -> None:
    assert row.applies(EVERYTHING) or row.code == "FG27"  # plain scripts only, where there is no pytest
    assert row.applies(BARE) == (row.needs.sentence == "nothing")


@ROWS
@pytest.mark.parametrize("inert", [False, True])
def test_a_plant_is_a_shell_script(row: Forgery, inert: bool) -> None:
    text = row.script(
        replace(EVERYTHING, runners=EVERYTHING.runners - {"pytest"} if row.code == "FG27" else EVERYTHING.runners)
    )
    assert subprocess.run([BASH, "-n"], input=text, text=True, capture_output=True).stderr == ""
    assert subprocess.run(["sh", "-n"], input=row.script(EVERYTHING, inert=inert), text=True).returncode == 0


def test_a_twin_replaces_nothing(tmp_path: Path) -> None:
    facts = replace(
        EVERYTHING, workspace=str(tmp_path), cwd=str(tmp_path), tests=str(tmp_path / "in/tests"), sourced=()
    )
    own = {"conftest.py": "# mine\n", "GNUmakefile": "# mine\n", ".npmrc": "# mine\n", ".cargo/config.toml": "# mine\n"}
    for name, text in own.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    rows = [row for row in all_forgeries() if row.code in ("FG10", "FG11", "FG16", "FG19", "FG20", "FG25")]
    plant = script_of(rows, facts, inert=True).replace("/root", str(tmp_path)).replace('"/', f'"{tmp_path}/')
    subprocess.run(
        ["sh", "-c", plant.replace(f'"{tmp_path}{tmp_path}', f'"{tmp_path}')],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    assert {name: (tmp_path / name).read_text() for name in own} == own


@pytest.mark.parametrize(
    ("test", "files", "expected"),
    [
        ("exit 0", {}, {}),
        ("# pytest /tests/test_a.py", {}, {"runners": frozenset()}),
        ("python3 -m pytest /tests/test_a.py", {"tests/test_a.py": "import json\nimport pytest\n"}, {"modules": ()}),
        (
            "python3 -m pytest /tests/test_a.py",
            {"tests/test_a.py": "from tide import low\n", "env/src/tide.py": ""},
            {"modules": ("tide",)},
        ),
        ("grep -q 'all good' /app/out.txt", {}, {"outputs": ("/app/out.txt",), "patterns": ("all good",)}),
        ("/app/run.sh", {"oracle/solve.sh": "echo >/app/run.sh"}, {"programs": ("/app/run.sh",), "graders": ()}),
        ("python3 /opt/grade.py", {}, {"programs": (), "graders": ("/opt/grade.py",)}),
        ('. "$HOME/.local/bin/env"', {}, {"sourced": ("/root/.local/bin/env",)}),
        (". /tests/lib.sh", {"tests/lib.sh": ""}, {"sourced": ()}),
        ("cat /logs/verifier/reward.txt", {}, {"results": ("/logs/verifier/reward.txt",)}),
    ],
)
def test_facts_of_a_case(tmp_path: Path, test: str, files: dict[str, str], expected: dict[str, object]) -> None:
    facts = facts_of(write_case(tmp_path, "one", test=script(test), files=files))
    assert {name: getattr(facts, name) for name in expected} == expected
