"""What the parts of a drafted case are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skill.image_facts import ImageFacts
from skill.ledger import Action, Row, digest
from skill.pins import DEFAULT_PLATFORM, Resolution
from skill.sources.base import SourceFile


@dataclass(frozen=True)
class Choices:
    """What a person decided for the whole dataset."""

    image: str | None = None  # keep, dockerfile, publish
    test_cwd: str = "root"  # root: "/"; workdir: where the source's verifier ran
    pass_if: str | None = None  # e.g. reward>=1
    allow: frozenset[str] = frozenset()
    answers: Mapping[str, str] = field(default_factory=dict)
    without: frozenset[str] = frozenset()  # hardening patterns that a proof took back
    platform: str = DEFAULT_PLATFORM  # what images must run on
    pins: Mapping[str, Resolution] = field(default_factory=dict)  # what became of the names of images
    images: Mapping[str, ImageFacts] = field(default_factory=dict)  # by name, of those that could be looked into


@dataclass(frozen=True)
class OutFile:
    """One file of a case: bytes of our own, or a byte copy of a file of the source."""

    path: str
    mode: int
    data: bytes | None = None
    copy_of: Path | None = None


@dataclass(frozen=True)
class Refused:
    """Why a task is not converted."""

    code: str
    sentence: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Some files of a case, each with its row in the ledger."""

    files: tuple[OutFile, ...] = ()
    rows: tuple[Row, ...] = ()


def mode_of(file: SourceFile) -> int:
    """0755 for what is executable or a shell script, 0644 for the rest.

    Margin stages files with their recorded mode, and the container's user may not own them (contract row W12).
    """
    return 0o755 if file.mode & 0o111 or file.path.endswith(".sh") else 0o644


def copied(path: str, source: str, file: SourceFile, data: bytes | None = None) -> tuple[OutFile, Row]:
    """``file`` byte for byte at ``path``; ``data`` are its bytes where they were read already."""
    held, source = file.read() if data is None else data, file.origin or source
    mode = mode_of(file)
    if file.data is not None:
        return OutFile(path, mode, held), Row(path, Action.GENERATED, digest(held), mode, source, by=file.by)
    return OutFile(path, mode, copy_of=file.host), Row(path, Action.COPIED, digest(held), mode, source)


def generated(path: str, data: bytes, by: str, mode: int = 0o644) -> tuple[OutFile, Row]:
    """Bytes of our own at ``path``, written by rule ``by``."""
    return OutFile(path, mode, data), Row(path, Action.GENERATED, digest(data), mode, by=by)


def rewritten(path: str, data: bytes, by: str, source: str, before: bytes, mode: int) -> tuple[OutFile, Row]:
    """``data`` at ``path``, made from ``source`` by rule ``by``; equal bytes are a copy."""
    action = Action.COPIED if data == before else Action.REWRITTEN
    origin = "" if action is Action.COPIED else digest(before)
    return OutFile(path, mode, data), Row(
        path, action, digest(data), mode, source, origin, "" if action is Action.COPIED else by
    )


def joined(pairs: list[tuple[OutFile, Row]]) -> Part:
    """The part that holds all of ``pairs``."""
    return Part(tuple(file for file, _ in pairs), tuple(row for _, row in pairs))
