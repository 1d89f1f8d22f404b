"""The text of test.sh: its order, and that no value of a dataset can change its structure."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skill.ledger import digest
from skill.sources.base import EnvValue
from skill.verifier import template
from skill.verifier.template import Text

BASH = shutil.which("bash") or "bash"
PLAIN = {
    "form": "direct",
    "shape": "direct-pytest-000000",
    "limit": 600,
    "manifest": "0" * 64,
    "cwd": "/app",
    "env": {},
}


def body(**changes: object) -> list[str]:
    text = template.render(Text(**{**PLAIN, **changes})).decode()  # type: ignore[arg-type]
    inner = text[text.index("main() {\n") + 9 : text.index("\n}\nmain ")]
    return [line.strip() for line in inner.splitlines() if line.strip()]


def test_the_phases_stand_in_order() -> None:
    lines = body(
        names=("TEST_DIR",),
        env={"B": EnvValue(literal="x"), "A": EnvValue(literal="y")},
        pre_verify=("date # now",),
        bootstrap=("cd /opt", "pip install pytest"),
        tools=("python3",),
        imports=("requests",),
        checks=("runner_works pytest",),
        before=('rm -f "/tmp/j.xml"',),
        after=("reached",),
        judge='judge_pytest "/tmp/j.xml"',
    )
    assert lines == [
        f"begin 600 10 {'0' * 64}",
        'export TEST_DIR="$TESTS"',
        "export A=y",
        "export B=x",
        "enter /app",
        "bash -c 'date # now' || true  # the source runs this before its verifier, best effort",
        "# bootstrap: what the source installs before its tests",
        "(",
        "set -a -o pipefail",
        "cd /opt",
        "pip install pytest",
        "keep_environment",
        ")",
        "take_environment $?",
        "need python3",
        "IMPORTS=requests",
        "runner_works pytest",
        'rm -f "/tmp/j.xml"',
        'candidate "$TESTS/source-test.sh"',
        "reached",
        'judge_pytest "/tmp/j.xml"',
    ]


def test_only_what_is_needed_is_said() -> None:
    assert body() == [f"begin 600 10 {'0' * 64}", "enter /app", 'candidate "$TESTS/source-test.sh"', "judge_status"]


@pytest.mark.parametrize(("limit", "seconds"), [(1, 0), (3, 0), (4, 1), (39, 1), (60, 3), (200, 10), (1800, 10)])
def test_the_reserve(limit: int, seconds: int) -> None:
    assert template.reserve(limit) == seconds


hostile = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40) | st.text(
    "'\"\\$`!{}()<>|&;\n#~*? ax\u2028\x0c\r", max_size=40
)


def exported(lines: list[str], name: str, tmp_path: Path) -> str:
    """What ``name`` is after the lines of a script ran under bash."""
    place = tmp_path / "script.sh"
    place.write_bytes(("\n".join([*lines, f'printf "%s" "${name}"', "exit 0"]) + "\n").encode())
    done = subprocess.run([BASH, place], capture_output=True, env={"PATH": "/usr/bin:/bin"}, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def script(**changes: object) -> bytes:
    return template.render(Text(**{**PLAIN, **changes}))  # type: ignore[arg-type]


def part(text: bytes, start: str, end: str) -> list[str]:
    """What stands in main between two lines."""
    decoded = text.decode()
    return [decoded[decoded.index(start) + len(start) : decoded.rindex(end)]]


FIXTURE = settings(max_examples=60, deadline=None, suppress_health_check=[])


@given(value=hostile)
@FIXTURE
def test_a_literal_comes_through_unchanged(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = script(env={"VALUE": EnvValue(literal=value)})
    lines = part(text, "0" * 64 + "\n", "\n  enter /app")
    assert exported(lines, "VALUE", tmp_path_factory.getbasetemp()) == value


@given(value=hostile.filter(bool))
@FIXTURE
def test_a_default_comes_through_unchanged(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = script(env={"VALUE": EnvValue(variable="VALUE", default=value)})
    lines = part(text, "0" * 64 + "\n", "\n  enter /app")
    assert exported(lines, "VALUE", tmp_path_factory.getbasetemp()) == value


@given(value=hostile.filter(bool))
@FIXTURE
def test_a_folder_comes_through_unchanged(value: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = script(cwd=value)
    lines = ['enter() { WHERE="$1"; }', "  enter" + part(text, "\n  enter", "\n\n  candidate")[0]]
    assert exported(lines, "WHERE", tmp_path_factory.getbasetemp()) == value


@given(value=hostile)
@FIXTURE
def test_no_value_breaks_the_script(value: str) -> None:
    text = script(
        env={"A": EnvValue(literal=value), "B": EnvValue(variable="B", default=value)}, cwd=value, pre_verify=(value,)
    )
    done = subprocess.run([BASH, "-n"], input=text, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert text.endswith(b'\n  judge_status\n}\nmain "$@"; exit 2\n')


def test_the_manifest_is_what_sha256sum_reads(tmp_path: Path) -> None:
    names = ["a.txt", "sub/b c.txt", "back\\slash", "new\nline", "ä"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    listed = template.manifest({name: digest(name.encode()) for name in names})
    done = subprocess.run(["sha256sum", "-c", "--quiet"], input=listed, cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout
    assert listed.count(b"\n") == len(names)
