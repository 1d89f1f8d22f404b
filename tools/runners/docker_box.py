"""One container, kept to Margin's contract: its command line, its staging, its way of starting scripts."""

from __future__ import annotations

import contextlib
import posixpath
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from skill.contract import TIMEOUT_EXIT
from tools.archive import Packed, first_file, tar
from tools.capture import Output
from tools.errors import EngineFailed, ImageUnfit
from tools.runners.base import Setup
from tools.runners.docker_bounds import bounds, machine_of
from tools.runners.docker_engine import NAMESPACE, container_labels, remove_container, translated

if TYPE_CHECKING:
    from docker import APIClient

SERVER_ENV: Final = {
    "AGENT_SERVER_BIN_DIR": "/tmp/marginlab/bin",
    "AGENT_SERVER_CONFIG_DIR": "/tmp/marginlab/config",
    "AGENT_SERVER_LISTEN": ":8080",
    "AGENT_SERVER_ROOT": "/tmp/marginlab",
    "AGENT_SERVER_STATE_DIR": "/tmp/marginlab/state",
    "AGENT_SERVER_WORKSPACES_DIR": "/",
}
IDLE: Final = ["-lc", "while true; do sleep 3600; done"]
HELPER_SECONDS: Final = 120  # for mkdir, rm, test and the like
QUIET_SECONDS: Final = 0.3  # a background process may keep the output open after its script has ended
DRAIN_SECONDS: Final = 3.0
LONGEST_POLL: Final = 0.2
SIGNALLED: Final = 128  # exit statuses above it tell of a signal
READ_BYTES: Final = 1 << 20
_STAGE: Final = 'mkdir -p "$1" && rm -rf "$2" && mkdir -p "$2"'


@dataclass(frozen=True)
class Start:
    """How a container is kept up: what replaces entrypoint and command, and what every process in it sees."""

    entrypoint: str | None = "/bin/sh"  # None: the image's own stays
    command: tuple[str, ...] = tuple(IDLE)
    env: tuple[tuple[str, str], ...] = tuple(SERVER_ENV.items())


MARGIN_START: Final = Start()


@dataclass(frozen=True)
class Executed:
    """How a command in the container ended."""

    exit_code: int
    output: str
    timed_out: bool = False


class DockerBox:
    """A started container; leaves nothing behind after the ``with`` block."""

    def __init__(self, client: APIClient, image: str, setup: Setup, start: Start = MARGIN_START) -> None:
        self._client = client
        with translated("create container"):
            self.id = str(_create(client, image, setup, start)["Id"])

    def __enter__(self) -> DockerBox:
        try:
            with translated("start container"):
                self._client.start(self.id)
        except BaseException:
            remove_container(self._client, self.id)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        remove_container(self._client, self.id)

    def script(self, path: str, *, cwd: str, timeout: float, env: Mapping[str, str] | None = None) -> Executed:
        """``bash -c path`` in ``cwd`` as the image's user, without terminal and input.

        At the deadline the container is killed, since the engine cannot end a single command in it, and the
        exit status is Margin's 124.
        """
        return self.execute(["bash", "-c", path], cwd=cwd, timeout=timeout, env=env)

    def execute(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: str = "",
    ) -> Executed:
        """Run ``argv``; raises EngineFailed when the engine, not the command, is at fault.

        Nothing in a container can end it as a whole: a command that died together with it was stopped from outside.
        One that leaves the engine's disk without room is ended together with its container.
        """
        output = Output()
        with translated(f"run {argv[0]} in the container"):
            command = self._client.exec_create(
                self.id, list(argv), workdir=cwd, environment=dict(env or {}), user=user
            )["Id"]
            stream = self._client.exec_start(command, stream=True, demux=True)
        reader = threading.Thread(target=_drain, args=(stream, output), daemon=True)
        reader.start()
        exit_code = self._await(command, reader, time.monotonic() + timeout)
        if exit_code is None:
            with contextlib.suppress(EngineFailed), translated("kill container"):
                self._client.kill(self.id)
        _settle(reader, output)
        if exit_code is None:
            return Executed(TIMEOUT_EXIT, output.text(), timed_out=True)
        if exit_code > SIGNALLED and not self._is_up():
            raise EngineFailed("docker", f"the container was stopped from outside while {argv[0]} ran in it")
        return Executed(exit_code, output.text())

    def _await(self, command: str, reader: threading.Thread, deadline: float) -> int | None:
        """The command's exit status as the engine tells it (a pipe may outlive it), None at the deadline."""
        poll, closed_since = 0.01, 0.0
        while time.monotonic() < deadline:
            reader.join(poll)
            with translated("ask for an exit status"):
                seen = self._client.exec_inspect(command)
            if not seen["Running"] and seen["ExitCode"] is not None:
                return int(seen["ExitCode"])
            if machine_of(self._client).is_full():
                remove_container(self._client, self.id)
                raise EngineFailed(
                    "docker", "no room was left on the engine's disk: the container was ended and removed"
                )
            if not reader.is_alive():
                closed_since = closed_since or time.monotonic()
                if time.monotonic() - closed_since > HELPER_SECONDS:
                    raise EngineFailed("docker", "a command's output ended but no exit status came")
                time.sleep(poll)
            poll = min(poll * 1.5, LONGEST_POLL)
        return None

    def _is_up(self) -> bool:
        with translated("inspect container"):
            return bool(self._client.inspect_container(self.id)["State"]["Running"])

    def stage(self, folder: str, files: Sequence[Packed], cwd: str) -> None:
        """Afterwards ``cwd``/``folder`` holds exactly ``files``, owned by 0:0, whatever was there.

        Raises ImageUnfit when the image's user cannot make the folder (row W9 of the contract).
        """
        target = posixpath.normpath(posixpath.join(cwd, folder))
        done = self.execute(["sh", "-c", _STAGE, "sh", cwd, target], timeout=HELPER_SECONDS)
        if "No space left" in done.output:
            raise EngineFailed("docker", f"make {target}: {done.output.strip()[:300]}")
        if done.exit_code != 0:
            raise ImageUnfit("docker", f"make {target}: {done.output.strip()[:300]}")
        self.put(files, target)

    def put(self, files: Sequence[Packed], folder: str) -> None:
        """Afterwards ``files``, owned by 0:0, are below ``folder``, which is there, beside what it held."""
        with tar(files) as archive, translated(f"copy files to {folder}"):
            self._client.put_archive(self.id, folder, archive)

    def read(self, path: str, limit: int = READ_BYTES) -> bytes | None:
        """The first ``limit`` bytes of a regular file, also of a container that has ended; None when it is none."""
        from docker.errors import APIError, NotFound

        with translated(f"read {path}"):
            try:
                pieces, _ = self._client.get_archive(self.id, path)
            except APIError as error:
                if isinstance(error, NotFound) or "not a directory" in str(error):
                    return None
                raise
            return first_file(pieces, limit)

    def shell(self, script: str, *args: str) -> tuple[int, str]:
        """Exit status and output of ``sh -c script`` run as root."""
        done = self.execute(["sh", "-c", script, "sh", *args], timeout=HELPER_SECONDS, user="0:0", cwd="/")
        return done.exit_code, done.output

    def cut_network(self) -> None:
        """Afterwards the container has no network but its loopback."""
        with translated("disconnect container"):
            networks = self._client.inspect_container(self.id)["NetworkSettings"]["Networks"]
            for name in networks:
                if name != "none":
                    self._client.disconnect_container_from_network(self.id, name, force=True)

    def health(self) -> str:
        """What the image's health check says so far: "starting", "healthy", "unhealthy"; empty without a check."""
        with translated("inspect container"):
            return str(self._client.inspect_container(self.id)["State"].get("Health", {}).get("Status", ""))

    def processes(self) -> int:
        """How many processes live in the container, our own idle loop's two included."""
        with translated("list processes"):
            return len(self._client.top(self.id)["Processes"])

    def commit(self, tag: str) -> str:
        """The name of an image of the container's files as they are now, labelled as the container is."""
        name = f"{NAMESPACE}/snapshot:{tag}"
        with translated("commit container"):
            self._client.commit(self.id, repository=f"{NAMESPACE}/snapshot", tag=tag)
        return name


def _create(client: APIClient, image: str, setup: Setup, start: Start) -> Mapping[str, str]:
    """A bounded container with our labels, kept up as ``start`` says; only ``setup`` adds a network and variables."""
    network = {"network_mode": setup.network} if setup.network else {}
    host = cast(Any, client).create_host_config(**bounds(client), **network)
    made: Mapping[str, str] = client.create_container(
        image,
        command=list(start.command),
        entrypoint=start.entrypoint,
        environment={**dict(start.env), **dict(setup.env)},
        labels=container_labels(setup.run_id),
        host_config=host,
    )
    return made


def _settle(reader: threading.Thread, output: Output) -> None:
    """Wait for the rest of the output: to its end, or until nothing has come for a moment."""
    deadline, seen = time.monotonic() + DRAIN_SECONDS, -1
    while reader.is_alive() and seen != output.total and time.monotonic() < deadline:
        seen = output.total
        reader.join(QUIET_SECONDS)


def _drain(stream: Iterator[tuple[bytes | None, bytes | None]], output: Output) -> None:
    """Feed ``output`` from both streams until they end or the container does."""
    from urllib3.exceptions import HTTPError

    try:
        for out, err in stream:
            output.stdout.feed(out or b"")
            output.stderr.feed(err or b"")
    except (HTTPError, OSError, ValueError):
        return  # the engine closed the connection: the exit status tells what became of the command
