"""oracle/ of a case: the source's solution, started where its own framework starts it."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill.parts.oracle import _script, oracle
from skill.parts.workplace import Workplace
from skill.sources.base import EnvValue
from tests.support.harbor_tasks import load, make_task

PLACE = Workplace("/app", "/", "said")
BASH = shutil.which("bash") or "bash"


@pytest.mark.parametrize(
    "files", [{"solution/solve.sh": None}, {"solution/solve.sh": None, "solution/solution.md": "x"}]
)
def test_no_oracle_without_a_script(files: dict[str, str | bytes | None], tmp_path: Path) -> None:
    assert oracle(load(make_task(tmp_path, files)), PLACE, {}).files == ()


def wrapper(root: Path, files: dict[str, str | bytes | None], **env: EnvValue) -> str:
    part = oracle(replace(load(make_task(root, files)), solution_env=env), PLACE, {})
    return next(file.data or b"" for file in part.files if file.path == "oracle/solve.sh").decode()


STARTED = [
    ("#!/bin/bash\ntrue\n", "/solution/solve.sh </dev/null"),
    ("#!/usr/bin/env python3\nprint(1)\n", "/solution/solve.sh </dev/null"),
    ("true\n", "bash /solution/solve.sh </dev/null"),
]


@pytest.mark.parametrize(("script", "line"), STARTED)
def test_the_solution_is_started_as_the_source_does(script: str, line: str, tmp_path: Path) -> None:
    lines = wrapper(tmp_path, {"solution/solve.sh": script}).splitlines()
    assert lines[-4:] == ["cd /app || exit 1", line, 'echo "the solution ended with status $?"', "exit 0"]


@pytest.mark.parametrize(
    ("files", "made"),
    [
        ({"solution/solve.sh": "#!/bin/bash\ntrue\n"}, False),
        ({"solution/notes.md": "see /logs/artifacts"}, False),
        ({"solution/solve.sh": "#!/bin/bash\necho done >/logs/artifacts/mode.txt\n"}, True),
        ({"solution/work.py": "open('/logs/agent/log', 'w')\n"}, True),
    ],
)
def test_a_solution_that_speaks_of_the_log_places_finds_them(
    files: dict[str, str | bytes | None], made: bool, tmp_path: Path
) -> None:
    assert ("mkdir -p /logs/agent /logs/verifier /logs/artifacts" in wrapper(tmp_path, files)) == made


VARIABLES = [
    (EnvValue(literal="it's"), "export MODE='it'\"'\"'s'"),
    (EnvValue(variable="MODE", default="a b"), "[ -n \"${MODE-}\" ] || MODE='a b'; export MODE"),
    (EnvValue(variable="MODE"), '[ -n "${MODE-}" ] || { echo "MODE is not set'),
]


@pytest.mark.parametrize(("value", "line"), VARIABLES)
def test_variables(value: EnvValue, line: str, tmp_path: Path) -> None:
    assert line in wrapper(tmp_path, {}, MODE=value)


def test_a_host_variable_of_the_container_is_not_asked_for(tmp_path: Path) -> None:
    exported = {"MODE": EnvValue(literal="fast"), "KEY": EnvValue(variable="KEY")}
    part = oracle(load(make_task(tmp_path)), PLACE, exported)
    script = next(file.data or b"" for file in part.files if file.path == "oracle/solve.sh")
    assert b"export MODE=fast\n" in script and b"KEY" not in script


@given(text=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
@settings(max_examples=40, deadline=None)
def test_no_value_breaks_the_script(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    task = load(make_task(tmp_path_factory.mktemp("task")))
    values = {"A": EnvValue(literal=text), "B": EnvValue(variable="B", default=text)}
    script = _script(task, Workplace(text, "/", ""), values, "")
    assert subprocess.run([BASH, "-n"], input=script, capture_output=True).stderr == b""
