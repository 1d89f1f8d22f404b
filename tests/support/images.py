"""The base image of tests that run containers, and whether they can run here at all."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

BASE_IMAGE = os.environ.get("SUITE_CONVERTER_TEST_IMAGE", "debian:bookworm-slim")
MAKE_IMAGE = Path(__file__).parents[2] / "scripts" / "base-image.sh"


@functools.cache
def why_no_docker() -> str:
    """Why containers cannot be run here; empty when they can, with the base image at hand."""
    if shutil.which("docker") is None:
        return "no docker command"
    if _run("docker", "version") != 0:
        return "no Docker engine answers"
    if _run("docker", "image", "inspect", BASE_IMAGE) != 0 and _run(str(MAKE_IMAGE), BASE_IMAGE) != 0:
        return f"no image {BASE_IMAGE} and {MAKE_IMAGE.name} cannot make it"
    return ""


def _run(*argv: str) -> int:
    """The exit status of a command whose output nobody needs."""
    return subprocess.run(argv, capture_output=True, check=False, timeout=1200).returncode
