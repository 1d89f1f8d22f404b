"""Terminal-Bench's contract on the Docker engine, without its harness: one container, two scripts, a parser.

The facts are those of references/terminal-bench-mapping.md. One difference is deliberate: there is no terminal. The
harness types into a tmux pane of 160 columns and reads the pane; here the output goes to a file, so that programs see
no terminal, colour nothing and wrap nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Final

from skill.case import Case
from skill.source_evidence import Booking, Problem, SourceRun
from skill.sources.base import SourceTask
from skill.sources.terminal_bench.parsers import book
from tools.capture import log_tail, printable, reason_in
from tools.errors import RunnerError
from tools.runners.docker import DockerRunner
from tools.runners.docker_box import DockerBox
from tools.runners.docker_verify import edited
from tools.source_judges.base import Carried, packed
from tools.source_judges.container import PreparedTask

VERSION: Final = "1"  # changes whenever the same task might end otherwise
TEST_SECONDS: Final = 60.0  # where the task states no limit
AGENT_SECONDS: Final = 360.0
OUTPUT: Final = "/logs/post-test.txt"
READ_BYTES: Final = 64 << 20
VERIFY: Final = f"bash /tests/run-tests.sh > {OUTPUT} 2>&1"


class TerminalBenchJudge:
    """Runs Terminal-Bench tasks' own tests in containers of a runner's engine."""

    name = "terminal-bench"

    def __init__(self, docker: DockerRunner) -> None:
        self.docker = docker
        self.version = f"terminal-bench/{VERSION} {docker.setup.traits}"

    def prepare(self, task: SourceTask, case: Case, states: Sequence[Carried]) -> TerminalBenchPrepared:
        """The task; its image is built, or found as the case's own, by the first run."""
        return TerminalBenchPrepared(self.docker, task, case, states)


class TerminalBenchPrepared(PreparedTask):
    """One task of Terminal-Bench."""

    folders = "mkdir -p /logs /agent-logs"
    context = ""

    def check(self) -> None:
        """Its scripts get no variables of their own."""

    def solve(self, box: DockerBox) -> None:
        """Run solution.sh as the oracle does: as the image's user, whatever its first line says."""
        task, limit = self._task, self._task.agent_timeout_sec or AGENT_SECONDS
        script = [dataclasses.replace(file, path="solution.sh") for file in packed(task.solution)]
        self.root(box, f"{self.folders} /oracle")
        box.put(script, "/oracle")
        ended = box.execute(["bash", task.launch.solution], timeout=limit, cwd=task.workdir)
        if ended.timed_out:
            raise RunnerError(task.ref.id, f"solution.sh ran out of its {limit:g} s")

    def verify(self, box: DockerBox, carried: Carried) -> SourceRun:
        """Upload run-tests.sh and the tests into one folder, run it as root, and parse what it prints."""
        task, state = self._task, carried.state
        limit = min(task.timeout_sec or TEST_SECONDS, carried.seconds or math.inf)
        self.root(box, "mkdir -p /tests")
        staged = edited(packed(task.tests), state.edits)
        named = [dataclasses.replace(f, path="run-tests.sh") if f.path == "test.sh" else f for f in staged]
        box.put(named, "/tests")
        ended = box.execute(["bash", "-c", VERIFY], timeout=limit, cwd=task.workdir, user="0:0")
        output = printable(box.read(OUTPUT, READ_BYTES) or b"")
        if ended.timed_out:
            booking = Booking(problem=Problem.TIMEOUT, detail=f"the tests ran out of their {limit:g} s")
        else:
            booking = book(task.launch.parser, output)
        said = f"run-tests.sh ended with {ended.exit_code}: {booking.detail or reason_in(output)}"
        return SourceRun(state.name, booking, ended.exit_code, said, log_tail(output))
