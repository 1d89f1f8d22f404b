"""The journal of a run: one JSON object a line, appended, and safe against being cut off anywhere.

A crash can only leave an unfinished last line; opening the journal cuts that off. A bad line elsewhere means
that somebody else wrote here, and nothing is resumed from it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent.errors import JournalError

Record = dict[str, Any]
BLOCK = 1 << 14
SYNC_SECONDS = 1.0  # at most this much work is lost when the machine stops


class Journal:
    """An open journal; every record is in the file when ``append`` returns, and on disk after ``sync``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        self.torn = 0  # bytes of an unfinished last line that were cut off when it was opened
        self._end = self._mend()
        self._synced = time.monotonic()

    def append(self, record: Mapping[str, Any]) -> int:
        """Write one record and return its offset; raises OSError when it cannot be written whole."""
        data = (json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n").encode()
        offset = self._end
        if os.write(self._fd, data) != len(data):
            os.ftruncate(self._fd, offset)
            raise OSError(28, os.strerror(28), str(self.path))
        self._end += len(data)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()
        return offset

    def sync(self) -> None:
        """Make everything written so far survive a power cut."""
        os.fsync(self._fd)
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync and close."""
        self.sync()
        os.close(self._fd)

    def restart(self) -> None:
        """Empty the journal: the run that it tells of is over."""
        os.ftruncate(self._fd, 0)
        self._end = 0

    def record(self, offset: int) -> Record:
        """The record at ``offset``."""
        line, at = b"", offset
        while (end := line.find(b"\n")) < 0 and (block := os.pread(self._fd, BLOCK, at)):
            line, at = line + block, at + len(block)
        return _parsed(line[: end + 1], self.path, offset)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Every record with its offset, in order, one at a time."""
        offset = 0
        with self.path.open("rb") as stream:
            for line in stream:
                yield offset, _parsed(line, self.path, offset)
                offset += len(line)

    def _mend(self) -> int:
        """Cut an unfinished last line off; returns the size that is left."""
        size = os.fstat(self._fd).st_size
        end = size
        while end and os.pread(self._fd, 1, end - 1) != b"\n":
            step = min(end, BLOCK)
            block = os.pread(self._fd, step, end - step)
            newline = block.rfind(b"\n")
            end = end - step + newline + 1 if newline >= 0 else end - step
        if end != size:
            os.ftruncate(self._fd, end)
            self.torn = size - end
        return end


def _parsed(line: bytes, path: Path, offset: int) -> Record:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise JournalError(
            f"{path}: byte {offset} is no record of ours (remove the run folder to start over)"
        ) from error
    if not isinstance(record, dict):
        raise JournalError(f"{path}: byte {offset} is no record of ours (remove the run folder to start over)")
    return record
