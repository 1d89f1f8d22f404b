"""Units come back in order from any number of processes, and a stop ends early without loss."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from agent.errors import Infrastructure, UsageError
from agent.pool import default_jobs, ordered

ROOT = Path(__file__).resolve().parents[2]


def slow_first(number: int) -> int:
    time.sleep(0.02 if number % 7 == 0 else 0)
    return number * number


def dies(number: int) -> int:
    os._exit(9)


def refuses(number: int) -> int:
    raise UsageError(f"unit {number}")


def never() -> bool:
    return False


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_keep_the_order_of_the_units(jobs: int) -> None:
    assert list(ordered(slow_first, range(100), jobs, never)) == [number * number for number in range(100)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stop_ends_early_with_a_prefix(jobs: int) -> None:
    taken: list[int] = []
    with closing(ordered(slow_first, range(1000), jobs, lambda: len(taken) >= 5)) as results:
        taken.extend(results)
    assert 5 <= len(taken) < 300
    assert taken == [number * number for number in range(len(taken))]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_a_unit_arrives_as_it_was(jobs: int) -> None:
    with pytest.raises(UsageError, match="unit 0"):
        list(ordered(refuses, range(3), jobs, never))


def test_a_worker_that_dies_is_infrastructure() -> None:
    with pytest.raises(Infrastructure, match="worker process died"):
        list(ordered(dies, range(3), 2, never))


def test_small_sets_start_no_processes() -> None:
    assert default_jobs(3) == 1
    assert default_jobs(10_000) >= 1


def test_workers_die_with_a_parent_that_was_killed() -> None:
    code = (
        "import os, time; from agent.pool import ordered\n"
        "def work(n):\n    os.write(1, b'%d.' % os.getpid()); time.sleep(600)\n"
        "list(ordered(work, range(16), 2, lambda: False))"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        said = b""
        while said.count(b".") < 2:
            said += parent.stdout.read(1)
        parent.kill()
    workers = [Path("/proc") / pid.decode() for pid in said.split(b".") if pid]
    deadline = time.monotonic() + 20
    while any(worker.exists() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)
