"""A source of no known framework: with a model one session writes its recipe, which the run then uses as any other."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from agent.choices import command
from agent.console import Console
from agent.endpoint import NoModel, chosen, described
from agent.errors import BudgetSpent, Infrastructure, NeedsInput, UsageError
from agent.interrupt import Stop as StopAsked
from agent.interrupt import stop_on_signal
from agent.mind import Mind, open_mind
from agent.odd_row import SessionRow
from agent.odd_session import NO_PROOF, SESSIONS
from agent.odd_sessions import runner_of_sessions
from agent.options import Options
from agent.plan import again
from agent.recipe_desk import FOLDER, Desk
from agent.recipe_draft import Drafting
from agent.recipe_kept import RECIPE, keep, kept
from agent.recipe_proof import CaseProver, InContainers
from agent.recipe_session import ID, RecipeSession
from agent.run_folder import RunFolder, run_path
from agent.spectator import shown_on
from agent.stop import Reason, Stop
from agent.stopped import going_on
from agent.text import count, plain
from agent.transcript import usages
from skill.errors import UnknownSource
from skill.recipe.recipe import Recipe
from skill.sources.detection import RECIPE as WRITE_ONE
from tools.runners.base import Runner


@dataclass(frozen=True)
class Asked:
    """A conversion whose source bears no marks."""

    options: Options
    place: Path  # of the output
    console: Console
    stop: StopAsked


@dataclass(frozen=True)
class Described:
    """The same with a recipe."""

    options: Options
    mind: Mind | NoModel | None  # what was opened for its session
    row: SessionRow


def describe(asked: Asked, unknown: UnknownSource, mind: Mind | NoModel | None) -> Described:
    """The recipe of the source, as accepted before or written now by a session.

    Raises ``unknown`` where there is no model and nothing was accepted, UsageError when the session comes to no
    recipe; NeedsInput, BudgetSpent, Infrastructure or Interrupted where the run can go on later.
    """
    path = run_path(asked.place)
    desk = Desk(path / FOLDER, asked.options.source.resolve())
    text = desk.brief()
    row = kept(path, text)
    if row is None:
        mind = mind or _opened(asked)
        if isinstance(mind, NoModel) or not _has_files(desk.source):
            raise unknown
        row = _written(asked, unknown, desk, text, mind)
    asked.console.note(f"recipe: {path / RECIPE}")
    return Described(replace(asked.options, recipe=str(path / RECIPE)), mind, row)


def _opened(asked: Asked) -> Mind | NoModel:
    asked.console.note(described(chosen(asked.options, os.environ)))
    return open_mind(asked.options, os.environ, shown_on(asked.console, asked.stop))


def _has_files(source: Path) -> bool:
    return source.is_file() or any(files for _, _, files in os.walk(source))


def _written(asked: Asked, unknown: UnknownSource, desk: Desk, text: str, mind: Mind) -> SessionRow:
    """How the session ended, whose recipe is then kept in the run folder."""
    shown = asked.options.output or asked.place
    with going_on(shown), stop_on_signal(asked.stop), RunFolder(asked.place) as run:
        run.save_command(command(asked.options, asked.place))
        row, stop = _held(asked, run, desk, text, mind)
        if stop.reason is Reason.PROPOSED:
            keep(run, recipe := desk.recipe(), text, row)
            asked.console.note(_seen(recipe))
            return row
        if stop.reason is Reason.NEEDS_INPUT:
            flag = f"--answer {stop.detail.partition(':')[0]}=CHOICE"
            said = f"needs input; nothing was published\n{ID}: {plain(stop.detail)}"
            raise NeedsInput(said, resume=again(asked.options, [flag]))
        if stop.reason is Reason.SHARE:
            raise BudgetSpent(plain(stop.detail))
    said = f"{unknown.path}: {unknown.reason}, and the session for its recipe ended after {count(row.turns, 'turn')}"
    remedy = f"remove {run_path(shown)} to try again; {WRITE_ONE}"
    raise UsageError(plain(f"{said}: {stop.reason.value}, {stop.detail or 'no reason given'} ({remedy})"))


def _seen(recipe: Recipe) -> str:
    """Who sees which fields, for a person to look at."""
    kinds = {
        "the agent sees": recipe.shown,
        "only grading": recipe.hidden,
        "both, as harmless": recipe.shared,
        "nobody": recipe.unused,
    }
    told = (f"{kind}: {', '.join(sorted(fields))}" for kind, fields in kinds.items() if fields)
    return f"fields of the recipe; {'; '.join(told)}"


def _held(asked: Asked, run: RunFolder, desk: Desk, text: str, mind: Mind) -> tuple[SessionRow, Stop]:
    """The session, with what proves its cases."""
    runner, reason = runner_of_sessions(asked.options)
    try:
        prover = open_case_prover(run, runner)
        if prover is None and asked.options.proof != NO_PROOF:
            said = f"no session is opened for a recipe, for nothing could be proved: {reason}"
            raise Infrastructure(f"{said} (--proof {NO_PROOF} does without)")
        told = sorted((run.path / SESSIONS).glob("*.jsonl"))
        mind.budget.restore(usage for path in told for usage in usages(path))
        drafting = Drafting(desk, asked.options, run, asked.console, asked.stop)
        return RecipeSession(drafting, mind, prover).serve(text)
    finally:
        if runner is not None:
            runner.close()


def open_case_prover(run: RunFolder, runner: Runner | None) -> CaseProver | None:
    """What proves the cases of a recipe; None where nothing can be run."""
    return InContainers(runner, run.path) if runner is not None else None
