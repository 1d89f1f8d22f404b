"""One case in the hands of the Docker runner: its image, its states, what its solution changes."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from skill.case import Case
from skill.work import Work
from tools.errors import EngineFailed, RunnerError
from tools.runners.base import EXECUTOR_ERROR, State, StateRun
from tools.runners.docker_ahead import Ahead, Start
from tools.runners.docker_box import DockerBox
from tools.runners.docker_engine import NAMESPACE, image_id, remove_image
from tools.runners.docker_snapshot import is_safe
from tools.runners.docker_solve import expect_agent_could_start, solve
from tools.runners.docker_verify import stage_tests, verify
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
        self._could_start = False
        self._coming: list[State] = []
        self._gate, self._order = threading.Lock(), threading.Lock()
        self._open = contextlib.ExitStack()
        self._ahead = Ahead(self._started)

    def __enter__(self) -> DockerPrepared:
        return self

    def __exit__(self, *_: object) -> None:
        self._ahead.close()
        if self._snapshot:
            remove_image(self._client, self._snapshot)
        self._open.close()

    def expect(self, states: Sequence[State]) -> None:
        """Afterwards the container of each of ``states`` but the first is started while the one before it is run."""
        with self._order:
            self._coming = list(states)

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
        start = self._start(state, fresh)
        with self._ahead.box(start) as box:
            self._begin_next(state)
            if state.solved and start.image != self._snapshot:
                failed = self._solve(box)
                if failed is not None:
                    return failed
            elif not state.solved:
                self._expect_agent_could_start(box)
            done = state.meddling(box) if state.meddling else ""
            if state.meddling and not done:
                return StateRun(None, detail=state.reason_when_absent, applies=False)
            if not start.staged:
                stage_tests(box, self._case, state.edits)
            return verify(box, self._case, done, traced)

    def _expect_agent_could_start(self, box: DockerBox) -> None:
        """Asked of the first container that is not solved: the image says it."""
        if not self._could_start:
            expect_agent_could_start(box, self._case)
            self._could_start = True

    def _start(self, state: State, fresh: bool) -> Start:
        """What the container of a state starts from."""
        if state.solved and not fresh and self._snapshot:
            return Start(self._snapshot, staged=state.is_apart and not state.edits)
        return Start(self._found_image())

    def _started(self, start: Start) -> DockerBox:
        """A container that is up, the tests in it where that was asked for."""
        box = DockerBox(self._client, start.image, self._runner.setup).__enter__()
        try:
            if start.staged:
                stage_tests(box, self._case)
        except BaseException:
            box.__exit__()
            raise
        return box

    def _begin_next(self, state: State) -> None:
        """Have the container started that is asked for after that of ``state``, where it is known from what."""
        with self._order:
            self._coming = [other for other in self._coming if other is not state]
            coming = self._coming.pop(0) if self._coming else None
        if coming and (coming.is_plain or not coming.solved or self._snapshot):
            self._ahead.begin(self._start(coming, coming.is_plain))

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
        with self._ahead.box(Start(image)) as box:
            return self._solve(box)

    def _solve(self, box: DockerBox) -> StateRun | None:
        """The reference solution; None when it succeeded, and was looked at, else how the run ends."""
        failed = solve(box, self._case)
        if failed is None:
            self._keep(box)
        return failed

    def _keep(self, box: DockerBox) -> None:
        """Look at the first solved container, and keep it as an image when later states can start from it."""
        with self._gate:
            if self._solved_once:
                return
            if self._more:
                self._work = capture(self._client, box, self._image, self._case, self._runner.setup)
            oracle = (self._case.read(f"oracle/{file.path}") or b"" for file in self._case.oracle.files)
            if (self._more or self._derived) and is_safe(self._client, box, self._image, oracle):
                with contextlib.suppress(EngineFailed):
                    self._snapshot = box.commit(secrets.token_hex(12))
            self._solved_once = True
