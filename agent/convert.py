"""The conversion of a dataset: inventory, plan, draft, gates, proof, publish.

Everything until the last step happens in the run folder, so that a run which stops for any reason leaves the
source and an earlier output as they were, and goes on where it stopped.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from agent import report, unit
from agent.choices import answering, choices_table, command, jobs, setting_of, suite_name
from agent.console import Console
from agent.dataset import Dataset, read_dataset
from agent.ending import Ending, ending_of, finished
from agent.endpoint import NoModel, chosen
from agent.errors import CLEAN, FINDINGS, INPUT, Interrupted, NeedsInput
from agent.images import Images, survey
from agent.interrupt import Stop, stop_on_signal
from agent.mind import Mind
from agent.odd import NEEDS_AGENT
from agent.odd_plan import odd_plan
from agent.odd_row import SessionRow
from agent.odd_sessions import serve
from agent.options import Options
from agent.outcome import Outcome, TaskResult
from agent.pins_file import forget
from agent.place import checked
from agent.plan import Tally, plan_table, plan_text, question_lines, tally
from agent.pool import ordered
from agent.progress import DONE, PUBLISHING, Progress, last_event
from agent.proofs import Proofs, prove_sample
from agent.publish import publish, targets
from agent.recipe_plan import foretold
from agent.recipe_sessions import Asked, describe
from agent.run_folder import RunFolder, run_path
from agent.stopped import going_on
from agent.suite_file import write_suite
from agent.version import tool_version
from skill.errors import UnknownSource


def plan(options: Options, console: Console) -> Ending:
    """What a conversion would do; writes nothing."""
    try:
        dataset, counts = read_dataset(options), Tally()
    except UnknownSource as unknown:
        raise foretold(options, unknown, os.environ) from None
    kept: list[TaskResult] = []
    odd: list[TaskResult] = []
    with stop_on_signal() as stop, console.progress("plan", len(dataset.selected)) as advance:
        images = survey(options, dataset, None, console, stop)
        setting = setting_of(options, dataset, None, images)
        results = ordered(partial(unit.convert, setting), dataset.units(), jobs(options, dataset), stop)
        with closing(results):
            for result in results:
                counts.add(result)
                kept += [result] if options.image == "publish" else []
                odd += [result] if result.code == NEEDS_AGENT else []
                advance(result.name)
        if stop():
            raise Interrupted("stopped; a plan writes nothing, so nothing is to be resumed")
    pushed = targets(options, suite_name(options, dataset), kept)
    sessions = odd_plan(options, dataset, odd, os.environ)
    for question, tasks in sessions.questions:
        counts.ask(question, tasks)
    ready = counts.outcomes[Outcome.CONVERTED] == counts.total
    status = INPUT if counts.questions else CLEAN if ready else FINDINGS
    facts = (dataset.inventory, counts, dataset.pairs, [(one.name, len(one.tasks)) for one in pushed], sessions)
    return Ending(status, plan_table(*facts), plan_text(*facts))


def convert(options: Options, output: Path, console: Console, mind: Mind | NoModel | None = None) -> Ending:
    """Convert and publish; ``mind`` is the model for sessions, opened from the options unless it is given.

    Raises AgentError with the command that goes on; the source and an earlier output are then untouched.
    """
    if mind is None:
        chosen(options, os.environ)  # a model that cannot be used is said before anything is done
    last = last_event(run_path(output))
    place = checked(options.source, output, force=options.force or last == PUBLISHING)
    asked, told, stop = options, list[SessionRow](), Stop()
    try:
        dataset = read_dataset(options)
    except UnknownSource as unknown:
        found = describe(Asked(options, place, console, stop), unknown, mind)
        options, mind, told = found.options, found.mind, [found.row]
        dataset = read_dataset(options)
    with going_on(output), stop_on_signal(stop), RunFolder(place) as run:
        progress = Progress(run)
        if progress.is_published:
            progress.event(DONE)
            return finished(run.path, output)
        checked(options.source, output, force=options.force)
        run.save_command(command(asked, place))
        if last in ("", DONE):
            forget(run)
        images = survey(options, dataset, run.files, console, stop)
        _draft(options, dataset, run, progress, console, stop, images)
        sessions = [replace(row, cases=progress.done, converted=len(progress.converted())) for row in told]
        sessions += _serve(options, dataset, run, progress, console, stop, images, mind)
        if options.image == "publish" and not progress.waiting:
            done = publish(options, suite_name(options, dataset), run, progress, console, stop)
            images = replace(images, published=done)
        return _finish(options, dataset, run, progress, console, stop, images, sessions)


def _draft(
    options: Options, dataset: Dataset, run: RunFolder, progress: Progress, console: Console, stop: Stop, images: Images
) -> None:
    """Every selected task is drafted, staged and gated, and its result is in the journal."""
    progress.start(dataset.names[ref.id] for ref in dataset.selected)
    setting = setting_of(options, dataset, run.staging, images)
    units = progress.units(dataset)
    results = ordered(partial(unit.convert, setting), units, jobs(options, dataset), stop)
    with console.progress("convert", len(dataset.selected)) as advance, closing(results):
        for result in results:
            progress.add(result)
            advance(result.name)
            if result.outcome in (Outcome.REFUSED, Outcome.FAILED):
                console.note(f"{result.outcome} {result.id}: {result.code}: {result.sentence}")
    progress.sync()
    if stop():
        raise Interrupted(f"stopped after {progress.done} of {len(dataset.selected)} tasks; they are kept")


def _serve(
    options: Options,
    dataset: Dataset,
    run: RunFolder,
    progress: Progress,
    console: Console,
    stop: Stop,
    images: Images,
    mind: Mind | NoModel | None,
) -> list[SessionRow]:
    """Sessions over odd verifiers where there is a model; without one their cases stay refused."""
    if progress.waiting:
        return []
    choices = setting_of(options, dataset, run.staging, images).choices
    return serve(options, choices, dataset, run, progress, console, stop, mind)


def _finish(
    options: Options,
    dataset: Dataset,
    run: RunFolder,
    progress: Progress,
    console: Console,
    stop: Stop,
    images: Images,
    sessions: list[SessionRow],
) -> Ending:
    """Questions, proofs, reports, and the rename that publishes."""
    if progress.waiting:
        counts = tally(progress.results())
        lines = ["needs input; nothing was published", *question_lines(counts)]
        raise NeedsInput("\n".join(lines), resume=answering(options, counts))
    write_suite(run.staging, dataset.inventory, options.name, progress.converted())
    redraft = partial(_redrafted, setting_of(options, dataset, run.staging, images), dataset)
    proofs = prove_sample(options, run, progress, console, stop, redraft)
    if stop():
        raise Interrupted("stopped while proving; what was proved is kept")
    counts = tally(progress.results())
    row = write_suite(run.staging, dataset.inventory, options.name, progress.converted())
    facts = replace(_facts(options, dataset, counts, proofs, images), sessions=tuple(sessions))
    head = report.summary(facts, counts, len(dataset.selected))
    report.write(run.files, facts, head, progress.results(), row)
    progress.publish() if row else progress.give_up()
    return ending_of(head, options.output or run.output)


def _redrafted(setting: unit.Setting, dataset: Dataset, name: str, without: frozenset[str]) -> TaskResult:
    """The case ``name`` staged anew, without some hardening patterns."""
    (one,) = (one for one in dataset.units() if one.name == name)
    bare = replace(setting, choices=replace(setting.choices, without=without), salt=f"{setting.salt}{sorted(without)}")
    return unit.convert(bare, one)


def _facts(options: Options, dataset: Dataset, counts: Tally, proofs: Proofs, images: Images) -> report.Facts:
    inventory, cases = dataset.inventory, counts.outcomes[Outcome.CONVERTED]
    return report.Facts(
        tool=tool_version(),
        framework=inventory.framework,
        name=inventory.name,
        choices=choices_table(options),
        skipped=tuple((skip.path, skip.reason) for skip in inventory.skipped),
        suite={"name": suite_name(options, dataset), "cases": cases} if cases else None,
        proof_asked=options.proof,
        unproved=proofs.reason,
        proofs=proofs.by_case,
        against_source=proofs.against_source,
        proved_shapes=proofs.shapes,
        images=images.rows(),
    )
