"""Where one session works: a suite of one case with everything but its verifier, below the run folder.

What the session leaves here is a proposal. Nothing of it reaches the suite that is published except as an edit that
a program applies.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from agent import unit
from agent.odd import OddCase, OddGroup
from agent.odd_brief import brief
from agent.run_folder import remove
from skill.case import Case
from skill.comparison import Comparison
from skill.contract import CASES_DIR, SUITE_FILE
from skill.draft import CaseDraft, Choices, Refused, draft
from skill.finding import Finding, Severity
from skill.ledger import Action, Row, digest
from skill.lift import SOURCE_SCRIPT, Edit, edit_of
from skill.rules import check_case, check_pair
from skill.skeleton import body_of, frame_fault, frame_of, skeleton
from skill.sources.base import Source, SourceTask
from skill.suite import Suite
from skill.toml import dump
from skill.verifier.patterns import SETTINGS
from skill.verifier.template import MANIFEST

FOLDER: Final = "odd"  # below the run folder
TESTS: Final = "tests/"
FRAME: Final = "frame"  # what ledger rows call the program that wrote the library and the list of hashes
OWN: Final = ".verdict/"
EMPTY_SETTINGS: Final = b"[pytest]\n"
KEY: Final = "key"  # file in the session's folder: from what it started


@dataclass(frozen=True, eq=False)
class Desk:
    """The surroundings of one session on disk."""

    root: Path  # <run>/odd/<group id>
    group: OddGroup
    source: Source
    choices: Choices

    @property
    def suite(self) -> Path:
        """The suite that the session sees."""
        return self.root / "suite"

    @property
    def case(self) -> OddCase:
        """The case that the session works on."""
        return self.group.first

    @cached_property
    def task(self) -> SourceTask:
        """Its source task."""
        return self.source.load(self.case.ref)

    @cached_property
    def drafted(self) -> CaseDraft | Refused:
        """The skeleton, or why there can be none."""
        return draft(self.task, self.case.name, self.choices, skeleton(self.group.id))

    @cached_property
    def key(self) -> str:
        """Changes whenever the same session would start from something else."""
        parts = [self.group.id, self.group.why, *(f"{case.name} {case.result.key}" for case in self.group.cases)]
        return digest("\0".join(parts).encode())

    def is_laid(self) -> bool:
        """Whether an earlier part of the run has left its work here."""
        key = self.root / KEY
        return (self.suite / SUITE_FILE).is_file() and key.is_file() and key.read_text() == self.key

    def lay(self) -> None:
        """Afterwards the skeleton is there, and nothing else; whole or not at all."""
        assert isinstance(self.drafted, CaseDraft), "a group without a skeleton gets no session"
        fresh = self.root / "fresh"
        remove(fresh)
        remove(self.suite)
        (fresh / CASES_DIR).mkdir(parents=True)
        unit.stage(fresh / CASES_DIR / self.case.name, self.drafted)
        head = dump({"kind": "test_suite", "name": "session", "description": "one case", "cases": [self.case.name]})
        (fresh / SUITE_FILE).write_text(head)
        self.root.joinpath(KEY).write_text(self.key)
        fresh.rename(self.suite)

    def brief(self) -> str:
        """What the session is told first; to be asked for while the skeleton is as it was laid."""
        pair = self.pair(self.suite)
        errors = [one for one in self.gate(self.suite, self.case.name) if one.severity is Severity.ERROR]
        frame = (pair.case.script or b"").decode("utf-8", "replace")
        return brief(self.group, self.task, errors, frame, pair.case.tests)

    def draft_again(self, case: str) -> Sequence[str]:
        """The `draft` tool: the case as it was laid."""
        self.lay()
        assert isinstance(self.drafted, CaseDraft)
        return [f"{row.path}: {row.action}" for row in self.drafted.ledger if row.action is not Action.COPIED]

    def gate(self, root: Path, case: str) -> list[Finding]:
        """All that the rules say about the case in a suite's ``root``, by itself and beside its source."""
        pair = self.pair(root)
        return [*check_case(pair.case), *check_pair(pair), *_frame(self._frame, pair.case)]

    def pair(self, root: Path) -> Comparison:
        """The case in a suite's ``root`` beside its source."""
        case = Case(root, self.case.name, 0)
        return Comparison(case, self.rows(case, f"session {self.group.id} turn 0"), self.task)

    @cached_property
    def _frame(self) -> bytes | None:
        assert isinstance(self.drafted, CaseDraft)
        return frame_of(next(file.data or b"" for file in self.drafted.files if file.path == "tests/test.sh"))

    def rows(self, case: Case, by: str) -> tuple[Row, ...]:
        """The ledger of the case as it stands: copies are copies, what the session changed is its doing."""
        assert isinstance(self.drafted, CaseDraft)
        kept = [row for row in self.drafted.ledger if not row.path.startswith(TESTS)]
        origins = self.origins
        for entry in case.tests.files:
            data = case.read(TESTS + entry.path) or b""
            kept.append(row_of(entry.path, data, entry.mode & 0o777, origins, by))
        return tuple(kept)

    @cached_property
    def origins(self) -> Mapping[str, bytes]:
        """The source's tests as a case holds them: its test.sh as source-test.sh."""
        return origins_of(self.task)

    def body(self) -> bytes:
        """What stands between the marks; empty when they are gone."""
        return body_of(next(Suite(self.suite).cases()).script or b"") or b""

    def edit(self) -> Edit | None:
        """What the session made of the case; None when there is no verifier between the marks."""
        case = next(Suite(self.suite).cases())
        body = body_of(case.script or b"")
        written = {
            entry.path: case.read(TESTS + entry.path) or b""
            for entry in case.tests.files
            if entry.path not in ("test.sh", MANIFEST)
            and not is_frame(entry.path, case.read(TESTS + entry.path) or b"", self.origins)
        }
        return None if body is None else edit_of(self.case.shape, body, self.origins, written)


def origins_of(task: SourceTask) -> dict[str, bytes]:
    """The source's tests as a case holds them: its test.sh as source-test.sh."""
    held = {file.path: file.read() for file in task.tests}
    script = held.pop("test.sh").removeprefix(b"\xef\xbb\xbf")
    return {**held, SOURCE_SCRIPT: script}


def is_frame(path: str, data: bytes, origins: Mapping[str, bytes]) -> bool:
    """Whether a program put the file beside the source's tests: the library, and what hardens."""
    return path.startswith(OWN) or (path == SETTINGS and path not in origins and data == EMPTY_SETTINGS)


def row_of(path: str, data: bytes, mode: int, origins: Mapping[str, bytes], by: str) -> Row:
    """The ledger row of one file of tests/ that a session may have written."""
    source = TESTS + ("test.sh" if path in (SOURCE_SCRIPT, "test.sh") else path)
    if is_frame(path, data, origins):
        return Row(TESTS + path, Action.GENERATED, digest(data), mode, by=FRAME)
    if path != "test.sh" and path not in origins:
        return Row(TESTS + path, Action.GENERATED, digest(data), mode, by=by)
    before = origins[SOURCE_SCRIPT if path == "test.sh" else path]
    if before == data:
        return Row(TESTS + path, Action.COPIED, digest(data), mode, source)
    return Row(TESTS + path, Action.REWRITTEN, digest(data), mode, source, digest(before), by)


def with_rows(made: CaseDraft, origins: Mapping[str, bytes], by: str) -> CaseDraft:
    """``made`` with the rows of its tests as `row_of` tells them."""
    files = {file.path: file for file in made.files}
    rows = []
    for row in made.ledger:
        file = files[row.path]
        told = row.path.startswith(TESTS) and file.copy_of is None
        rows.append(
            row_of(posixpath.relpath(row.path, "tests"), file.data or b"", file.mode, origins, by) if told else row
        )
    return replace(made, ledger=tuple(rows))


def _frame(wanted: bytes | None, case: Case) -> Iterator[Finding]:
    """A finding when the frame is whole but that of another case."""
    script = case.script or b""
    if not frame_fault(script) and frame_of(script) != wanted:
        said = "the limit, the variables or the working directory above the first mark are not this case's"
        yield Finding(f"{case.path}/tests/test.sh", 0, "SC832", Severity.ERROR, said, "restore the frame as drafted")
