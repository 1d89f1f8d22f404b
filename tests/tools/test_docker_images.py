"""Images of a run: built once, bounded in number and in time, shared between cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cases import DOCKERFILE, script, write_case
from tools.runners.base import UNTOUCHED, Runner, Setup
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import BUILT_LABEL, connect, images_named, images_with

pytestmark = pytest.mark.docker


@pytest.fixture
def runner() -> Iterator[DockerRunner]:
    opened = DockerRunner(Setup("images", keep_images=1, build_seconds=4))
    yield opened
    opened.close()


def built() -> int:
    return len(images_with(connect(), f"{BUILT_LABEL}=images"))


def run(runner: Runner, suite: Path, name: str, dockerfile: str) -> str:
    made = write_case(suite, name, dockerfile=dockerfile, test=script("exit 1"), files={"env/.dockerignore": "skip\n"})
    with runner.prepare(made, [UNTOUCHED]) as prepared:
        return prepared.run(UNTOUCHED).detail


def salted(path: Path, more: str = "") -> str:
    return DOCKERFILE + f"RUN echo {path} >/salt\n{more}"


def test_no_more_images_than_allowed(runner: DockerRunner, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        run(runner, tmp_path, name, salted(tmp_path / name))
        assert built() == 1
    runner.close()
    assert built() == 0


def test_one_build_for_many_cases(runner: DockerRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builds: list[str] = []
    real = runner.client.build

    def counted(**options: object) -> object:
        builds.append(str(options["tag"]))
        return real(**options)  # type: ignore[arg-type]

    monkeypatch.setattr(runner.client, "build", counted)
    work = [
        threading.Thread(target=run, args=(runner, tmp_path / name, name, salted(tmp_path))) for name in ("a", "b", "c")
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(builds) == 1


@pytest.mark.parametrize("loop", ["while :; do echo .; sleep 1; done", "sleep 600"], ids=["talking", "silent"])
def test_a_build_without_end_ends(runner: DockerRunner, tmp_path: Path, loop: str) -> None:
    client = connect()
    started, before = time.monotonic(), images_named(client, "suite-converter/build")
    detail = run(runner, tmp_path, "one", salted(tmp_path, f"RUN {loop}\n"))
    assert "env/ does not build" in detail
    assert time.monotonic() - started < 30
    assert built() == 0
    assert not [row for row in client.containers(all=True) if loop in str(row["Command"])]
    assert images_named(client, "suite-converter/build") == before


def test_dockerignore_is_honoured(runner: DockerRunner, tmp_path: Path) -> None:
    write_case(tmp_path, "one", files={"env/skip": "", "env/keep": ""})
    detail = run(runner, tmp_path, "one", salted(tmp_path, "COPY . /context\nRUN ! test -e /context/skip\n"))
    assert detail == ""
    assert "not found" in run(runner, tmp_path, "one", salted(tmp_path, "COPY skip /\n"))
