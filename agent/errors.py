"""Errors of the agent layer, and what each kind of failure means for the exit status.

AgentError              the base; ``status`` is the exit status of the command line
├── UsageError          2    the command cannot be done as it was given
├── NeedsInput          3    a choice that belongs to a person is open
├── BudgetSpent         4    a limit was reached, or no progress was made
│   └── SpendLimit      4    the model's endpoint says that its own spending limit is reached
├── Infrastructure      5    the machine, Docker, margin or the model let us down
│   ├── JournalError    5    the record of a run cannot be trusted
│   └── ModelError      5    the model gave no reply; ``usage`` is what was thrown away with it
│       ├── ModelBusy         overloaded, rate limit, server error: worth waiting for
│       ├── ModelUnreachable  no connection, a cut or garbled stream: worth trying again
│       ├── ModelDenied       key, permission or payment refused
│       └── ModelRejected     the request as it is will never be answered
└── Interrupted         130  Ctrl-C; what was done is saved
"""

from __future__ import annotations

import errno
from typing import ClassVar

from agent.usage import NOTHING, Usage

CLEAN, FINDINGS, USAGE, INPUT, BUDGET, INFRA, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

_ENVIRONMENT = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})


class AgentError(Exception):
    """One line for the user; ``resume`` is the command that goes on, where there is one."""

    status: ClassVar[int] = INFRA

    def __init__(self, message: str, *, resume: str = "") -> None:
        self.resume = resume
        super().__init__(message)


class UsageError(AgentError):
    """The command cannot be done as it was given."""

    status = USAGE


class NeedsInput(AgentError):
    """A choice that belongs to a person is open."""

    status = INPUT


class BudgetSpent(AgentError):
    """A limit was reached, or no progress was made."""

    status = BUDGET


class Infrastructure(AgentError):
    """The machine, Docker, margin or the model let us down."""

    status = INFRA


class JournalError(Infrastructure):
    """The record of a run cannot be trusted."""


class SpendLimit(BudgetSpent):
    """The endpoint's own spending limit is reached; trying again is useless until somebody raises it."""


class ModelError(Infrastructure):
    """The model gave no reply."""

    is_worth_retrying: ClassVar[bool] = False

    def __init__(
        self, message: str, *, usage: Usage = NOTHING, retry_after: float = 0.0, request_id: str = "", resume: str = ""
    ) -> None:
        self.usage = usage
        self.retry_after = retry_after  # seconds the endpoint asks us to wait; 0 when it does not say
        self.request_id = request_id
        super().__init__(message, resume=resume)


class ModelBusy(ModelError):
    """Overloaded, rate limit or a server's error."""

    is_worth_retrying = True


class ModelUnreachable(ModelError):
    """No connection, or a stream that was cut or garbled."""

    is_worth_retrying = True


class ModelDenied(ModelError):
    """Key, permission or payment was refused."""


class ModelRejected(ModelError):
    """The request as it is will never be answered."""


class Interrupted(AgentError):
    """Ctrl-C; what was done is saved."""

    status = INTERRUPTED


def status_of_errno(number: int) -> int:
    """5 when the machine is short of something, 2 when the place given cannot be used."""
    return INFRA if number in _ENVIRONMENT else USAGE


def of_errno(number: int, message: str) -> AgentError:
    """The error of the right kind for an operating system's refusal."""
    return Infrastructure(message) if status_of_errno(number) == INFRA else UsageError(message)
