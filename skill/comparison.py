"""A converted case beside the task it came from: what the fidelity rules compare."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from skill.case import Case
from skill.contract import TEST_SCRIPT
from skill.errors import SourceError
from skill.ledger import Action, Row, is_by_session
from skill.loss import Loss
from skill.packing import Kind
from skill.sources.base import SourceFile, SourceTask, TaskRef
from skill.textfile import leaves


@dataclass(frozen=True, eq=False)
class Comparison:
    """One case of the output, its ledger rows, and the source task; None when the source has no such task."""

    case: Case
    rows: tuple[Row, ...]
    task: SourceTask | None

    @cached_property
    def by_path(self) -> Mapping[str, Row]:
        """The rows by output file."""
        return {row.path: row for row in self.rows}

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Every file that the case has on disk, links and special files included."""
        found = [name for name, kind in self.case.names.items() if kind is not Kind.FOLDER]
        for name in ("tests", "env", "oracle"):
            folder = getattr(self.case, name)
            found += [f"{name}/{entry.path}" for entry in folder.entries if entry.kind is not Kind.FOLDER]
        return tuple(sorted(found))

    @cached_property
    def sources(self) -> Mapping[str, SourceFile]:
        """Every file of the source task that a case may be made of, by its path in the task."""
        if self.task is None:
            return {}
        parts = (
            ("tests", self.task.tests),
            ("solution", self.task.solution),
            ("environment", self.task.environment),
        )
        found = {file.origin or f"{name}/{file.path}": file for name, files in parts for file in files}
        return found | ({self.task.prompt.path: self.task.prompt} if self.task.prompt else {})

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What the case's tests lack of the source's; a verifier written by rule is not looked into."""
        if self.task is None:
            return ()
        from skill.weakening import losses  # what analyses verifiers is loaded only when one is looked into
        from skill.weakening_script import script_losses

        by_session = any(is_by_session(row) for row in self.rows)
        before = {file.path: file.read() for file in self.task.tests if by_session or self._may_differ(file)}
        after = {
            entry.path: data
            for entry in self.case.tests.files
            if (data := self.case.read(f"tests/{entry.path}")) is not None
            and (by_session or entry.path in before or not self._is_copy(f"tests/{entry.path}"))
            and not self._is_by_rule(f"tests/{entry.path}")
        }
        scripts = script_losses(before, after) if by_session else ()
        return (*losses(before, after, posixpath.join(self.case.test_cwd or "/", "tests")), *scripts)

    def _may_differ(self, file: SourceFile) -> bool:
        """Whether the source's file has to be read: no row says that the case has the same bytes."""
        return not self._is_copy(f"tests/{file.path}")

    def _is_by_rule(self, path: str) -> bool:
        """Whether a rule put the file beside the source's, as hardening does."""
        row = self.by_path.get(path)
        return row is not None and row.action is Action.GENERATED and path != TEST_SCRIPT and not is_by_session(row)

    def _is_copy(self, path: str) -> bool:
        row = self.by_path.get(path)
        return row is not None and row.action is Action.COPIED

    def output_hash(self, path: str) -> str:
        """The sha256 of an output file, empty when it cannot be read without leaving the suite."""
        return file_hash(self.case.root / path, self.case.suite_root)

    def source_hash(self, path: str) -> str:
        """The sha256 of a file of the source task, empty when there is no such file."""
        file = self.sources.get(path)
        return file_hash(file.host, file.host.parent) if file else ""


def file_hash(path: Path, inside: Path) -> str:
    """The sha256 of a regular file, read in pieces; empty for anything else, and for a link that leaves."""
    if leaves(path, inside) or not path.is_file():
        return ""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return ""


def comparisons(suite_root: Path, ledger: Iterable[Mapping[str, Any]], source_root: Path) -> Iterator[Comparison]:
    """One comparison for each case that the ledger tells of, in its order; SourceError without a source.

    The ledger keeps the rows of a case together, so one case is held at a time.
    """
    from skill.naming import case_names  # sources are loaded only when something is compared with them
    from skill.sources.detection import detect

    source = detect(source_root)
    refs = source.inventory(source_root).tasks
    names = case_names(refs)
    by_name: dict[str, TaskRef] = {names[ref.id]: ref for ref in refs}
    for name, rows in groupby(ledger, key=lambda row: str(row["case"])):
        own = tuple(row_of(row) for row in rows)
        if name:
            yield Comparison(Case(suite_root, name, 0), own, _load(source.load, by_name.get(name)))


def row_of(table: Mapping[str, Any]) -> Row:
    """The row in a line of ledger.jsonl; raises KeyError, TypeError or ValueError for anything else."""
    fields = {key: value for key, value in table.items() if key in Row.__dataclass_fields__}
    return Row(**{**fields, "action": Action(fields["action"])})


def _load(load: Any, ref: TaskRef | None) -> SourceTask | None:
    """The source task, None when it is gone."""
    try:
        return load(ref) if ref else None
    except SourceError:
        return None
