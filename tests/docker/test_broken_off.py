"""A proof that is killed, whose engine goes away, or whose disk is full: one line, nothing left, and it goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from agent.cli import main
from tests.support.cases import DOCKERFILE
from tests.support.engine import Engine, own_engine
from tests.support.harbor import make_task
from tools.runners.docker_engine import OWNER_LABEL

pytestmark = pytest.mark.docker

ROOT = Path(__file__).parents[2]
GRADER = """#!/bin/bash
if grep -q ahoy /app/greeting.txt; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""
PATIENCE = 600.0


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with own_engine() as started:
        yield started


def converted(root: Path) -> Path:
    changes = {"tests/test.sh": GRADER, "tests/test_outputs.py": None, "environment/Dockerfile": DOCKERFILE}
    make_task(root / "set/tern", {**changes, "solution/solve.sh": "#!/bin/bash\necho ahoy > /app/greeting.txt\n"})
    assert main(["convert", str(root / "set"), "-o", str(root / "out"), "--proof", "none", "--quiet"]) == 0
    return root / "out"


def begin(suite: Path, host: str = "", *words: str) -> subprocess.Popen[str]:
    env: Mapping[str, str] = {**os.environ, **({"DOCKER_HOST": host} if host else {})}
    call = [sys.executable, "-m", "agent", "prove", str(suite), "--runner", "docker", "--jobs", "1", "--json", *words]
    return subprocess.Popen(call, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kept(suite: Path) -> dict[str, int]:
    """When each answer was kept."""
    found = (suite.with_name(f"{suite.name}.run") / "evidence").rglob("*.json")
    return {path.name: path.stat().st_mtime_ns for path in found}


def wait(process: subprocess.Popen[str], until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not until():
        assert process.poll() is None, "the proof ended before it was disturbed"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str], list[str]]:
    """Exit status, weights of the proofs, and the lines on stderr that name an error."""
    out, err = process.communicate(timeout=PATIENCE)
    gaps = [row["state"] for line in out.splitlines() for row in json.loads(line)["unproved"] if row["could_not_run"]]
    return process.returncode, gaps, [line for line in err.splitlines() if line.startswith("suite-converter")]


def gc(host: str = "") -> None:
    env: Mapping[str, str] = {**os.environ, **({"DOCKER_HOST": host} if host else {})}
    subprocess.run([sys.executable, "-m", "agent", "gc", "--quiet"], cwd=ROOT, env=env, check=True)


def left(pid: int, host: str = "") -> list[str]:
    """Containers and images of a process, as the engine lists them."""
    engine = ["docker", *(["-H", host] if host else [])]
    told = []
    for listing in (["ps", "-aq"], ["images", "-q"]):
        words = [*engine, *listing, "--filter", f"label={OWNER_LABEL}"]
        ids = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
        look = [*engine, "inspect", "--format", f'{{{{index .Config.Labels "{OWNER_LABEL}"}}}}']
        for one in ids:
            told += subprocess.run([*look, one], capture_output=True, text=True, check=False).stdout.split()
    return [owner for owner in told if owner.endswith(f":{pid}")]


@pytest.mark.parametrize("answers", [0, 2, 4])
def test_a_killed_proof_leaves_nothing_that_gc_does_not_remove_and_goes_on(tmp_path: Path, answers: int) -> None:
    suite = converted(tmp_path)
    process = begin(suite)
    wait(process, lambda: len(kept(suite)) >= answers and bool(answers or left(process.pid)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    gc()
    assert left(process.pid) == []
    before = kept(suite)
    assert ended(begin(suite)) == (0, [], [])
    after = kept(suite)
    assert {name: after[name] for name in before} == before
    assert len(after) > len(before)


def test_a_proof_goes_on_after_its_engine_was_restarted(tmp_path: Path, engine: Engine) -> None:
    suite = converted(tmp_path)
    process = begin(suite, engine.host)
    wait(process, lambda: len(kept(suite)) >= 2)
    engine.stop()
    assert engine.start()
    assert ended(process) == (0, [], [])
    gc(engine.host)
    assert left(process.pid, engine.host) == []


def test_an_engine_that_does_not_come_back_is_one_line_and_no_evidence(tmp_path: Path, engine: Engine) -> None:
    suite = converted(tmp_path)
    process = begin(suite, engine.host)
    wait(process, lambda: len(kept(suite)) >= 2)
    engine.stop()
    before = kept(suite)
    status, gaps, (line,) = ended(process)
    assert status == 5
    assert gaps
    assert "could not run" in line
    assert "goes on from the answers that were kept" in line
    assert engine.start()
    gc(engine.host)
    assert left(process.pid, engine.host) == []
    assert ended(begin(suite, engine.host)) == (0, [], [])
    assert {name: kept(suite)[name] for name in before} == before


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_one_line_and_the_next_run_goes_on(small: Path) -> None:
    suite = converted(small)
    process = begin(suite)
    wait(process, lambda: len(kept(suite)) >= 2)
    fill(small / "filler")
    status, _, (line,) = ended(process)
    assert status == 5
    assert "No space left" in line
    assert left(process.pid) == []
    (small / "filler").unlink()
    before = kept(suite)
    assert len(before) >= 2
    assert ended(begin(suite)) == (0, [], [])
    assert {name: kept(suite)[name] for name in before} == before


def fill(path: Path) -> None:
    """Take all the room that is left."""
    with path.open("wb", buffering=0) as stream:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    stream.write(bytes(size))
            except OSError:
                continue
