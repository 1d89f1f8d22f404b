"""Drafting from a recipe that a session wrote: a few cases of it, and what becomes of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from agent import unit
from agent.choices import jobs, setting_of
from agent.console import Console
from agent.dataset import Dataset, read_dataset
from agent.errors import Interrupted, UsageError
from agent.images import survey
from agent.interrupt import Stop
from agent.options import Options
from agent.outcome import Outcome
from agent.plan import Tally
from agent.pool import ordered
from agent.recipe_brief import DRAFTED
from agent.recipe_desk import Desk, Draft, require_own_files
from agent.run_folder import RunFolder, remove
from agent.text import count, plain
from skill.case import Case
from skill.contract import CASES_DIR
from skill.draft import CaseDraft, draft
from skill.errors import RecipeError, SkillError
from skill.finding import Finding
from skill.sources.recipe import Described
from tools.errors import ToolError
from tools.landing import gate_lines
from tools.workbench import Drafted


@dataclass(frozen=True)
class Drafting:
    """What drafting at a desk works with."""

    desk: Desk
    options: Options  # as they were asked for
    run: RunFolder
    console: Console
    stop: Stop

    def again(self) -> Drafted:
        """Afterwards the cases at the desk are those of the recipe as it stands.

        Raises ToolError with every fault of a recipe that is none, Interrupted when somebody wishes to stop.
        """
        try:
            dataset, digest = self._dataset()
        except RecipeError as error:
            raise ToolError("bad_recipe", self.desk.told(error)) from None
        except (SkillError, UsageError, OSError) as error:
            said = "the recipe does not fit the source, so nothing was drafted"
            return Drafted(said, plain(self.desk.told(error)), is_error=True)
        setting = self._setting(dataset)
        counts, names = self._counted(setting, dataset)
        drafted = self._staged(setting, dataset, names)
        left = counts.outcomes[Outcome.REFUSED] + counts.outcomes[Outcome.FAILED]
        self.desk.keep(Draft(digest, drafted, counts.outcomes[Outcome.CONVERTED], left))
        return Drafted(self._said(dataset, counts), "\n".join(_reasons(dataset, counts)))

    def _dataset(self) -> tuple[Dataset, str]:
        """Every record of the source, whatever part of it was asked for."""
        place = str(self.desk.folder)
        dataset = read_dataset(replace(self.options, source=self.desk.source, recipe=place, only="", limit=0))
        assert isinstance(dataset.source, Described)
        return dataset, require_own_files(dataset.source.recipe, self.desk.source).digest

    def _setting(self, dataset: Dataset) -> unit.Setting:
        images = survey(self.options, dataset, self.run.files, self.console, self.stop)
        return setting_of(self.options, dataset, None, images)

    def _counted(self, setting: unit.Setting, dataset: Dataset) -> tuple[Tally, dict[str, str]]:
        """What would become of each record, and the first that would be converted: case name -> record."""
        counts, names = Tally(), dict[str, str]()
        results = ordered(partial(unit.convert, setting), dataset.units(), jobs(self.options, dataset), self.stop)
        with self.console.progress("records", len(dataset.selected)) as advance, closing(results):
            for result in results:
                counts.add(result)
                if result.outcome is Outcome.CONVERTED and len(names) < DRAFTED:
                    names[result.name] = result.id
                advance(result.name)
        if self.stop():
            raise Interrupted("stopped while a recipe was tried on all records")
        return counts, names

    def _staged(self, setting: unit.Setting, dataset: Dataset, names: dict[str, str]) -> dict[str, list[Finding]]:
        """The cases ``names``, in place of those that were there, each with what drafting says of it."""
        fresh, cases = self.desk.root / "fresh", self.desk.suite / CASES_DIR
        remove(fresh)
        fresh.joinpath(CASES_DIR).mkdir(parents=True)
        refs = {ref.id: ref for ref in dataset.selected}
        found = {}
        for name, id_ in names.items():
            task = dataset.source.load(refs[id_])
            made = draft(task, name, setting.choices)
            assert isinstance(made, CaseDraft), "it was drafted when records were counted"
            unit.stage(fresh / CASES_DIR / name, made)
            case = Case(fresh, name, 0)
            found[name] = [*made.findings, *unit.inside(setting.choices, task, case)]
        remove(cases)
        (fresh / CASES_DIR).rename(cases)
        self.desk.write_suite(tuple(found))
        return found

    def _said(self, dataset: Dataset, counts: Tally) -> str:
        """In words of ours: the numbers of records, and what the gates say of the cases."""
        told = {Outcome.CONVERTED: "would be converted", Outcome.WAITING: "wait for a person's answer"}
        skipped = len(dataset.inventory.skipped)
        numbers = [
            f"{counts.outcomes[outcome]:,} {told.get(outcome, outcome.value)}"
            for outcome in Outcome
            if counts.outcomes[outcome]
        ]
        numbers += [f"{skipped:,} skipped"] if skipped else []
        names = self.desk.names()
        made = f"drafted as cases: {', '.join(names)}" if names else "no record becomes a case"
        gates = [gate_lines(name, self.desk.gate(self.desk.suite, name)) for name in names]
        return "\n".join([f"{count(counts.total + skipped, 'record')}: {', '.join(numbers)}", made, *gates])


def _reasons(dataset: Dataset, counts: Tally) -> Iterator[str]:
    """Why records are left out: each reason with their number and the first of them."""
    for (outcome, code), number in sorted(counts.codes.items()):
        yield f"{outcome} {code} ({number:,}), such as {plain(counts.samples[outcome, code])}"
    reasons = Counter(skip.reason for skip in dataset.inventory.skipped)
    first = {skip.reason: skip.path for skip in reversed(dataset.inventory.skipped)}
    for reason, number in sorted(reasons.items()):
        yield f"skipped ({number:,}), such as {plain(first[reason])}: {plain(reason)}"
