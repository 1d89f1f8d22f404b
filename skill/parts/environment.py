"""env/ of a case, or the image that takes its place (decisions D7 and D8)."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass

from skill.finding import Finding, Severity
from skill.ledger import Row, digest
from skill.parts.base import Choices, OutFile, Part, Refused, copied, generated, joined, rewritten
from skill.parts.image import Container
from skill.sources.base import EnvValue, SourceTask


@dataclass(frozen=True)
class Environment:
    """Either an ``image`` with a digest or the files of a build context."""

    image: str
    part: Part
    exported: dict[str, EnvValue]  # what no image carries: scripts export it
    findings: tuple[Finding, ...] = ()


def environment(task: SourceTask, choices: Choices, made: Container) -> Environment | Refused:
    """env/ of the case, or the image it names; refused when there is nothing to build."""
    if made.pinned:
        return _image(task, made.pinned)
    return _dockerfile(task, choices, made)


def context_digest(rows: Iterable[Row]) -> str:
    """The hex sha256 of a build context, of the rows of its files below env/; empty when there are none."""
    lines = sorted(f"{row.path}\0{row.mode:o}\0{row.sha256}\n" for row in rows if row.path.startswith("env/"))
    return digest("".join(lines).encode("utf-8", "surrogateescape")) if lines else ""


def _image(task: SourceTask, image: str) -> Environment:
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


def _dockerfile(task: SourceTask, choices: Choices, made: Container) -> Environment | Refused:
    pairs: list[tuple[OutFile, Row]] = []
    lines = _appended(task, choices, made)
    own = next((file for file in task.environment if file.path == "Dockerfile"), None)
    before = _from_image(task, made.base) if own is None or made.base else own.read()
    if own is None or not made.base:
        others = (file for file in task.environment if file is not own)
        pairs += [copied(f"env/{file.path}", f"environment/{file.path}", file) for file in others]
    if before is None:
        return Refused("no-environment", "there is no Dockerfile to build and no image was kept")
    after = before.removeprefix(b"\xef\xbb\xbf")
    if lines:
        after += (b"" if after.endswith(b"\n") else b"\n") + "\n".join(
            ["# added by suite-converter", *lines, ""]
        ).encode()
    if own is None or made.base:
        pairs.append(generated("env/Dockerfile", after, "dockerfile-for-image"))
    else:
        source = own.origin or "environment/Dockerfile"
        pairs.append(rewritten("env/Dockerfile", after, "dockerfile-lines", source, before, 0o644))
    pairs += [
        generated(f"env/{folder}/.keep", b"", "empty-folder") for folder in task.empty_dirs if _is_copied(task, folder)
    ]
    exported = {
        name: value for name, value in task.environment_env.items() if value.literal is None and value.default is None
    }
    return Environment("", joined(pairs), exported)


def _from_image(task: SourceTask, base: str) -> bytes | None:
    """The Dockerfile for an image, its FROM line with the digest that is known."""
    if not base:
        return task.generated_dockerfile
    rest = (task.generated_dockerfile or b"").partition(b"\n")[2]
    return f"FROM {base}\n".encode() + rest


def _appended(task: SourceTask, choices: Choices, made: Container) -> list[str]:
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
    if "user-not-root" in choices.allow and not _runs_as_root(task, made):
        lines.append("USER root")
    return lines


def _runs_as_root(task: SourceTask, made: Container) -> bool:
    """As the Dockerfile says, or the image that it starts from."""
    if task.dockerfile is not None and task.dockerfile.user is not None:
        return task.dockerfile.runs_as_root
    return made.facts is None or made.facts.runs_as_root


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
