"""Output of programs, held in bounded memory: the head, the tail, and how much was left out between them."""

from __future__ import annotations

import re
from typing import Final

HEAD_BYTES: Final = 16_384
TAIL_BYTES: Final = 49_152
LOG_TAIL_CHARS: Final = 4_000

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_VERDICT = re.compile(r"VERDICT:[^\n]*(?:\nreason:[^\n]*)?")


class Capture:
    """Takes bytes without end and keeps the first and the last of them."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._head_limit = head
        self._tail_limit = tail
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def feed(self, data: bytes) -> None:
        """Take ``data``, in whatever pieces it comes."""
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(room, 0) :]
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: -self._tail_limit]

    def bytes(self) -> bytes:
        """What was kept, with one line in place of what was not."""
        tail = bytes(self._tail[-self._tail_limit :])
        missing = self.total - len(self._head) - len(tail)
        gap = f"\n[... {missing} bytes left out ...]\n".encode() if missing else b""
        return bytes(self._head) + gap + tail

    def text(self) -> str:
        """The kept bytes as printable text."""
        return printable(self.bytes())


class Output:
    """What a command wrote, its stderr before its stdout: which came first, the engine does not keep."""

    def __init__(self) -> None:
        self.stdout, self.stderr = Capture(), Capture()

    @property
    def total(self) -> int:
        """The bytes that came so far."""
        return self.stdout.total + self.stderr.total

    def text(self) -> str:
        """All of it as printable text, the same whenever the command does the same."""
        return "\n".join(text.rstrip("\n") for capture in (self.stderr, self.stdout) if (text := capture.text()))


def printable(data: bytes) -> str:
    """``data`` as text without control characters other than tab and newline: safe to show anywhere."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", text)


def log_tail(text: str, limit: int = LOG_TAIL_CHARS) -> str:
    """The end of ``text``, from the start of a line where one is near."""
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    tail = text[-limit:]
    _, newline, rest = tail.partition("\n")
    return rest if newline and rest else tail


def reason_in(text: str) -> str:
    """The one line that says most: the last verdict with its reason, else the last line that is not blank."""
    verdicts = _VERDICT.findall(text)
    lines = verdicts or [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip().replace("\nreason:", ":")[:300] if lines else ""
