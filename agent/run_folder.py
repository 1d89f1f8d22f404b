"""The folder ``<out>.run/`` of one conversion: lock, journal, command, staging tree, reports.

It is all that a run needs to go on after it was killed, and it is made with mode 0700 until it is done.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.errors import JournalError, UsageError
from agent.journal import Journal
from tools.workspace import Workspace

LOCK, EVENTS, COMMAND = "lock", "events.jsonl", "command.json"
STAGING, PREVIOUS = "staging", "previous"
PATIENCE = 2.0  # seconds for the workers of a killed run to notice that they are alone
REPORT_JSON, REPORT_MD, LEDGER = "report.json", "report.md", "ledger.jsonl"


def run_path(output: Path) -> Path:
    """Where the run that makes ``output`` keeps its state; raises UsageError when that is no name."""
    if output.name in ("", ".."):
        raise UsageError(f"{output}: is no name for an output folder (give -o a new name)")
    return output.with_name(output.name + ".run")


def output_path(run: Path) -> Path:
    """The output of the run whose folder is ``run``; raises UsageError when it is no run folder."""
    if not (run / EVENTS).is_file() and (run_path(run) / EVENTS).is_file():
        run = run_path(run)
    if run.suffix != ".run" or not (run / EVENTS).is_file():
        raise UsageError(f"{run}: is no run folder (a run of convert -o OUT keeps its state in OUT.run)")
    return run.with_suffix("")


class RunFolder:
    """An open, locked run folder; leaving the ``with`` block saves and unlocks it."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.path = run_path(output)
        _make(self.path)
        self._lock = _locked(self.path / LOCK)
        self.journal = Journal(self.path / EVENTS)
        self.files = Workspace(self.path)
        self._restore()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()
        self.files.close()
        os.close(self._lock)

    @property
    def staging(self) -> Path:
        """The suite while it is made."""
        return self.path / STAGING

    def save_command(self, options: Mapping[str, Any]) -> None:
        """Remember what was asked for, so that ``resume`` needs no flags."""
        self.files.write(COMMAND, (json.dumps(options, indent=1, sort_keys=True) + "\n").encode())

    def publish(self) -> None:
        """Afterwards the staged suite is the output; what was there before is gone only then."""
        previous = self.path / PREVIOUS
        self.staging.chmod(0o755)
        if os.path.lexists(self.output):
            self.output.rename(previous)
        self.staging.rename(self.output)
        _sync_folder(self.output.parent)
        _sync_folder(self.path)
        remove(previous)

    def _restore(self) -> None:
        """Undo or finish a publication that was cut off between its two renames."""
        previous = self.path / PREVIOUS
        if os.path.lexists(previous):
            if os.path.lexists(self.output):
                remove(previous)
            else:
                previous.rename(self.output)


def saved_command(run: Path) -> dict[str, Any]:
    """The options that the run was started with; raises JournalError when they are unreadable."""
    try:
        table = json.loads((run / COMMAND).read_bytes())
    except (OSError, ValueError) as error:
        raise JournalError(f"{run / COMMAND}: cannot be read (start over with convert)") from error
    if not isinstance(table, dict):
        raise JournalError(f"{run / COMMAND}: is no command of ours (start over with convert)")
    return table


def remove(path: Path) -> None:
    """Afterwards nothing stands at ``path``; links are removed, not followed."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _make(path: Path) -> None:
    try:
        path.mkdir(mode=0o755)
    except FileExistsError:
        if path.is_symlink() or not path.is_dir():
            raise UsageError(f"{path}: is in the way of this run's state (choose another -o)") from None
        if any(path.iterdir()) and not (path / EVENTS).is_file():
            raise UsageError(f"{path}: is not ours and not empty (choose another -o)") from None


def _locked(path: Path) -> int:
    """The lock of the run folder, which worker processes inherit: it is free when the last of them is gone."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(fd)
                raise UsageError(
                    f"{path.parent}: another run is at work here (wait for it, or choose another -o)"
                ) from None
            time.sleep(0.05)


def _sync_folder(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
