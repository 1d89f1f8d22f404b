"""Where the container of a task comes from: an image, a Dockerfile, both, or a Dockerfile made for an image."""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass, field
from typing import Final

from skill import dockerfile
from skill.contract import IMAGE_PIN
from skill.dockerfile import Dockerfile
from skill.finding import Finding
from skill.sources.base import Question, Refusal, SourceFile
from skill.sources.harbor.files import Part
from skill.sources.harbor.notes import note

IMAGE_CHOICES: Final = ("keep", "dockerfile", "publish")
PLACEHOLDER: Final = re.compile(r"[{}<>\s]|\$")
SHELLS: Final = frozenset({"sh", "bash", "ash", "dash", "zsh", "env", "tini", "dumb-init", "docker-init", "catatonit", "sudo"})
IDLE: Final = re.compile(r"(?:exec\s+)?(?:sleep\s+\S+|tail\s+-f\s+/dev/null|while\s+true;.*sleep.*done|/bin/(?:ba)?sh|bash|sh)\Z")
PASS_ON: Final = re.compile(r'exec\s+(?:\S*tini\s+(?:-\S+\s+)*(?:--\s+)?)?"?\$@"?\Z')


@dataclass
class ImagePlan:
    """The container's origin and what is wrong with it."""

    image: str | None = None
    dockerfile: Dockerfile | None = None
    generated: bytes | None = None
    refusals: list[Refusal] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def plan_image(image: str | None, environment: Part, workdir: str | None) -> ImagePlan:
    """Decide from ``docker_image`` and the files of environment/ what the case can be built from."""
    plan = ImagePlan(image=image)
    own = environment.find("Dockerfile")
    if image is not None and PLACEHOLDER.search(image):
        plan.refusals.append(Refusal("template", f"environment.docker_image {image!r:.80} is no image reference"))
    elif own is not None:
        _own_dockerfile(plan, own, environment)
    elif image is not None:
        _image_only(plan, image, environment, workdir)
    else:
        plan.refusals.append(_nothing(environment))
    return plan


def _own_dockerfile(plan: ImagePlan, own: SourceFile, environment: Part) -> None:
    try:
        facts = dockerfile.parse(own.host.read_bytes())
    except OSError as error:
        plan.refusals.append(Refusal("unreadable", f"environment/Dockerfile cannot be read: {error.strerror}"))
        return
    plan.dockerfile = facts
    if plan.image is not None:
        plan.questions.append(Question("image", "Keep the image, build the Dockerfile, or build and publish?", IMAGE_CHOICES))
        plan.findings.append(note("S103", "environment/Dockerfile", plan.image))
    _judge(plan, facts, environment)


def _judge(plan: ImagePlan, facts: Dockerfile, environment: Part) -> None:
    path = "environment/Dockerfile"
    for problem in facts.problems:
        if "placeholder" in problem and plan.image is None:
            plan.refusals.append(Refusal("template", f"{path}: {problem}"))
        elif plan.image is None:
            plan.refusals.append(Refusal("bad-dockerfile", f"{path}: {problem}"))
        else:
            plan.findings.append(note("S104", path, problem))
    plan.findings += [note("S105", path, reason) for reason in facts.needs_buildkit[:1]]
    if facts.healthcheck:
        plan.findings.append(note("S106", path))
    if not facts.runs_as_root:
        sentence = f"{path} sets USER {facts.user}; Margin can stage and grade only as root"
        plan.refusals.append(Refusal("user-not-root", sentence, allowable=True))
    if facts.entrypoint and not passes_on(facts.entrypoint, environment):
        shown = " ".join(facts.entrypoint)
        sentence = f"{path} has ENTRYPOINT {shown!r:.80}, which Margin replaces, so what it starts never runs"
        plan.refusals.append(Refusal("entrypoint-services", sentence, allowable=True))
    leaks = [source for copy in facts.copies for source in copy.sources if source.strip("./").partition("/")[0] in LEAKS]
    plan.findings += [note("S109", path, leak) for leak in leaks[:1]]


LEAKS: Final = ("solution", "oracle")


def passes_on(entrypoint: tuple[str, ...], environment: Part) -> bool:
    """Whether an entrypoint only hands over to the command: a shell, an init, or a script that ends in exec "$@"."""
    words = [word for word in entrypoint if word]
    if not words or not words[0]:
        return True
    program = posixpath.basename(words[0])
    if len(words) >= 3 and program in ("sh", "bash", "ash") and words[1] in ("-c", "-lc", "-ec"):
        return IDLE.match(words[2].strip()) is not None or PASS_ON.match(words[2].strip()) is not None
    if program in SHELLS and all(word.startswith("-") or posixpath.basename(word) in SHELLS for word in words[1:]):
        return True
    if IDLE.match(" ".join(words)):
        return True
    script = words[-1] if program in SHELLS else words[0]
    return _script_passes_on(posixpath.basename(script), environment)


def _script_passes_on(name: str, environment: Part) -> bool:
    file = next((file for file in environment.files if posixpath.basename(file.path) == name), None)
    if file is None or file.size > 4096:
        return False
    try:
        lines = file.host.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    code = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    return bool(code) and all(line.startswith("set -") for line in code[:-1]) and PASS_ON.match(code[-1]) is not None


def _image_only(plan: ImagePlan, image: str, environment: Part, workdir: str | None) -> None:
    pinned = IMAGE_PIN.match(image) is not None
    if not pinned:
        plan.findings.append(note("S101", "task.toml", image))
    inputs = [file for file in environment.files if file.path != "docker-compose.yaml"]
    if pinned and not inputs:
        return
    plan.generated = _generate(image, inputs, workdir)
    plan.dockerfile = dockerfile.parse(plan.generated)
    plan.findings.append(note("S102", "environment/"))


def _generate(image: str, inputs: list[SourceFile], workdir: str | None) -> bytes:
    """FROM the image, and the loose files copied into the directory where Harbor uploads them."""
    lines = [f"FROM {image}"]
    if workdir:
        lines.append(f"WORKDIR {workdir}")
    tops = sorted({(file.path.partition("/")[0], "/" in file.path) for file in inputs})
    for name, is_folder in tops:
        source = re.sub(r"([\[*?])", r"[\1]", name).replace("$", "\\$")
        target = "./" + name.replace("$", "\\$") + "/" if is_folder else "./"
        lines.append("COPY " + json.dumps([source, target], ensure_ascii=False))
    return "\n".join([*lines, ""]).encode()


def _nothing(environment: Part) -> Refusal:
    if not environment.exists:
        return Refusal("no-environment", "there is neither environment/ nor a docker_image")
    named = sorted(file.path for file in environment.files)[:3]
    held = f" (it holds {', '.join(named)})" if named else ""
    return Refusal("no-environment", f"environment/ has no Dockerfile{held} and task.toml names no docker_image")
