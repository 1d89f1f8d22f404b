"""What one container may use up of the machine, so that it costs nothing but itself.

Margin sets no such bounds: a case that needs more than them would take a machine of this size along there.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.runners.docker_engine import translated

if TYPE_CHECKING:
    from docker import APIClient

LOCAL: Final = "http+docker://"  # the engine's address when it is reached through a socket of this machine
PROCESSES: Final = 4096  # threads count
MEMORY_SHARE: Final = (3, 4)  # of the machine's
DISK_FLOOR: Final = 512 << 20  # bytes left free on the engine's disk, or the container that is under way ends


@dataclass(frozen=True)
class Machine:
    """The engine's machine, as far as a bound depends on it."""

    memory: int  # bytes
    disk: Path | None  # the engine's folder, where it is one of this machine

    @property
    def memory_bound(self) -> int:
        """The bytes that one container may use; 0 for no bound."""
        part, whole = MEMORY_SHARE
        return self.memory * part // whole

    def is_full(self) -> bool:
        """Whether next to nothing is left on the engine's disk; False where nobody can tell."""
        try:
            return self.disk is not None and shutil.disk_usage(self.disk).free < DISK_FLOOR
        except OSError:
            return False


@lru_cache(maxsize=8)
def machine_of(client: APIClient) -> Machine:
    """The machine of an engine, asked for once."""
    with translated("ask for the engine's machine"):
        told = client.info()
    folder = str(told.get("DockerRootDir") or "")
    return Machine(
        int(told.get("MemTotal") or 0), Path(folder) if folder and client.base_url.startswith(LOCAL) else None
    )


def bounds(client: APIClient) -> dict[str, int]:
    """The bounds of a new container, as the engine's host configuration wants them."""
    memory = machine_of(client).memory_bound
    return {"pids_limit": PROCESSES} | ({"mem_limit": memory} if memory else {})
