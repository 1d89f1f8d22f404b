"""Places in a changed text where something can be broken: only what the candidate itself wrote counts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final, TypeVar

from skill.work import Changed

Place = TypeVar("Place")

_COMMENT: Final = re.compile(rb"\s*(?:#|//|--|;|\*|/\*|<!--|\"\"\"|''')")


def _is_text(data: bytes) -> bool:
    """Whether the bytes are text that people write."""
    return b"\0" not in data and _decodes(data)


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def own_lines(file: Changed) -> list[tuple[int, int]]:
    """Where the lines are that the candidate wrote: not there before, not blank, no comment (all, when none is)."""
    if not _is_text(file.data):
        return []
    known = frozenset((file.before or b"").splitlines())
    written: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    at = 0
    for text in file.data.splitlines(keepends=True):
        if text.strip() and not _COMMENT.match(text):
            (others if text.rstrip(b"\r\n") in known else written).append((at, at + len(text)))
        at += len(text)
    return written or others


def site(file: Changed, pattern: re.Pattern[bytes], salt: str) -> tuple[bytes, int] | None:
    """The text and the place of one match in the candidate's own lines."""
    lines = own_lines(file)
    found = [match for start, end in lines for match in pattern.finditer(file.data, start, end)]
    if not found:
        return None
    match = one_of(found, file.data, salt)
    return match.group(), match.start()


def one_of(places: Sequence[Place], data: bytes, salt: str) -> Place:
    """One of ``places``, the same one whenever the content is the same."""
    seed = hashlib.sha256(salt.encode() + b"\0" + data).digest()
    return places[int.from_bytes(seed[:8]) % len(places)]


def replaced(data: bytes, found: tuple[bytes, int], new: bytes) -> tuple[str, bytes]:
    """The content with one text in place of another."""
    old, at = found
    said = f"line {line_at(data, at)}: {_shown(old)} became {_shown(new)}"
    return said, data[:at] + new + data[at + len(old) :]


def line_at(data: bytes, at: int) -> int:
    """The number of the line of a place."""
    return data.count(b"\n", 0, at) + 1


def _shown(text: bytes) -> str:
    return text.decode().strip()
