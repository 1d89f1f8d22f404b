"""A source task in a container of a runner's engine: what the judges of all frameworks have in common."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, Self

from skill.case import Case
from skill.source_evidence import SourceRun
from skill.sources.base import EnvValue, SourceTask
from tools.archive import Packed
from tools.errors import EngineFailed, RunnerError
from tools.runners import docker_build
from tools.runners.docker import DockerRunner
from tools.runners.docker_box import IDLE, DockerBox, Start
from tools.runners.docker_engine import remove_image
from tools.runners.docker_snapshot import is_safe
from tools.runners.docker_space import need_image
from tools.source_judges.base import Carried, packed

HEALTH_SECONDS: Final = 120.0


class PreparedTask(ABC):
    """One task: its image, and after the solution's first run a snapshot from which later states start."""

    folders: str  # a shell command that makes the folders which the framework has ready
    context: str  # the folder of the task that its image is built from

    def __init__(self, docker: DockerRunner, task: SourceTask, case: Case, states: Sequence[Carried]) -> None:
        self._docker = docker
        self._client = docker.client
        self._task = task
        self._case = case
        self._later = sum(carried.state.solved for carried in states) - 1  # solved states after the first
        self._snapshot = ""
        self._image = ""
        self._open = contextlib.ExitStack()

    @abstractmethod
    def check(self) -> None:
        """Raise RunnerError where the verifier could not be run for want of something that only a host has."""

    @abstractmethod
    def solve(self, box: DockerBox) -> None:
        """Run the task's solution; how it ends does not matter. Raises RunnerError when it runs out of time."""

    @abstractmethod
    def verify(self, box: DockerBox, carried: Carried) -> SourceRun:
        """Upload the tests, run them, and book what they leave."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._snapshot:
            remove_image(self._client, self._snapshot)
        self._open.close()

    def run(self, carried: Carried) -> SourceRun:
        """What the verifier leaves in a state."""
        started = time.monotonic()
        try:
            run = self._run_twice(carried)
        except RunnerError as error:
            run = SourceRun(carried.state.name, detail=str(error), log_tail=getattr(error, "log_tail", ""))
        return dataclasses.replace(run, seconds=round(time.monotonic() - started, 3))

    def _run_twice(self, carried: Carried) -> SourceRun:
        """What the engine broke off is run once more, from the start."""
        try:
            return self._run(carried)
        except EngineFailed:
            if not self._docker.engine_is_back():
                raise
        self.__exit__()
        self._image = self._snapshot = ""
        return self._run(carried)

    def _run(self, carried: Carried) -> SourceRun:
        """Start, solution, verifier; the state's own doing comes before the verifier."""
        task, state = self._task, carried.state
        start = Start(None, tuple(["sh", *IDLE]), tuple(self.values(task.environment_env, "environment").items()))
        self.check()
        self._image = self._image or self._open.enter_context(self._built())
        image = self._snapshot if state.solved and self._snapshot else self._image
        with DockerBox(self._client, image, self._docker.setup, start) as box:
            self._await_health(box)
            if state.solved and image == self._image:
                self.solve(box)
                self._keep(box)
            elif not state.solved:
                self.root(box, self.folders)
            done = state.meddling(box) if state.meddling else ""
            if state.meddling and not done:
                return SourceRun(state.name, detail=state.reason_when_absent)
            return self.verify(box, carried)

    def _built(self) -> contextlib.AbstractContextManager[str]:
        """The image, built from the source's own files; that of the task where the case keeps it."""
        task = self._task
        if task.image and (self._case.image or not task.dockerfile):
            return contextlib.nullcontext(need_image(self._client, self._case.image or task.image))
        files = packed(task.environment)
        if task.generated_dockerfile is not None:
            files = [file for file in files if file.path != "Dockerfile"]
            files.append(Packed("Dockerfile", 0o644, task.generated_dockerfile))
        rules = (file.read() for file in task.environment if file.path == docker_build.IGNORE_FILE)
        needs = tuple(task.dockerfile.needs_buildkit) if task.dockerfile else ()
        ordered = tuple(sorted(files, key=lambda file: file.path))
        name, root = f"{task.ref.id}/{self.context}".rstrip("/"), task.ref.root / self.context
        return self._docker.built(docker_build.Context(name, root, ordered, next(rules, None), needs))

    def values(self, table: Mapping[str, EnvValue], where: str) -> dict[str, str]:
        """The variables of a table; raises RunnerError for one that only a host knows and this run was not given."""
        given, values = dict(self._docker.setup.env), {}
        for name, value in table.items():
            text = value.literal if value.literal is not None else given.get(value.variable or "", value.default)
            if text is None:
                raise RunnerError(
                    self._task.ref.id, f"[{where}.env] {name} takes the host's {value.variable}, which is not set"
                )
            values[name] = text
        return values

    def _await_health(self, box: DockerBox) -> None:
        """Wait for the image's HEALTHCHECK; raises RunnerError when it does not come to hold."""
        deadline = time.monotonic() + HEALTH_SECONDS
        while (health := box.health()) not in ("", "healthy"):
            if health == "unhealthy" or time.monotonic() > deadline:
                raise RunnerError(self._task.ref.id, "the image's HEALTHCHECK does not hold")
            time.sleep(0.2)

    def _keep(self, box: DockerBox) -> None:
        """Take a snapshot of the solved container where later states may start from one."""
        solution = (file.read() for file in self._task.solution)
        if self._later > 0 and is_safe(self._client, box, self._image, solution):
            with contextlib.suppress(EngineFailed):
                self._snapshot = box.commit(secrets.token_hex(12))

    def root(self, box: DockerBox, script: str) -> None:
        """Run ``script`` as root; raises EngineFailed when it fails."""
        status, output = box.shell(script)
        if status != 0:
            raise EngineFailed("docker", f"{script.split(' ')[0]}: {output.strip()[:300]}")
