"""Odd verifiers: which tasks wait for a session, grouped so that one session serves a shape, and what it is told."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from agent.dataset import Dataset
from agent.outcome import Outcome, TaskResult
from agent.pricing import Rules
from agent.usage import Usage
from skill.errors import SkillError
from skill.finding import Finding
from skill.odd_shape import OddShape, shape_of_task
from skill.skeleton import FORM
from skill.sources.base import SourceFile, SourceTask, TaskRef
from tools.fence import capped, fenced
from tools.landing import told_lines
from tools.plain import plain

NEEDS_AGENT: Final = "needs-agent"
SCRIPT_CAP: Final = 12_000  # characters of the source's script in a brief
FILE_CAP: Final = 4_000  # of each file beside it
FILES_CAP: Final = 16_000  # of all of them
LISTED: Final = 60  # files named in a brief
TURNS: Final = 9  # of a usual session, by which its cost is told beforehand
TURN_OUTPUT: Final = 1_800  # tokens of a usual reply
TURN_INPUT: Final = 1_500  # tokens of the results that a usual turn brings
CHARACTERS_PER_TOKEN: Final = 3
WORDS: Final = """\
Words of the library that stand at your disposal between the marks:
- `pass "why"`, `fail "why"`, `infra "why"`: the verdict, and the end
- `need TOOL...`: each is there and runs, else infra
- `runner_works python3 -m pytest`: this very runner passes a test that is known to pass, else infra
- `tool_starts COMMAND...`: a tool that is fetched while grading can be had and starts, else infra
- `candidate COMMAND...`: runs it without input within the time that is left; then `$STATUS` is its status
- `judge_status`, `judge_pytest "$PRIVATE/report.xml"`, `judge_reward [KEY OPERATOR NUMBER]`: the verdict from the \
status, from pytest's status and report, from the reward that the source's script left
- `$TESTS`, `$PRIVATE`, `$(left)`: the staged tests, a private folder, the seconds that are left
They and their variables may not be redefined or set; no `eval`, `exec`, `alias`, EXIT trap; no reward written here."""


@dataclass(frozen=True)
class OddCase:
    """One task whose verifier no rule covers."""

    ref: TaskRef
    name: str
    shape: OddShape
    weight: tuple[bool, int, str]  # how good a first case it is: provable, small, by id
    result: TaskResult  # the refusal that stands without a session, or what an earlier part of the run made of it

    @property
    def facts(self) -> tuple[str, ...]:
        """Why no rule covers it."""
        return (self.result.sentence, *self.result.facts)


@dataclass(frozen=True)
class OddGroup:
    """Cases that one session is to serve."""

    id: str
    cases: tuple[OddCase, ...]
    why: str = ""  # why it is a group of its own although another has the same shape

    @property
    def first(self) -> OddCase:
        """The case that the session works on."""
        return min(self.cases, key=lambda case: case.weight)

    def without(self, names: Iterable[str]) -> OddGroup:
        """The group without the cases ``names``."""
        gone = frozenset(names)
        return replace(self, cases=tuple(case for case in self.cases if case.name not in gone))


def odd_cases(dataset: Dataset, results: Iterable[TaskResult]) -> Iterator[OddCase]:
    """The tasks among ``results`` that are a session's, whether or not one has served them already.

    One that cannot be read is left as it is.
    """
    refs = {ref.id: ref for ref in dataset.selected}
    for result in results:
        if result.form != FORM and (result.outcome is not Outcome.REFUSED or result.code != NEEDS_AGENT):
            continue
        try:
            task = dataset.source.load(refs[result.id])
            shape = shape_of_task(task)
        except (SkillError, OSError, RecursionError):
            continue
        size = sum(file.size for file in task.tests)
        provable = any(file.path == "solve.sh" for file in task.solution)
        yield OddCase(refs[result.id], result.name, shape, (not provable, size, result.id), result)


def groups_of(cases: Iterable[OddCase]) -> list[OddGroup]:
    """One group for each shape, the largest first; the same whatever the order of ``cases``."""
    found: defaultdict[str, list[OddCase]] = defaultdict(list)
    for case in cases:
        found[case.shape.name].append(case)
    groups = [OddGroup(id, tuple(sorted(held, key=lambda case: case.ref.id))) for id, held in found.items()]
    return sorted(groups, key=lambda group: (-len(group.cases), group.id))


def brief(group: OddGroup, task: SourceTask, errors: Sequence[Finding], frame: str = "") -> str:
    """What the session is told first; text of the dataset stands between marks that it cannot forge.

    ``frame`` is tests/test.sh as it was drafted.
    """
    case = group.first
    script = next(file for file in task.tests if file.path == "test.sh")
    parts = [
        _order(group),
        fenced("\n".join(plain(fact) for fact in case.facts), "Why no rule covers it"),
        *([fenced(plain(group.why), "Why a verifier for cases of the same shape did not fit")] if group.why else []),
        f"What the gates miss now:\n{told_lines(errors)}",
        WORDS,
        *([fenced(frame, f"suite/cases/{case.name}/tests/test.sh")] if frame else []),
        fenced("; ".join(_image_facts(task)), "The image"),
        fenced("\n".join(_listing(task)), "The files of source/tests"),
        fenced(capped(_text(script), SCRIPT_CAP), "source/tests/test.sh"),
        *_neighbours(task, _text(script)),
    ]
    return "\n\n".join(parts)


def _order(group: OddGroup) -> str:
    case, others = group.first, len(group.cases) - 1
    tests = f"suite/cases/{case.name}/tests"
    lines = [
        f"Write the verifier of the case {case.name}, whose source is read-only in source/.",
        "",
        f"All else is drafted: case.toml, prompt.md, env/, oracle/, copies of the source's tests, its script as "
        f"{tests}/source-test.sh, the library {tests}/.verdict/lib.sh. Missing is what stands in {tests}/test.sh "
        "between the marks `# >>> the verifier` and `# <<< the verifier`: replace the line there with `old` and `new`.",
        "Lines outside of the marks are a program's; so is the list of hashes, which is brought up to date by itself.",
        "Run what the source's script runs, all of it, and pass only in a branch that depends on its outcome. "
        "Change source-test.sh only where it cannot be run as it is, and no other file of the source.",
    ]
    if others:
        lines.append(
            f"A program applies your verifier to {others} more case{'s' * (others > 1)} whose scripts differ in names, "
            "paths and compared values: use those words as the source's script has them, and count, size or name "
            "nothing of this case besides. For time limits use `$(left)`, not numbers."
        )
    return "\n".join(lines)


def _image_facts(task: SourceTask) -> Iterator[str]:
    dockerfile = task.dockerfile
    if task.image:
        yield f"image {plain(task.image)}"
    if dockerfile is None:
        yield "no Dockerfile"
        return
    yield f"FROM {plain(dockerfile.base or '?')}"
    yield f"WORKDIR {plain(task.workdir or dockerfile.workdir or 'not stated')}"
    if dockerfile.installed:
        yield "installs " + plain(", ".join(sorted(dockerfile.installed)))[:600]
    if dockerfile.env:
        yield "sets " + plain(", ".join(sorted(dockerfile.env)))[:300]


def _listing(task: SourceTask) -> Iterator[str]:
    for file in task.tests[:LISTED]:
        yield f"{plain(file.path)}  {file.size:,} bytes{', executable' if file.mode & 0o111 else ''}"
    if len(task.tests) > LISTED:
        yield f"and {len(task.tests) - LISTED} more"


def _neighbours(task: SourceTask, script: str) -> Iterator[str]:
    """The files of tests/ that the script names first, as far as there is room."""
    room = FILES_CAP
    files = [file for file in task.tests if file.path != "test.sh"]
    for file in sorted(files, key=lambda file: (posixpath.basename(file.path) not in script, file.path)):
        text = _text(file) if file.size <= 1 << 16 else "\0"
        if "\0" in text or room <= 0:
            continue
        shown = capped(text, min(FILE_CAP, room))
        room -= len(shown)
        yield fenced(f"{plain(file.path)}\n\n{shown}", "A file of source/tests: its name, a blank line, its text")


def _text(file: SourceFile) -> str:
    return file.host.read_bytes().decode("utf-8", "replace")


def forecast(size: int, prefix: int, rules: Rules) -> Decimal:
    """About what one session costs whose brief has ``size`` characters, after a prefix of ``prefix`` characters."""
    start = (size + prefix) // CHARACTERS_PER_TOKEN
    usages = [Usage(cache_write=start, output=TURN_OUTPUT)]
    for turn in range(1, TURNS):
        before = start + turn * (TURN_OUTPUT + TURN_INPUT)
        usages.append(Usage(cache_read=before, cache_write=TURN_INPUT + TURN_OUTPUT, output=TURN_OUTPUT))
    return sum((rules.cost(usage) for usage in usages), Decimal(0))
