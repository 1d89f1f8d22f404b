"""What publishing leaves in the engine: nothing, and while it is at work nothing that a clean-up would take."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tools.gc import leftovers
from tools.registry.client import RegistryClient
from tools.runners.base import Setup
from tools.runners.docker_engine import NAMESPACE, connect, images_named
from tools.runners.docker_publish import Publisher

pytestmark = pytest.mark.docker

NAME = f"{NAMESPACE}/env:publish-test"


@pytest.fixture
def unlabelled() -> Iterator[str]:
    """An image as publishing builds it: under our name, without a label of a run."""
    subprocess.run(["docker", "build", "-q", "-t", NAME, "-"], input=b"FROM scratch\nLABEL x=1\n", check=True)
    yield NAME
    subprocess.run(["docker", "image", "rm", "-f", NAME], check=False, capture_output=True)


def test_a_clean_up_leaves_the_images_of_a_run_at_work(unlabelled: str) -> None:
    with Publisher(connect(), RegistryClient(), Setup("publish-test")).at_work():
        assert unlabelled not in [left.name for left in leftovers()]
        assert images_named(connect(), f"{NAMESPACE}/publish:publish-test")
    assert not images_named(connect(), f"{NAMESPACE}/publish:publish-test")
