"""Sessions over odd verifiers: one for each shape, with at most three repairs; gates and proof decide."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from agent.console import Console
from agent.dataset import Dataset
from agent.endpoint import NoModel, chosen, described
from agent.errors import Interrupted, NeedsInput
from agent.interrupt import Stop as StopAsked
from agent.mind import Mind, open_mind
from agent.odd import OddGroup, groups_of, odd_cases
from agent.odd_apply import Works
from agent.odd_proof import ContainerProver, Prover
from agent.odd_questions import odd_questions
from agent.odd_row import SessionRow
from agent.odd_session import NO_PROOF, SESSIONS, OneSession
from agent.options import Options
from agent.plan import again, flag_of
from agent.progress import Progress
from agent.proofs import setup
from agent.run_folder import RunFolder
from agent.spectator import shown_on
from agent.transcript import usages
from skill.draft import Choices
from tools.errors import RunnerError
from tools.runners.base import Runner


def serve(
    options: Options,
    choices: Choices,
    dataset: Dataset,
    run: RunFolder,
    progress: Progress,
    console: Console,
    stop: StopAsked,
    mind: Mind | NoModel | None,
) -> list[SessionRow]:
    """Sessions over what is odd among the results; nothing is opened, and nothing asked, when nothing is.

    Raises what `rewrite_odd` and `open_mind` raise.
    """
    if not any(True for _ in odd_cases(dataset, progress.results())):
        return []
    if mind is None:
        console.note(described(chosen(options, os.environ)))
        mind = open_mind(options, os.environ, shown_on(console, stop))
    if isinstance(mind, NoModel):
        return []
    runner, reason = runner_of_sessions(options)
    try:
        prover = open_prover(options, run, runner)
        return rewrite_odd(Works(options, choices, dataset, run, progress, console, stop, runner, prover, reason), mind)
    finally:
        if runner is not None:
            runner.close()


def runner_of_sessions(options: Options) -> tuple[Runner | None, str]:
    """The runner that proves what sessions wrote, or none and why."""
    if options.proof == NO_PROOF:
        return None, "not asked for"
    from tools.runners import open_runner

    try:
        return open_runner(options.runner, setup()), ""
    except RunnerError as error:
        return None, str(error)


def open_prover(options: Options, run: RunFolder, runner: Runner | None) -> Prover | None:
    """What proves the verifiers of sessions; None where nothing can be run."""
    return ContainerProver(runner, run.path, options.pass_if) if runner is not None else None


def rewrite_odd(works: Works, mind: Mind) -> list[SessionRow]:
    """A row for each session; afterwards every case that was odd is converted, or refused with a reason.

    Raises BudgetSpent, Infrastructure or Interrupted for what concerns the whole run, NeedsInput when an answer is
    needed before or in a session; what was paid for is kept, and a session that is over is not opened again.
    """
    groups = groups_of(list(odd_cases(works.dataset, works.progress.results())))
    _ask_first(works, groups)
    mind.budget.restore(usage for path in sorted((works.run.path / SESSIONS).glob("*.jsonl")) for usage in usages(path))
    done: list[SessionRow] = []
    questions: list[str] = []
    with works.console.progress("sessions", len(groups)) as advance:
        for group in groups:
            for row, question in _served_whole(works, mind, group):
                done.append(row)
                questions += [question] if question else []
            advance(group.id)
            if works.stop():
                raise Interrupted("stopped between two sessions; they are kept")
    if questions:
        raise NeedsInput("\n".join(["needs input; nothing was published", *questions]))
    return done


def _ask_first(works: Works, groups: list[OddGroup]) -> None:
    """Raise NeedsInput for what is known to be needed before anything is paid for."""
    asked = [question for _, question in odd_questions(works.options, works.dataset, groups)]
    if asked:
        lines = ["needs input; nothing was published", *dict.fromkeys(question.text for question in asked)]
        flags = [flag_of(asked[0], asked[0].choices[0])]
        raise NeedsInput("\n".join(lines), resume=again(works.options, flags))


def _served_whole(works: Works, mind: Mind, group: OddGroup) -> Iterator[tuple[SessionRow, str]]:
    """A session for the group, then one for what its verifier did not fit, until nothing is left."""
    rest: OddGroup | None = group
    number = 1
    while rest is not None:
        one = OneSession(works, mind, rest)
        row, left = one.serve()
        yield row, one.question
        number += 1
        rest = _left(rest, left, f"{group.id}-{number}")


def _left(group: OddGroup, left: Mapping[str, str], id: str) -> OddGroup | None:
    """The cases that came back, as a group of its own."""
    cases = tuple(case for case in group.cases if case.name in left)
    return OddGroup(id, cases, left[min(cases, key=lambda case: case.weight).name]) if cases else None
