"""Candidates that use up the machine, or end the verifier with themselves: each costs nothing but its container."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.case import Case
from skill.suite import read_suite
from tests.support.conversions import convert
from tests.support.images import BASE_IMAGE
from tools.forging import Cheat
from tools.mutants import clock_of
from tools.runners import docker_bounds, open_runner
from tools.runners.base import KNOWN_GOOD, Runner, Setup, State
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import RUN_LABEL

pytestmark = pytest.mark.docker

RUN = "exhausting"
TASK = {
    "environment/Dockerfile": f"FROM {BASE_IMAGE}\nWORKDIR /app\n",
    "environment/data/tides": None,
    "tests/check.py": None,
    "tests/check.sh": '#!/bin/bash\nsaid=$(bash /app/low.sh)\n[ "$said" = 1 ] && [ "$(cat /app/low.txt)" = 1 ]\n',
    "tests/test.sh": """#!/bin/bash
bash /tests/check.sh
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
""",
    "solution/solve.sh": "#!/bin/bash\necho 'echo 1' >/app/low.sh\necho 1 >/app/low.txt\n",
}
SECONDS = 6  # of the verifier's clock
SMALL = {"MEMORY_SHARE": (1, 100), "PROCESSES": 200}  # so that what is used up is little


def program(text: str) -> str:
    return f"cat >/app/low.sh <<'END'\n{text}\nEND\n"


# what the candidate leaves, and how the verifier may end
ENDLESS = {
    "reads /dev/zero": (program("tail -c 1 /dev/zero") + "ln -s /dev/zero /app/low.txt", (1,)),
    "an output that is /dev/zero": (program("echo 1") + "ln -s /dev/zero /app/low.txt", (1,)),
    "forks without end": (program("bomb() { bomb | bomb & }; bomb; sleep 1; echo 1"), (1, 2)),
    "forked before the tests": (
        "setsid bash -c 'bomb() { bomb | bomb & }; bomb' >/dev/null 2>&1 </dev/null & sleep 0.2",
        (1, 2),
    ),
    "leaves a daemon": (program("setsid sleep 300 & echo 0"), (1,)),
    "kills the shell that asks": (program("kill -KILL $PPID; echo 1"), (1,)),
    "kills everybody": (program("kill -KILL -1"), (137,)),
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    opened = open_runner("docker", Setup(RUN))
    yield opened
    opened.close()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    (made,) = read_suite(convert(tmp_path, TASK).suite).cases()
    return made


def state(case: Case, plant: str) -> State:
    clock = clock_of(case)
    assert clock is not None, "a converted case has one"
    edits = (clock.set_to(clock.reserve + SECONDS),)
    return State("planted:exhausting", 1, False, edits, Cheat(plant[:40], plant + "\nexit 0\n"))


def living(runner: Runner) -> list[str]:
    """Our containers that are still there."""
    assert isinstance(runner, DockerRunner)
    rows = runner.client.containers(all=True, filters={"label": f"{RUN_LABEL}={RUN}"})
    return [str(row["Id"]) for row in rows]


@pytest.mark.parametrize("name", ENDLESS)
def test_it_is_no_pass_and_the_next_run_is_as_ever(
    name: str, case: Case, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound, value in SMALL.items():
        monkeypatch.setattr(docker_bounds, bound, value)
    plant, right = ENDLESS[name]
    planted = state(case, plant)
    with runner.prepare(case, [planted, KNOWN_GOOD]) as prepared:
        run = prepared.run(planted)
        assert run.exit_code in right and not run.broken, run
        assert prepared.run(KNOWN_GOOD).exit_code == 0
    assert living(runner) == []


def test_one_that_fills_the_disk_is_ended_before_it_is_full(
    case: Case, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(runner, DockerRunner)
    disk = docker_bounds.machine_of(runner.client).disk
    if disk is None:
        pytest.skip("the engine is not on this machine")
    planted = state(case, program("cat /dev/zero >/app/filled"))
    with runner.prepare(case, [planted, KNOWN_GOOD]) as prepared:
        prepared.run(KNOWN_GOOD)
        free = shutil.disk_usage(disk).free
        monkeypatch.setattr(docker_bounds, "DISK_FLOOR", free - (600 << 20))
        run = prepared.run(planted)
        assert run.broken and "no room" in run.detail, run
        monkeypatch.undo()
        assert prepared.run(KNOWN_GOOD).exit_code == 0
    assert living(runner) == []
