"""The runners by name."""

from __future__ import annotations

import shutil

from tools.runners.base import Runner, Setup


def open_runner(name: str, setup: Setup) -> Runner:
    """The runner ``name``: "docker", "margin", or "auto" for margin where it is installed, else docker.

    Raises EngineUnavailable or MarginMissing when it cannot work here.
    """
    from tools.runners.docker import DockerRunner
    from tools.runners.margin import MarginRunner

    if name == "margin" or (name == "auto" and shutil.which("margin")):
        return MarginRunner(setup)
    return DockerRunner(setup)
