"""Deep proofs in real containers: what the solution did, kept containers against fresh ones, kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from skill.case import Case
from skill.evidence import CaseProof
from skill.mutation import SPECIAL
from skill.suite import read_suite
from skill.work import Changed, Form, Work
from tests.docker.planted_faults import Fault
from tests.support.cases import DOCKERFILE, script, write_case
from tests.support.harbor import make_task
from tools.depth import Depth
from tools.gc import collect
from tools.mutants import mutants
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.proof_unit import ProofEvent
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, Runner, Setup, State
from tools.runners.docker_box import DockerBox
from tools.runners.docker_engine import RUN_LABEL, connect, containers_with, images_with

pytestmark = pytest.mark.docker

DEEP = Depth(deep=True, limit=6)
SOUND = Fault("sound", {}, "", "")
SPECIAL_KINDS = [kind for kind, _, _ in SPECIAL]


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    opened = open_runner("docker", Setup("deep"))
    yield opened
    opened.close()


def deep_proof(suite: Path, runner: Runner, **options: Any) -> CaseProof:
    (proof,) = prove(suite, runner=runner, states=DEEP.states, follow=DEEP.follow, **options)
    return proof


def work_of(runner: Runner, case: Case) -> Work:
    with runner.prepare(case, [KNOWN_GOOD], more=True) as prepared:
        work = prepared.work()
    assert isinstance(work, Work), work
    return work


def test_what_the_solution_did_is_seen_whole(tmp_path: Path, runner: Runner) -> None:
    solve = script(
        "cd /app && mkdir -p out/deep /tmp/x && echo new >out/deep/a.txt && echo x >/tmp/x/y",
        "printf '\\0\\1\\2' >blob && chmod 640 blob && chown 7:8 blob",
        "echo after >there && rm gone && ln -s out/deep current && mkdir empty && mkfifo pipe",
        "ln -s /oracle /solution && mkdir -p /logs/verifier && echo 1 >/logs/verifier/reward.txt",
        "head -c 400000 /dev/zero >big && touch -d 2001-01-01 same",
    )
    env = "RUN cd /app && echo before >there && echo was >gone && echo same >same\n"
    told = {"prompt.md": "Make /app/there. Ask /solution.\n"}
    case = write_case(tmp_path, "one", solve=solve, dockerfile=f"{DOCKERFILE}{env}", test=script("exit 0"), files=told)
    work = work_of(runner, case)
    assert {file.path: (file.form, file.data, file.before, file.mode, file.owner) for file in work.files} == {
        "/app/blob": (Form.FILE, b"\0\1\2", None, 0o640, (7, 8)),
        "/app/there": (Form.FILE, b"after\n", b"before\n", 0o644, (0, 0)),
        "/app/gone": (Form.GONE, b"", b"was\n", 0o644, (0, 0)),
        "/app/current": (Form.LINK, b"out/deep", None, 0o777, (0, 0)),
        "/app/out/deep/a.txt": (Form.FILE, b"new\n", None, 0o644, (0, 0)),
    }
    assert work.harness == ("/logs/verifier/reward.txt", "/solution")
    assert work.left_out == 4  # an empty folder, a pipe, a big file, one that is as it was


def test_a_solution_without_files_is_said_so(tmp_path: Path, runner: Runner) -> None:
    solve = script("echo 1 >/dev/shm/ready")
    test = script("[ -e /dev/shm/ready ] || exit 1", "exit 0")
    write_case(tmp_path, "one", solve=solve, test=test)
    reasons = {entry.state: entry.reason for entry in deep_proof(tmp_path, runner).unproved}
    assert reasons["mutant:any"] == "the reference solution changes no file that could be broken"


@pytest.mark.parametrize("extra", ["", "sleep 300 &\nexit 0\n"], ids=["kept container", "solved each time"])
def test_mutants_are_what_they_are_called(tmp_path: Path, runner: Runner, extra: str) -> None:
    """The verifier prints what it finds, and passes nothing but the right file."""
    solve = script("echo 'echo 41' >/app/run.sh", "chmod 755 /app/run.sh", extra)
    read = "timeout 2 cat /app/run.sh"  # a verifier without a clock would hang on a FIFO, which counts against it
    test = script(f'[ -x /app/run.sh ] && [ "$({read})" = "echo 41" ] && exit 0', read, "exit 1")
    write_case(tmp_path, "one", solve=solve, test=test)
    proof = deep_proof(tmp_path, runner, jobs=2)
    assert proof.holds
    seen = {result.state: result.log_tail for result in proof.results if result.state.startswith("mutant:")}
    assert seen["mutant:number /app/run.sh"] == "echo 42"
    assert seen["mutant:emptied /app/run.sh"] == ""
    assert seen["mutant:crashes /app/run.sh"] == "kill -SEGV $$"
    assert "No such file" in seen["mutant:removed /app/run.sh"]
    assert len(seen) == 6


GRADER = """#!/bin/bash
if grep -q ahoy /app/greeting.txt; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""


def test_what_is_no_file_any_more_is_judged_1_within_the_clock(tmp_path: Path, runner: Runner) -> None:
    """A converted verifier reads the candidate's file, which blocks, is a folder, or is a device."""
    changes = {"tests/test.sh": GRADER, "tests/test_outputs.py": None}
    changes |= {"solution/solve.sh": "#!/bin/bash\necho ahoy > /app/greeting.txt\n"}
    make_task(tmp_path / "set/tern", changes)
    words = ["convert", str(tmp_path / "set"), "-o", str(tmp_path / "out"), "--proof", "none", "--quiet"]
    assert main(words) == 0
    (case,) = read_suite(tmp_path / "out").cases()
    work = Work((Changed("/app/greeting.txt", Form.FILE, b"ahoy\n"),))
    wanted = [entry for entry in mutants(case, work, 1.0) if isinstance(entry, State)]
    special = [state for state in wanted if state.name.split()[0].removeprefix("mutant:") in SPECIAL_KINDS]
    assert len(special) == 3
    with runner.prepare(case, special) as prepared:
        runs = {state.name.split()[0]: prepared.run(state) for state in special}
    assert {name: run.exit_code for name, run in runs.items()} == {f"mutant:{kind}": 1 for kind in SPECIAL_KINDS}
    assert max(run.seconds for run in runs.values()) < 60


def test_a_kept_container_gives_the_answers_of_a_fresh_one(tmp_path: Path, runner: Runner) -> None:
    case = SOUND.write(tmp_path)
    states = [entry for entry in DEEP.states(case) if isinstance(entry, State) and entry.solved]
    with runner.prepare(case, states, more=True) as prepared:
        work = prepared.work()
        assert isinstance(work, Work)
        follow = DEEP.follow
        assert follow is not None
        states += [entry for entry in follow(case, work, 1.0) if isinstance(entry, State)]
        kept = {state.name: prepared.run(state).exit_code for state in states}
        fresh = {state.name: prepared.trace(state).exit_code for state in states}
    assert kept == fresh
    assert set(kept.values()) == {0, 1, 2}


def test_the_solution_runs_once_for_everything(tmp_path: Path, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts: list[str] = []
    started = DockerBox.script

    def counted(box: DockerBox, path: str, **options: Any) -> Any:
        scripts.append(path)
        return started(box, path, **options)

    monkeypatch.setattr(DockerBox, "script", counted)
    SOUND.write(tmp_path)
    assert deep_proof(tmp_path, runner, jobs=2).holds
    assert scripts.count("oracle/solve.sh") == 1


def test_an_unchanged_second_run_starts_nothing(
    tmp_path: Path, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    SOUND.write(tmp_path / "suite")
    cache = ProofCache(tmp_path / "kept")
    first = deep_proof(tmp_path / "suite", runner, cache=cache)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a container was made")

    monkeypatch.setattr(DockerBox, "__init__", refuse)
    assert deep_proof(tmp_path / "suite", runner, cache=cache) == first


KILLED = """
import sys
from pathlib import Path
from tools.depth import Depth
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.runners import open_runner
from tools.runners.base import Setup
deep = Depth(deep=True, limit=6)
runner = open_runner("docker", Setup(sys.argv[3]))
list(prove(Path(sys.argv[1]), runner=runner, jobs=2, states=deep.states, follow=deep.follow,
    cache=ProofCache(Path(sys.argv[2])), on_event=lambda event: print(event.state, flush=True)))
"""


@pytest.mark.parametrize("after", [3, 12, 24])
def test_after_a_kill_the_rest_is_run_and_nothing_is_left(tmp_path: Path, runner: Runner, after: int) -> None:
    SOUND.write(tmp_path / "suite")
    run_id = f"killed-{os.getpid()}-{after}"
    words = [sys.executable, "-c", KILLED, str(tmp_path / "suite"), str(tmp_path / "kept"), run_id]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        for _ in range(after):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    collect()
    assert containers_with(connect(), f"{RUN_LABEL}={run_id}") == []
    events: list[ProofEvent] = []
    proof = deep_proof(tmp_path / "suite", runner, cache=ProofCache(tmp_path / "kept"), on_event=events.append)
    assert proof.holds
    kept = [event for event in events if event.kept]
    assert len(kept) >= (after - 4) // 2
    assert len(kept) < len(proof.results)


def test_snapshots_of_a_killed_run_are_collected(tmp_path: Path) -> None:
    """The kept container of a run that is over is an image with its labels; gc takes it."""
    SOUND.write(tmp_path / "suite")
    run_id = f"killed-late-{os.getpid()}"
    words = [sys.executable, "-c", KILLED, str(tmp_path / "suite"), str(tmp_path / "kept"), run_id]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        deadline = time.monotonic() + 60
        while not images_with(connect(), f"{RUN_LABEL}={run_id}") and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    assert images_with(connect(), f"{RUN_LABEL}={run_id}")
    collect()
    assert not images_with(connect(), f"{RUN_LABEL}={run_id}")
