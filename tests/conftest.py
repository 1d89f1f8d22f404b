"""Which tests can run here: those that need an engine or the margin CLI say so instead of passing."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.support.images import why_no_docker

REQUIRE_DOCKER = "SUITE_CONVERTER_REQUIRE_DOCKER"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose surroundings are missing; fail it where they were promised."""
    if item.get_closest_marker("docker") and (reason := why_no_docker()):
        if os.environ.get(REQUIRE_DOCKER):
            pytest.fail(f"{REQUIRE_DOCKER} is set, but {reason}")
        pytest.skip(reason)
    if item.get_closest_marker("margin") and shutil.which("margin") is None:
        pytest.skip("the margin CLI is not on PATH")
