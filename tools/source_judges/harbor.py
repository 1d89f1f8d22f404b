"""Harbor's contract on the Docker engine, without Harbor: one container, shared verifier.

The facts are those of references/harbor-mapping.md, "What Harbor does with a task", for the newest version there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Final

from skill.case import Case
from skill.source_evidence import Booking, Problem, SourceRun
from skill.sources.base import EnvValue, SourceTask
from skill.sources.harbor.reward import REWARD_JSON, REWARD_TEXT, read_reward
from tools.archive import Packed
from tools.capture import log_tail, printable, reason_in
from tools.errors import EngineFailed, RunnerError
from tools.runners import docker_build
from tools.runners.docker import DockerRunner
from tools.runners.docker_box import IDLE, DockerBox, Start
from tools.runners.docker_engine import remove_image
from tools.runners.docker_snapshot import is_safe
from tools.runners.docker_space import need_image
from tools.runners.docker_verify import edited
from tools.source_judges.base import Carried, packed

VERSION: Final = "1"  # changes whenever the same task might end otherwise
VERIFIER_SECONDS: Final = 600.0  # where the task states no limit
SOLUTION_SECONDS: Final = 1800.0  # Harbor has no limit where the task states none
HOOK_SECONDS: Final = 60.0
HEALTH_SECONDS: Final = 120.0
LOG: Final = "/logs/verifier/test-stdout.txt"
LOGS: Final = "/logs/agent /logs/verifier /logs/artifacts"
FOLDERS: Final = f"mkdir -p {LOGS} && chmod 777 {LOGS}"
FRESH: Final = f"rm -f {REWARD_JSON} {REWARD_TEXT}"
VERIFY: Final = f"(/tests/test.sh) > {LOG} 2>&1"


class HarborJudge:
    """Runs Harbor tasks' own verifiers in containers of a runner's engine."""

    name = "harbor"

    def __init__(self, docker: DockerRunner) -> None:
        self.docker = docker
        self.version = f"harbor/{VERSION} {docker.setup.traits}"

    def prepare(self, task: SourceTask, case: Case, states: Sequence[Carried]) -> HarborPrepared:
        """The task; its image is built, or found as the case's own, by the first run."""
        return HarborPrepared(self.docker, task, case, states)


class HarborPrepared:
    """One task: its image, and after the solution's first run a snapshot from which later states start."""

    def __init__(self, docker: DockerRunner, task: SourceTask, case: Case, states: Sequence[Carried]) -> None:
        self._docker = docker
        self._client = docker.client
        self._task = task
        self._case = case
        self._later = sum(carried.state.solved for carried in states) - 1  # solved states after the first
        self._snapshot = ""
        self._image = ""
        self._open = contextlib.ExitStack()

    def __enter__(self) -> HarborPrepared:
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
        """Harbor's sequence: start, solution, verifier; the state's own doing comes before the verifier."""
        task, state = self._task, carried.state
        start = Start(None, tuple(["sh", *IDLE]), tuple(self._values(task.environment_env, "environment").items()))
        verifier_env = self._values(task.verifier_env, "verifier")
        self._image = self._image or self._open.enter_context(self._built())
        image = self._snapshot if state.solved and self._snapshot else self._image
        with DockerBox(self._client, image, self._docker.setup, start) as box:
            self._await_health(box)
            if state.solved and image == self._image:
                self._solve(box)
            elif not state.solved:
                self._root(box, FOLDERS)
            done = state.meddling(box) if state.meddling else ""
            if state.meddling and not done:
                return SourceRun(state.name, detail=state.reason_when_absent)
            return self._verify(box, carried, verifier_env)

    def _built(self) -> contextlib.AbstractContextManager[str]:
        """The image, built from the source's own files; that of the task where the case keeps it."""
        task, root = self._task, self._task.ref.root / "environment"
        if task.image and (self._case.image or not task.dockerfile):
            return contextlib.nullcontext(need_image(self._client, self._case.image or task.image))
        files = packed(task.environment)
        if task.generated_dockerfile is not None:
            files = [file for file in files if file.path != "Dockerfile"]
            files.append(Packed("Dockerfile", 0o644, task.generated_dockerfile))
        rules = (file.read() for file in task.environment if file.path == docker_build.IGNORE_FILE)
        needs = tuple(task.dockerfile.needs_buildkit) if task.dockerfile else ()
        ordered = tuple(sorted(files, key=lambda file: file.path))
        return self._docker.built(
            docker_build.Context(f"{task.ref.id}/environment", root, ordered, next(rules, None), needs)
        )

    def _values(self, table: Mapping[str, EnvValue], where: str) -> dict[str, str]:
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

    def _solve(self, box: DockerBox) -> None:
        """Run solution/solve.sh as Harbor's oracle does; how it ends does not matter."""
        task = self._task
        env = {"DEBIAN_FRONTEND": "noninteractive", **self._values(task.solution_env, "solution")}
        self._root(box, f"{FOLDERS} && mkdir -p /solution")
        box.put(packed(task.solution), "/solution")
        self._root(box, "chmod +x /solution/solve.sh")
        script, limit = "(/solution/solve.sh) > /logs/agent/oracle.txt 2>&1", task.agent_timeout_sec or SOLUTION_SECONDS
        ended = box.execute(["bash", "-c", script], timeout=limit, cwd=task.workdir, env=env, user=task.agent_user)
        if ended.timed_out:
            raise RunnerError(task.ref.id, f"solution/solve.sh ran out of its {limit:g} s")
        solution = (file.read() for file in task.solution)
        if self._later > 0 and is_safe(self._client, box, self._image, solution):
            with contextlib.suppress(EngineFailed):
                self._snapshot = box.commit(secrets.token_hex(12))

    def _verify(self, box: DockerBox, carried: Carried, env: Mapping[str, str]) -> SourceRun:
        """Upload the tests, run tests/test.sh by its path, and read the reward that it leaves."""
        task, state = self._task, carried.state
        limit = min(task.timeout_sec or VERIFIER_SECONDS, carried.seconds or math.inf)
        for command in task.pre_verify:
            box.execute(["bash", "-c", command], timeout=HOOK_SECONDS, cwd=task.workdir)
        self._root(box, f"{FRESH}; mkdir -p /tests")
        box.put(edited(packed(task.tests), state.edits), "/tests")
        self._root(box, "chmod +x /tests/test.sh")
        ended = box.execute(["bash", "-c", VERIFY], timeout=limit, cwd=task.workdir, env=env, user=task.verifier_user)
        log = printable(box.read(LOG) or b"") or ended.output
        if ended.timed_out:
            booking = Booking(problem=Problem.TIMEOUT, detail=f"the verifier ran out of its {limit:g} s")
        else:
            booking = read_reward(box.read(REWARD_JSON), box.read(REWARD_TEXT))
        said = f"tests/test.sh ended with {ended.exit_code}: {reason_in(log)}"
        return SourceRun(state.name, booking, ended.exit_code, said, log_tail(log))

    def _root(self, box: DockerBox, script: str) -> None:
        status, output = box.shell(script)
        if status != 0:
            raise EngineFailed("docker", f"{script.split(' ')[0]}: {output.strip()[:300]}")
