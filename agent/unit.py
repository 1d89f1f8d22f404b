"""One unit of work: a source task becomes a staged, gated case, or a reason why not.

A unit depends on nothing but its task, the choices and the version of this program; it can run in any
process, twice, and be thrown away. What it cannot do is take another task with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent.errors import of_errno
from agent.fingerprint import is_intact, task_key
from agent.outcome import Outcome, TaskResult
from agent.run_folder import remove
from agent.text import plain
from skill.case import Case
from skill.contract import CASES_DIR
from skill.draft import CaseDraft, Choices, Refused, draft
from skill.errors import SkillError
from skill.finding import Finding, Severity
from skill.pins import Pin
from skill.rules import check_case, check_image
from skill.rules.looked_into import LookedInto
from skill.sources.base import Question, Source, SourceTask, TaskRef
from tools.errors import WorkspaceError
from tools.new_tree import NewTree


@dataclass(frozen=True)
class Setting:
    """What all units of one run share."""

    source: Source
    choices: Choices
    answered: frozenset[str]
    staging: Path | None  # None: nothing is written, nothing is gated
    salt: str  # version and choices, part of every key


@dataclass(frozen=True)
class Unit:
    """One task, and what an earlier, unfinished run made of it."""

    ref: TaskRef
    name: str
    before: TaskResult | None = None


def convert(setting: Setting, unit: Unit) -> TaskResult:
    """What becomes of one task; raises AgentError when the output cannot be written, nothing else."""
    try:
        return _converted(setting, unit)
    except WorkspaceError as error:
        if error.errno:
            raise of_errno(error.errno, f"cases/{unit.name}/{error}") from None
        return failed(unit, "unwritable-name", str(error))
    except SkillError as error:
        return failed(unit, "unreadable", str(error))
    except OSError as error:
        where = _below(unit.ref.root, error.filename)
        return failed(unit, "unreadable", f"{where}: cannot be read: {error.strerror}")
    except Exception as error:  # one task's oddity must not take the others with it
        return failed(unit, "internal", f"{type(error).__name__}: {error}")


def failed(unit: Unit, code: str, sentence: str) -> TaskResult:
    """A task that ended in ``failed``, with its one line."""
    return TaskResult(unit.ref.id, unit.name, Outcome.FAILED, code=code, sentence=plain(sentence))


def _converted(setting: Setting, unit: Unit) -> TaskResult:
    key = task_key(unit.ref, f"{setting.salt}\0{unit.name}\0{unit.ref.id}\0")
    place = setting.staging / CASES_DIR / unit.name if setting.staging else None
    if place and unit.before and key and unit.before.key == key and is_intact(place, unit.before):
        return unit.before
    if place:
        remove(place)
    task = setting.source.load(unit.ref)
    start = TaskResult(unit.ref.id, unit.name, Outcome.WAITING, key=key, environment=_environment(task))
    if waiting := _open_questions(setting, task):
        return replace(start, questions=waiting)
    made = draft(task, unit.name, setting.choices)
    if isinstance(made, Refused):
        return _refused(start, made, task)
    found, ledger = tuple(made.findings), tuple(made.ledger)
    result = replace(start, outcome=Outcome.CONVERTED, shape=made.shape, form=made.form, findings=found, ledger=ledger)
    if place is None:
        return result
    stage(place, made)
    return gated(place, result, inside(setting.choices, task, Case(place.parent.parent, unit.name, 0)))


def inside(choices: Choices, task: SourceTask, case: Case) -> list[Finding]:
    """What the image that was kept has against the case, where it could be looked into."""
    name = task.image or ""
    pin, facts = choices.pins.get(name), choices.images.get(name)
    if facts is None or not case.image:
        return []
    kept = case.image in (name, pin.pinned if isinstance(pin, Pin) else name)
    return check_image(LookedInto(case, facts, choices.platform)) if kept else []


def _open_questions(setting: Setting, task: SourceTask) -> tuple[Question, ...]:
    """What a person has to choose first; a task that is refused anyway asks nothing."""
    if any(not refusal.allowable or refusal.code not in setting.choices.allow for refusal in task.refusals):
        return ()
    return tuple(question for question in task.questions if question.key not in setting.answered)


def _environment(task: SourceTask) -> str:
    """What the source offers to run in."""
    kinds = [kind for kind, there in (("image", task.image), ("Dockerfile", task.dockerfile)) if there]
    return " and ".join(kinds) or "neither"


def _refused(start: TaskResult, made: Refused, task: SourceTask) -> TaskResult:
    return replace(
        start,
        outcome=Outcome.REFUSED,
        code=made.code,
        sentence=plain(made.sentence),
        facts=tuple(plain(fact) for fact in made.facts),
        findings=tuple(task.findings),
    )


def stage(place: Path, made: CaseDraft) -> None:
    """Write the draft's files; a copy whose bytes are not those that were analysed is an error."""
    wanted = {row.path: row.sha256 for row in made.ledger}
    with NewTree(place) as tree:
        for file in made.files:
            if file.copy_of is None:
                tree.put(file.path, file.data or b"", file.mode)
            elif tree.copy(file.path, file.copy_of, file.mode) != wanted.get(file.path):
                raise SkillError(file.path, "changed while it was converted", "run again")


def gated(place: Path, result: TaskResult, more: Sequence[Finding] = ()) -> TaskResult:
    """``result``, or the failure that the gates make of it; a case that fails them is not left behind.

    ``more`` are findings besides those of the rules about a case alone.
    """
    found = (*result.findings, *check_case(Case(place.parent.parent, result.name, 0)), *more)
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    if not errors:
        return replace(result, findings=found)
    remove(place)
    others = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    sentence = plain(f"{errors[0]}{others}")
    return replace(result, outcome=Outcome.FAILED, code="gate", sentence=sentence, findings=found, ledger=())


def _below(root: Path, filename: object) -> str:
    """The file that an OSError names, relative to its task where it lies inside."""
    try:
        return Path(str(filename)).relative_to(root).as_posix()
    except ValueError:
        return str(filename)
