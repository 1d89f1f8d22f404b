"""Every forgery that this image allows: a naive verifier falls for it, a converted one does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.case import Case
from skill.forgeries import NOT_PLANTABLE, all_forgeries, facts_of
from skill.suite import read_suite
from tests.support.cases import script, write_case
from tests.support.conversions import convert
from tests.support.tide import BY_PYTEST, BY_REWARD, BY_SCRIPT, CHECK, DOCKERFILE, SOLVE, TEST, WRONG, task
from tests.support.tools_image import why_no_tools
from tools.forging import Cheat
from tools.mutants import clock_of
from tools.runners import open_runner
from tools.runners.base import Runner, Setup, State

pytestmark = pytest.mark.docker

PYTEST = script("cd /app", "python3 -m pytest -q /tests/test_tide.py", "exit $?")
LENIENT = script("cd /app", "python3 -m pytest -q /tests/test_tide.py", "case $? in 0|5) exit 0 ;; esac", "exit 1")
PLAIN = script("python3 /tests/check.py", "exit $?")
REWARD = script(
    "mkdir -p /logs/verifier",
    "python3 /tests/check.py && echo 1 >/logs/verifier/reward.txt",
    'sleep 0.3; [ "$(cat /logs/verifier/reward.txt)" = 1 ] && exit 0',
    "exit 1",
)
BLOCKED = script("mkdir -p /logs/verifier || exit 2", "python3 /tests/check.py", "exit $?")
UNLIMITED = script("python3 /tests/check.py", "exit $?")
GREP = script("grep -q 'all good' /app/said.txt && exit 0", "exit 1")
SOURCED = script('. "$HOME/.tools/env"', "python3 /tests/check.py", "exit $?")
MAKE = script("cd /app", "make check", "exit $?")
MAKEFILE = "check:\n\tpython3 /tests/check.py\n"

# forgery, the naive verifier that falls for it, the source's script that is converted, what ours may say
FALLS = [
    ("FG01", PYTEST, BY_PYTEST, (1, 2)),
    ("FG02", PYTEST, BY_PYTEST, (1, 2)),
    ("FG08", PYTEST, BY_PYTEST, (1, 2)),
    ("FG08", PLAIN, BY_SCRIPT, (1, 2)),
    ("FG51", PYTEST, BY_PYTEST, (1,)),
    ("FG51", PLAIN, BY_SCRIPT, (1,)),
    ("FG09", PLAIN, BY_SCRIPT, (1,)),
    ("FG10", PYTEST, BY_PYTEST, (1,)),
    ("FG11", PYTEST, BY_PYTEST, (1,)),
    ("FG12", PYTEST, BY_PYTEST, (1,)),
    ("FG13", PYTEST, BY_PYTEST, (1,)),
    ("FG14", PYTEST, BY_PYTEST, (1,)),  # this form of it
    ("FG52", PYTEST, BY_PYTEST, (1,)),  # this form of it
    ("FG25", PYTEST, BY_PYTEST, (1,)),
    ("FG25", PLAIN, BY_SCRIPT, (1,)),
    ("FG26", PYTEST, BY_PYTEST, (1,)),
    ("FG27", PLAIN, BY_SCRIPT, (1,)),
    ("FG28", LENIENT, BY_PYTEST, (1,)),
    ("FG54", PYTEST, BY_PYTEST, (1,)),
    ("FG29", PYTEST, BY_PYTEST, (0, 1)),  # in the test's own process: the source's to decide
    ("FG30", PYTEST, BY_PYTEST, (0,)),  # not to be stopped without changing the tests
    ("FG36", REWARD, BY_REWARD, (1,)),
    ("FG37", PLAIN, BY_REWARD, (1,)),
    ("FG45", REWARD, BY_REWARD, (1,)),
]
ESCAPES = [("FG47", UNLIMITED, BY_SCRIPT), ("FG50", BLOCKED, BY_SCRIPT)]  # infra instead of a fail
BY_RUNNER = {  # tried in test_forgeries_by_runner.py, on an image with more tools
    *(
        "FG03",
        "FG04",
        "FG06",
        "FG07",
        "FG15",
        "FG16",
        "FG17",
        "FG18",
        "FG19",
        "FG20",
        "FG21",
        "FG22",
        "FG23",
        "FG24",
        "FG34",
    ),
    *("FG35", "FG38", "FG41", "FG43", "FG44", "FG53"),
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    assert why_no_tools() == ""
    opened = open_runner("docker", Setup("forged"))
    yield opened
    opened.close()


def naive(root: Path, test: str) -> Case:
    files = {"env/tide.py": WRONG, "tests/test_tide.py": TEST, "tests/check.py": CHECK}
    return write_case(root / "naive", "one", test=test, solve=SOLVE, dockerfile=DOCKERFILE, files=files, timeout=15)


def ours(root: Path, source: str) -> Case:
    made = convert(root / "ours", task(source))
    (case,) = read_suite(made.suite).cases()
    return case


def judged(runner: Runner, case: Case, code: str) -> int | None:
    """What the case's verifier says after the forgery was planted into the untouched workspace."""
    row = next(row for row in all_forgeries() if row.code == code)
    clock = clock_of(case)
    edits = (clock.set_to(clock.reserve + 10),) if clock and code == "FG47" else ()
    text = row.script(facts_of(case))
    state = State(f"planted:{code}", 1, False, edits, Cheat(code, text))
    with runner.prepare(case, [state]) as prepared:
        return prepared.run(state).exit_code


@pytest.mark.parametrize(
    ("code", "test", "source", "right"), FALLS, ids=[f"{row[0]}-{i}" for i, row in enumerate(FALLS)]
)
def test_a_naive_verifier_falls_and_ours_does_not(
    code: str, test: str, source: str, right: tuple[int, ...], tmp_path: Path, runner: Runner
) -> None:
    assert judged(runner, naive(tmp_path, test), code) == 0, "no attack"
    assert judged(runner, ours(tmp_path, source), code) in right


@pytest.mark.parametrize(("code", "test", "source"), ESCAPES, ids=[row[0] for row in ESCAPES])
def test_nobody_escapes_a_fail(code: str, test: str, source: str, tmp_path: Path, runner: Runner) -> None:
    assert judged(runner, naive(tmp_path, test), code) not in (0, 1), "no attack"
    assert judged(runner, ours(tmp_path, source), code) == 1


def test_every_forgery_is_tried_or_said_not_to_be() -> None:
    tried = {row[0] for row in FALLS} | {row[0] for row in ESCAPES} | BY_RUNNER
    assert tried == {row.code for row in all_forgeries()}
    assert not tried & {row.code for row in NOT_PLANTABLE}
