"""Rules about the image a case runs in: SC4xx below SC450."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from skill.case import Case
from skill.contract import CASE_FILE, DOCKERFILE, IMAGE_PIN
from skill.finding import Severity
from skill.packing import Kind
from skill.rules.base import Defect, Family

IMAGE: Family[Case] = Family("image")

LOCAL_REGISTRY: Final = re.compile(
    r"(?:localhost|127\.0\.0\.1|\[::1\]|host\.docker\.internal)(?::\d+)?/", re.IGNORECASE
)
BARE_BASE: Final = re.compile(r"(?:^|/)(?:alpine|busybox|scratch|distroless)(?:[:@/]|$)|[:-]alpine[\d.]*(?:@|$)")
HIDDEN: Final = re.compile(r"(?:^|/)(?:tests?/test\.sh|solve\.sh|solution(?:\.sh|/)|oracle/)", re.IGNORECASE)


@IMAGE.defect("SC401", "no-image", basis="M44")
def no_image(case: Case) -> Iterator[Defect]:
    """The case names no image and has no env/Dockerfile.

    Margin looks for exactly that name, and for nothing else in env/ or beside it.
    Right: `image = "repo@sha256:..."`, or a file env/Dockerfile.
    """
    if case.config and not case.image:
        entry = case.env.find("Dockerfile")
        through_link = case.env.kind is Kind.LINK and (case.root / DOCKERFILE).is_file()
        if not through_link and (entry is None or entry.kind is Kind.FOLDER):
            yield Defect(f"{case.path}/{CASE_FILE}", 0, "neither image nor env/Dockerfile", "add env/Dockerfile")


@IMAGE.defect("SC402", "unpinned-image", basis="M43")
def unpinned_image(case: Case) -> Iterator[Defect]:
    """The image is not pinned by a digest.

    A tag may mean another image tomorrow; Margin refuses everything but a lower-case sha256 digest.
    Example: `image = "python:3.12"`
    Right: `image = "python:3.12@sha256:<64 lower-case hex digits>"`
    """
    if case.config and case.image and not IMAGE_PIN.match(case.image):
        yield _at(case, f'"{case.image}" {_what_is_wrong(case.image)}', "write repo@sha256:<64 hex>, or use env/")


@IMAGE.defect("SC403", "local-image-id", basis="D8")
def local_image_id(case: Case) -> Iterator[Defect]:
    """The image is the bare id of an image on one machine.

    Margin accepts it, but nobody else has that image and no registry can be asked for it.
    Example: `image = "sha256:..."`
    Right: push it and write `repo@sha256:...`, or use env/Dockerfile.
    """
    if IMAGE_PIN.match(case.image) and case.image.startswith("sha256:"):
        yield _at(case, "a bare image id exists on one machine only", "push the image and write repo@sha256:...")


@IMAGE.defect("SC404", "image-and-dockerfile", basis="M42", severity=Severity.WARNING)
def image_and_dockerfile(case: Case) -> Iterator[Defect]:
    """The case has an image and an env/Dockerfile; the image wins and env/ is never looked at.

    Kept as a reference, the Dockerfile may drift from what really runs.
    Right: exactly one of the two.
    """
    if case.image and case.env.find("Dockerfile"):
        yield _at(case, "image wins over env/Dockerfile, which is not even packed", "keep exactly one of them")


@IMAGE.defect("SC405", "local-registry", basis="D8", severity=Severity.WARNING)
def local_registry(case: Case) -> Iterator[Defect]:
    """The image, or the base of the Dockerfile, comes from a registry on the own machine.

    Example: `FROM localhost:5000/base`
    Right: an image that others can pull.
    """
    if LOCAL_REGISTRY.match(case.image):
        yield _at(case, f'"{case.image}" can be pulled on one machine only', "push it to a registry others reach")
    base = case.dockerfile.base if case.dockerfile else None
    if base and LOCAL_REGISTRY.match(base):
        yield _in_dockerfile(case, b"FROM", f'base "{base}" can be pulled on one machine only', "use a public base")


@IMAGE.defect("SC406", "unbuildable-dockerfile", basis="contract 2.1")
def unbuildable_dockerfile(case: Case) -> Iterator[Defect]:
    """env/Dockerfile cannot be built as it stands.

    Margin packs it unread and builds at run time, where the case then ends as an infrastructure failure.
    Example: an empty file, conflict markers, `FROM {{ image }}`.
    Right: a Dockerfile that Docker can parse.
    """
    if case.dockerfile:
        for problem in case.dockerfile.problems:
            yield _in_dockerfile(case, b"FROM", problem, "repair the Dockerfile")


@IMAGE.defect("SC407", "needs-buildkit", basis="contract 2.1", severity=Severity.WARNING)
def needs_buildkit(case: Case) -> Iterator[Defect]:
    """env/Dockerfile uses what only BuildKit understands.

    Margin runs a plain `docker build`; an engine with the legacy builder fails there.
    Example: `RUN --mount=type=cache ...`
    Right: nothing to change where BuildKit is the default; otherwise plain instructions.
    """
    if case.dockerfile and (reasons := case.dockerfile.needs_buildkit):
        yield Defect(
            f"{case.path}/{DOCKERFILE}",
            0,
            f"only BuildKit builds this: {reasons[0]}",
            "use plain RUN and COPY",
        )


@IMAGE.defect("SC408", "copied-file-is-missing", basis="M33 at build time")
def copied_file_is_missing(case: Case) -> Iterator[Defect]:
    """The Dockerfile copies something that is not in env/.

    env/ is the whole build context; a folder without files is dropped on packing and is missing as well.
    Example: `COPY data/ /data/` with an empty env/data/.
    Right: the file in env/, a placeholder in an empty folder.
    """
    if case.dockerfile and not case.image and ".dockerignore" not in {entry.path for entry in case.env.entries}:
        paths = {entry.path for entry in case.env.files}
        for copy in case.dockerfile.copies:
            for source in copy.sources:
                if _is_literal(source) and not _is_there(posixpath.normpath(source.lstrip("/")), paths):
                    said = f'"{source}" is copied but not packed with env/'
                    yield _in_dockerfile(case, source.encode(), said, "add it, or a placeholder in an empty folder")


@IMAGE.defect("SC409", "hidden-files-in-image", basis="D17", severity=Severity.WARNING)
def hidden_files_in_image(case: Case) -> Iterator[Defect]:
    """The build context holds a test script or a solution.

    Whatever the Dockerfile copies is there while the agent works.
    Example: `env/solution/solve.sh` with `COPY . /app`
    Right: hidden files only below tests/ and oracle/.
    """
    if case.dockerfile and any(copy.sources for copy in case.dockerfile.copies):
        for entry in case.env.files:
            if HIDDEN.search(entry.path):
                yield Defect(
                    f"{case.path}/env/{entry.path}",
                    0,
                    "the agent may find this in the image",
                    "move it out of env/",
                )


@IMAGE.defect("SC410", "image-without-bash", basis="W11", severity=Severity.WARNING)
def image_without_bash(case: Case) -> Iterator[Defect]:
    """The Dockerfile's base is known to come without bash, and nothing installs it.

    Margin starts every verifier with `bash -c`, which then ends in 127.
    Example: `FROM alpine:3.20`
    Right: `RUN apk add --no-cache bash`
    """
    base = case.dockerfile.base if case.dockerfile else None
    if base and BARE_BASE.search(base) and case.dockerfile and "bash" not in case.dockerfile.installed:
        yield _in_dockerfile(case, b"FROM", f'"{base}" has no bash, which starts the verifier', "install bash")


def _at(case: Case, message: str, fix: str) -> Defect:
    """A defect of the image key."""
    return Defect(f"{case.path}/{CASE_FILE}", case.config.line("image") if case.config else 0, message, fix)


def _in_dockerfile(case: Case, word: bytes, message: str, fix: str) -> Defect:
    """A defect of env/Dockerfile, on the first line that holds ``word``."""
    data = case.read(DOCKERFILE) or b""
    at = data.find(word)
    line = data.count(b"\n", 0, at) + 1 if at >= 0 else 0
    return Defect(f"{case.path}/{DOCKERFILE}", line, message, fix)


def _what_is_wrong(image: str) -> str:
    """Why ``image`` is no pin."""
    if "@" not in image:
        return "has a tag instead of a digest" if ":" in image.rpartition("/")[2] else "has no digest"
    if "@sha256:" not in image:
        return "has a digest that is not sha256"
    return "has a malformed digest" if image.count("@") == 1 else "has more than one @"


def _is_literal(source: str) -> bool:
    """Whether a COPY source names one path of the context outright."""
    return not re.search(r"[*?\[$]|://|^git@|^<<", source)


def _is_there(source: str, paths: set[str]) -> bool:
    """Whether ``source`` is a file of the context or a folder with files."""
    return source in (".", "..") or source in paths or any(path.startswith(source + "/") for path in paths)
