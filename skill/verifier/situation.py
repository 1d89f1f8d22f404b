"""A verifier as it is about to be written, and what a hardening pattern may add to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from skill import bash
from skill.verifier.base import VerifierInput
from skill.verifier.runner import Call, pytest_call

CODE: Final = (".sh", ".py", ".js", ".mjs", ".cjs", ".ts")


@dataclass(frozen=True)
class Addition:
    """What a pattern adds to a verifier."""

    first: tuple[str, ...] = ()  # lines of main before all others
    early: tuple[str, ...] = ()  # lines before the bootstrap
    setup: tuple[str, ...] = ()  # lines before the runner is tried
    before: tuple[str, ...] = ()  # lines right before the candidate
    after: tuple[str, ...] = ()  # lines right after the candidate
    before_pass: tuple[str, ...] = ()  # lines that stand between the source's pass and ours
    inserts: tuple[tuple[int, str], ...] = ()  # texts in the test command of a direct verifier, by offset
    files: Mapping[str, bytes] = field(default_factory=dict)  # staged beside the tests
    evidence: str = ""  # a stricter pattern of what shows that a test ran


@dataclass(frozen=True, eq=False)
class Situation:
    """A verifier as it is about to be written."""

    given: VerifierInput
    script: bash.Script
    form: str
    call: Call  # of the runner that decides, as far as it is known

    @cached_property
    def text(self) -> str:
        """The source's script and all staged code."""
        code = [asset.data for asset in self.given.assets if asset.path.endswith(CODE)]
        return "\n".join(data.decode("utf-8", "replace") for data in (self.given.script, *code))

    @cached_property
    def told(self) -> str:
        """All in which a task can say what it is about: prompt, tests, Dockerfile, the solution's script."""
        return "\n".join((self.given.prompt, self.text, self.given.around))

    @cached_property
    def shells(self) -> tuple[bash.Script, ...]:
        """The source's script and the shell scripts beside it."""
        beside = [bash.parse(asset.data) for asset in self.given.assets if asset.path.endswith(".sh")]
        return (self.script, *beside)

    @cached_property
    def commands(self) -> tuple[tuple[str, list[str]], ...]:
        """Every simple command: its name and its words."""
        return tuple(command for script in self.shells for command in _commands(script))

    @cached_property
    def pytest_calls(self) -> tuple[list[str], ...]:
        """The words after pytest in each call of it."""
        return tuple(_arguments(script, call) for script in self.shells for call in pytest_calls(script))

    @property
    def words(self) -> list[str]:
        """The words of the command that decides; none where it is not known."""
        return bash.words(self.script, self.call.node) if self.call.node is not None else []

    @property
    def is_direct(self) -> bool:
        """Whether the verdict is the status of a command that is known."""
        return self.form == "direct"


Pattern = Callable[[Situation], Addition | None]
PATTERNS: Final[dict[str, Pattern]] = {}


def pattern(name: str) -> Callable[[Pattern], Pattern]:
    """Enter the decorated function into the table as ``name``."""

    def register(entry: Pattern) -> Pattern:
        PATTERNS[name] = entry
        return entry

    return register


@bash.once_a_script
def _commands(script: bash.Script) -> tuple[tuple[str, list[str]], ...]:
    return tuple((bash.name(script, node), bash.words(script, node)) for node in bash.commands(script.root))


@bash.once_a_script
def pytest_calls(script: bash.Script) -> tuple[Call, ...]:
    """Every call of pytest in one script."""
    calls = (pytest_call(script, node) for node in bash.commands(script.root))
    return tuple(call for call in calls if call is not None)


def _arguments(script: bash.Script, call: Call) -> list[str]:
    assert call.node is not None, "a call that was found in a script"
    words = bash.words(script, call.node)
    at = next(i for i, word in enumerate(words) if word.rsplit("/", 1)[-1] in ("pytest", "py.test"))
    return words[at + 1 :]
