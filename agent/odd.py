"""Odd verifiers: which tasks wait for a session, grouped so that one session serves a shape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from agent.dataset import Dataset
from agent.outcome import Outcome, TaskResult
from agent.pricing import Rules
from agent.usage import Usage
from skill.errors import SkillError
from skill.odd_shape import OddShape, shape_of_task
from skill.skeleton import FORM
from skill.sources.base import TaskRef

NEEDS_AGENT: Final = "needs-agent"
TURNS: Final = 9  # of a usual session, by which its cost is told beforehand
TURN_OUTPUT: Final = 1_800  # tokens of a usual reply
TURN_INPUT: Final = 1_500  # tokens of the results that a usual turn brings
CHARACTERS_PER_TOKEN: Final = 3


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


def forecast(size: int, prefix: int, rules: Rules) -> Decimal:
    """About what one session costs whose brief has ``size`` characters, after a prefix of ``prefix`` characters."""
    start = (size + prefix) // CHARACTERS_PER_TOKEN
    usages = [Usage(cache_write=start, output=TURN_OUTPUT)]
    for turn in range(1, TURNS):
        before = start + turn * (TURN_OUTPUT + TURN_INPUT)
        usages.append(Usage(cache_read=before, cache_write=TURN_INPUT + TURN_OUTPUT, output=TURN_OUTPUT))
    return sum((rules.cost(usage) for usage in usages), Decimal(0))
