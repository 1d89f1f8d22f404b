"""The images of a dataset, before anything is drafted: which there are, what digest each has, what each says."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from agent.console import Console
from agent.dataset import Dataset
from agent.errors import Interrupted
from agent.interrupt import Stop
from agent.options import Options
from agent.pins_file import keep, named_pins, remembered
from agent.pool import default_jobs, ordered
from agent.text import plain
from agent.unit import Unit
from skill.errors import SkillError
from skill.image_facts import ImageFacts
from skill.pins import Pin, Resolution, pin_table
from skill.sources.base import Origin, Source
from tools.workspace import Workspace

if TYPE_CHECKING:
    from tools.registry.resolve import Resolver
    from tools.runners.docker_look import Looker

ASKING = ("keep", "publish")  # choices that let registries be asked
LOOKS = 4  # images looked into side by side


@dataclass(frozen=True)
class Needs:
    """The images that one task names."""

    image: str = ""  # of the task itself, empty where its Dockerfile counts
    base: str = ""  # that its Dockerfile starts from
    workdir: str = ""  # where the task says that the agent works

    @property
    def paths(self) -> tuple[str, ...]:
        """What is to be looked at in the task's own image."""
        places = [place for place in ("/", self.workdir) if place]
        staged = (posixpath.join(place, folder) for place in places for folder in ("tests", "oracle"))
        return tuple(dict.fromkeys((*([self.workdir] if self.workdir else []), *staged)))


@dataclass(frozen=True)
class Images:
    """What is known about the images of a dataset."""

    pins: Mapping[str, Resolution] = field(default_factory=dict)
    facts: Mapping[str, ImageFacts] = field(default_factory=dict)
    published: Mapping[str, Resolution] = field(default_factory=dict)  # by the name of the image

    def rows(self) -> list[dict[str, str]]:
        """One row of the report for each name that somebody was asked for."""
        asked = [found for found in self.pins.values() if not (isinstance(found, Pin) and found.by == "source")]
        tables = (asked, self.published.values())
        return [_row(found) for table in tables for found in sorted(table, key=lambda found: found.reference)]

    @property
    def salt(self) -> str:
        """Changes whenever a task might come out otherwise because of its image."""
        known = [repr(pair) for table in (self.pins, self.facts) for pair in sorted(table.items(), key=_name)]
        return hashlib.sha256("\n".join(known).encode()).hexdigest() if known else ""


def _row(found: Resolution) -> dict[str, str]:
    if isinstance(found, Pin):
        return {"name": found.reference, "pinned": found.pinned, "by": found.by, "code": "", "reason": ""}
    return {"name": plain(found.reference), "pinned": "", "by": "", "code": found.code, "reason": plain(found.reason)}


def _name(pair: tuple[str, object]) -> str:
    return pair[0]


def needs_of(source: Source, choice: str, unit: Unit) -> Needs:
    """The images that matter for one task; none for one that cannot be read, which drafting will report."""
    try:
        origin = source.origin(unit.ref)
    except (SkillError, OSError):
        return Needs()
    return _needs(origin, choice)


def _needs(task: Origin, choice: str) -> Needs:
    own = task.has_own_dockerfile
    kept = task.image is not None and (not own or choice == "keep")
    base = task.dockerfile.base if task.dockerfile and (own or not kept) else None
    return Needs(task.image or "" if kept else "", base or "", task.workdir or "")


def survey(options: Options, dataset: Dataset, run: Workspace | None, console: Console, stop: Stop) -> Images:
    """Ask once for every distinct image; ``run`` keeps the answers, None for a plan, which writes nothing.

    Raises UsageError for a pins file that is none, Interrupted when somebody wishes to stop.
    """
    known = {**named_pins(options), **(remembered(run, options.platform) if run else {})}
    found = list(_each(options, dataset, stop))
    if not any(need.image or need.base for need in found):
        return Images()
    from tools.runners.docker_look import open_looker

    looker = open_looker(options.platform, f"look-{os.urandom(6).hex()}")
    pins = _pins(options, {need.image for need in found if need.image}, known, looker, console, stop)
    if run:
        keep(options, run, {**known, **pin_table(pins.values())})
    return Images(pins, _facts(found, pins, looker, stop))


def _each(options: Options, dataset: Dataset, stop: Stop) -> Iterator[Needs]:
    jobs = options.jobs or default_jobs(len(dataset.selected))
    results = ordered(partial(needs_of, dataset.source, options.image), dataset.units(), jobs, stop)
    with closing(results):
        yield from results
    if stop():
        raise Interrupted("stopped before anything was drafted")


def _pins(
    options: Options, names: set[str], known: Mapping[str, str], looker: Looker, console: Console, stop: Stop
) -> dict[str, Resolution]:
    """What each name stands for; registries are asked only where an image is to be kept."""
    if options.image not in ASKING:
        return {name: Pin(name, known[name], "pins") for name in sorted(names & known.keys())}
    pins = {}
    with console.progress("pin", len(names)) as advance:
        for found in open_resolver(looker, known).resolve(names, stop):
            pins[found.reference] = found
            advance(found.reference)
    if stop():
        raise Interrupted("stopped while images were looked up")
    return pins


def open_resolver(looker: Looker, known: Mapping[str, str]) -> Resolver:
    """Answers from ``known`` pins, from registries, and from what the engine has pulled."""
    from tools.registry.client import RegistryClient
    from tools.registry.resolve import Resolver

    looker.registry = RegistryClient(looker.terms)
    return Resolver(looker.registry, looker.platform, known, looker.pulled_digest)


def _facts(found: list[Needs], pins: Mapping[str, Resolution], looker: Looker, stop: Stop) -> dict[str, ImageFacts]:
    """What the images say: those that are kept are looked into, those that are built from tell their configuration.

    A name that is pinned is looked up by its digest: the engine may have something older under the tag.
    """
    from tools.pool import ordered as threaded

    paths: defaultdict[str, set[str]] = defaultdict(set)
    for need in found:
        if need.image:
            paths[need.image].update(need.paths)
    unstated = {need.image for need in found if need.image and not (need.workdir or need.base)}
    bases = {need.base for need in found if need.base and not need.image} - paths.keys()

    def look(name: str) -> ImageFacts | None:
        if name not in paths:
            return looker.configured(name, near=True)
        pin = pins.get(name)
        exact = pin.pinned if isinstance(pin, Pin) else name
        facts = looker.looked_into(exact, paths[name], near=name not in unstated)
        return replace(facts, name=name) if facts else None

    names = sorted({*paths, *bases})
    return {name: facts for name, facts in zip(names, threaded(look, names, LOOKS, stop), strict=False) if facts}
