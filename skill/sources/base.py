"""What every source framework is translated into before anything is decided: the source task.

A source *describes*. It copies nothing, rewrites nothing and decides nothing that a person could decide
differently; what it cannot express is a refusal (the case is not converted), a question (a person must
choose) or a finding (said in the report).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from skill.dockerfile import Dockerfile
from skill.finding import Finding
from skill.toml import TomlValue


@dataclass(frozen=True)
class SourceFile:
    """One regular file of a task; links inside the task are resolved, those that leave it are refusals."""

    path: str  # posix, relative to its part (tests/, solution/, environment/)
    host: Path  # where the bytes are
    size: int
    mode: int  # the nine permission bits
    link: str = ""  # target text when the source has a symbolic link here
    data: bytes | None = None  # what a recipe made of a record; None: the bytes are those at ``host``
    origin: str = ""  # where the task has it, when that is not its path below its part
    by: str = "recipe"  # the rule that made ``data``

    def read(self) -> bytes:
        """The bytes; raises OSError when the file cannot be read."""
        return self.host.read_bytes() if self.data is None else self.data


@dataclass(frozen=True)
class Launch:
    """How a framework starts the two scripts of a task, and where it looks for the verdict."""

    with_bash: bool = False  # both are handed to bash, whatever their first lines say
    solution: str = "/solution/solve.sh"  # where the solution's script lies when it runs
    parser: str = ""  # what reads the verdict in the verifier's output; empty: a reward file holds it


@dataclass(frozen=True)
class Refusal:
    """Why a task is not converted: a code, a sentence, and whether ``--allow CODE`` has a degraded form."""

    code: str  # kebab-case, e.g. "multi-step"
    sentence: str
    allowable: bool = False


@dataclass(frozen=True)
class Question:
    """A choice that belongs to a person, asked once per dataset."""

    key: str  # the name in the answers file, e.g. "image"
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class EnvValue:
    """One variable of a source's environment table (Harbor: utils.env).

    A template is a whole value ``${NAME}`` or ``${NAME:-default}``; all else is a literal.
    """

    literal: str | None = None
    variable: str | None = None  # the host variable that a template names
    default: str | None = None


@dataclass(frozen=True)
class TaskRef:
    """A task that the inventory found: where it is and what it is called in reports."""

    id: str  # posix path of the task below the dataset root ("." for a single task)
    root: Path
    name: str  # the case name wished for, before it is made file-safe
    salt: str  # short id, digest or path: what a collision suffix is derived from
    number: int = 0  # of a record in the file ``root``, from 1; 0: the task is the folder ``root``
    at: int = 0  # the byte, or index, at which that record stands
    key: str = ""  # digest of what the task is made from besides the folder; of a record: all, or empty


@dataclass(frozen=True)
class Skip:
    """Something the scan saw and did not take for a task, with the reason."""

    path: str
    reason: str


@dataclass(frozen=True)
class Inventory:
    """All tasks of a dataset, in a stable order, and what was left aside."""

    framework: str  # "harbor", "terminal-bench"
    root: Path
    name: str  # dataset name, wished for as suite name
    description: str
    tasks: tuple[TaskRef, ...]
    skipped: tuple[Skip, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class SourceTask:
    """One task, read whole; nothing here has been decided yet except by the source itself."""

    ref: TaskRef
    framework: str
    prompt: SourceFile | None
    description: str  # one line, at most 100 characters, no control characters
    metadata: Mapping[str, TomlValue]  # what goes to [metadata], typed, nested values included
    image: str | None
    dockerfile: Dockerfile | None  # facts of environment/Dockerfile, or of the one generated for an image with files
    environment: tuple[SourceFile, ...]
    empty_dirs: tuple[str, ...]  # below environment/, which Margin's packing would drop
    tests: tuple[SourceFile, ...]
    solution: tuple[SourceFile, ...]
    workdir: str | None  # stated by the task ([environment].workdir or compose working_dir)
    timeout_sec: float | None  # of the verifier
    generated_dockerfile: bytes | None = None  # for an image with loose files, or an image named by a tag
    verifier_env: Mapping[str, EnvValue] = field(default_factory=dict)
    solution_env: Mapping[str, EnvValue] = field(default_factory=dict)
    environment_env: Mapping[str, EnvValue] = field(default_factory=dict)
    pre_verify: tuple[str, ...] = ()  # shell commands to run first, best effort (Harbor: verifier.collect)
    agent_user: str = ""  # who the source lets the agent, and its solution, run as; empty: the image's user
    verifier_user: str = ""  # who the source lets its verifier run as; empty: the image's user
    agent_timeout_sec: float | None = None  # of the agent, and of the solution in its place
    launch: Launch = Launch()
    refusals: tuple[Refusal, ...] = ()
    questions: tuple[Question, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Origin:
    """Where the container of a task comes from, told without reading the rest of the task."""

    image: str | None = None
    dockerfile: Dockerfile | None = None  # the task's own, or the one generated for an image
    has_own_dockerfile: bool = False
    workdir: str | None = None


class Source(Protocol):
    """A framework that datasets come from."""

    @property
    def name(self) -> str:
        """The framework's name in reports, e.g. "harbor"."""

    def detect(self, root: Path) -> str | None:
        """The evidence that ``root`` holds a dataset of this framework, or None."""

    def inventory(self, root: Path) -> Inventory:
        """Find every task below ``root``; raises SourceError when the folder cannot be read."""

    def origin(self, ref: TaskRef) -> Origin:
        """The part of `load` that images are looked up by; raises as it does."""

    def load(self, ref: TaskRef) -> SourceTask:
        """Read one task; defects become refusals, SourceError only when nothing can be said at all."""


def in_order(refs: Iterator[TaskRef]) -> tuple[TaskRef, ...]:
    """``refs`` sorted by id, the order in which reports and suites list them."""
    return tuple(sorted(refs, key=lambda ref: ref.id))
