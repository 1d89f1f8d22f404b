"""What crashed runs left in the Docker engine: found by our labels and names and removed, nothing else."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tools.runners.docker_engine import (
    BUILT_LABEL,
    NAMESPACE,
    OWNER_LABEL,
    RUN_LABEL,
    connect,
    containers_with,
    images_named,
    images_with,
    remove_container,
    remove_image,
)

OUR_NAMES: Final = (f"{NAMESPACE}/", "marginlab-local/buildctx:")
UNNAMED: Final = "<none>:<none>"


@dataclass(frozen=True)
class Leftover:
    """A container or image that no living run of this program owns."""

    kind: str  # "container" or "image"
    name: str  # what it is removed by: an id, or one of an image's names


def leftovers() -> list[Leftover]:
    """All that runs which are over left behind, containers first; raises EngineUnavailable, EngineFailed.

    While another run is alive, images without an owner stay: they may be steps of its build.
    """
    client = connect()
    containers = containers_with(client)
    labelled = [*images_with(client, BUILT_LABEL), *images_with(client, RUN_LABEL)]
    owned = {str(row["Id"]) for row in (*containers, *labelled) if _is_owned(row)}
    named = [] if owned else images_named(client, f"{NAMESPACE}/*")
    images = {str(row["Id"]): row for row in (*labelled, *named)}
    found = [Leftover("container", str(row["Id"])) for row in containers if row["Id"] not in owned]
    rows = [row for key, row in images.items() if key not in owned]
    return found + [Leftover("image", name) for row in rows for name in _names(row)]


def collect() -> tuple[str, ...]:
    """Remove all leftovers and name those that are gone; raises EngineUnavailable, EngineFailed."""
    client = connect()
    gone = []
    for left in leftovers():
        if left.kind == "container":
            remove_container(client, left.name)
        elif not remove_image(client, left.name):
            continue
        gone.append(f"{left.kind} {left.name[:12] if left.kind == 'container' else left.name}")
    return tuple(gone)


def _names(row: Mapping[str, Any]) -> Iterator[str]:
    """What an image is removed by: our names for it, or its id where it has none at all."""
    tags = [tag for tag in row.get("RepoTags") or () if tag != UNNAMED]
    yield from (tag for tag in tags if tag.startswith(OUR_NAMES))
    if not tags:
        yield str(row["Id"])


def _is_owned(row: Mapping[str, Any]) -> bool:
    """Whether the process that made the object still lives here, or may live on another machine."""
    host, _, pid = str((row.get("Labels") or {}).get(OWNER_LABEL, "")).rpartition(":")
    if not pid.isdigit():
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
