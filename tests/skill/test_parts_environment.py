"""env/ of a case: what is kept, what is added, which image stands in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.parts.base import Choices, OutFile, Refused
from skill.parts.environment import Environment, environment
from skill.parts.workplace import Workplace
from tests.support.harbor_tasks import load, make_task

PIN = "registry.example/tides@sha256:" + "a" * 64
PLACE = Workplace("/app", "/", "said")
DOCKERFILE = "FROM debian:12\nWORKDIR /app\n"


def made(
    root: Path, toml: str = "", files: dict[str, str | bytes | None] | None = None, **choices: object
) -> Environment | Refused:
    return environment(load(make_task(root, files, toml=toml)), Choices(**choices), PLACE)  # type: ignore[arg-type]


def dockerfile(found: Environment | Refused) -> str:
    assert isinstance(found, Environment), found
    file = next(file for file in found.part.files if file.path == "env/Dockerfile")
    return text(file)


def text(file: OutFile) -> str:
    return (file.data if file.data is not None else (file.copy_of or Path()).read_bytes()).decode()


def test_a_dockerfile_that_needs_nothing_is_a_copy(tmp_path: Path) -> None:
    assert dockerfile(made(tmp_path)) == DOCKERFILE


ADDED = [
    ('[environment.env]\nMODE = "fast"\n', 'ENV MODE="fast"'),
    ('[environment.env]\nMODE = "a b"\n', 'ENV MODE="a b"'),
    ("[environment.env]\nMODE = 'say \"hi\" \\ $HOME'\n", 'ENV MODE="say \\"hi\\" \\\\ \\$HOME"'),
    ('[environment.env]\nMODE = "${MODE:-slow}"\n', 'ENV MODE="slow"'),
    ('[environment]\nworkdir = "/tides"\n', "WORKDIR /tides"),
    ('[environment]\nworkdir = "/app"\n', None),  # what it is already
]


@pytest.mark.parametrize(("toml", "line"), ADDED)
def test_lines_for_what_the_source_says_elsewhere(toml: str, line: str | None, tmp_path: Path) -> None:
    extra = f"# added by suite-converter\n{line}\n" if line else ""
    assert dockerfile(made(tmp_path, toml)) == DOCKERFILE + extra


def test_lines_come_after_a_missing_line_break(tmp_path: Path) -> None:
    found = made(tmp_path, '[environment.env]\nA = "1"\n', {"environment/Dockerfile": "FROM debian:12\nWORKDIR /app"})
    assert dockerfile(found) == DOCKERFILE + '# added by suite-converter\nENV A="1"\n'


IMAGES = [
    # image, has a Dockerfile of its own, choice, result
    (PIN, False, None, PIN),
    (PIN, False, "keep", PIN),
    (PIN, True, "keep", PIN),
    (PIN, True, "dockerfile", ""),
    (PIN, True, None, "image-choice"),
    ("tides:1", True, "keep", "image-not-pinned"),
    ("tides:1", True, "dockerfile", ""),
    ("sha256:" + "a" * 64, True, "keep", "image-not-pinned"),
]


@pytest.mark.parametrize(("image", "own", "choice", "result"), IMAGES)
def test_image_or_dockerfile(image: str, own: bool, choice: str | None, result: str, tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {} if own else {"environment/Dockerfile": None}
    found = made(tmp_path, f'[environment]\ndocker_image = "{image}"\nworkdir = "/app"\n', files, image=choice)
    assert (found.code if isinstance(found, Refused) else found.image) == result
    if isinstance(found, Environment):
        assert bool(found.part.files) == (result == "")


def test_variables_of_a_kept_image_reach_the_scripts_and_are_reported(tmp_path: Path) -> None:
    toml = f'[environment]\ndocker_image = "{PIN}"\nworkdir = "/app"\n[environment.env]\nMODE = "fast"\n'
    found = made(tmp_path, toml, {"environment/Dockerfile": None})
    assert isinstance(found, Environment)
    assert found.exported["MODE"].literal == "fast"
    assert [finding.code for finding in found.findings] == ["S404"]


KEPT = [
    ("COPY . /app", ["env/empty/.keep"]),
    ("COPY empty /app/empty", ["env/empty/.keep"]),
    ("COPY ./empty/ /app/empty", ["env/empty/.keep"]),
    ("COPY other /app/other", []),
    ("RUN mkdir empty", []),
]


@pytest.mark.parametrize(("line", "places"), KEPT)
def test_an_empty_folder_that_is_copied_gets_a_placeholder(line: str, places: list[str], tmp_path: Path) -> None:
    root = make_task(tmp_path, {"environment/Dockerfile": f"{DOCKERFILE}{line}\n", "environment/other/a": ""})
    (root / "environment/empty").mkdir()
    found = environment(load(root), Choices(), PLACE)
    assert isinstance(found, Environment)
    assert [file.path for file in found.part.files if file.path.endswith(".keep")] == places
