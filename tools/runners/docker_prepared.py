"""One case in the hands of the Docker runner: its image, its states, what its solution changes."""

from __future__ import annotations

import contextlib
import dataclasses
import posixpath
import secrets
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skill.case import Case
from skill.contract import PASS
from skill.work import Work
from tools.archive import Packed, files_below
from tools.capture import log_tail, reason_in
from tools.errors import EngineFailed, ImageUnfit, RunnerError
from tools.runners import docker_trace
from tools.runners.base import EXECUTOR_ERROR, Edit, State, StateRun, error_of, oracle_error, timeout_of
from tools.runners.docker_box import HELPER_SECONDS, DockerBox
from tools.runners.docker_engine import NAMESPACE, image_id, remove_image
from tools.runners.docker_snapshot import is_safe
from tools.runners.docker_work import capture

if TYPE_CHECKING:
    from docker import APIClient

    from tools.runners.docker import DockerRunner


class DockerPrepared:
    """One case: its image, and after the oracle's first run a snapshot from which later states start."""

    def __init__(self, runner: DockerRunner, case: Case, states: Sequence[State], more: bool = False) -> None:
        self._runner = runner
        self._client: APIClient = runner.client
        self._case = case
        self._more = more
        self._derived = sum(state.solved and not state.is_plain for state in states)  # from the solved container
        self._work: Work | None = None
        self._snapshot = ""
        self._solved_once = False
        self._image = ""
        self._gate = threading.Lock()
        self._open = contextlib.ExitStack()

    def __enter__(self) -> DockerPrepared:
        return self

    def __exit__(self, *_: object) -> None:
        if self._snapshot:
            remove_image(self._client, self._snapshot)
        self._open.close()

    def run(self, state: State) -> StateRun:
        """The verifier's end in ``state``; plain states always start from the image."""
        return self._timed(state, traced=False)

    def trace(self, state: State) -> StateRun:
        """The same from the image, followed line by line."""
        return self._timed(state, traced=True)

    def work(self) -> Work | str:
        """What oracle/solve.sh changes, seen when it ran or found out now."""
        try:
            failed = self._expect_solved()
        except RunnerError as error:
            return str(error)
        if failed is not None:
            return failed.detail
        return self._work if self._work is not None else "the changes were not looked at"

    def _timed(self, state: State, traced: bool) -> StateRun:
        started = time.monotonic()
        try:
            run = self._run(state, traced)
        except EngineFailed as error:
            run = StateRun(None, EXECUTOR_ERROR, self._set_back(error), broken=True)
        except RunnerError as error:
            run = StateRun(None, EXECUTOR_ERROR, str(error), getattr(error, "log_tail", ""))
        return run if run.seconds else dataclasses.replace(run, seconds=round(time.monotonic() - started, 3))

    def _set_back(self, error: EngineFailed) -> str:
        """Afterwards the next state starts from what the engine still has; why this one was broken off."""
        if not self._runner.engine_is_back():
            return f"{error}, and the engine has not come back"
        with self._gate, contextlib.suppress(EngineFailed):
            if self._snapshot and image_id(self._client, self._snapshot) is None:
                self._snapshot, self._solved_once = "", False
            if self._image.startswith(NAMESPACE) and image_id(self._client, self._image) is None:
                self._open.close()
                self._image = ""
        return str(error)

    def _run(self, state: State, traced: bool) -> StateRun:
        """The sequence of Margin's oracle or dry run, with the state's own doing before the tests."""
        fresh = state.is_plain or traced
        if state.solved and not fresh:
            failed = self._expect_solved()
            if failed is not None:
                return failed
        start = self._snapshot if state.solved and not fresh and self._snapshot else self._found_image()
        with DockerBox(self._client, start, self._runner.setup) as box:
            if state.solved and start != self._snapshot:
                failed = self._solve(box)
                if failed is not None:
                    return failed
            elif not state.solved:
                self._expect_agent_could_start(box)
            done = state.meddling(box) if state.meddling else ""
            if state.meddling and not done:
                return StateRun(None, detail=state.reason_when_absent, applies=False)
            return self._verify(box, state, done, traced)

    def _found_image(self) -> str:
        """The case's image, built or found by whoever asks first."""
        with self._gate:
            self._image = self._image or self._open.enter_context(self._runner.image(self._case))
        return self._image

    def _expect_solved(self) -> StateRun | None:
        """Afterwards the solved container was looked at and, where that is safe, kept; a failed solution's end."""
        image = self._found_image()
        with self._gate:
            if self._solved_once and not (self._more and self._work is None):
                return None
        with DockerBox(self._client, image, self._runner.setup) as box:
            return self._solve(box)

    def _solve(self, box: DockerBox) -> StateRun | None:
        """Run oracle/solve.sh; None when it succeeded, else how the run ends."""
        cwd = self._case.test_cwd
        box.stage("oracle", files_below(self._case.root / "oracle"), cwd)
        env = {
            "MARGIN_AGENT_CWD": self._case.agent_cwd,
            "MARGIN_ORACLE_DIR": posixpath.normpath(posixpath.join(cwd, "oracle")),
            "MARGIN_TEST_CWD": cwd,
        }
        done = box.script("oracle/solve.sh", cwd=cwd, timeout=timeout_of(self._case), env=env)
        if done.exit_code == PASS:
            self._keep(box)
            return None
        how = "ran out of time" if done.timed_out else f"exited with {done.exit_code}"
        detail = f"oracle/solve.sh {how}: {reason_in(done.output)}"
        return StateRun(None, oracle_error(done.exit_code), detail, log_tail(done.output))

    def _keep(self, box: DockerBox) -> None:
        """Look at the first solved container, and keep it as an image when later states can start from it."""
        with self._gate:
            if self._solved_once:
                return
            self._solved_once = True
            if self._more:
                self._work = capture(self._client, box, self._image, self._case, self._runner.setup)
            oracle = (self._case.read(f"oracle/{file.path}") or b"" for file in self._case.oracle.files)
            if (self._more or self._derived) and is_safe(self._client, box, self._image, oracle):
                with contextlib.suppress(EngineFailed):
                    self._snapshot = box.commit(secrets.token_hex(12))

    def _expect_agent_could_start(self, box: DockerBox) -> None:
        """What a dry run needs before it gets to the tests; raises ImageUnfit (rows W8 and W25)."""
        if box.execute(["id", "-u"], timeout=HELPER_SECONDS).output.strip() != "0":
            raise ImageUnfit("image", "its USER is not root: the agent server cannot be made executable")
        cwd = self._case.agent_cwd
        if box.execute(["test", "-d", cwd], timeout=HELPER_SECONDS, cwd="/").exit_code != 0:
            raise ImageUnfit("image", f"INVALID_CWD: agent_cwd {cwd} does not exist")

    def _verify(self, box: DockerBox, state: State, done: str, traced: bool) -> StateRun:
        """Stage the tests and run tests/test.sh."""
        cwd, limit = self._case.test_cwd, timeout_of(self._case)
        box.stage("tests", edited(files_below(self._case.root / "tests"), state.edits), cwd)
        if traced:
            docker_trace.lay(box)
        started = time.monotonic()
        ended = box.script("tests/test.sh", cwd=cwd, timeout=limit, env=docker_trace.START if traced else None)
        seconds = round(time.monotonic() - started, 3)
        reason = f"tests/test.sh ran out of its {limit} s" if ended.timed_out else reason_in(ended.output)
        detail = "; ".join(part for part in (done, reason) if part)
        place = docker_trace.place(box) if traced else ""
        tail = log_tail(ended.output)
        return StateRun(ended.exit_code, error_of(ended.exit_code), detail, tail, seconds, place=place)


def edited(files: Sequence[Packed], edits: Sequence[Edit]) -> list[Packed]:
    """``files`` after ``edits``; modes stay as they are."""
    changes = {edit.path: edit.data for edit in edits}
    kept = []
    for file in files:
        data = changes.get(file.path, file.data)
        if data is not None:
            kept.append(dataclasses.replace(file, data=data))
    return kept
