"""Wrong and forged candidates as states: the right one's work broken in one place, or a pass that is only played."""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from skill.case import Case
from skill.contract import FAIL, TEST_SCRIPT
from skill.evidence import FORGERY, MUTANT, Unproved
from skill.mutation import ONCE, Mutant, chosen
from skill.plants import PLANTS
from skill.runnable import EXIT, instead
from skill.work import Form, Work
from tools.archive import Packed
from tools.runners.base import Box, Edit, State, timeout_of

LIMIT: Final = 12  # mutants of a case
FORGED: Final = 2  # programs of a case that end with status 0
LEAST_SECONDS: Final = 8  # of a shortened clock
ABSENT: Final = "the container has no tool to make it so"
LONGEST_HANG: Final = 120  # seconds for which a verifier without a clock of its own is waited for

_OWNED: Final = ' && chown "$3" "$1" && chmod "$4" "$1"'
_MADE: Final = {
    Form.LINK: ' && ln -s "$2" "$1"',
    Form.FIFO: ' && mkfifo "$1"' + _OWNED,
    Form.FOLDER: ' && mkdir "$1"' + _OWNED,
    Form.DEVICE: ' && mknod "$1" c 1 3' + _OWNED,
}
_BEGIN: Final = re.compile(rb"^(\s*begin )(\d+) (\d+) ", re.MULTILINE)  # the clock of a generated verifier


@dataclass(frozen=True)
class Leave:
    """Leave one wrong file, or none, where the right candidate has a file; its content is known by its digest."""

    path: str
    form: Form
    mode: int
    owner: tuple[int, int]
    said: str
    digest: str
    data: bytes = field(repr=False, compare=False, default=b"")

    def __call__(self, box: Box) -> str:
        """What the file is now; empty where the container has not the means to make it so."""
        if self.form is Form.FILE:
            folder, name = posixpath.split(self.path)
            box.put([Packed(name, self.mode, self.data)], folder)
            if self.owner != (0, 0):
                box.shell('chown -h "$1" "$2"', self._whose, self.path)
        else:
            target = self.data.decode("utf-8", "replace")
            status, _ = box.shell(
                f'rm -rf -- "$1"{_MADE.get(self.form, "")}', self.path, target, self._whose, f"{self.mode:o}"
            )
            if status != 0:
                return ""
        return f"{self.path}: {self.said}"

    @property
    def _whose(self) -> str:
        return f"{self.owner[0]}:{self.owner[1]}"


@dataclass(frozen=True)
class Lay:
    """Lay files into a container, their folders made."""

    files: tuple[tuple[str, bytes], ...]
    said: str

    def __call__(self, box: Box) -> str:
        """What they pretend."""
        for path, data in self.files:
            folder, name = posixpath.split(path)
            box.shell('mkdir -p -- "$1"', folder)
            box.put([Packed(name, 0o755 if path.endswith(".sh") else 0o644, data)], folder)
        return self.said


def plants(case: Case) -> Iterator[State]:
    """What looks like a pass, laid into the untouched workspace."""
    for plant in PLANTS:
        yield State(
            f"{FORGERY}{plant.kind}", FAIL, solved=False, meddling=Lay(plant.at(case.agent_cwd), plant.description)
        )


def mutants(case: Case, work: Work, seconds: float, limit: int = LIMIT) -> Iterator[State | Unproved]:
    """The right candidate's work broken in one place each, and played by programs that end at once with 0.

    ``seconds`` is how long the verifier takes with the right candidate; it only shortens the clock of what may hang.
    """
    for path in work.harness:
        yield Unproved(f"{MUTANT}any {path}", "a place of the harness, no work of the candidate")
    if not work.files:
        yield Unproved(MUTANT + "any", "the reference solution changes no file that could be broken")
        return
    for mutant in chosen(work.files, limit):
        yield _hanging(case, mutant, seconds) if mutant.kind in ONCE else _state(MUTANT, mutant)
    yield from _programs(work)


def _state(prefix: str, mutant: Mutant) -> State:
    """The solved container with one wrong file."""
    leave = Leave(mutant.path, mutant.form, mutant.mode, mutant.owner, mutant.description, mutant.digest, mutant.data)
    return State(
        f"{prefix}{mutant.kind} {mutant.path}",
        FAIL,
        solved=True,
        meddling=leave,
        reason_when_absent=ABSENT,
        is_apart=True,
    )


def _hanging(case: Case, mutant: Mutant, seconds: float) -> State | Unproved:
    """A candidate that hangs, under a clock that is shortened where the verifier has one of its own."""
    state = _state(MUTANT, mutant)
    clock = clock_of(case)
    if clock is not None:
        wanted = clock.reserve + 2 ** math.ceil(math.log2(max(LEAST_SECONDS, 3 * seconds)))
        return replace(state, edits=(clock.set_to(wanted),)) if wanted < clock.limit else state
    if timeout_of(case) > LONGEST_HANG:
        return Unproved(state.name, f"the verifier would use up its {timeout_of(case)} s, and has no clock to shorten")
    return state


def _programs(work: Work) -> Iterator[State]:
    """The weightiest programs of the candidate, each one that ends at once with status 0."""
    made = 0
    for file in work.files:
        data = instead(file.path, file.data, file.mode, EXIT) if file.form is Form.FILE else None
        if data is not None and made < FORGED:
            made += 1
            yield _state(
                FORGERY,
                Mutant("exit", file.path, "ends at once with status 0", Form.FILE, data, file.mode, file.owner),
            )


@dataclass(frozen=True)
class Clock:
    """The time budget that a generated verifier keeps, as its test.sh states it."""

    script: bytes
    limit: int
    reserve: int

    def set_to(self, seconds: int) -> Edit:
        """The script with another budget."""
        return Edit("test.sh", _BEGIN.sub(rb"\g<1>%d \g<3> " % seconds, self.script, count=1))

    def seconds_of(self, edit: Edit) -> int | None:
        """The budget that ``edit`` gives the script; None when it does something else."""
        found = _BEGIN.search(edit.data or b"")
        return int(found[2]) if found and edit == self.set_to(int(found[2])) else None


def clock_of(case: Case) -> Clock | None:
    """The clock of the case's verifier; None where it has none that is known."""
    script = case.read(TEST_SCRIPT) or b""
    found = _BEGIN.search(script)
    return Clock(script, int(found[2]), int(found[3])) if found else None
