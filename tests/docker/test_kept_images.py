"""`--image keep` with a real registry and engine: what is kept compiles, runs, and was looked into."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from tests.support.docker_registry import DockerRegistry, docker_registry
from tests.support.harbor import TOML, make_task
from tests.support.images import BASE_IMAGE
from tests.support.registry import fake_registry

pytestmark = pytest.mark.docker

GRADER = """#!/bin/bash
if grep -q ahoy greeting.txt; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""
FROM = f"FROM {BASE_IMAGE}\nRUN mkdir /nest && date +%N >/salt\nWORKDIR /nest\n"
IMAGES = {
    "sound": FROM,
    "user": FROM + "USER 1000\n",
    "service": FROM
    + 'RUN printf \'#!/bin/sh\\ntide-daemon &\\nexec "$@"\\n\' >/e.sh && chmod +x /e.sh\nENTRYPOINT ["/e.sh"]\n',
    "tests": FROM + "RUN mkdir /tests && touch /tests/old.sh\n",
    "no-bash": FROM + "RUN rm -f /bin/bash\n",
}


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerRegistry]:
    """A registry with an image of each kind, all of them in the engine too."""
    with docker_registry(tmp_path_factory.mktemp("registry")) as running:
        names = {name: f"{running.name}/nests/{name}:1" for name in IMAGES}
        for name, text in IMAGES.items():
            docker("build", "-q", "-t", names[name], "-", data=text)
            docker("push", "-q", names[name])
        yield running
        docker("image", "rm", "-f", *names.values())


def docker(*words: str, data: str = "") -> str:
    return subprocess.run(["docker", *words], input=data.encode(), capture_output=True, check=True).stdout.decode()


def task(root: Path, image: str, more: str = "") -> Path:
    changes = {"task.toml": f'{TOML}docker_image = "{image}"\n{more}', "environment/Dockerfile": None}
    solution = "#!/bin/bash\necho ahoy > greeting.txt\n"
    return make_task(
        root, {**changes, "tests/test.sh": GRADER, "tests/test_outputs.py": None, "solution/solve.sh": solution}
    )


def convert(source: Path, out: Path, *words: str) -> int:
    return main(["convert", str(source), "-o", str(out), "--image", "keep", "--quiet", "--proof", "none", *words])


def outcomes(out: Path) -> dict[str, str]:
    table: dict[str, Any] = json.loads((out.with_name(out.name + ".run") / "report.json").read_bytes())
    return {row["id"]: row["code"] or row["outcome"] for row in table["tasks"]}


def test_what_an_image_says_decides(registry: DockerRegistry, tmp_path: Path) -> None:
    for name in IMAGES:
        task(tmp_path / "flock" / name, f"{registry.name}/nests/{name}:1")
    task(tmp_path / "flock/elsewhere", f"{registry.name}/nests/sound:1", 'workdir = "/app"\n')
    assert convert(tmp_path / "flock", tmp_path / "out") == 1
    assert outcomes(tmp_path / "out") == {
        "elsewhere": "agent-cwd-missing",
        "no-bash": "no-bash",
        "service": "entrypoint-services",
        "sound": "converted",
        "tests": "staging-occupied",
        "user": "user-not-root",
    }
    config = tomllib.loads((tmp_path / "out/cases/sound/case.toml").read_text())
    assert (config["agent_cwd"], config["test_cwd"]) == ("/nest", "/")
    report = (tmp_path / "out.run/report.json").read_text()
    assert "so this never runs: tide-daemon &" in report


@pytest.mark.parametrize("runner", ["docker", pytest.param("margin", marks=pytest.mark.margin)])
def test_a_kept_image_is_proved_although_it_was_removed(runner: str, registry: DockerRegistry, tmp_path: Path) -> None:
    name = f"{registry.name}/nests/sound:1"
    task(tmp_path / "flock/tern", name)
    assert convert(tmp_path / "flock", tmp_path / "out") == 0
    docker("image", "rm", "-f", name)
    try:
        assert main(["prove", str(tmp_path / "out"), "--runner", runner, "--require-proof", "--quiet"]) == 0
        assert main(["check", str(tmp_path / "out"), "--images", "--quiet"]) == 0
    finally:
        docker("pull", "-q", name)


def test_what_the_engine_pulled_answers_for_a_registry_that_is_gone(tmp_path: Path) -> None:
    with docker_registry(tmp_path) as running:
        name = f"{running.name}/nests/sound:1"
        docker("build", "-q", "-t", name, "-", data=FROM)
        docker("push", "-q", name)
    try:
        task(tmp_path / "flock/tern", name)
        assert convert(tmp_path / "flock", tmp_path / "out") == 0
        (row,) = json.loads((tmp_path / "out.run/report.json").read_bytes())["images"]
        assert (row["by"], row["pinned"].partition("@")[0]) == ("engine", name)
    finally:
        docker("image", "rm", "-f", name)


def test_a_newer_local_image_of_the_same_tag_says_nothing(tmp_path: Path) -> None:
    with docker_registry(tmp_path) as running:
        name = f"{running.name}/nests/sound:1"
        older = docker("build", "-q", "-t", name, "-", data=FROM).strip()
        docker("push", "-q", name)
        docker("build", "-q", "-t", name, "-", data=FROM + "WORKDIR /elsewhere\n")
        try:
            task(tmp_path / "flock/tern", name)
            assert convert(tmp_path / "flock", tmp_path / "out") == 0
        finally:
            docker("image", "rm", "-f", name)
            with contextlib.suppress(subprocess.CalledProcessError):  # other tests may have images made from it
                docker("image", "rm", "-f", older)
    config = tomllib.loads((tmp_path / "out/cases/tern/case.toml").read_text())
    assert config["agent_cwd"] == "/nest"


def test_check_looks_into_images_on_request(
    registry: DockerRegistry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task(tmp_path / "flock/tern", f"{registry.name}/nests/sound:1")
    assert convert(tmp_path / "flock", tmp_path / "out") == 0
    other = docker("image", "inspect", "-f", "{{index .RepoDigests 0}}", f"{registry.name}/nests/user:1").strip()
    config = tmp_path / "out/cases/tern/case.toml"
    config.write_text(
        "\n".join(f'image = "{other}"' if line.startswith("image") else line for line in config.read_text().split("\n"))
    )
    assert main(["check", str(tmp_path / "out"), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["check", str(tmp_path / "out"), "--images", "--quiet"]) == 1
    assert "SC422" in capsys.readouterr().out


def test_an_image_too_large_for_the_disk_is_not_pulled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with fake_registry() as held:
        held.put_image("nest", "2", size=shutil.disk_usage("/").total, WorkingDir="/nest")
        task(tmp_path / "flock/tern", f"{held.name}/nest:2")
        assert convert(tmp_path / "flock", tmp_path / "out") == 0
        before = list(held.asked)
        assert main(["prove", str(tmp_path / "out"), "--runner", "docker", "--require-proof", "--quiet"]) in (1, 5)
        assert "needs about" in capsys.readouterr().out
        assert not [line for line in held.asked[len(before) :] if "/blobs/" in line]
