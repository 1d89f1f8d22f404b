"""Errors of the tools layer.

ToolsError                 the base: one line with what failed, why, and the remedy
├── WorkspaceError         a path may not or cannot be written
├── CommandMissing         a program that was to be started is not there
├── AnswerMissing          the model asked a question that only a person can answer
└── RunnerError            a runner could not do its work (never the case's or the candidate's doing)
    ├── EngineUnavailable  no Docker engine answers
    ├── MarginMissing      the margin CLI is not on PATH
    ├── EngineFailed       the Docker engine refused or broke off a request
    ├── ImageUnfit         an image does not let its case be run as Margin would
    ├── CaseUnreadable     a case's own files do not let it be run at all
    ├── NoRoom             the engine's disk is too full for what is to be made
    ├── PushFailed         an image did not get into its registry
    ├── ImageMissing       the image a case names is not here and cannot be pulled
    └── BuildFailed        a case's env/ does not build; ``log_tail`` has the end of the build's output

ToolError stands beside the tree: the only exception whose text is told to the model instead of the operator.
"""

from __future__ import annotations

from pathlib import Path


class ToolsError(Exception):
    """Something that stopped a tool; ``str()`` is the one line that says so."""

    def __init__(self, path: Path | str, reason: str, remedy: str = "") -> None:
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{self.path}: {reason}" + (f" ({remedy})" if remedy else ""))


class WorkspaceError(ToolsError):
    """A path may not or cannot be written; ``errno`` is the operating system's, 0 when it was not asked."""

    def __init__(self, path: Path | str, reason: str, remedy: str = "", *, errno: int = 0) -> None:
        self.errno = errno
        super().__init__(path, reason, remedy)


class CommandMissing(ToolsError):
    """A program that was to be started is not there or may not be executed."""


class AnswerMissing(ToolsError):
    """A question is open; ``choices`` may be empty."""

    def __init__(self, key: str, question: str, choices: tuple[str, ...]) -> None:
        self.key, self.question, self.choices = key, question, choices
        super().__init__(key, question, f"answer with --answer {key}=CHOICE")


class ToolError(Exception):
    """A call that could not be done as it was made: a code and a sentence that the model can act on."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code, self.sentence = code, sentence
        super().__init__(f"{code}: {sentence}")


class RunnerError(ToolsError):
    """A runner could not do its work; says nothing about case or candidate."""


class EngineUnavailable(RunnerError):
    """No Docker engine answers."""


class MarginMissing(RunnerError):
    """The margin CLI is not on PATH."""


class EngineFailed(RunnerError):
    """The Docker engine refused or broke off a request."""


class ImageUnfit(RunnerError):
    """An image does not let its case be run as Margin would; asking again changes nothing."""


class CaseUnreadable(RunnerError):
    """A case's own files do not let it be run at all."""


class ImageMissing(RunnerError):
    """The image that a case names is not here and cannot be pulled."""


class NoRoom(RunnerError):
    """The engine's disk is too full for what is to be made."""


class PushFailed(RunnerError):
    """An image did not get into its registry."""


class BuildFailed(RunnerError):
    """A case's env/ does not build."""

    def __init__(self, path: Path | str, reason: str, remedy: str = "", *, log_tail: str = "") -> None:
        self.log_tail = log_tail
        super().__init__(path, reason, remedy)
