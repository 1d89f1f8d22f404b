"""Which tests can run here: those that need an engine or the margin CLI say so instead of passing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.support.images import why_no_docker

REQUIRE_DOCKER = "SUITE_CONVERTER_REQUIRE_DOCKER"


@pytest.fixture(autouse=True, scope="session")
def own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads the user's registry logins or writes to the user's cache, and none waits for the disk.

    What a killed process wrote is there without fsync; only a machine that loses its power, which no test can make,
    would show the difference. A descriptor that is none is still told.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("DOCKER_CONFIG", str(tmp_path_factory.mktemp("docker")))
        patch.setattr(os, "fsync", os.fstat)
        yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose surroundings are missing; fail it where they were promised."""
    if item.get_closest_marker("docker") and (reason := why_no_docker()):
        if os.environ.get(REQUIRE_DOCKER):
            pytest.fail(f"{REQUIRE_DOCKER} is set, but {reason}")
        pytest.skip(reason)
    if item.get_closest_marker("margin") and shutil.which("margin") is None:
        pytest.skip("the margin CLI is not on PATH")
