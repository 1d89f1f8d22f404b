"""Which image a case names, and what is known about the container without building it (decisions D2, D3, D8)."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from skill.image_facts import SHELL, ImageFacts, There
from skill.parts.base import Choices, Refused
from skill.pins import Pin, Unpinned, already_pinned
from skill.sources.base import SourceTask

USER: Final = "user-not-root"
ENTRYPOINT: Final = "entrypoint-services"
OF_A_TEXT: Final = frozenset({USER, ENTRYPOINT})  # refusals that a Dockerfile beside a kept image cannot give
OTHERWISE: Final = "--image dockerfile builds from it under its name, --pins FILE names its digest"


@dataclass(frozen=True)
class Container:
    """The image that is kept (``pinned``), or that a Dockerfile of ours or the source's starts from."""

    pinned: str  # goes into case.toml; empty: env/ is built
    base: str  # a FROM line of ours names it; empty: the source's Dockerfile stays as it is
    facts: ImageFacts | None  # of the kept image, or of the Dockerfile's base
    env: Mapping[str, str] = field(default_factory=dict)
    installed: frozenset[str] = frozenset()


def container(task: SourceTask, choices: Choices) -> Container | Refused:
    """What the case runs in; refused when a choice or a digest is missing, or the image itself forbids it."""
    own = any(file.path == "Dockerfile" for file in task.environment)
    if task.image and own and choices.image is None:
        return Refused("image-choice", "the task has an image and a Dockerfile; say which with --image keep|dockerfile")
    if task.image is None or (own and choices.image != "keep"):
        return _judged(task, choices, _built(task, choices, ""))
    found = already_pinned(task.image) or choices.pins.get(task.image)
    if isinstance(found, Pin):
        loose = bool(task.generated_dockerfile and task.dockerfile and task.dockerfile.copies)
        if loose or (choices.image == "dockerfile" and task.generated_dockerfile is not None):
            return _judged(task, choices, _built(task, choices, found.pinned))
        return _judged(task, choices, _kept(task, choices, found.pinned))
    if choices.image != "keep" and task.generated_dockerfile is not None:
        return _judged(task, choices, _built(task, choices, task.image))
    if isinstance(found, Unpinned):
        return Refused(found.code, f"{found.reason} ({OTHERWISE})")
    return Refused("image-not-pinned", f"the image {task.image} has no digest, and Margin takes no tag ({OTHERWISE})")


def _kept(task: SourceTask, choices: Choices, pinned: str) -> Container:
    facts = choices.images.get(task.image or "")
    if facts is not None:
        return Container(pinned, "", facts, facts.env, facts.programs or frozenset())
    told = task.dockerfile  # the nearest to the image that there is
    return Container(pinned, "", None, told.env, told.installed) if told else Container(pinned, "", None)


def _built(task: SourceTask, choices: Choices, base: str) -> Container:
    dockerfile = task.dockerfile
    known = dockerfile.base if dockerfile else None
    facts = choices.images.get(known or "")
    env = dict(dockerfile.env) if dockerfile else {}
    installed = dockerfile.installed if dockerfile else frozenset()
    if facts is not None:
        env, installed = {**facts.env, **env}, installed | (facts.programs or frozenset())
    return Container("", base, facts, env, installed)


def _judged(task: SourceTask, choices: Choices, made: Container) -> Container | Refused:
    """``made``, or the refusal that the facts of its image ask for; those of a text stand in the source task."""
    facts = made.facts
    if facts is None:
        return made
    inherits = task.dockerfile if not made.pinned else None
    if not facts.runs_as_root and (inherits is None or inherits.user is None):
        said = f"the image {facts.name} runs as {facts.user}; Margin can stage and grade only as root"
        if USER not in choices.allow:
            return Refused(USER, f"{said} (--allow {USER} converts it all the same)")
        made = made if not made.pinned else Container("", made.pinned, facts, made.env, made.installed)
    if facts.starts and (inherits is None or inherits.entrypoint is None) and ENTRYPOINT not in choices.allow:
        said = (
            f"the image {facts.name} has an ENTRYPOINT, which Margin replaces, so this never runs: {facts.starts:.100}"
        )
        return Refused(ENTRYPOINT, f"{said} (--allow {ENTRYPOINT} converts it all the same)")
    if made.pinned and facts.lacks(SHELL):
        return Refused("no-bash", f"the image {facts.name} has no bash, which Margin starts every verifier with")
    return made


def unfit(made: Container, cwd: str, test_cwd: str) -> Refused | None:
    """What the listing of a kept image has against the two directories."""
    if made.facts is None or not made.pinned:
        return None
    if made.facts.at(cwd) in (There.NOTHING, There.FILE):
        said = f"the image {made.facts.name} has no folder {cwd}, and nothing makes it"
        return Refused("agent-cwd-missing", f"{said} (--image dockerfile adds a WORKDIR line)")
    for folder in ("tests", "oracle"):
        staged = posixpath.join(test_cwd, folder)
        if made.facts.at(staged) in (There.FOLDER, There.FILE):
            said = f"the image {made.facts.name} holds {staged}, which staging deletes first"
            return Refused("staging-occupied", f"{said} (--test-cwd chooses another place)")
    return None
