"""What sessions over odd verifiers would cost, told by a plan: from the number of their shapes and their sizes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agent import prompt
from agent.dataset import Dataset
from agent.endpoint import NoModel, chosen, described
from agent.odd import forecast, groups_of, odd_cases
from agent.odd_brief import brief
from agent.odd_questions import odd_questions
from agent.options import Options
from agent.outcome import TaskResult
from agent.pricing import default_model, rules_of
from agent.text import count
from skill.manifest import load, skill_root
from skill.sources.base import Question


@dataclass(frozen=True)
class OddPlan:
    """The sessions that a conversion would open."""

    model: str  # one line about the model
    rows: tuple[dict[str, Any], ...] = ()  # shape, tasks, usd
    questions: tuple[tuple[Question, int], ...] = ()  # that are asked before, with the number of tasks

    @property
    def usd(self) -> Decimal:
        """About what all of them would cost."""
        return sum((Decimal(row["usd"]) for row in self.rows), Decimal(0))

    def lines(self) -> list[str]:
        """The forecast for a person; nothing where nothing is odd."""
        if not self.rows:
            return []
        tasks = sum(row["tasks"] for row in self.rows)
        head = f"odd verifiers: {count(len(self.rows), 'shape')} of {count(tasks, 'task')}"
        return [f"{head}, one session each, about {self.usd:.2f} USD", f"  {self.model}"]


def odd_plan(options: Options, dataset: Dataset, results: Iterable[TaskResult], environ: Mapping[str, str]) -> OddPlan:
    """The forecast for the odd tasks among ``results``; asks no model.

    Raises UsageError for a model that cannot be used.
    """
    choice = chosen(options, environ)
    rules = rules_of(default_model()) if isinstance(choice, NoModel) else choice.rules
    frozen = prompt.prefix(load(skill_root()))
    prefix = len(json.dumps([frozen.system, frozen.tools]))
    rows, groups = [], groups_of(odd_cases(dataset, results))
    for group in groups:
        size = len(brief(group, dataset.source.load(group.first.ref), ()))
        usd = forecast(size, prefix, rules)
        rows.append({"shape": group.id, "tasks": len(group.cases), "usd": f"{usd:.2f}"})
    asked = () if isinstance(choice, NoModel) else odd_questions(options, dataset, groups)
    return OddPlan(described(choice), tuple(rows), tuple((question, len(group.cases)) for group, question in asked))
