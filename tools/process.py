"""Programs of this machine, started so that they end: own session, deadline, bounded output, no children."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from tools.capture import Capture
from tools.errors import CommandMissing

ALLOWED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ")
GRACE_SECONDS: Final = 2.0
DRAIN_SECONDS: Final = 2.0
STOP_POLL_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Finished:
    """How a program ended."""

    exit_code: int  # negative: the signal that ended it
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False  # or stopped


def environment(*names: str, **extra: str) -> dict[str, str]:
    """The variables a program may see: the usual few, those in ``names`` that are set, and ``extra``."""
    allowed = {name: os.environ[name] for name in (*ALLOWED, *names) if name in os.environ}
    return allowed | extra


def run(
    argv: Sequence[str],
    *,
    timeout: float,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    grace: float = GRACE_SECONDS,
    stop: threading.Event | None = None,
) -> Finished:
    """Run ``argv`` without input; afterwards neither it nor a child in its process group is alive.

    At the deadline, once ``stop`` is set, or when the caller is interrupted, the group gets SIGTERM and after
    ``grace`` seconds SIGKILL. Raises CommandMissing when the program cannot be started.
    """
    started = time.monotonic()
    process = _start(argv, environment() if env is None else env, cwd)
    captures, readers = _read(process)
    try:
        timed_out = not _wait(process, started + timeout, stop)
    finally:
        _end(process, grace)
    for reader in readers:
        reader.join(DRAIN_SECONDS)
    out, err = (capture.text() for capture in captures)
    return Finished(process.returncode, out, err, time.monotonic() - started, timed_out)


def _start(argv: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> subprocess.Popen[bytes]:
    """The running program, leader of a session of its own."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        raise CommandMissing(argv[0], f"cannot be started: {error.strerror}") from error


def _wait(process: subprocess.Popen[bytes], deadline: float, stop: threading.Event | None) -> bool:
    """Whether the program ended by itself before ``deadline`` or ``stop``."""
    while (left := deadline - time.monotonic()) > 0 and not (stop and stop.is_set()):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(left, STOP_POLL_SECONDS) if stop else left)
            return True
    return False


def _read(process: subprocess.Popen[bytes]) -> tuple[list[Capture], list[threading.Thread]]:
    """Captures of both streams and the daemon threads that fill them, so that a kept pipe holds nobody up."""
    captures, readers = [], []
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        capture = Capture()
        reader = threading.Thread(target=_drain, args=(stream, capture), daemon=True)
        reader.start()
        captures.append(capture)
        readers.append(reader)
    return captures, readers


def _drain(stream: IO[bytes], capture: Capture) -> None:
    """Feed ``capture`` until the stream ends."""
    with stream:
        while chunk := os.read(stream.fileno(), 65_536):
            capture.feed(chunk)


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """Afterwards the program's whole group is gone."""
    if process.poll() is None:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def _signal(group: int, number: signal.Signals) -> None:
    """Signal a process group that may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
