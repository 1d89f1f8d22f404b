"""A killed run leaves only what can be recognised and removed; what is alive or not ours stays."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.cases import DOCKERFILE, script, write_case
from tests.support.images import BASE_IMAGE
from tools.gc import Leftover, collect, leftovers
from tools.runners.base import UNTOUCHED, Setup
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import BUILT_LABEL, RUN_LABEL, connect, containers_with, images_with, remove_container

pytestmark = pytest.mark.docker

ROOT = Path(__file__).resolve().parents[2]
VICTIM = """
import sys
from pathlib import Path
from skill.suite import read_suite
from tools.runners.base import UNTOUCHED, Setup
from tools.runners.docker import DockerRunner
case = next(read_suite(Path(sys.argv[1])).cases())
with DockerRunner(Setup(sys.argv[2])).prepare(case, [UNTOUCHED]) as prepared:
    prepared.run(UNTOUCHED)
"""


def killed_run(suite: Path, run_id: str) -> None:
    """Start a proof whose verifier hangs, and kill it once its container is up."""
    process = subprocess.Popen([sys.executable, "-c", VICTIM, str(suite), run_id], cwd=ROOT)
    client = connect()
    for _ in range(600):
        if any(row["State"] == "running" for row in containers_with(client, f"{RUN_LABEL}={run_id}")):
            break
        assert process.poll() is None, "the run ended before it was killed"
        time.sleep(0.1)
    process.kill()
    process.wait()


def test_a_killed_run_is_cleaned_up_and_nothing_else(tmp_path: Path) -> None:
    salt = f"RUN echo {tmp_path} >/salt\n"
    made = write_case(tmp_path, "one", test=script("sleep 600"), timeout=600, dockerfile=DOCKERFILE + salt)
    killed_run(tmp_path, "killed")
    client = connect()
    foreign = client.create_container(BASE_IMAGE, ["true"], labels={"somebody": "else"})["Id"]
    living = DockerRunner(Setup("living"))
    other = write_case(tmp_path / "b", "two", dockerfile=DOCKERFILE + salt + "RUN true\n", test=script("exit 1"))
    try:
        with living.prepare(other, [UNTOUCHED]) as prepared:
            prepared.run(UNTOUCHED)
            assert {left.kind for left in leftovers()} == {"container", "image"}
            gone = collect()
            assert images_with(client, f"{BUILT_LABEL}=living")
        assert len(gone) >= 2
        assert leftovers() == []
        assert containers_with(client, f"{RUN_LABEL}=killed") == images_with(client, f"{BUILT_LABEL}=killed") == []
        assert client.inspect_container(foreign)
    finally:
        living.close()
        remove_container(client, foreign)
    assert made.root.is_dir()


def test_an_image_that_somebody_named_keeps_that_name(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", dockerfile=DOCKERFILE + f"RUN echo {tmp_path} >/salt\n", test=script("exit 1"))
    runner, client = DockerRunner(Setup("named")), connect()
    with runner.prepare(made, [UNTOUCHED]) as prepared:
        prepared.run(UNTOUCHED)
        (image,) = images_with(client, f"{BUILT_LABEL}=named")
        client.tag(image["Id"], "somebody/precious", "1")
    runner.close()
    try:
        assert Leftover("image", "somebody/precious:1") not in leftovers()
        collect()
        assert client.images("somebody/precious:1")
    finally:
        client.remove_image("somebody/precious:1")
