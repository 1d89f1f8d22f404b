"""The plan: what a conversion would do, found out without writing anything or asking a model."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from agent.odd_plan import OddPlan
from agent.options import Options
from agent.outcome import Outcome, TaskResult
from agent.text import count, plain
from skill.sources.base import Inventory, Question

SHOWN = 20  # names that the text lists


@dataclass
class Tally:
    """What is counted while results come by; holds no case."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    environments: Counter[str] = field(default_factory=Counter)
    shapes: Counter[tuple[str, str]] = field(default_factory=Counter)  # (shape, form)
    codes: Counter[tuple[Outcome, str]] = field(default_factory=Counter)
    samples: dict[tuple[Outcome, str], str] = field(default_factory=dict)  # the first sentence of each code
    questions: dict[str, Question] = field(default_factory=dict)
    asking: Counter[str] = field(default_factory=Counter)

    def add(self, result: TaskResult) -> None:
        """Count one task."""
        self.outcomes[result.outcome] += 1
        self.environments[result.environment or "unread"] += 1
        if result.outcome is Outcome.CONVERTED:
            self.shapes[result.shape, result.form] += 1
        elif result.outcome in (Outcome.REFUSED, Outcome.FAILED):
            self.codes[result.outcome, result.code] += 1
            self.samples.setdefault((result.outcome, result.code), f"{result.id}: {result.sentence}")
        for question in result.questions:
            self.ask(question, 1)

    def ask(self, question: Question, tasks: int) -> None:
        """Count a question of ``tasks`` tasks."""
        self.questions.setdefault(question.key, question)
        self.asking[question.key] += tasks

    @property
    def total(self) -> int:
        """How many tasks were counted."""
        return sum(self.outcomes.values())


def tally(results: Iterable[TaskResult]) -> Tally:
    """The counts of ``results``."""
    counts = Tally()
    for result in results:
        counts.add(result)
    return counts


def flag_of(question: Question, choice: str) -> str:
    """The flag that answers ``question`` with ``choice``."""
    if question.key == "image":
        return f"--image {shlex.quote(choice)}" + " --registry HOST/PATH" * (choice == "publish")
    if question.key == "pass_if":
        return f"--pass-if {shlex.quote(choice)}"
    return f"--answer {shlex.quote(f'{question.key}={choice}')}"


def again(options: Options, flags: Iterable[str]) -> str:
    """The convert command with more ``flags``, which are ready for a shell."""
    words = ["suite-converter", "convert", str(options.source), "-o", str(options.output)]
    return " ".join([shlex.join(words + ["--force"] * options.force), *flags])


def question_lines(counts: Tally) -> list[str]:
    """Every open question, once, with the flags that would answer it."""
    lines = []
    for key in sorted(counts.questions):
        question = counts.questions[key]
        flags = "  |  ".join(flag_of(question, choice) for choice in question.choices or ("VALUE",))
        lines.append(f"question {key} ({count(counts.asking[key], 'task')}): {plain(question.text)}")
        lines.append(f"  answer with: {flags}")
    return lines


def plan_text(
    inventory: Inventory, counts: Tally, names: list[tuple[str, str]], pushed: list[tuple[str, int]], odd: OddPlan
) -> str:
    """The plan for a person."""
    lines = [f"{inventory.framework}: {count(counts.total, 'task')} in {plain(inventory.name)}"]
    lines += [f"  skipped {plain(skip.path)}: {plain(skip.reason)}" for skip in inventory.skipped]
    lines += [f"  {plain(id_)} -> cases/{name}" for id_, name in names[:SHOWN]]
    if len(names) > SHOWN:
        lines.append(f"  and {len(names) - SHOWN} more")
    lines.append("environments: " + ", ".join(f"{n} {kind}" for kind, n in sorted(counts.environments.items())))
    lines.append(f"shapes: {len(counts.shapes)}")
    lines += [f"  {number:5} {form:8} {shape}" for (shape, form), number in sorted(counts.shapes.items())]
    for (outcome, code), number in sorted(counts.codes.items()):
        lines.append(f"{outcome} {code}: {count(number, 'task')}, such as {counts.samples[outcome, code]}")
    lines += question_lines(counts)
    lines += odd.lines()
    lines += [f"would push {name} ({count(tasks, 'task')})" for name, tasks in pushed]
    ready, left = counts.outcomes[Outcome.CONVERTED], counts.total - counts.outcomes[Outcome.CONVERTED]
    lines.append(f"would convert {ready}, leaves {left}; nothing was written")
    return "\n".join(lines)


def plan_table(
    inventory: Inventory, counts: Tally, names: list[tuple[str, str]], pushed: list[tuple[str, int]], odd: OddPlan
) -> dict[str, Any]:
    """The plan for a program."""
    return {
        "schema": "suite-converter/plan/1",
        "framework": inventory.framework,
        "name": inventory.name,
        "tasks": [{"id": id_, "name": name} for id_, name in names],
        "skipped": [{"path": skip.path, "reason": skip.reason} for skip in inventory.skipped],
        "books": books(counts, len(names)),
        "environments": dict(sorted(counts.environments.items())),
        "shapes": [{"shape": s, "form": f, "cases": n} for (s, f), n in sorted(counts.shapes.items())],
        "sessions": list(odd.rows),
        "pushed": [{"name": name, "tasks": tasks} for name, tasks in pushed],
        "left": [{"outcome": o, "code": c, "tasks": n} for (o, c), n in sorted(counts.codes.items())],
        "questions": [
            {"key": key, "text": q.text, "choices": list(q.choices), "tasks": counts.asking[key]}
            for key, q in sorted(counts.questions.items())
        ],
    }


def books(counts: Tally, taken: int) -> dict[str, int]:
    """In = converted + refused + failed (+ waiting, in a plan).

    Raises AssertionError when they do not balance.
    """
    ended = {outcome.value: counts.outcomes[outcome] for outcome in Outcome}
    if sum(ended.values()) != taken:
        raise AssertionError(f"the books do not balance: {taken} in, {ended} out")
    if not ended[Outcome.WAITING]:
        del ended[Outcome.WAITING]
    return {"in": taken, **ended}
