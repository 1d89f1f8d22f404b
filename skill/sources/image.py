"""Where a task's container comes from: an image, a Dockerfile, both, or a Dockerfile made for an image."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Final

from skill import dockerfile
from skill.contract import IMAGE_PIN
from skill.dockerfile import Dockerfile
from skill.sources.base import Question, SourceFile
from skill.sources.context import leaked_solutions, missing_sources, starts
from skill.sources.dialect import COMPOSE
from skill.sources.files import Part, read_bytes
from skill.sources.notes import Remarks

IMAGE: Final = Question(
    "image",
    "Tasks have both an image and a Dockerfile: keep the image, build the Dockerfile, or build and publish?",
    ("keep", "dockerfile", "publish"),
)
NO_REFERENCE: Final = re.compile(r"[{}<>\s$]")


@dataclass
class ImagePlan(Remarks):
    """The container's origin and what is wrong with it."""

    path: str = "environment/Dockerfile"  # where the Dockerfile lies, in reports
    folder: str = "environment/"  # what it is built from, in reports
    named_in: str = "task.toml"  # where an image would be named, in reports
    image: str | None = None
    workdir: str | None = None  # stated beside the image, which it overrides
    dockerfile: Dockerfile | None = None
    generated: bytes | None = None
    questions: list[Question] = field(default_factory=list)


def plan_image(
    stated: str | None, composed: str | None, environment: Part, workdir: str | None, plan: ImagePlan | None = None
) -> ImagePlan:
    """What the case can be built from; ``composed`` is an image that only a compose file names.

    ``plan`` is an empty one that says how a framework calls the places; without it they are Harbor's.

    A Dockerfile is generated where the image alone would not do: for loose files, which Harbor uploads into
    the working directory, and for a tag, which a suite cannot pin without a registry.
    """
    own = environment.find("Dockerfile")
    plan = plan or ImagePlan()
    plan.image, plan.workdir = stated or (None if own else composed), workdir
    if plan.image is not None and NO_REFERENCE.search(plan.image):
        plan.refuse("template", f"the image name {plan.image!r:.80} holds an unfilled placeholder")
    elif own is not None:
        _own_dockerfile(plan, own, environment)
    elif plan.image is not None:
        _image_only(plan, plan.image, environment, workdir)
    else:
        _nothing(plan, environment)
    return plan


def _own_dockerfile(plan: ImagePlan, own: SourceFile, environment: Part) -> None:
    data = read_bytes(own, environment)
    if data is None:
        return
    plan.dockerfile = facts = dockerfile.parse(data)
    if plan.image is not None:
        plan.questions.append(IMAGE)
        plan.note("S103", plan.path, plan.image)
    for problem in facts.problems:
        if plan.image is not None:
            plan.note("S104", plan.path, problem)
        else:
            plan.refuse("template" if "placeholder" in problem else "bad-dockerfile", f"{plan.path}: {problem}")
    if not facts.problems:
        _judge(plan, facts, environment)


def _judge(plan: ImagePlan, facts: Dockerfile, environment: Part) -> None:
    if facts.needs_buildkit:
        plan.note("S105", plan.path, "; ".join(facts.needs_buildkit[:3]))
    if facts.healthcheck:
        plan.note("S106", plan.path)
    if not facts.runs_as_root:
        sentence = f"{plan.path} sets USER {facts.user}; Margin can stage and grade only as root"
        plan.refuse("user-not-root", sentence, allowable=True)
    if facts.entrypoint and (started := starts(facts.entrypoint, environment)):
        shown = " ".join(facts.entrypoint)
        sentence = (
            f"{plan.path} has ENTRYPOINT {shown!r:.80}, which Margin replaces, so this never runs: {started:.100}"
        )
        plan.refuse("entrypoint-services", sentence, allowable=True)
    if leaks := leaked_solutions(facts):
        plan.note("S109", plan.path, ", ".join(leaks[:3]))
    if missing := missing_sources(facts, environment):
        named = ", ".join(missing[:3])
        if plan.image is None:
            plan.refuse("missing-context", f"{plan.path} copies {named:.200}, which {plan.folder} does not hold")
        else:
            plan.note("S111", plan.path, named)


def _image_only(plan: ImagePlan, image: str, environment: Part, workdir: str | None) -> None:
    pinned = IMAGE_PIN.match(image) is not None
    if not pinned:
        plan.note("S101", plan.named_in, image)
    inputs = [file for file in environment.files if file.path != COMPOSE]
    if pinned and not inputs:
        return
    plan.generated = generate(image, inputs, workdir)
    plan.dockerfile = dockerfile.parse(plan.generated)
    plan.note("S102", plan.folder)


def generate(image: str, inputs: list[SourceFile], workdir: str | None) -> bytes:
    """FROM the image, and the loose files copied into the directory where Harbor uploads them."""
    lines = [f"FROM {image}"]
    if workdir:
        lines.append(f"WORKDIR {workdir}")
    for name, is_folder in sorted({(file.path.partition("/")[0], "/" in file.path) for file in inputs}):
        literal = name.replace("$", "\\$")
        source = re.sub(r"([\[*?])", r"[\1]", literal)
        lines.append("COPY " + json.dumps([source, f"./{literal}/" if is_folder else "./"], ensure_ascii=False))
    return "\n".join([*lines, ""]).encode()


def _nothing(plan: ImagePlan, environment: Part) -> None:
    if environment.refusals:
        return
    if not environment.exists:
        plan.refuse("no-environment", f"there is neither {plan.folder} nor an image that {plan.named_in} names")
        return
    named = ", ".join(environment.place(file.path) for file in environment.files[:3])
    held = f" (there is {named})" if named else ""
    plan.refuse("no-environment", f"{plan.folder} has no Dockerfile{held} and {plan.named_in} names no image")
