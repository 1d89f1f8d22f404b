"""Margin's run-time contract on the Docker engine, without Margin: the stand-in runner.

It follows section 2 of references/margin-contract.md to the letter for oracle runs, and dry runs but for the
agent server in the container. One difference is deliberate: where the engine itself fails while tests/test.sh
runs, Margin's CLI may report a test failure (row W24); here that is always infra, and noted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import posixpath
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from skill.case import Case
from skill.contract import PASS
from tools.archive import Packed, files_below
from tools.capture import log_tail, reason_in
from tools.errors import EngineFailed, RunnerError
from tools.runners import docker_build
from tools.runners.base import (
    EXECUTOR_ERROR,
    Edit,
    Setup,
    State,
    StateRun,
    error_of,
    oracle_error,
    timeout_of,
)
from tools.runners.docker_box import HELPER_SECONDS, DockerBox
from tools.runners.docker_engine import (
    BUILT_LABEL,
    RUN_LABEL,
    connect,
    images_with,
    need_image,
    remove_image,
    remove_labelled,
)
from tools.runners.docker_images import Shelf
from tools.runners.docker_snapshot import is_safe

if TYPE_CHECKING:
    from docker import APIClient

VERSION: Final = "1"  # changes whenever the same case might end otherwise


class DockerRunner:
    """Runs verifiers in containers of the engine that the environment names."""

    name = "docker"

    def __init__(self, setup: Setup) -> None:
        """Raises EngineUnavailable when no engine answers."""
        self.setup = setup
        self.version = f"docker/{VERSION} {setup.traits}"
        self.client = connect()
        self._shelf = Shelf(self.client, setup.keep_images)

    def prepare(self, case: Case, states: Sequence[State]) -> DockerPrepared:
        """The case; its image is built or found by the first run."""
        return DockerPrepared(self, case, states)

    def announce(self, cases: Sequence[Case], states: Sequence[State]) -> None:
        """Nothing is gained by knowing more than one case at a time."""

    def image(self, case: Case) -> contextlib.AbstractContextManager[str]:
        """The image of ``case`` for as long as the block lasts."""
        if case.image:
            return contextlib.nullcontext(need_image(self.client, case.image))
        return self.built(docker_build.context_of(case))

    def built(self, context: docker_build.Context) -> contextlib.AbstractContextManager[str]:
        """The image of a build context for as long as the block lasts."""
        tag = context.tag(self.setup)

        def build() -> None:
            docker_build.build(self.client, context, tag, self.setup)

        return self._shelf.borrowed(docker_build.env_name(tag), build)

    def close(self) -> None:
        """Afterwards no container and no image of this run is left; runs under way end as infra."""
        remove_labelled(self.client, f"{RUN_LABEL}={self.setup.run_id}")
        self._shelf.clear()

    def trim(self, repository: str, keep: int) -> None:
        """Remove all but the youngest ``keep`` images of this run that stand under ``repository``."""
        rows = images_with(self.client, f"{BUILT_LABEL}={self.setup.run_id}")
        named = [(int(row["Created"]), name) for row in rows for name in row["RepoTags"] or ()]
        ours = sorted(pair for pair in named if pair[1].startswith(f"{repository}:"))
        for _, name in ours[: max(len(ours) - keep, 0)]:
            remove_image(self.client, name)


class DockerPrepared:
    """One case: its image, and after the oracle's first run a snapshot from which later states start."""

    def __init__(self, runner: DockerRunner, case: Case, states: Sequence[State]) -> None:
        self._runner = runner
        self._client: APIClient = runner.client
        self._case = case
        self._later = sum(state.solved for state in states) - 1  # solved states after the first
        self._snapshot = ""
        self._image = ""
        self._open = contextlib.ExitStack()

    def __enter__(self) -> DockerPrepared:
        return self

    def __exit__(self, *_: object) -> None:
        if self._snapshot:
            remove_image(self._client, self._snapshot)
        self._open.close()

    def run(self, state: State) -> StateRun:
        """The verifier's end in ``state``."""
        started = time.monotonic()
        try:
            run = self._run(state)
        except RunnerError as error:
            run = StateRun(None, EXECUTOR_ERROR, str(error), getattr(error, "log_tail", ""))
        return dataclasses.replace(run, seconds=round(time.monotonic() - started, 3))

    def _run(self, state: State) -> StateRun:
        """The sequence of Margin's oracle or dry run, with the state's own doing before the tests."""
        self._image = self._image or self._open.enter_context(self._runner.image(self._case))
        start = self._snapshot if state.solved and self._snapshot else self._image
        with DockerBox(self._client, start, self._runner.setup) as box:
            if state.solved and start == self._image:
                failed = self._solve(box)
                if failed is not None:
                    return failed
                self._keep(box)
            elif not state.solved:
                self._expect_agent_could_start(box)
            done = state.meddling(box) if state.meddling else ""
            if state.meddling and not done:
                return StateRun(None, detail=state.reason_when_absent, applies=False)
            return self._verify(box, state, done)

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
            return None
        how = "ran out of time" if done.timed_out else f"exited with {done.exit_code}"
        detail = f"oracle/solve.sh {how}: {reason_in(done.output)}"
        return StateRun(None, oracle_error(done.exit_code), detail, log_tail(done.output))

    def _keep(self, box: DockerBox) -> None:
        """Keep the solved container as an image when later states can start from it."""
        oracle = (self._case.read(f"oracle/{file.path}") or b"" for file in self._case.oracle.files)
        if self._later > 0 and is_safe(self._client, box, self._image, oracle):
            with contextlib.suppress(EngineFailed):
                self._snapshot = box.commit(secrets.token_hex(12))

    def _expect_agent_could_start(self, box: DockerBox) -> None:
        """What a dry run needs before it gets to the tests; raises EngineFailed (rows W8 and W25)."""
        if box.execute(["id", "-u"], timeout=HELPER_SECONDS).output.strip() != "0":
            raise EngineFailed("image", "its USER is not root: the agent server cannot be made executable")
        cwd = self._case.agent_cwd
        if box.execute(["test", "-d", cwd], timeout=HELPER_SECONDS, cwd="/").exit_code != 0:
            raise EngineFailed("image", f"INVALID_CWD: agent_cwd {cwd} does not exist")

    def _verify(self, box: DockerBox, state: State, done: str) -> StateRun:
        """Stage the tests and run tests/test.sh."""
        cwd, limit = self._case.test_cwd, timeout_of(self._case)
        box.stage("tests", edited(files_below(self._case.root / "tests"), state.edits), cwd)
        ended = box.script("tests/test.sh", cwd=cwd, timeout=limit)
        reason = f"tests/test.sh ran out of its {limit} s" if ended.timed_out else reason_in(ended.output)
        detail = "; ".join(part for part in (done, reason) if part)
        return StateRun(ended.exit_code, error_of(ended.exit_code), detail, log_tail(ended.output))


def edited(files: Sequence[Packed], edits: Sequence[Edit]) -> list[Packed]:
    """``files`` after ``edits``; modes stay as they are."""
    changes = {edit.path: edit.data for edit in edits}
    kept = []
    for file in files:
        data = changes.get(file.path, file.data)
        if data is not None:
            kept.append(dataclasses.replace(file, data=data))
    return kept
