"""What a source's judge is: it runs the source's own verifier, under its own framework's contract, in any State.

The states are those of the converted case, so that both verdicts stand side by side. What a state does to the
staged tests is said in the converted case's terms; a judge carries it over where the source has the same file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Final, Protocol, Self

from skill.case import Case
from skill.contract import TEST_SCRIPT
from skill.source_evidence import SourceRun
from skill.sources.base import SourceFile, SourceTask
from tools.archive import Packed, digest
from tools.mutants import clock_of
from tools.runners.base import State

SCHEME: Final = "source/1"  # changes when old answers must not count any more


class SourcePrepared(Protocol):
    """A source task in the hands of its judge, for one thread at a time."""

    def run(self, carried: Carried) -> SourceRun:
        """What the source's verifier leaves in a state; a judge's own failure is a run without a booking."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Afterwards nothing of the task is left in the engine but an image that later cases may share."""
        ...


class SourceJudge(Protocol):
    """Runs the verifiers of one source framework; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The framework."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same task might end otherwise; part of every answer's key."""
        ...

    def prepare(self, task: SourceTask, case: Case, states: Sequence[Carried]) -> SourcePrepared:
        """The task that ``case`` was made from, for ``states`` that will be asked for in this order.

        Where the case was built from the task's Dockerfile rather than its image, so is the source.
        """
        ...


def packed(files: Iterable[SourceFile]) -> list[Packed]:
    """``files`` on their way into a container, with what a checkout keeps of their modes."""
    return [
        Packed(file.path, 0o755 if file.mode & 0o111 else 0o644, file.host if file.data is None else file.data)
        for file in files
    ]


@dataclass(frozen=True)
class Carried:
    """A state in the source's terms."""

    state: State
    seconds: float | None = None  # the verifier's clock, where the state shortens it


def carried_over(task: SourceTask, case: Case, state: State) -> Carried | str:
    """``state`` of ``case`` in the source's terms, or why the source cannot be brought into it."""
    held, edits, seconds = {file.path for file in task.tests}, [], None
    if state.solved and not any(file.path == "solve.sh" for file in task.solution):
        return "the source has no solution/solve.sh"
    for edit in state.edits:
        clock = clock_of(case) if f"tests/{edit.path}" == TEST_SCRIPT else None
        if clock and (shortened := clock.seconds_of(edit)):
            seconds = float(shortened)
        elif edit.path not in held or f"tests/{edit.path}" == TEST_SCRIPT:
            return f"tests/{edit.path} is no file of the source"
        else:
            edits.append(edit)
    return Carried(replace(state, edits=tuple(edits)), seconds)


def task_digest(task: SourceTask) -> str:
    """The hex sha256 of all of a task that its verifier's run depends on; OSError for a file that is gone."""
    whole = hashlib.sha256()
    for part in (task.tests, task.solution, task.environment):
        whole.update(f"{digest(packed(part))}\0".encode())
    told = (task.image, task.generated_dockerfile, task.workdir, task.timeout_sec, task.agent_timeout_sec)
    users = (task.agent_user, task.verifier_user, task.pre_verify, task.launch)
    tables = [sorted(table.items()) for table in (task.verifier_env, task.solution_env, task.environment_env)]
    whole.update(repr((told, users, tables)).encode())
    return whole.hexdigest()


def source_key(task: str, carried: Carried, judge_version: str, built: bool) -> str:
    """The name of the answer that ``judge_version`` gives for the task with digest ``task`` in a state."""
    parts = (SCHEME, task, repr(carried), judge_version, str(built))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
