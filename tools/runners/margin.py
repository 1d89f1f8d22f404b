"""The real ``margin`` CLI as a runner: oracle runs, dry runs, and oracle runs of broken copies.

States that need a hand inside the container, for which Margin has no mode, are run by the Docker runner, and
the result says so.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from skill.case import Case
from skill.contract import SOLVE_SCRIPT
from skill.work import Work
from tools import process
from tools.capture import log_tail, printable, reason_in
from tools.errors import MarginMissing, RunnerError
from tools.runners.base import EXECUTOR_ERROR, Setup, State, StateRun, timeout_of
from tools.runners.batches import Batches
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import remove_labelled
from tools.runners.margin_results import MarginResult, read_results
from tools.runners.margin_suite import IMAGE_NAMES, Shim, write_eval, write_null_agent, write_shim, write_suite

VERSION: Final = "1"
DOCKER_ENV: Final = (
    "DOCKER_HOST",
    "DOCKER_CONTEXT",
    "DOCKER_TLS_VERIFY",
    "DOCKER_CERT_PATH",
    "DOCKER_BUILDKIT",
)
CALL_LABEL: Final = "dev.suite-converter.call"  # one ``margin run``
_ENGINES: Final = re.compile(
    r"Cannot connect to the Docker daemon|error during connect|No such (?:image|container)|no space left on device"
    r"|layer does not exist"
)  # what the docker command prints when the engine is at fault
SLACK_SECONDS: Final = 180  # for starting and removing containers


class MarginRunner:
    """Runs verifiers by ``margin run``; needs the margin and docker commands and an engine."""

    name = "margin"

    def __init__(self, setup: Setup) -> None:
        """Raises MarginMissing, and EngineUnavailable when no engine answers."""
        self.setup = setup
        self._margin, self._docker_command = _found("margin"), _found("docker")
        self.docker = DockerRunner(setup)
        self._home = tempfile.TemporaryDirectory(prefix="suite-converter-margin-", ignore_cleanup_errors=True)
        home = Path(self._home.name)
        self._agent = write_null_agent(home)
        self._env = process.environment(*DOCKER_ENV, HOME=str(home), DOCKER_CONFIG=_docker_config())
        told = process.run([self._margin, "--version"], timeout=30, env=self._env).stdout.strip()
        self.version = f"margin/{VERSION} {told} {setup.traits}"
        self._batches = Batches(self._run_batch)
        self._stop = threading.Event()
        self._ending = secrets.token_hex(6)

    def prepare(self, case: Case, states: Sequence[State], more: bool = False) -> MarginPrepared:
        """The case; margin builds its image when it runs it."""
        return MarginPrepared(self, case, states, more)

    def announce(self, cases: Sequence[Case], states: Sequence[State]) -> None:
        """Let cases that need the same plain state share one ``margin run``."""
        for state in states:
            if state.is_plain:
                able = [case for case in cases if not state.solved or case.read(SOLVE_SCRIPT) is not None]
                self._batches.announce(able, state)

    def run(self, case: Case, state: State) -> StateRun:
        """The verifier's end in a state that margin has a mode for."""
        return self._batches.run(case, state)

    def trim(self, keep: int) -> None:
        """Remove all but the youngest ``keep`` images that margin built for this run."""
        self.docker.trim(IMAGE_NAMES, keep)

    def close(self) -> None:
        """End runs under way; afterwards no container, image or file of this run is left."""
        self._stop.set()
        self.docker.close()
        self.trim(0)
        self._home.cleanup()

    def _run_batch(self, cases: Sequence[Case], state: State) -> dict[str, StateRun]:
        """One ``margin run`` over ``cases``; of several, those that it says nothing about are missing."""
        call = secrets.token_hex(8)
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="run-", dir=self._home.name) as folder:
            root = Path(folder)
            try:
                done = self._call(root, cases, state, call)
            finally:
                remove_labelled(self.docker.client, f"{CALL_LABEL}={call}")
            results = read_results(root / "out", done.stdout, tuple(case.name for case in cases))
        seconds = round((time.monotonic() - started) / len(cases), 3)
        runs = {name: _state_run(result, result.seconds or seconds) for name, result in results.items()}
        if len(cases) == 1 and not runs:
            detail = "margin run took too long" if done.timed_out else _error_line(done)
            runs[cases[0].name] = StateRun(None, EXECUTOR_ERROR, detail, log_tail(done.stdout), seconds)
        return runs

    def _call(self, root: Path, cases: Sequence[Case], state: State, call: str) -> process.Finished:
        """Write what ``margin run`` needs below ``root`` and run it."""
        setup = self.setup
        write_suite(root / "suite", cases, state.edits)
        seconds = int(setup.build_seconds) + 2 * max(timeout_of(case) for case in cases) + SLACK_SECONDS
        write_eval(root / "eval.toml", concurrency=setup.concurrency, seconds=seconds)
        write_shim(root / "docker", Shim(self._docker_command, setup, {CALL_LABEL: call}, self._ending))
        argv = [self._margin, "run", "--non-interactive", "--oracle-run" if state.solved else "--dry-run"]
        argv += ["--suite", str(root / "suite"), "--agent-config", str(self._agent)]
        argv += ["--eval", str(root / "eval.toml"), "--output", str(root / "out")]
        argv += ["--docker-binary", str(root / "docker")]
        argv += [word for key, value in setup.env for word in ("--agent-env", f"{key}={value}")]
        rounds = math.ceil(len(cases) / setup.concurrency)
        return process.run(argv, timeout=seconds * rounds + SLACK_SECONDS, env=self._env, stop=self._stop)


class MarginPrepared:
    """One case; the Docker runner stands by for what margin has no mode for."""

    def __init__(self, runner: MarginRunner, case: Case, states: Sequence[State], more: bool = False) -> None:
        self._runner = runner
        self._case = case
        by_hand = [state for state in states if state.meddling]
        self._docker = runner.docker.prepare(case, by_hand, more)  # starts nothing yet

    def __enter__(self) -> MarginPrepared:
        return self

    def __exit__(self, *error: object) -> None:
        self._docker.__exit__(*error)
        self._runner.trim(self._runner.setup.keep_images)

    def expect(self, states: Sequence[State]) -> None:
        """The Docker runner's are known to it."""
        self._docker.expect([state for state in states if state.meddling])

    def run(self, state: State) -> StateRun:
        """The verifier's end in ``state``."""
        try:
            return _by_docker(self._docker.run(state)) if state.meddling else self._runner.run(self._case, state)
        except RunnerError as error:
            return StateRun(None, EXECUTOR_ERROR, str(error))

    def trace(self, state: State) -> StateRun:
        """The state by the Docker runner, which can look into the container."""
        return _by_docker(self._docker.trace(state))

    def work(self) -> Work | str:
        """What the Docker runner sees of it."""
        return self._docker.work()


def _by_docker(run: StateRun) -> StateRun:
    """A run that says who ran it."""
    return dataclasses.replace(run, detail=f"{run.detail} (by the docker runner: margin has no such mode)")


def _state_run(result: MarginResult, seconds: float) -> StateRun:
    """Margin's result in the words of both runners; infra without an exit status keeps Margin's message."""
    log = printable(result.log.encode())
    said = reason_in(log) if result.test_exit is not None else ""
    message = printable(result.error_message.encode()).replace("\n", " ")[:300]
    detail = said or (message if result.error_code or result.test_exit is None else "")
    if result.oracle_exit:
        detail = f"{message}: {reason_in(log)}"
    broken = result.test_exit is None and _ENGINES.search(message) is not None
    return StateRun(result.test_exit, result.error_code, detail, log_tail(log), seconds, broken=broken)


def _error_line(done: process.Finished) -> str:
    """The one line that margin prints about why it stopped."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return lines[-1][:300] if lines else f"margin run ended with {done.exit_code} and left no result"


def _found(command: str) -> str:
    """The path of a command that has to be there."""
    path = shutil.which(command)
    if path is None:
        raise MarginMissing(command, "is not on PATH", "install it, or use --runner docker")
    return path


def _docker_config() -> str:
    """Where the docker CLI has its contexts and registry logins, although HOME is ours."""
    return os.environ.get("DOCKER_CONFIG") or str(Path.home() / ".docker")
