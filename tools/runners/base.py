"""What a runner is: it prepares a case once and then runs its verifier in one state after the other.

Both runners keep Margin's run-time contract (references/margin-contract.md), so that a verdict does not
depend on which of them gave it; tests/contract/test_runner_behaviour.py holds them to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Protocol, Self

from skill.case import Case
from skill.contract import FAIL, INFRA, PASS, TIMEOUT_EXIT
from skill.evidence import NULL, ORACLE, StateResult, verdict_of
from skill.work import Work
from tools.archive import Packed

TEST_INFRA: Final = "TEST_INFRA"
INVALID_EXIT: Final = "INVALID_TEST_EXIT_CODE"
ORACLE_FAILED: Final = "ORACLE_APPLY_FAILED"
ORACLE_TIMEOUT: Final = "ORACLE_TIMEOUT"
EXECUTOR_ERROR: Final = "EXECUTOR_ERROR"


@dataclass(frozen=True)
class Edit:
    """One change of a file staged as tests/<path>; the case itself is never touched."""

    path: str
    data: bytes | None  # None: the file is not staged


class Box(Protocol):
    """A container between the candidate's last and the verifier's first instruction."""

    def shell(self, script: str, *args: str) -> tuple[int, str]:
        """Exit status and output of ``sh -c script`` run as root, within a short limit."""
        ...

    def put(self, files: Sequence[Packed], folder: str) -> None:
        """Afterwards ``files``, owned by 0:0, are below ``folder``, which is there, beside what it held."""
        ...

    def cut_network(self) -> None:
        """Afterwards the container has no network but its loopback."""
        ...


class Meddling(Protocol):
    """Something done to a container before the verifier starts; a frozen value, so that it can be a key."""

    def __call__(self, box: Box) -> str:
        """What was done, in a few words; empty when it does not apply to this container."""
        ...


@dataclass(frozen=True)
class State:
    """A situation in which a verifier is run, and the exit status that a sound one then has."""

    name: str
    expected: int
    solved: bool  # oracle/solve.sh has run before
    edits: tuple[Edit, ...] = ()
    meddling: Meddling | None = None
    reason_when_absent: str = ""  # why the state tells nothing when ``meddling`` does not apply
    excuse: str = ""  # why the state tells nothing when the verifier passes all the same
    turn: int = 0  # the same state run again, to see whether it ends the same way
    is_apart: bool = field(default=False, repr=False)  # what it meddles with is no place of the staged files
    right: tuple[int, ...] = field(default=(), repr=False)  # statuses that are as good as ``expected``
    closer: tuple[State, ...] = field(default=(), repr=False)  # what is looked at once this one is not right

    @property
    def is_plain(self) -> bool:
        """Whether nothing but Margin's own sequence takes place."""
        return not self.edits and self.meddling is None


KNOWN_GOOD: Final = State(ORACLE, PASS, solved=True)
UNTOUCHED: Final = State(NULL, FAIL, solved=False)


@dataclass(frozen=True)
class StateRun:
    """How one run of a verifier ended, in Margin's words."""

    exit_code: int | None  # of tests/test.sh; None: it was not started or its end was not seen
    error: str = ""  # Margin's error code, empty for passed and failed
    detail: str = ""
    log_tail: str = ""
    seconds: float = 0.0  # of tests/test.sh where it was run and the runner can tell, else of all
    applies: bool = True  # False: the state could not be brought about, nothing was run
    place: str = ""  # "tests/test.sh:12: exit 0", the last line that ran; only where that was followed
    broken: bool = False  # the engine broke off: says nothing about case or candidate, and may go well once more

    def result(self, state: State) -> StateResult:
        """The run as evidence about ``state``."""
        verdict = verdict_of(self.exit_code)
        return StateResult(
            state.name, state.expected, self.exit_code, verdict, self.seconds, self.detail, self.log_tail, self.place
        )


def error_of(exit_code: int) -> str:
    """Margin's error code for an exit status of tests/test.sh (the table of the contract's section 2.7)."""
    if exit_code in (PASS, FAIL):
        return ""
    return TEST_INFRA if exit_code == INFRA else INVALID_EXIT


def oracle_error(exit_code: int) -> str:
    """Margin's error code for an exit status of oracle/solve.sh other than 0."""
    return ORACLE_TIMEOUT if exit_code == TIMEOUT_EXIT else ORACLE_FAILED


@dataclass(frozen=True)
class Setup:
    """What a verification run adds to the contract: its name, its limits, and what this machine needs."""

    run_id: str
    env: tuple[tuple[str, str], ...] = ()  # seen by both scripts, as with Margin's --agent-env
    build_args: tuple[tuple[str, str], ...] = ()
    network: str = ""  # of containers and builds; empty: the engine's default
    build_seconds: float = 1800.0
    concurrency: int = 1  # how many cases one call of a batching runner runs side by side
    keep_images: int = 4  # built images kept for later cases of the same run

    @property
    def traits(self) -> str:
        """What of the setup may change how a case ends."""
        return repr((self.env, self.build_args, self.network))


class Prepared(Protocol):
    """A case in the hands of a runner; safe to use from several threads once a plain state was run."""

    def expect(self, states: Sequence[State]) -> None:
        """Allow work for ``states``, which will be asked for next and in this order; changes no result."""
        ...

    def run(self, state: State) -> StateRun:
        """The verifier's end in ``state``; a runner's own failure is a StateRun too, never an exception."""
        ...

    def trace(self, state: State) -> StateRun:
        """As ``run``, from the image itself and nothing kept, followed line by line where bash allows it."""
        ...

    def work(self) -> Work | str:
        """What the reference solution changes in the container, or why that is not known."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Afterwards nothing of the case is left in the engine but an image that later cases may share."""
        ...


class Runner(Protocol):
    """Runs verifiers; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The word that reports use."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same case might end otherwise; part of every proof's key."""
        ...

    def prepare(self, case: Case, states: Sequence[State], more: bool = False) -> Prepared:
        """The case, for ``states`` that will be asked for in this order; nothing is started yet.

        ``more``: the solution's work and states made from it will be asked for as well.
        """
        ...

    def announce(self, cases: Sequence[Case], states: Sequence[State]) -> None:
        """Allow work for many cases in one go; changes no result."""
        ...

    def close(self) -> None:
        """Afterwards nothing that this runner made is left in the engine; runs under way end early."""
        ...


def timeout_of(case: Case) -> int:
    """The seconds that each of the case's scripts has."""
    return case.config.integer("test_timeout_seconds") if case.config else 0
