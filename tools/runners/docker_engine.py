"""The connection to the Docker engine: errors translated at this edge, all that we make labelled as ours."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from tools.errors import EngineFailed, EngineUnavailable

if TYPE_CHECKING:
    from docker import APIClient

RUN_LABEL: Final = "dev.suite-converter.run"  # on containers, and on the snapshots made of them
BUILT_LABEL: Final = "dev.suite-converter.built-by"  # on built images: a container inherits its image's labels
OWNER_LABEL: Final = "dev.suite-converter.owner"
NAMESPACE: Final = "suite-converter"  # every image that we tag stands under this name
CALL_SECONDS: Final = 180
PATIENCE: Final = 30.0  # seconds for which an engine that went away may take to come back
RETRY_SECONDS: Final = 0.5


def connect() -> APIClient:
    """A client of the engine that the environment names; raises EngineUnavailable when none answers."""
    import docker
    from docker.errors import DockerException

    try:
        client = docker.from_env(timeout=CALL_SECONDS).api
        client.ping()
    except (DockerException, OSError) as error:
        reason = f"no Docker engine answers: {_first_line(error)}"
        raise EngineUnavailable("docker", reason, "start it or set DOCKER_HOST") from error
    return client


def answers(client: APIClient, patience: float = PATIENCE) -> bool:
    """Whether the engine answers, or does so again within ``patience`` seconds."""
    deadline = time.monotonic() + patience
    while True:
        with contextlib.suppress(EngineFailed), translated("ask for an answer"):
            client.ping()
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(RETRY_SECONDS)


@contextlib.contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn what the SDK and its transport raise into EngineFailed about ``what``."""
    from docker.errors import DockerException
    from urllib3.exceptions import HTTPError

    try:
        yield
    except (DockerException, HTTPError, OSError) as error:  # requests' errors are OSErrors
        raise EngineFailed("docker", f"{what}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    """The engine's own words where it gave some."""
    text = str(getattr(error, "explanation", None) or error).strip()
    return text.splitlines()[0][:300] if text else type(error).__name__


def owner() -> str:
    """The name of our process, by which a later clean-up tells a crashed run from one under way."""
    return f"{socket.gethostname()}:{os.getpid()}"


def container_labels(run_id: str) -> dict[str, str]:
    """The labels of every container that a run makes."""
    return {RUN_LABEL: run_id, OWNER_LABEL: owner()}


def image_labels(run_id: str) -> dict[str, str]:
    """The labels of every image that a run builds."""
    return {BUILT_LABEL: run_id, OWNER_LABEL: owner()}


def unshared(name: str) -> str:
    """``name`` with an ending that nobody else uses.

    Whatever several processes may make from equal input gets such a name: what one of them removes, it made
    alone, and no other looks for it.
    """
    return f"{name}-{secrets.token_hex(6)}"


def image_id(client: APIClient, name: str) -> str | None:
    """The id of a local image, None when there is none of that name."""
    from docker.errors import ImageNotFound

    with translated(f"inspect image {name}"):
        try:
            return str(cast(Any, client).inspect_image(name)["Id"])
        except ImageNotFound:
            return None


def remove_image(client: APIClient, name: str, patience: float = 0.0) -> bool:
    """Take a name off an image and the image with its last one; False when something needs it that long."""
    from docker.errors import ImageNotFound

    deadline = time.monotonic() + patience
    while True:
        with contextlib.suppress(EngineFailed), translated(f"remove image {name}"):
            with contextlib.suppress(ImageNotFound):
                client.remove_image(name)
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(RETRY_SECONDS)


def remove_container(client: APIClient, container: str) -> None:
    """Kill and remove a container with its anonymous volumes, if it is still there."""
    from docker.errors import NotFound

    with translated(f"remove container {container[:12]}"), contextlib.suppress(NotFound):
        client.remove_container(container, force=True, v=True)


def containers_with(client: APIClient, label: str = RUN_LABEL) -> list[Mapping[str, Any]]:
    """Every container that carries ``label``, running or not."""
    with translated("list containers"):
        return list(client.containers(all=True, filters={"label": label}))


def remove_labelled(client: APIClient, label: str) -> None:
    """Afterwards no container carries ``label``."""
    for row in containers_with(client, label):
        remove_container(client, str(row["Id"]))


def images_with(client: APIClient, label: str) -> list[Mapping[str, Any]]:
    """Every image that carries ``label``."""
    with translated("list images"):
        return list(client.images(filters={"label": label}))


def images_named(client: APIClient, reference: str) -> list[Mapping[str, Any]]:
    """Every image with a name that matches ``reference``."""
    with translated("list images"):
        return list(client.images(filters={"reference": reference}))
