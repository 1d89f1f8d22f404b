"""An accepted verifier goes to every case of its group, by program; what it does not fit comes back with a reason."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from agent import unit
from agent.console import Console
from agent.dataset import Dataset
from agent.interrupt import Stop
from agent.odd import OddCase, OddGroup
from agent.odd_desk import origins_of, with_rows
from agent.odd_proof import Prover
from agent.options import Options
from agent.outcome import Outcome, TaskResult
from agent.progress import Progress
from agent.proofs import DEEP, EVIDENCE
from agent.run_folder import RunFolder, remove
from agent.suite_file import write_suite
from agent.text import plain
from agent.weight import CONTRARY, weight, why
from skill.case import Case
from skill.comparison import Comparison
from skill.contract import CASES_DIR
from skill.draft import CaseDraft, Choices, Refused, draft
from skill.errors import SkillError
from skill.ledger import Action, is_by_session
from skill.lift import Edit, Misfit, lifted
from skill.odd_shape import shape_of_task
from skill.rules import check_pair
from skill.skeleton import completed
from skill.sources.base import SourceTask
from tools.runners.base import Runner

DIFFS: Final = "diffs"  # below the run folder: what sessions changed of each case's files


@dataclass(frozen=True)
class Works:
    """What a run works with while it serves odd cases."""

    options: Options
    choices: Choices
    dataset: Dataset
    run: RunFolder
    progress: Progress
    console: Console
    stop: Stop
    runner: Runner | None  # proves a sample of what a verifier is applied to; None: nothing is proved
    prover: Prover | None = None  # proves what a session wrote
    reason: str = ""  # why there is no runner


@dataclass
class Applied:
    """What became of a group's cases."""

    converted: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)  # case name -> why the edit does not fit


def apply(works: Works, group: OddGroup, edit: Edit, by: str) -> Applied:
    """Afterwards every case of ``group`` that ``edit`` fits is staged, gated and booked; a sample of them is proved."""
    done = Applied()
    for case in sorted(group.cases, key=lambda case: case.name):
        made = _made(works, group, case, edit, by)
        if isinstance(made, str):
            done.left[case.name] = made
        else:
            works.progress.add(made)
            done.converted.append(case.name)
    _sample(works, group, done)
    works.progress.sync()
    return done


def _made(works: Works, group: OddGroup, case: OddCase, edit: Edit, by: str) -> TaskResult | str:
    """The staged, gated case, or why the edit does not fit it."""
    try:
        task = works.dataset.source.load(case.ref)
        own = lifted(edit, shape_of_task(task), origins_of(task))
        if isinstance(own, Misfit):
            return own.reason
        made = draft(task, case.name, works.choices, completed(group.id, own.body, own.files, by))
    except (SkillError, OSError) as error:
        return f"it cannot be read: {error}"
    if isinstance(made, Refused):
        return made.sentence
    return _staged(works, case, task, with_rows(made, origins_of(task), by))


def _staged(works: Works, case: OddCase, task: SourceTask, made: CaseDraft) -> TaskResult | str:
    place = works.run.staging / CASES_DIR / case.name
    remove(place)
    unit.stage(place, made)
    start = replace(case.result, outcome=Outcome.CONVERTED, code="", sentence="", facts=(), shape=made.shape)
    result = replace(start, form=made.form, findings=made.findings, ledger=made.ledger)
    pair = Comparison(Case(works.run.staging, case.name, 0), made.ledger, task)
    ended = unit.gated(place, result, check_pair(pair))
    if ended.outcome is not Outcome.CONVERTED:
        return ended.sentence
    for path, text in _diffs(task, made):
        works.run.files.write(f"{DIFFS}/{case.name}/{path}.diff", text)
    return ended


def _diffs(task: SourceTask, made: CaseDraft) -> Iterator[tuple[str, bytes]]:
    """What was changed of the source's files, as a unified diff each."""
    held: Mapping[str, bytes] = {f"tests/{file.path}": file.read() for file in task.tests}
    files = {file.path: file for file in made.files}
    for row in made.ledger:
        if row.action is Action.REWRITTEN and is_by_session(row):
            before, after = (
                data.decode("utf-8", "backslashreplace").splitlines(keepends=True)
                for data in (held[row.source], files[row.path].data or b"")
            )
            yield row.path, "".join(difflib.unified_diff(before, after, row.source, row.path)).encode()


def _sample(works: Works, group: OddGroup, done: Applied) -> None:
    """Prove the first cases; one whose proof speaks against the verifier comes back, and the next is tried."""
    proved: set[str] = set()
    while works.runner is not None and not works.stop():
        names = [name for name in sorted(done.converted)[: works.options.sample] if name not in proved]
        if not names:
            return
        for name, reason in _contrary(works, names):
            remove(works.run.staging / CASES_DIR / name)
            done.converted.remove(name)
            done.left[name] = reason
        proved.update(names)


def _contrary(works: Works, names: list[str]) -> list[tuple[str, str]]:
    from tools.depth import Depth
    from tools.proof import prove
    from tools.proof_cache import ProofCache

    assert works.runner is not None
    write_suite(works.run.staging, works.dataset.inventory, works.options.name, works.progress.converted())
    depth, cache = Depth(deep=works.options.proof == DEEP), ProofCache(works.run.path / EVIDENCE)
    jobs = works.options.jobs or os.cpu_count() or 1
    proofs = prove(
        works.run.staging,
        names,
        runner=works.runner,
        jobs=jobs,
        states=depth.states,
        follow=depth.follow,
        cache=cache,
        stopped=works.stop,
    )
    return [(proof.case, plain(f"its proof shows that {why(proof)}")) for proof in proofs if weight(proof) == CONTRARY]
