"""The mechanical conversion: one source task and a person's choices become the files of one case.

Nothing is written here and nothing is asked; the same task, name and choices give the same bytes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from skill.contract import DEFAULT_TIMEOUT_SECONDS
from skill.finding import Finding, Severity
from skill.ledger import Row
from skill.parts.base import Choices, OutFile, Part, Refused, copied, generated, joined
from skill.parts.environment import Environment, environment
from skill.parts.image import OF_A_TEXT, container, unfit
from skill.parts.oracle import oracle
from skill.parts.verifier import Rewriting, Verifier, verifier
from skill.parts.workplace import Workplace, workplace
from skill.sources.base import Refusal, SourceFile, SourceTask
from skill.toml import TomlTable, TomlValue, dump, load
from skill.verifier.parsed import by_rule

__all__ = ["CaseDraft", "Choices", "OutFile", "Refused", "draft"]

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
READ_FOR_PLACES = 65536  # bytes of a text that are searched for working directories


@dataclass(frozen=True)
class CaseDraft:
    """All files of a case, a ledger row for each, and what the report says about it."""

    name: str
    files: tuple[OutFile, ...]
    ledger: tuple[Row, ...]
    findings: tuple[Finding, ...]
    shape: str
    form: str


def draft(task: SourceTask, name: str, choices: Choices, rewriting: Rewriting = by_rule) -> CaseDraft | Refused:
    """The case ``name`` made from ``task``, or why there is none. OSError when a file cannot be read.

    ``rewriting`` makes the verifier; all else is the same whoever makes it.
    """
    if hindrance := _hindrance(task, choices):
        return hindrance
    assert task.prompt is not None, "a task without a prompt is refused by its source"
    prompt = task.prompt.read()
    text = prompt.decode("utf-8", "replace")
    inside = container(task, choices)
    if isinstance(inside, Refused):
        return inside
    place = workplace(task, choices, (text, *_texts(task)), inside)
    if isinstance(place, Refused):
        return place
    if found := unfit(inside, place.cwd, place.test_cwd):
        return found
    made = environment(task, choices, inside)
    if isinstance(made, Refused):
        return made
    seconds = max(1, math.ceil(task.timeout_sec)) if task.timeout_sec else DEFAULT_TIMEOUT_SECONDS
    tests = verifier(task, choices, place, seconds, made.exported, text, inside, rewriting)
    if isinstance(tests, Refused):
        return tests
    return _case(task, name, place, made, tests, seconds, oracle(task, place, made.exported), _accepted(task, choices))


def _hindrance(task: SourceTask, choices: Choices) -> Refused | None:
    """What the source itself has against a conversion; of a kept image that was looked into, the image tells."""
    for refusal in _told(task, choices):
        if not _is_accepted(refusal, choices):
            hint = f" (--allow {refusal.code} converts it all the same)" if refusal.allowable else ""
            return Refused(refusal.code, refusal.sentence + hint)
    tables = {"environment": task.environment_env, "verifier": task.verifier_env, "solution": task.solution_env}
    for table, values in tables.items():
        if bad := next((name for name in values if not VARIABLE.fullmatch(name)), None):
            return Refused("env-name", f"[{table}.env] {bad!r} is no name that a variable can have")
    return None


def _told(task: SourceTask, choices: Choices) -> list[Refusal]:
    """The refusals of the source that count here."""
    dropped = OF_A_TEXT if choices.image == "keep" and (task.image or "") in choices.images else frozenset()
    return [refusal for refusal in task.refusals if refusal.code not in dropped]


def _is_accepted(refusal: Refusal, choices: Choices) -> bool:
    return refusal.allowable and refusal.code in choices.allow


def _accepted(task: SourceTask, choices: Choices) -> tuple[Finding, ...]:
    """A line for everything that is lost because a person allowed it."""
    return tuple(
        Finding("case.toml", 0, "S405", Severity.WARNING, f"{refusal.code} was allowed: {refusal.sentence}")
        for refusal in _told(task, choices)
        if _is_accepted(refusal, choices)
    )


def _case(
    task: SourceTask,
    name: str,
    place: Workplace,
    made: Environment,
    tests: Verifier,
    seconds: int,
    solution: Part,
    accepted: tuple[Finding, ...],
) -> CaseDraft:
    assert task.prompt is not None
    config = dump(_config(task, name, place, made.image, seconds)).encode()
    own = joined([generated("case.toml", config, "case"), copied("prompt.md", task.prompt.path, task.prompt)])
    parts = (own, made.part, tests.part, solution)
    place_note = Finding("case.toml", 0, "S403", Severity.NOTE, f"working directory {place.cwd}: {place.evidence}")
    return CaseDraft(
        name,
        tuple(sorted((file for part in parts for file in part.files), key=lambda file: file.path)),
        tuple(sorted((row for part in parts for row in part.rows), key=lambda row: row.path)),
        (*task.findings, *accepted, place_note, *made.findings, *tests.findings),
        tests.shape,
        tests.form,
    )


def _config(task: SourceTask, name: str, place: Workplace, image: str, seconds: int) -> TomlTable:
    table: TomlTable = {"kind": "test_case", "name": name, "description": task.description}
    if image:
        table["image"] = image
    table |= {"agent_cwd": place.cwd, "test_cwd": place.test_cwd, "test_timeout_seconds": seconds}
    metadata: dict[str, TomlValue] = dict(task.metadata)
    if metadata:
        table["metadata"] = metadata
    return table


def with_image(config: bytes, image: str) -> bytes:
    """The case.toml ``config`` of a case that is built, for one that names the pinned ``image``."""
    table: TomlTable = {}
    for key, value in load(config).items():
        table[key] = value
        if key == "description":
            table["image"] = image
    return dump(table).encode()


def _texts(task: SourceTask) -> tuple[str, ...]:
    """The scripts of tests and solution, as far as they may name the place of work."""
    if task.workdir or (task.dockerfile and task.dockerfile.workdir):
        return ()
    return tuple(_head(file) for file in (*task.tests, *task.solution) if file.path.endswith((".sh", ".py")))


def _head(file: SourceFile) -> str:
    return file.read()[:READ_FOR_PLACES].decode("utf-8", "replace")
