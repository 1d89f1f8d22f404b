"""Whether a solved container may be kept as an image: whatever an image cannot carry must not be there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, cast

from tools.runners.docker_box import DockerBox
from tools.runners.docker_engine import translated

if TYPE_CHECKING:
    from docker import APIClient

IDLE_PROCESSES: Final = 2  # the shell that keeps the container up, and its sleep
MOUNTED_FILES: Final = (b"/etc/hosts", b"/etc/hostname", b"resolv.conf")  # the engine's own, in no image


def is_safe(client: APIClient, box: DockerBox, image: str, oracle: Iterable[bytes]) -> bool:
    """Whether a container made from an image of ``box`` would show the verifier the same as ``box`` itself.

    An image holds no volumes, no processes, no shared memory, and none of the files that the engine mounts
    into /etc; the files of the ``oracle`` must not name any of those.
    """
    with translated("inspect image"):
        volumes = cast(Any, client).inspect_image(image)["Config"].get("Volumes")
    if volumes or box.processes() > IDLE_PROCESSES:
        return False
    if any(word in data for data in oracle for word in MOUNTED_FILES):
        return False
    status, listing = box.shell("ls -A /dev/shm")
    return status == 0 and not listing.strip()
