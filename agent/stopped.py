"""Every stop of a run names the command that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent.choices import resume
from agent.errors import AgentError, Interrupted, of_errno
from tools.errors import WorkspaceError


@contextmanager
def going_on(output: Path) -> Iterator[None]:
    """What stops the block is raised as an AgentError that says how the run into ``output`` goes on."""
    try:
        yield
    except (AgentError, WorkspaceError, OSError, KeyboardInterrupt) as error:
        stop = _stopped(error)
        stop.resume = stop.resume or resume(output)
        raise stop from error


def _stopped(error: BaseException) -> AgentError:
    """``error`` in the words of this layer."""
    if isinstance(error, AgentError):
        return error
    if isinstance(error, WorkspaceError):
        return of_errno(error.errno, str(error))
    if isinstance(error, OSError):
        return of_errno(error.errno or 0, f"{error.filename or 'the run folder'}: {error.strerror or error}")
    return Interrupted("interrupted; what was recorded is kept")
