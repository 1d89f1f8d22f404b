"""Images of a run: built once, bounded in number and in time, shared between cases."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cases import DOCKERFILE, script, write_case
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Runner, Setup, State
from tools.runners.docker import DockerRunner
from tools.runners.docker_engine import BUILT_LABEL, RUN_LABEL, connect, images_named, images_with
from tools.sabotage_deep import Break

pytestmark = pytest.mark.docker

RUN = f"images-{secrets.token_hex(4)}"  # nobody else's, whatever a run that was killed has left


@pytest.fixture
def runner() -> Iterator[DockerRunner]:
    opened = DockerRunner(Setup(RUN, keep_images=1, build_seconds=4))
    yield opened
    opened.close()


def built() -> int:
    return len(images_with(connect(), f"{BUILT_LABEL}={RUN}"))


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


def test_two_runs_of_one_context_do_not_take_each_others_image(runner: DockerRunner, tmp_path: Path) -> None:
    """Equal cases of two processes: one of them is through, and the other goes on."""
    made = write_case(tmp_path, "one", dockerfile=salted(tmp_path), test=script("exit 1"))
    other = DockerRunner(Setup(f"{RUN}-too", keep_images=0))
    with runner.prepare(made, [UNTOUCHED]) as prepared:
        with other.prepare(made, [UNTOUCHED]) as theirs:
            assert theirs.run(UNTOUCHED).exit_code == 1
            assert prepared.run(UNTOUCHED).exit_code == 1
        other.close()
        assert not images_with(connect(), f"{BUILT_LABEL}={RUN}-too")
        assert prepared.run(UNTOUCHED).exit_code == 1
        assert built() == 1


def test_runs_that_build_and_remove_the_same_context_at_the_same_time_all_get_through(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", dockerfile=salted(tmp_path, "RUN true\nRUN true\n"), test=script("exit 1"))
    ends: list[int | None] = []

    def again(number: int) -> None:
        for _ in range(4):
            runner = DockerRunner(Setup(f"{RUN}-{number}"))
            with runner.prepare(made, [UNTOUCHED]) as prepared:
                run = prepared.run(UNTOUCHED)
                ends.append((run if not run.broken else prepared.run(UNTOUCHED)).exit_code)
            runner.close()

    work = [threading.Thread(target=again, args=(number,)) for number in range(3)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert ends == [1] * 12


def test_an_image_that_somebody_takes_away_is_made_again(runner: DockerRunner, tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", dockerfile=salted(tmp_path), test=script("exit 1"))
    with runner.prepare(made, [UNTOUCHED]) as prepared:
        assert prepared.run(UNTOUCHED).exit_code == 1
        (image,) = images_with(connect(), f"{BUILT_LABEL}={RUN}")
        connect().remove_image(image["RepoTags"][0], force=True)
        gone = prepared.run(UNTOUCHED)
        assert (gone.exit_code, gone.broken) == (None, True)
        assert "No such image" in gone.detail
        assert prepared.run(UNTOUCHED).exit_code == 1


def test_a_solved_container_that_somebody_takes_away_is_solved_again(runner: DockerRunner, tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", dockerfile=salted(tmp_path))
    later = State("mutant:later", 1, solved=True, meddling=Break("rm -f /app/done", "gone"))
    with runner.prepare(made, [KNOWN_GOOD, later], more=True) as prepared:
        assert prepared.run(KNOWN_GOOD).exit_code == 0
        for name in images_of(RUN):
            connect().remove_image(name)
        assert prepared.run(later).broken
        assert prepared.run(later).exit_code == 1
    runner.close()
    assert images_of(RUN) == []


def images_of(run: str) -> list[str]:
    """The names of what a run made of containers."""
    return [name for row in images_with(connect(), f"{RUN_LABEL}={run}") for name in row["RepoTags"] or ()]
