"""env/ of a case, or the image that takes its place (decisions D7 and D8)."""

from __future__ import annotations

import json
import posixpath
from dataclasses import dataclass

from skill.contract import IMAGE_PIN
from skill.finding import Finding, Severity
from skill.ledger import Row
from skill.parts.base import Choices, OutFile, Part, Refused, copied, generated, joined, rewritten
from skill.parts.workplace import Workplace
from skill.sources.base import EnvValue, SourceTask


@dataclass(frozen=True)
class Environment:
    """Either an ``image`` with a digest or the files of a build context."""

    image: str
    part: Part
    exported: dict[str, EnvValue]  # what no image carries: scripts export it
    findings: tuple[Finding, ...] = ()


def environment(task: SourceTask, choices: Choices, place: Workplace) -> Environment | Refused:
    """The container of the case as chosen; refused when the choice is missing or cannot be kept."""
    has_own_dockerfile = any(file.path == "Dockerfile" for file in task.environment)
    if task.image and has_own_dockerfile and choices.image is None:
        return Refused("image-choice", "the task has an image and a Dockerfile; say which with --image keep|dockerfile")
    keep = (
        task.image is not None
        and (choices.image == "keep" or not has_own_dockerfile)
        and task.generated_dockerfile is None
    )
    if choices.image == "keep" and task.image and task.generated_dockerfile is not None and IMAGE_PIN.match(task.image):
        return _dockerfile(task, choices, place)
    if keep:
        return _image(task)
    return _dockerfile(task, choices, place)


def _image(task: SourceTask) -> Environment | Refused:
    image = task.image or ""
    if not IMAGE_PIN.match(image) or image.startswith("sha256:"):
        return Refused(
            "image-not-pinned",
            f"the image {image} has no digest, and Margin takes no tag; use --image dockerfile",
        )
    findings = [
        Finding(
            "case.toml",
            0,
            "S404",
            Severity.WARNING,
            f"environment variable {name} reaches the scripts but not the agent: the image is kept as it is",
        )
        for name in sorted(task.environment_env)
    ]
    return Environment(image, Part(), dict(task.environment_env), tuple(findings))


def _dockerfile(task: SourceTask, choices: Choices, place: Workplace) -> Environment | Refused:
    pairs: list[tuple[OutFile, Row]] = []
    lines = _appended(task, choices, place)
    before = task.generated_dockerfile
    for file in task.environment:
        if file.path == "Dockerfile":
            before = file.host.read_bytes()
        else:
            pairs.append(copied(f"env/{file.path}", f"environment/{file.path}", file))
    if before is None:
        return Refused("no-environment", "there is no Dockerfile to build and no image was kept")
    after = before.removeprefix(b"\xef\xbb\xbf")
    if lines:
        after += (b"" if after.endswith(b"\n") else b"\n") + "\n".join(
            ["# added by suite-converter", *lines, ""]
        ).encode()
    if task.generated_dockerfile is not None and not any(file.path == "Dockerfile" for file in task.environment):
        pairs.append(generated("env/Dockerfile", after, "dockerfile-for-image"))
    else:
        pairs.append(rewritten("env/Dockerfile", after, "dockerfile-lines", "environment/Dockerfile", before, 0o644))
    pairs += [
        generated(f"env/{folder}/.keep", b"", "empty-folder") for folder in task.empty_dirs if _is_copied(task, folder)
    ]
    exported = {
        name: value for name, value in task.environment_env.items() if value.literal is None and value.default is None
    }
    return Environment("", joined(pairs), exported)


def _appended(task: SourceTask, choices: Choices, place: Workplace) -> list[str]:
    """Lines for what the source says outside its Dockerfile: environment, workdir, a user where that was allowed."""
    lines = []
    for name, value in sorted(task.environment_env.items()):
        text = value.literal if value.literal is not None else value.default
        if text is not None and "\n" not in text:
            lines.append(
                f"ENV {name}={json.dumps(text.replace('$', chr(92) + '$'), ensure_ascii=False)}"
                if "$" not in text
                else f"ENV {name}={_quoted(text)}"
            )
    dockerfile = task.dockerfile
    if task.workdir and dockerfile is not None and dockerfile.workdir != task.workdir:
        lines.append(f"WORKDIR {task.workdir}")
    if dockerfile is not None and not dockerfile.runs_as_root and "user-not-root" in choices.allow:
        lines.append("USER root")
    return lines


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"'


def _is_copied(task: SourceTask, folder: str) -> bool:
    """Whether a COPY of the Dockerfile takes the folder, which packing would drop (contract row M33)."""
    if task.dockerfile is None:
        return False
    for copy in task.dockerfile.copies:
        for source in copy.sources:
            wanted = posixpath.normpath(source.lstrip("/") or ".")
            if wanted == "." or f"{folder}/".startswith(wanted + "/"):
                return True
    return False
