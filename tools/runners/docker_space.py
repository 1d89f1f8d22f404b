"""Room on the engine's disk, asked for before something large is made there."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from skill.image_ref import read_image_ref
from skill.pins import DEFAULT_PLATFORM
from tools.errors import EngineFailed, ImageMissing, NoRoom
from tools.registry.base import NoAnswer, NotFound, platform_of, runs_on
from tools.registry.client import RegistryClient
from tools.runners.docker_bounds import LOCAL
from tools.runners.docker_engine import image_id, translated
from tools.runners.docker_facts import terms_of

if TYPE_CHECKING:
    from docker import APIClient

RESERVE: Final = 512 << 20  # left free whatever is made
UNPACKED: Final = 3  # how much larger layers are than what is pulled, on the safe side


def need_room(client: APIClient, wanted: int, what: str) -> None:
    """Return when ``wanted`` bytes fit on the engine's disk or nobody can tell; raises NoRoom."""
    if not client.base_url.startswith(LOCAL):
        return
    with translated("ask for the engine's folder"):
        root = Path(str(client.info().get("DockerRootDir") or "/"))
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(root).free
        if free < wanted + RESERVE:
            said = f"needs about {_amount(wanted)}, and {root} has {_amount(free)} free"
            raise NoRoom(what, said, "make room, with suite-converter gc for what crashed runs left")


def need_image(client: APIClient, name: str) -> str:
    """The id of ``name``, pulled when it is not here; raises NoRoom, ImageMissing when it cannot be had."""
    found = image_id(client, name)
    if found is not None:
        return found
    if name.startswith("sha256:"):
        raise ImageMissing(name, "the image is not here, and its id says not where it is", "load it first")
    need_room(client, pulled_size(client, name) * UNPACKED, name)
    reason = "the engine pulled something else"
    try:
        with translated("the engine says"):
            client.pull(name)
        found = image_id(client, name)
    except EngineFailed as error:
        reason = error.reason
    if found is None:
        raise ImageMissing(name, f"the image is not here and cannot be pulled: {reason}", "pull or load it first")
    return found


def pulled_size(client: APIClient, name: str) -> int:
    """The bytes of an image's layers as its registry tells them; 0 when it does not."""
    ref = read_image_ref(name)
    if ref is None:
        return 0
    try:
        registry = RegistryClient(terms_of(client))
        manifest = registry.manifest(ref)
        if manifest.is_index:
            rows = (row for row in manifest.rows() if runs_on(platform_of(row.get("platform")), DEFAULT_PLATFORM))
            child = read_image_ref(f"{ref.written}@{next(rows, {}).get('digest', '')}")
            manifest = registry.manifest(child) if child else manifest
        return manifest.size
    except (NotFound, NoAnswer, EngineFailed):
        return 0


def _amount(size: int) -> str:
    """A size in the unit that people read."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GiB"
