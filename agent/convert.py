"""The conversion of a dataset: inventory, plan, draft, gates, proof, publish.

Everything until the last step happens in the run folder, so that a run which stops for any reason leaves the
source and an earlier output as they were, and goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from agent import report, unit
from agent.console import Console
from agent.dataset import Dataset, read_dataset
from agent.endpoint import NoModel, chosen
from agent.errors import CLEAN, FINDINGS, INPUT, AgentError, Interrupted, JournalError, NeedsInput, of_errno
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
from agent.plan import Tally, again, flag_of, plan_table, plan_text, question_lines, tally
from agent.pool import default_jobs, ordered
from agent.progress import DONE, PUBLISHING, Progress, last_event
from agent.proofs import Proofs, prove_sample
from agent.publish import publish, targets
from agent.run_folder import REPORT_JSON, RunFolder, run_path
from agent.suite_file import write_suite
from agent.version import tool_version
from skill.draft import Choices
from tools.errors import WorkspaceError


class Ending(NamedTuple):
    """How a command ended."""

    status: int
    table: dict[str, Any]  # for a program
    text: str  # for a person


def plan(options: Options, console: Console) -> Ending:
    """What a conversion would do; writes nothing."""
    dataset, counts = read_dataset(options), Tally()
    kept: list[TaskResult] = []
    odd: list[TaskResult] = []
    with stop_on_signal() as stop, console.progress("plan", len(dataset.selected)) as advance:
        images = survey(options, dataset, None, console, stop)
        setting = _setting(options, dataset, None, images)
        results = ordered(partial(unit.convert, setting), dataset.units(), _jobs(options, dataset), stop)
        with closing(results):
            for result in results:
                counts.add(result)
                kept += [result] if options.image == "publish" else []
                odd += [result] if result.code == NEEDS_AGENT else []
                advance(result.name)
        if stop():
            raise Interrupted("stopped; a plan writes nothing, so nothing is to be resumed")
    pushed = targets(options, _suite_name(options, dataset), kept)
    sessions = odd_plan(options, dataset, odd, os.environ)
    for question, tasks in sessions.questions:
        counts.ask(question, tasks)
    ready = counts.outcomes[Outcome.CONVERTED] == counts.total
    status = INPUT if counts.questions else CLEAN if ready else FINDINGS
    facts = (dataset.inventory, counts, dataset.pairs, [(one.name, len(one.tasks)) for one in pushed], sessions)
    return Ending(status, plan_table(*facts), plan_text(*facts))


def convert(options: Options, output: Path, console: Console, mind: Mind | NoModel | None = None) -> Ending:
    """Convert and publish; ``mind`` is the model for odd verifiers, opened from the options unless it is given.

    Raises AgentError with the command that goes on; the source and an earlier output are then untouched.
    """
    if mind is None:
        chosen(options, os.environ)  # a model that cannot be used is said before anything is done
    last = last_event(run_path(output))
    place = checked(options.source, output, force=options.force or last == PUBLISHING)
    dataset = read_dataset(options)
    try:
        with stop_on_signal() as stop, RunFolder(place) as run:
            progress = Progress(run)
            if progress.is_published:
                progress.event(DONE)
                return finished(run.path, output)
            checked(options.source, output, force=options.force)
            run.save_command(_command(options, place))
            if last in ("", DONE):
                forget(run)
            images = survey(options, dataset, run.files, console, stop)
            _draft(options, dataset, run, progress, console, stop, images)
            sessions = _serve(options, dataset, run, progress, console, stop, images, mind)
            if options.image == "publish" and not progress.waiting:
                done = publish(options, _suite_name(options, dataset), run, progress, console, stop)
                images = replace(images, published=done)
            return _finish(options, dataset, run, progress, console, stop, images, sessions)
    except (AgentError, WorkspaceError, OSError, KeyboardInterrupt) as error:
        stop_error = _stopped(error)
        stop_error.resume = stop_error.resume or _resume(output)
        raise stop_error from error


def _stopped(error: BaseException) -> AgentError:
    """``error`` in the words of this layer, so that every stop can name the command that goes on."""
    if isinstance(error, AgentError):
        return error
    if isinstance(error, WorkspaceError):
        return of_errno(error.errno, str(error))
    if isinstance(error, OSError):
        return of_errno(error.errno or 0, f"{error.filename or 'the run folder'}: {error.strerror or error}")
    return Interrupted("interrupted; what was recorded is kept")


def _draft(
    options: Options, dataset: Dataset, run: RunFolder, progress: Progress, console: Console, stop: Stop, images: Images
) -> None:
    """Every selected task is drafted, staged and gated, and its result is in the journal."""
    progress.start(dataset.names[ref.id] for ref in dataset.selected)
    setting = _setting(options, dataset, run.staging, images)
    units = progress.units(dataset)
    results = ordered(partial(unit.convert, setting), units, _jobs(options, dataset), stop)
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
    choices = _setting(options, dataset, run.staging, images).choices
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
        raise NeedsInput("\n".join(lines), resume=_again(options, counts))
    write_suite(run.staging, dataset.inventory, options.name, progress.converted())
    redraft = partial(_redrafted, _setting(options, dataset, run.staging, images), dataset)
    proofs = prove_sample(options, run, progress, console, stop, redraft)
    if stop():
        raise Interrupted("stopped while proving; what was proved is kept")
    counts = tally(progress.results())
    row = write_suite(run.staging, dataset.inventory, options.name, progress.converted())
    facts = replace(_facts(options, dataset, counts, proofs, images), sessions=tuple(sessions))
    head = report.summary(facts, counts, len(dataset.selected))
    report.write(run.files, facts, head, progress.results(), row)
    progress.publish() if row else progress.give_up()
    return _ending(head, options.output or run.output)


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
        choices=_choices_table(options),
        skipped=tuple((skip.path, skip.reason) for skip in inventory.skipped),
        suite={"name": _suite_name(options, dataset), "cases": cases} if cases else None,
        proof_asked=options.proof,
        unproved=proofs.reason,
        proofs=proofs.by_case,
        against_source=proofs.against_source,
        proved_shapes=proofs.shapes,
        images=images.rows(),
    )


def _ending(head: dict[str, Any], shown: Path) -> Ending:
    kept = head["books"]
    status = CLEAN if kept["in"] == kept["converted"] else FINDINGS
    return Ending(status, head, "\n".join(report.lines(head, str(shown), str(run_path(shown)))))


def finished(run: Path, shown: Path) -> Ending:
    """What a run that is over has to say, read from its report."""
    try:
        head = json.loads((run / REPORT_JSON).read_bytes())
        del head["tasks"]
        return _ending(head, shown)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{run / REPORT_JSON}: cannot be read (start over with convert)") from error


def _setting(options: Options, dataset: Dataset, staging: Path | None, images: Images) -> unit.Setting:
    choices = Choices(
        image=options.image or None,
        test_cwd=options.test_cwd,
        pass_if=options.pass_if or None,
        allow=frozenset(options.allow),
        answers=dict(options.answers),
        platform=options.platform,
        pins=images.pins,
        images=images.facts,
    )
    salt = f"{tool_version()}\0{sorted(_choices_table(options).items())}\0{images.salt}"
    return unit.Setting(dataset.source, choices, options.answered, staging, salt)


def _suite_name(options: Options, dataset: Dataset) -> str:
    return options.name or dataset.inventory.name


def _choices_table(options: Options) -> dict[str, Any]:
    """The choices that shape the output, as the report names them."""
    return {
        "image": options.image,
        "platform": options.platform,
        "registry": options.registry,
        "test_cwd": options.test_cwd,
        "pass_if": options.pass_if,
        "allow": list(options.allow),
        "answers": dict(sorted(options.answers.items())),
    }


def _command(options: Options, place: Path) -> dict[str, Any]:
    table = {**vars(options), "source": str(options.source.resolve()), "output": str(place)}
    table["pins"] = options.pins and str(Path(options.pins).resolve())
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}


def _jobs(options: Options, dataset: Dataset) -> int:
    return options.jobs or default_jobs(len(dataset.selected))


def _resume(output: Path) -> str:
    return f"suite-converter resume {shlex.quote(str(run_path(output)))}"


def _again(options: Options, counts: Tally) -> str:
    """The convert command with a place for every answer that is missing."""
    return again(options, [flag_of(question, "CHOICE") for _, question in sorted(counts.questions.items())])
