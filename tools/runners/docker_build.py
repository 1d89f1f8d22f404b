"""Images built from a case's env/: tagged by content, labelled as ours, with nothing untagged left behind.

The engine's own (legacy) builder is used through the SDK; what only BuildKit can build goes to the docker CLI
when that has buildx.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from skill.case import Case
from tools import process
from tools.archive import Packed, digest, files_below, tar
from tools.capture import Capture, log_tail
from tools.errors import BuildFailed, CommandMissing, EngineFailed
from tools.runners.base import Setup
from tools.runners.docker_engine import NAMESPACE, image_labels, remove_image, translated

if TYPE_CHECKING:
    from docker import APIClient

IGNORE_FILE: Final = ".dockerignore"
_GONE: Final = re.compile(r"\s*(?:No such image|layer does not exist|unknown parent image)")
# what the engine says when it cannot start a container at all, whatever the Dockerfile holds
_ENGINES_OWN: Final = re.compile(
    r"failed to create endpoint|could not find bridge|no space left on device|cannot allocate memory"
)
CLEAR_SECONDS: Final = 15.0  # a broken-off build's last container holds its image until the engine notices


@dataclass
class Build:
    """One build through the engine's builder, followed step by step.

    Each step's image carries a moving tag, and each stage's last image a tag of its own, so that a build
    that dies anywhere leaves only images that are recognisable as ours.
    """

    client: APIClient
    tag: str  # of the image to be, nobody else's
    capture: Capture = field(default_factory=Capture)
    _step: str = ""
    _last: str = ""
    _stages: int = 0

    def follow(self, events: Iterator[Mapping[str, Any]], deadline: float) -> str:
        """Read the builder's events to the end; returns the error it reports, empty for none."""
        failed = ""
        for event in events:
            if time.monotonic() > deadline:
                return "it takes too long"
            line = str(event.get("stream") or event.get("error") or "")
            self.capture.feed(line.encode())
            failed = str(event.get("error") or failed)
            if line.startswith("Step "):
                self._begin(line)
            elif line.startswith(" ---> ") and not line.startswith(" ---> Running"):
                self._finish(line.removeprefix(" ---> ").strip())
        return failed

    def _begin(self, line: str) -> None:
        """A step starts: with a FROM the stage before it is complete."""
        self._step = line.partition(":")[2].strip().partition(" ")[0].upper()
        if self._step == "FROM" and self._last:
            self._name(self._last, f"stage-{self._stages}")
            self._stages, self._last = self._stages + 1, ""

    def _finish(self, image: str) -> None:
        """A step ended in ``image``; that of FROM is the base, which is not ours."""
        if self._step != "FROM" and image.isalnum():
            self._last = image
            self._name(image, "step")

    def _name(self, image: str, suffix: str) -> None:
        with translated("tag a build step"):
            self.client.tag(image, f"{NAMESPACE}/build", f"{self.tag}-{suffix}")

    def clear(self) -> None:
        """Take the tags of steps and stages away, and with them what nothing else needs."""
        for suffix in ("step", *(f"stage-{number}" for number in reversed(range(self._stages)))):
            remove_image(self.client, f"{NAMESPACE}/build:{self.tag}-{suffix}", CLEAR_SECONDS)


@dataclass(frozen=True)
class Context:
    """What an image is built from: the files, the folder that holds them, and how errors call it."""

    name: str
    root: Path
    files: tuple[Packed, ...]
    ignore: bytes | None = None  # .dockerignore
    needs_buildkit: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()  # of the image, in the place of those that say which run made it

    @property
    def folder(self) -> str:
        """The folder as messages name it."""
        return f"{self.root.name}/"

    def tag(self, setup: Setup) -> str:
        """A name for the image that the files give under ``setup``."""
        extra = "".join(f"\n{key}={value}" for key, value in setup.build_args) + f"\n{setup.network}"
        return digest([*self.files, Packed("/setup", 0, extra.encode())])[:32]


def context_of(case: Case) -> Context:
    """The build context of a case; raises CaseUnreadable for what Margin refuses to pack."""
    files = tuple(files_below(case.root / "env"))
    needs = tuple(case.dockerfile.needs_buildkit) if case.dockerfile else ()
    return Context(f"{case.path}/env", case.root / "env", files, case.read(f"env/{IGNORE_FILE}"), needs)


def env_name(tag: str) -> str:
    """The name of the image with ``tag``."""
    return f"{NAMESPACE}/env:{tag}"


def build(client: APIClient, context: Context, name: str, setup: Setup) -> None:
    """Afterwards the image of ``context`` is there as ``name``, which must be nobody else's.

    Raises BuildFailed with the end of the builder's output, EngineFailed when the engine broke off.
    """
    if context.needs_buildkit:
        _buildx(context, name, setup)
        return
    try:
        _legacy(client, context, name, setup)
    except _LayerGone:
        _legacy(client, context, name, setup)


class _LayerGone(BuildFailed):
    """A layer that the builder had found in the engine was removed together with somebody else's image."""


def _legacy(client: APIClient, context: Context, name: str, setup: Setup) -> None:
    """Build through the engine; on return or error no tag of a step or stage is left."""
    build = Build(client, name.rpartition(":")[2])
    deadline = time.monotonic() + setup.build_seconds
    try:
        with tar(_wanted(context)) as archive, translated(f"build {context.name}"):
            failed = build.follow(_events(client, archive, name, setup, _labels(context, setup)), deadline)
    except EngineFailed as error:
        if _broke_off(error) and time.monotonic() < deadline:
            raise
        raise BuildFailed(context.name, f"{context.folder} does not build: {error.reason}") from error
    finally:
        build.clear()
    if _GONE.match(failed):
        raise _LayerGone(context.name, f"{context.folder} does not build: {failed.strip()[:300]}")
    if fault := _ENGINES_OWN.search(failed):
        raise EngineFailed("docker", f"build {context.name}: {fault[0]}: {failed.strip()[:300]}")
    if failed:
        reason = f"{context.folder} does not build: {failed.strip()[:300]}"
        raise BuildFailed(context.name, reason, log_tail=log_tail(build.capture.text()))


def _labels(context: Context, setup: Setup) -> dict[str, str]:
    return dict(context.labels) or image_labels(setup.run_id)


def _broke_off(error: EngineFailed) -> bool:
    """Whether the engine went away, rather than answered that it will not build."""
    from docker.errors import APIError

    return not isinstance(error.__cause__, APIError)


def _events(
    client: APIClient, archive: IO[bytes], name: str, setup: Setup, labels: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """The engine's builder at work on ``archive``."""
    events: Iterator[Mapping[str, Any]] = client.build(
        fileobj=archive,
        custom_context=True,
        tag=name,
        rm=True,
        forcerm=True,
        labels=dict(labels),
        buildargs=dict(setup.build_args),
        network_mode=setup.network or None,
        timeout=int(setup.build_seconds),
        decode=True,
    )
    return events


def _wanted(context: Context) -> list[Packed]:
    """The files that .dockerignore lets through: the CLI applies it, the engine does not."""
    if context.ignore is None:
        return list(context.files)
    from docker.utils.build import exclude_paths

    lines = [line.strip() for line in context.ignore.decode("utf-8", "replace").splitlines()]
    rules = [line for line in lines if line and not line.startswith("#")]
    kept = exclude_paths(str(context.root), rules, "Dockerfile")
    return [file for file in context.files if file.path in kept or file.path == "Dockerfile"]


def _buildx(context: Context, name: str, setup: Setup) -> None:
    """Build with the docker CLI and BuildKit, from a copy of the context with the packed modes."""
    env = process.environment("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY")
    with contextlib.suppress(CommandMissing):
        if process.run(["docker", "buildx", "version"], timeout=30, env=env).exit_code == 0:
            done = _run_buildx(context, name, setup, env)
            if done.exit_code != 0:
                what = "took too long" if done.timed_out else "does not build"
                raise BuildFailed(context.name, f"{context.folder} {what}", log_tail=log_tail(done.stderr))
            return
    need = context.needs_buildkit[0]
    raise BuildFailed(context.name, f"infra: needs BuildKit: {need}", "install docker's buildx plugin")


def _run_buildx(context: Context, name: str, setup: Setup, env: Mapping[str, str]) -> process.Finished:
    """``docker buildx build --load`` on a temporary copy of the context's files."""
    argv = ["docker", "buildx", "build", "--progress=plain", "--load", "-t", name]
    argv += [f"--label={key}={value}" for key, value in _labels(context, setup).items()]
    argv += [f"--build-arg={key}={value}" for key, value in setup.build_args]
    argv += [f"--network={setup.network}"] if setup.network else []
    with tempfile.TemporaryDirectory(prefix="suite-converter-") as folder:
        for file in context.files:
            target = Path(folder) / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            with file.open() as stream:
                target.write_bytes(stream.read())
            target.chmod(file.mode)
        return process.run([*argv, folder], timeout=setup.build_seconds, env=env)
