"""What a container may use up, from what the engine says of its machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tools.runners import docker_bounds
from tools.runners.docker_bounds import Machine, bounds, machine_of


class Engine:
    """As much of a client as bounds ask of it."""

    def __init__(self, base_url: str, told: dict[str, Any]) -> None:
        self.base_url, self._told, self.asked = base_url, told, 0

    def info(self) -> dict[str, Any]:
        self.asked += 1
        return self._told


@pytest.mark.parametrize(
    ("url", "told", "machine", "bound"),
    [
        ("http+docker://localhost", {}, Machine(0, None), {"pids_limit": 4096}),
        (
            "tcp://far:2375",
            {"DockerRootDir": "/d", "MemTotal": 8},
            Machine(8, None),
            {"pids_limit": 4096, "mem_limit": 6},
        ),
        ("http+docker://localhost", {"DockerRootDir": "/d"}, Machine(0, Path("/d")), {"pids_limit": 4096}),
    ],
)
def test_bounds_of_a_container(url: str, told: dict[str, Any], machine: Machine, bound: dict[str, int]) -> None:
    engine = Engine(url, told)
    client = cast(Any, engine)
    assert machine_of(client) == machine
    assert bounds(client) == bound
    assert engine.asked == 1


@pytest.mark.parametrize(
    ("disk", "floor", "full"),
    [(None, 1 << 62, False), ("nowhere", 1 << 62, False), (".", 0, False), (".", 1 << 62, True)],
)
def test_a_disk_without_room(
    disk: str | None, floor: int, full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_bounds, "DISK_FLOOR", floor)
    assert Machine(0, tmp_path / disk if disk else None).is_full() == full
