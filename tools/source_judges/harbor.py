"""Harbor's contract on the Docker engine, without Harbor: one container, shared verifier.

The facts are those of references/harbor-mapping.md, "What Harbor does with a task", for the newest version there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from skill.case import Case
from skill.source_evidence import Booking, Problem, SourceRun
from skill.sources.base import SourceTask
from skill.sources.harbor.reward import REWARD_JSON, REWARD_TEXT, read_reward
from tools.capture import log_tail, printable, reason_in
from tools.errors import RunnerError
from tools.runners.docker import DockerRunner
from tools.runners.docker_box import DockerBox
from tools.runners.docker_verify import edited
from tools.source_judges.base import Carried, packed
from tools.source_judges.container import PreparedTask

VERSION: Final = "1"  # changes whenever the same task might end otherwise
VERIFIER_SECONDS: Final = 600.0  # where the task states no limit
SOLUTION_SECONDS: Final = 1800.0  # Harbor has no limit where the task states none
HOOK_SECONDS: Final = 60.0
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


class HarborPrepared(PreparedTask):
    """One task of Harbor."""

    folders = FOLDERS
    context = "environment"

    def check(self) -> None:
        """Raise RunnerError for a variable of the verifier that only a host knows."""
        self.values(self._task.verifier_env, "verifier")

    def solve(self, box: DockerBox) -> None:
        """Run solution/solve.sh as Harbor's oracle does; how it ends does not matter."""
        task = self._task
        env = {"DEBIAN_FRONTEND": "noninteractive", **self.values(task.solution_env, "solution")}
        self.root(box, f"{FOLDERS} && mkdir -p /solution")
        box.put(packed(task.solution), "/solution")
        self.root(box, "chmod +x /solution/solve.sh")
        script, limit = "(/solution/solve.sh) > /logs/agent/oracle.txt 2>&1", task.agent_timeout_sec or SOLUTION_SECONDS
        ended = box.execute(["bash", "-c", script], timeout=limit, cwd=task.workdir, env=env, user=task.agent_user)
        if ended.timed_out:
            raise RunnerError(task.ref.id, f"solution/solve.sh ran out of its {limit:g} s")

    def verify(self, box: DockerBox, carried: Carried) -> SourceRun:
        """Upload the tests, run tests/test.sh by its path, and read the reward that it leaves."""
        task, state = self._task, carried.state
        env = self.values(task.verifier_env, "verifier")
        limit = min(task.timeout_sec or VERIFIER_SECONDS, carried.seconds or math.inf)
        for command in task.pre_verify:
            box.execute(["bash", "-c", command], timeout=HOOK_SECONDS, cwd=task.workdir)
        self.root(box, f"{FRESH}; mkdir -p /tests")
        box.put(edited(packed(task.tests), state.edits), "/tests")
        self.root(box, "chmod +x /tests/test.sh")
        ended = box.execute(["bash", "-c", VERIFY], timeout=limit, cwd=task.workdir, env=env, user=task.verifier_user)
        log = printable(box.read(LOG) or b"") or ended.output
        if ended.timed_out:
            booking = Booking(problem=Problem.TIMEOUT, detail=f"the verifier ran out of its {limit:g} s")
        else:
            booking = read_reward(box.read(REWARD_JSON), box.read(REWARD_TEXT))
        said = f"tests/test.sh ended with {ended.exit_code}: {reason_in(log)}"
        return SourceRun(state.name, booking, ended.exit_code, said, log_tail(log))
