"""The change ledger: one row for every output file, saying where each byte came from (decision D15)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """How an output file came to be."""

    COPIED = "copied"  # same bytes as ``source``
    REWRITTEN = "rewritten"  # from ``source``, by rule ``by``
    GENERATED = "generated"  # by rule ``by``


@dataclass(frozen=True)
class Row:
    """One output file."""

    path: str  # relative to the case folder
    action: Action
    sha256: str
    mode: int  # 0o644 or 0o755
    source: str = ""  # relative to the source task
    source_sha256: str = ""  # of the source file when rewritten
    by: str = ""  # rule id, or agent turn


def is_by_session(row: Row) -> bool:
    """Whether the file was written in a session with a model: ``by`` then reads ``session SHAPE turn N``."""
    return row.by.startswith("session ")


def digest(data: bytes) -> str:
    """The hex sha256 of ``data``."""
    return hashlib.sha256(data).hexdigest()
