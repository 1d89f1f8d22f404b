"""Where the agent starts and the source's verifier ran, with the evidence (decisions D2 and D3)."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass

from skill.parts.base import Choices, Refused
from skill.parts.image import Container
from skill.sources.base import SourceTask

# What the public Dockerfiles of these images leave as working directory.
BASES = {
    "/": re.compile(
        r"^(?:docker\.io/)?(?:[\w.-]+/)*(?:debian|ubuntu|python|node|rust|gcc|ruby|openjdk|eclipse-temurin|alpine|fedora|buildpack-deps"
        r"|amazoncorretto|php|perl|postgres|centos|rockylinux|maven|mambaforge|miniconda3?|r-base|scratch|cuda)(?:[:@].*)?$"
    ),
    "/go": re.compile(r"^(?:docker\.io/)?(?:[\w.-]+/)*golang(?:[:@].*)?$"),
    "/app": re.compile(r"t-bench/(?:ubuntu-24-04|python-3-13)(?:[:@].*)?$"),
}
PLACE = re.compile(
    r"(?<![\w./-])(/(?:app|workspace|testbed|repo|task|code|project|src|workdir|work))(?=/|[\s\"'`).,:;]|$)"
)


@dataclass(frozen=True)
class Workplace:
    """``cwd`` of agent and source verifier, ``test_cwd`` of ours."""

    cwd: str
    test_cwd: str
    evidence: str


def workplace(task: SourceTask, choices: Choices, texts: tuple[str, ...], made: Container) -> Workplace | Refused:
    """Decide both directories; refused when nothing tells where the agent works, never guessed in silence."""
    found = _cwd(task, choices, texts, made)
    if found is None:
        base = task.dockerfile.base if task.dockerfile else task.image
        return Refused(
            "workdir-unknown",
            f"neither the task nor its Dockerfile says where the agent works; the image {base or '?'} would tell"
            ' (pull it, or answer with workdir = "/path" in the answers file)',
        )
    cwd, evidence = found
    return Workplace(cwd, "/" if choices.test_cwd == "root" else cwd, evidence)


def _cwd(task: SourceTask, choices: Choices, texts: tuple[str, ...], made: Container) -> tuple[str, str] | None:
    if task.workdir:
        return task.workdir, "the task states it"
    if made.pinned and made.facts:
        return made.facts.workdir, f"WORKDIR of the image {made.facts.name}, looked into"
    dockerfile = task.dockerfile
    if dockerfile is not None and dockerfile.workdir:
        return dockerfile.workdir, "final WORKDIR of the Dockerfile"
    if answer := choices.answers.get("workdir"):
        return answer, "answered"
    if found := _inherited(task, made):
        return found
    places = Counter(match for text in texts for match in PLACE.findall(text))
    if len(places) == 1:
        place = next(iter(places))
        return (
            place,
            f"the only place that prompt, tests and solution name ({places[place]} times); not seen in an image",
        )
    return None


def _inherited(task: SourceTask, made: Container) -> tuple[str, str] | None:
    """The base image's directory, and what a relative WORKDIR adds to it."""
    below = task.dockerfile.below if task.dockerfile else ""
    if below is None:
        return None
    line = f"WORKDIR {below} below" if below else "no WORKDIR;"
    base = (task.dockerfile.base if task.dockerfile else task.image) or ""
    if made.facts:
        place, said = made.facts.workdir, f"{line} the base image {base} has {made.facts.workdir}, looked into"
        return posixpath.normpath(posixpath.join(place, below)), said
    for place, pattern in BASES.items():
        if pattern.search(base.split("@")[0]):
            return posixpath.normpath(posixpath.join(place, below)), f"{line} the base image {base} has {place}"
    return None
