"""`--image publish`: contexts built and pushed once each, suites that work from the registry alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.cli import main
from tests.support.docker_registry import DockerRegistry, docker_registry, write_login
from tests.support.harbor import make_task, snapshot
from tests.support.images import BASE_IMAGE
from tests.support.registry import Answer, FakeRegistry, fake_registry
from tools.runners.docker_engine import NAMESPACE, connect, images_named

pytestmark = pytest.mark.docker

GRADER = """#!/bin/bash
if grep -q ahoy /app/greeting.txt; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""
DOCKERFILE = f"FROM {BASE_IMAGE}\nWORKDIR /app\nCOPY data /data\n"


def task(root: Path, data: str = "one") -> Path:
    changes = {"environment/Dockerfile": DOCKERFILE, "environment/data": data, "tests/test.sh": GRADER}
    return make_task(root, {**changes, "tests/test_outputs.py": None})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, data in (("auk", "one"), ("curlew", "one"), ("tern", "two")):
        task(tmp_path / "flock" / name, data)
    return tmp_path / "flock"


@pytest.fixture(params=["plain", "login over tls"])
def registry(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DockerRegistry]:
    """A registry, with the login it wants in place."""
    for name in ("client", "registry"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "client"))
    with docker_registry(tmp_path / "registry", login="login" in request.param, tls="tls" in request.param) as running:
        write_login(tmp_path / "client", running.name)
        yield running


def convert(source: Path, out: Path, registry: str, *words: str) -> int:
    named = ["--image", "publish", "--registry", f"{registry}/evals", "--quiet"]
    return main(["convert", str(source), "-o", str(out), *named, *words])


def report(out: Path) -> dict[str, Any]:
    return json.loads((out.with_name(out.name + ".run") / "report.json").read_bytes())


def images(out: Path) -> dict[str, str]:
    found = ((path.parent.name, tomllib.loads(path.read_text())) for path in out.glob("cases/*/case.toml"))
    return {name: table["image"] for name, table in sorted(found)}


def local(registry: str) -> list[str]:
    rows = [*images_named(connect(), f"{registry}/*/*"), *images_named(connect(), f"{NAMESPACE}/env:publish-*")]
    return [str(row["RepoTags"] or row["RepoDigests"]) for row in rows]


def forget(registry: str) -> None:
    """Remove every local image of the registry."""
    for row in images_named(connect(), f"{registry}/*/*"):
        subprocess.run(["docker", "image", "rm", "-f", row["Id"]], check=True, capture_output=True)


def test_a_published_suite_is_proved_from_the_registry_alone(
    registry: DockerRegistry, source: Path, tmp_path: Path
) -> None:
    assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 0
    found = images(tmp_path / "out")
    assert found["auk"] == found["curlew"] != found["tern"]
    assert found["tern"].startswith(f"{registry.name}/evals/flock:") and "@sha256:" in found["tern"]
    assert not list((tmp_path / "out").glob("cases/*/env"))
    assert main(["check", str(tmp_path / "out"), "--source", str(source), "--quiet"]) == 0
    told = [json.loads(line) for line in (tmp_path / "out.run/ledger.jsonl").read_text().splitlines()]
    there = {
        path.relative_to(tmp_path / "out/cases").as_posix()
        for path in (tmp_path / "out/cases").rglob("*")
        if path.is_file()
    }
    assert {f"{row['case']}/{row['path']}" for row in told if row["case"]} == there
    assert [row["by"] for row in report(tmp_path / "out")["images"]] == ["published", "published"]
    assert local(registry.name) == []
    try:
        assert main(["prove", str(tmp_path / "out"), "--runner", "docker", "--require-proof", "--quiet"]) == 0
        labels = connect().inspect_image(found["auk"])["Config"]["Labels"]
    finally:
        forget(registry.name)
    assert labels["dev.suite-converter.source-task"] == "auk"
    assert set(labels) == {"dev.suite-converter.source-task", "dev.suite-converter.context"}


@pytest.mark.margin
def test_margin_compiles_and_proves_a_published_suite(source: Path, tmp_path: Path) -> None:
    with docker_registry(tmp_path) as registry:
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none", "--limit", "1") == 0
        try:
            assert main(["prove", str(tmp_path / "out"), "--runner", "margin", "--require-proof", "--quiet"]) == 0
        finally:
            forget(registry.name)


def test_what_the_registry_has_is_neither_built_nor_pushed_again(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with docker_registry(tmp_path) as registry:
        assert convert(source, tmp_path / "a", registry.name, "--proof", "none") == 0
        monkeypatch.setattr("docker.api.build.BuildApiMixin.build", None)
        assert convert(source, tmp_path / "b", registry.name, "--proof", "none") == 0
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")


def test_a_dry_run_says_what_would_be_pushed_where(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with docker_registry(tmp_path) as registry:
        words = ["--image", "publish", "--registry", f"{registry.name}/evals", "--quiet"]
        assert main(["convert", str(source), "--dry-run", *words]) == 0
        said = capsys.readouterr().out
        assert said.count(f"would push {registry.name}/evals/flock:") == 2 and "(2 tasks)" in said
        assert not registry.store.exists() or not list(registry.store.rglob("_manifests"))


@pytest.mark.parametrize("words", [["--image", "publish"], ["--image", "publish", "--registry", "NO NAME"]])
def test_nothing_is_pushed_to_a_place_that_nobody_named(words: list[str], source: Path, tmp_path: Path) -> None:
    assert main(["convert", str(source), "-o", str(tmp_path / "out"), "--proof", "none", "--quiet", *words]) == 2


def test_a_context_that_does_not_build_leaves_its_task_out(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {"environment/Dockerfile": f"FROM {BASE_IMAGE}\nWORKDIR /app\nRUN exit 3\n", "tests/test.sh": GRADER}
    make_task(source / "gull", {**broken, "tests/test_outputs.py": None})
    with docker_registry(tmp_path) as registry:
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 1
    (left,) = report(tmp_path / "out")["left"]
    assert (left["code"], left["tasks"]) == ("build-failed", 1) and "exit 3" in left["sample"]
    assert len(images(tmp_path / "out")) == 3


def test_the_image_that_was_built_has_the_last_word(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"FROM {BASE_IMAGE}\nWORKDIR /app\nRUN mkdir -p /tests && touch /tests/old\n"
    make_task(source / "gull", {"environment/Dockerfile": text, "tests/test.sh": GRADER, "tests/test_outputs.py": None})
    with docker_registry(tmp_path) as registry:
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none", "--only", "gull") == 1
    (task,) = report(tmp_path / "out")["tasks"]
    assert (task["outcome"], task["code"]) == ("failed", "gate")
    assert {row["code"] for row in task["findings"] if row["severity"] == "error"} == {"SC424"}


def test_a_push_that_is_refused_publishes_nothing_and_goes_on_later(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "client").mkdir()
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "client"))
    with docker_registry(tmp_path, login=True) as registry:
        write_login(tmp_path / "client", registry.name, "wrong")
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 5
        said = capsys.readouterr().err
        assert "cannot be pushed: " in said and "0 of 2 images are there" in said and "go on with" in said
        assert not (tmp_path / "out").exists() and local(registry.name) == []
        write_login(tmp_path / "client", registry.name)
        assert main(["resume", str(tmp_path / "out.run"), "--quiet"]) == 0
    assert len(images(tmp_path / "out")) == 3


def test_a_run_killed_between_two_pushes_pushes_only_what_is_missing(source: Path, tmp_path: Path) -> None:
    with docker_registry(tmp_path) as registry:
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 0
        kept = json.loads((tmp_path / "out.run/published.json").read_text())
        first, second = sorted(kept)
        shutil.rmtree(registry.store)
        (tmp_path / "out.run/published.json").write_text(json.dumps({first: kept[first]}))
        events = (tmp_path / "out.run/events.jsonl").read_text().splitlines()
        (tmp_path / "out.run/events.jsonl").write_text("\n".join(events[:-2]) + "\n")
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none", "--force") == 0
        assert images(tmp_path / "out")["auk"] in (
            kept[first],
            json.loads((tmp_path / "out.run/published.json").read_text())[second],
        )
        pushed = [path.name for path in registry.store.rglob("_manifests/tags/*")]
        assert pushed == [second.rpartition(":")[2]]


def test_no_registry_there_is_said_before_anything_is_built(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with fake_registry() as gone:
        name = gone.name
    monkeypatch.setattr("docker.api.build.BuildApiMixin.build", None)
    assert convert(source, tmp_path / "out", name, "--proof", "none") == 5
    assert "cannot be reached" in capsys.readouterr().err


def test_an_error_inside_the_stream_of_a_push_is_one(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_uploads(held: FakeRegistry, asked: Any) -> Answer | None:
        return Answer(500, b'{"errors": [{"code": "UNKNOWN"}]}') if "/blobs/" in asked.path else None

    with fake_registry() as registry:
        registry.behaviour = no_uploads
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 5
    assert "cannot be pushed" in capsys.readouterr().err


def test_a_tag_that_somebody_else_took_is_not_believed(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake_registry() as registry:
        words = ["--image", "publish", "--registry", f"{registry.name}/evals", "--quiet", "--json"]
        assert main(["convert", str(source), "--plan", *words]) == 0
        for row in json.loads(capsys.readouterr().out)["pushed"]:
            registry.put_image("evals/flock", row["name"].rpartition(":")[2])
        assert convert(source, tmp_path / "out", registry.name, "--proof", "none") == 5
    assert "is taken by an image that was not made here" in capsys.readouterr().err
