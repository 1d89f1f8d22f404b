"""Publishing: the build contexts of a run's cases, each pushed once, then named by the cases in the place of env/."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.console import Console
from agent.errors import Infrastructure, Interrupted, UsageError
from agent.interrupt import Stop
from agent.options import Options
from agent.outcome import Outcome, TaskResult
from agent.pins_file import PUBLISHED
from agent.progress import Progress
from agent.proofs import setup
from agent.run_folder import RunFolder, remove
from agent.text import plain
from agent.unit import gated
from skill.case import Case
from skill.contract import CASE_FILE, CASES_DIR
from skill.draft import with_image
from skill.finding import Finding
from skill.image_facts import ImageFacts
from skill.image_ref import read_image_ref
from skill.ledger import digest
from skill.parts.environment import context_digest
from skill.pins import Pin, Resolution, Unpinned
from skill.rules import check_case, check_image
from skill.rules.looked_into import LookedInto, paths_of
from tools.errors import RunnerError, WorkspaceError
from tools.workspace import Workspace

if TYPE_CHECKING:
    from tools.runners.docker_publish import Filled, Order

SHOWN = 20  # digits of a context's digest in its tag


@dataclass(frozen=True)
class Target:
    """One image to be: its name, the digest of its context, and the tasks that it is for."""

    name: str
    sha256: str
    tasks: tuple[str, ...]
    cases: tuple[str, ...]


def targets(options: Options, suite: str, results: Iterable[TaskResult]) -> list[Target]:
    """What would be pushed where, each distinct context once; raises UsageError for a registry that is no name."""
    found: defaultdict[str, list[TaskResult]] = defaultdict(list)
    for result in results:
        if result.outcome is Outcome.CONVERTED and (sha := context_digest(result.ledger)):
            found[sha].append(result)
    rows = sorted(found.items(), key=lambda pair: pair[1][0].id)
    return [
        Target(_place(options, suite, sha), sha, tuple(one.id for one in group), tuple(one.name for one in group))
        for sha, group in rows
    ]


def _place(options: Options, suite: str, sha: str) -> str:
    """The name of an image: the registry as given, the suite, and a tag made of the content."""
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in suite.lower())
    repository = "-".join(filter(None, words.split("-"))) or "suite"
    name = f"{options.registry.rstrip('/')}/{repository}:{sha[:SHOWN]}"
    if read_image_ref(name) is None:
        raise UsageError(f"--registry {options.registry}: makes no name of an image ({name})")
    return name


def publish(
    options: Options, suite: str, run: RunFolder, progress: Progress, console: Console, stop: Stop
) -> dict[str, Resolution]:
    """Afterwards no staged case has an env/: each names the image made of it, or is refused with the reason.

    The result is by the image's name. Raises Infrastructure when a push fails: what was pushed is kept, and the
    run goes on from there.
    """
    wanted = targets(options, suite, progress.results())
    done, seen = _pushed(options, run, wanted, console, stop)
    for name in progress.converted():
        result = progress.result_of(name)
        if sha := context_digest(result.ledger):
            image = _place(options, suite, sha)
            case = Case(run.staging, name, 0)
            more = check_image(LookedInto(case, seen[image], options.platform)) if image in seen else []
            progress.add(_settled(run.staging / CASES_DIR / name, result, done[image], more))
    progress.sync()
    return done


def _settled(place: Path, result: TaskResult, found: Resolution, more: list[Finding]) -> TaskResult:
    """The case with its image, gated anew; refused when its context has none."""
    if isinstance(found, Unpinned):
        remove(place)
        refused = replace(result, outcome=Outcome.REFUSED, code=found.code, sentence=plain(found.reason))
        return replace(refused, ledger=(), shape="", form="")
    gates = check_case(Case(place.parent.parent, place.name, 0))
    config = with_image((place / CASE_FILE).read_bytes(), found.pinned)
    with Workspace(place) as files:
        files.write(CASE_FILE, config)
    remove(place / "env")
    rows = [row for row in result.ledger if not row.path.startswith("env/")]
    rows = [replace(row, sha256=digest(config)) if row.path == CASE_FILE else row for row in rows]
    kept = [finding for finding in result.findings if finding not in gates]
    return gated(place, replace(result, ledger=tuple(rows), findings=tuple(kept)), more)


def _pushed(
    options: Options, run: RunFolder, wanted: list[Target], console: Console, stop: Stop
) -> tuple[dict[str, Resolution], dict[str, ImageFacts]]:
    """What became of each context and what its image says, by the name of the image; earlier pushes included."""
    done: dict[str, Resolution] = {**_kept(run)}
    seen: dict[str, ImageFacts] = {}
    missing = [one for one in wanted if one.name not in done]
    try:
        with console.progress("publish", len(missing)) as advance:
            for target, filled in _filled(options, run, missing, stop):
                done[target.name] = filled.found
                seen |= {target.name: filled.facts} if filled.facts else {}
                advance(target.name)
                _keep(run, done)
    except RunnerError as error:
        raise Infrastructure(f"not published: {error}; {len(done)} of {len(wanted)} images are there") from error
    if stop():
        raise Interrupted(f"stopped after {len(done)} of {len(wanted)} images; they are kept")
    return done, seen


def _filled(options: Options, run: RunFolder, wanted: list[Target], stop: Stop) -> Iterable[tuple[Target, Filled]]:
    """Each target and what became of it, as many at a time as jobs were asked for."""
    from tools.pool import ordered
    from tools.registry.client import RegistryClient
    from tools.runners.docker_engine import connect
    from tools.runners.docker_facts import terms_of
    from tools.runners.docker_publish import Publisher

    if not wanted:
        return
    client = connect()
    publisher = Publisher(client, RegistryClient(terms_of(client)), setup())
    orders = [_order(run, one) for one in wanted]
    with publisher.at_work():
        yield from zip(wanted, ordered(publisher.fill, orders, options.jobs or 1, stop), strict=False)


def _order(run: RunFolder, target: Target) -> Order:
    from tools.runners.docker_publish import Order

    cases = [Case(run.staging, name, 0) for name in target.cases]
    paths = sorted({path for case in cases for path in paths_of(case)})
    return Order(cases[0], target.sha256, target.name, target.tasks, tuple(paths))


def _kept(run: RunFolder) -> dict[str, Pin]:
    """What this run has pushed before it was stopped, by name."""
    try:
        rows = json.loads(run.files.read(PUBLISHED))
        return {name: Pin(name, str(pinned), "published") for name, pinned in rows.items()}
    except (WorkspaceError, ValueError, AttributeError):
        return {}


def _keep(run: RunFolder, done: Mapping[str, Resolution]) -> None:
    pushed = {name: found.pinned for name, found in done.items() if isinstance(found, Pin)}
    run.files.write(PUBLISHED, json.dumps(pushed, indent=1).encode())
