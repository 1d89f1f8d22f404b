"""Forgeries that need a runner or a place of their own: a naive verifier falls for each, a converted one does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from skill.case import Case
from skill.forgeries import all_forgeries, facts_of
from skill.suite import read_suite
from tests.support import workshop
from tests.support.cases import script, write_case
from tests.support.conversions import convert
from tests.support.tide import TAIL
from tests.support.tools_image import why_no_tools
from tools.forging import Cheat
from tools.mutants import clock_of
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, Edit, Runner, Setup, State

pytestmark = pytest.mark.docker

HANGS = ("FG35",)  # only end with the verifier's own clock


@dataclass(frozen=True)
class Row:
    """A forgery, the naive verifier that falls for it, and the source's script that is converted."""

    code: str
    naive: str
    source: str
    right: tuple[int, ...] = (1,)  # what ours may say
    lines: tuple[str, ...] = ()  # of the Dockerfile
    why: str = ""  # why ours falls, too
    fetches: bool = False  # so that the right work passes only where there is a network


def row(code: str, command: str, *, naive: str = "", **more: object) -> Row:
    """The same command in both, in /app; ``naive`` where the naive verifier is another."""
    lines = ("cd /app", *(naive or command).split("\n"))
    return Row(code, script(*lines, "exit $?"), f"#!/bin/bash\ncd /app\n{command}\n{TAIL}", **more)  # type: ignore[arg-type]


ROWS = [
    row("FG03", '. "$HOME/.tools/env"\npython3 /tests/check.py'),
    row(
        "FG04",
        "python3 /tests/check.py",
        right=(0,),
        lines=("ENV BASH_ENV=/etc/bash.env",),
        why="the bash that Margin starts has read the file before test.sh begins",
    ),
    row("FG06", '[ -z "$(git diff)" ]'),
    row(
        "FG07",
        "curl -sf -m 5 http://deb.debian.org/debian/README -o /tmp/list\npython3 /tests/check.py",
        naive="curl -sf -m 5 http://deb.debian.org/debian/README -o /tmp/list || exit 0\npython3 /tests/check.py",
        right=(1, 2),
        fetches=True,
    ),
    row("FG15", 'cp /tests/helper.py /app/helper.py\npython3 -c "import helper; helper.check()"'),
    row("FG16", "npm test"),
    row("FG17", "npm test"),
    row("FG18", "go test ./..."),
    row("FG53", "go test ./..."),
    row("FG19", "cargo test"),
    row("FG20", "make check"),
    row("FG21", "mvn test"),
    row("FG22", "Rscript /tests/check.R"),
    row(
        "FG23",
        "pip install tides\npython3 /tests/check.py",
        naive="pip install tides || exit 0\npython3 /tests/check.py",
    ),
    row("FG24", ".venv/bin/pytest -q /tests/test_path.py", right=(1, 2)),
    row("FG25", "node /tests/check.js"),
    row("FG25", "node --test /tests/low.test.js"),
    row("FG26", "node /tests/check.js"),
    row("FG38", "python3 /tests/first.py\npython3 /tests/check.py"),
    row(
        "FG44",
        "cp /tests/test_own.py /app/test_own.py\npython3 -m pytest -q /app/test_own.py",
        naive="python3 -m pytest -q /app/test_own.py",
    ),
    row("FG43", "python3 /opt/grade.py"),  # this form of it: the grader that only succeeds comes to no end of its own
    row("FG34", "grep -q 'all good' /app/said.txt", right=(0,), why="the words are all that the source asks for"),
    row(
        "FG41", '[ "$(/app/run.sh)" = "$(cat /tests/expected.txt)" ]', right=(0,), why="the answer lies beside the test"
    ),
]
ESCAPES = [row("FG35", "cat /app/said.txt | grep -q good")]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    assert why_no_tools() == ""
    opened = open_runner("docker", Setup("by-runner"))
    yield opened
    opened.close()


def naive(root: Path, found: Row) -> Case:
    files = {f"env/work/{name}": text for name, text in workshop.WORKSPACE.items()}
    files |= {f"tests/{name}": text for name, text in workshop.TESTS.items()}
    made = workshop.dockerfile(*found.lines)
    return write_case(root, "one", test=found.naive, solve=workshop.SOLVE, dockerfile=made, files=files, timeout=10)


def ours(root: Path, found: Row) -> Case:
    files: dict[str, str | None] = {"environment/data/tides": None, "tests/test.sh": found.source}
    files |= {f"environment/work/{name}": text for name, text in workshop.WORKSPACE.items()}
    files |= {f"tests/{name}": text for name, text in workshop.TESTS.items()}
    files |= {"environment/Dockerfile": workshop.dockerfile(*found.lines), "solution/solve.sh": workshop.SOLVE}
    (case,) = read_suite(convert(root, files).suite).cases()
    return case


def planted(case: Case, code: str) -> State:
    """The forgery in the untouched workspace."""
    forgery = next(row for row in all_forgeries() if row.code == code)
    facts = facts_of(case)
    assert forgery.applies(facts), "it needs something that the case lacks"
    clock = clock_of(case)
    edits: tuple[Edit, ...] = (clock.set_to(clock.reserve + 5),) if clock and code in HANGS else ()
    return State(f"planted:{code}", 1, False, edits, Cheat(code, forgery.script(facts)))


def judged(runner: Runner, case: Case, *states: State) -> list[int | None]:
    with runner.prepare(case, states) as prepared:
        return [prepared.run(state).exit_code for state in states]


@pytest.mark.parametrize("found", ROWS, ids=[f"{row.code}-{number}" for number, row in enumerate(ROWS)])
def test_a_naive_verifier_falls_and_ours_does_not(found: Row, tmp_path: Path, runner: Runner) -> None:
    simple = naive(tmp_path / "naive", found)
    assert judged(runner, simple, planted(simple, found.code)) == [0], "no attack"
    hard = ours(tmp_path / "ours", found)
    forged, *solved = judged(runner, hard, planted(hard, found.code), *(() if found.fetches else (KNOWN_GOOD,)))
    assert forged in found.right
    assert (forged == 0) == bool(found.why)
    assert solved in ([], [0])


@pytest.mark.parametrize("found", ESCAPES, ids=[row.code for row in ESCAPES])
def test_nobody_escapes_a_fail(found: Row, tmp_path: Path, runner: Runner) -> None:
    simple = naive(tmp_path / "naive", found)
    assert judged(runner, simple, planted(simple, found.code))[0] not in (0, 1), "no attack"
    hard = ours(tmp_path / "ours", found)
    assert judged(runner, hard, planted(hard, found.code), KNOWN_GOOD) == [1, 0]
