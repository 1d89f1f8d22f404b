"""The command line: calls one verb and returns its exit status.

Results go to stdout, progress and problems to stderr. One place turns error classes into exit statuses.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO

from agent.errors import INFRA, INTERRUPTED, USAGE, AgentError, status_of_errno
from agent.parser import parser
from agent.text import plain

TRACEBACK = "SUITE_CONVERTER_TRACEBACK"


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit status; every failure is one line on stderr."""
    try:
        args = parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed what there is to say
        return int(stop.code or 0)
    try:
        return int(import_module(f"agent.commands.{args.verb}").run(args))
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except AgentError as error:
        _say(str(error))
        if error.resume:
            print(f"go on with: {error.resume}", file=sys.stderr)
        return error.status
    except OSError as error:
        _say(f"{error.filename or args.verb}: {error.strerror or error}")
        return status_of_errno(error.errno or 0)
    except Exception as error:
        return _told(error)


def _told(error: Exception) -> int:
    """The exit status for an error of a lower layer, or for a defect of ours, after its one line."""
    from skill.errors import SkillError
    from tools.errors import ToolsError, WorkspaceError

    if not isinstance(error, SkillError | ToolsError):
        if os.environ.get(TRACEBACK):
            raise error
        _say(f"internal error, {type(error).__name__}: {error} (a defect of ours; {TRACEBACK}=1 shows where)")
        return INFRA
    _say(str(error))
    if isinstance(error, WorkspaceError):
        return status_of_errno(error.errno)
    return USAGE if isinstance(error, SkillError) else INFRA


def _say(message: str) -> None:
    first, *rest = message.split("\n")
    for line in (f"suite-converter: {first}", *rest):
        print(plain(line), file=sys.stderr)


def _silence(stream: TextIO) -> None:
    """Keep the interpreter's last flush from complaining about a reader that went away."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
