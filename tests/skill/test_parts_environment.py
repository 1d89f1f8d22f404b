"""env/ of a case: what is kept, what is added, which image stands in its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skill.image_facts import ImageFacts, There
from skill.parts.base import Choices, OutFile, Refused
from skill.parts.environment import Environment, environment
from skill.parts.image import Container, container, unfit
from skill.pins import Pin, Unpinned
from tests.support.harbor_tasks import load, make_task

PIN = "registry.example/tides@sha256:" + "a" * 64
DOCKERFILE = "FROM debian:12\nWORKDIR /app\n"


def made(
    root: Path, toml: str = "", files: dict[str, str | bytes | None] | None = None, **choices: object
) -> Environment | Refused:
    task, chosen = load(make_task(root, files, toml=toml)), Choices(**choices)  # type: ignore[arg-type]
    inside = container(task, chosen)
    return inside if isinstance(inside, Refused) else environment(task, chosen, inside)


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


DIGEST = "sha256:" + "b" * 64
PINNED = {"tides:1": Pin("tides:1", f"tides:1@{DIGEST}", "registry")}
GONE = {"tides:1": Unpinned("tides:1", "image-missing", "no such image")}
TAGGED = [
    # pins, has a Dockerfile of its own, loose files, choice, image or code, first line of the Dockerfile
    ({}, False, False, None, "", "FROM tides:1"),
    (PINNED, False, False, None, f"tides:1@{DIGEST}", ""),
    (PINNED, False, False, "keep", f"tides:1@{DIGEST}", ""),
    (PINNED, False, False, "dockerfile", "", f"FROM tides:1@{DIGEST}"),
    (PINNED, False, True, "keep", "", f"FROM tides:1@{DIGEST}"),
    (PINNED, True, False, "keep", f"tides:1@{DIGEST}", ""),
    (PINNED, True, False, "dockerfile", "", "FROM debian:12"),
    (PINNED, True, False, "publish", "", "FROM debian:12"),
    (PINNED, True, False, None, "image-choice", ""),
    (GONE, False, False, "keep", "image-missing", ""),
    (GONE, False, False, None, "", "FROM tides:1"),
    (GONE, False, False, "dockerfile", "", "FROM tides:1"),
    ({}, False, False, "keep", "image-not-pinned", ""),
]


@pytest.mark.parametrize(("pins", "own", "loose", "choice", "result", "line"), TAGGED)
def test_a_tag_and_what_became_of_it(
    pins: dict[str, Pin], own: bool, loose: bool, choice: str | None, result: str, line: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes | None] = {} if own else {"environment/Dockerfile": None}
    files |= {"environment/high": ""} if loose else {}
    toml = '[environment]\ndocker_image = "tides:1"\nworkdir = "/app"\n'
    found = made(tmp_path, toml, files, image=choice, pins=pins)
    assert (found.code if isinstance(found, Refused) else found.image) == result
    assert not line or dockerfile(found).splitlines()[0] == line
    assert isinstance(found, Refused) or bool(found.part.files) == (result == "")


def facts(**changes: Any) -> dict[str, ImageFacts]:
    known = {"name": "tides:1", "digest": DIGEST, "platform": "linux/amd64", "workdir": "/app", "user": ""}
    return {name: ImageFacts(**{**known, "name": name, **changes}) for name in ("tides:1", "debian:12")}


FORBIDDEN = [
    ({}, None),
    ({"user": "root:root"}, None),
    ({"user": "1000"}, "user-not-root"),
    ({"entrypoint": ("/serve",)}, "entrypoint-services"),
    ({"entrypoint": ("/e.sh",), "script": 'exec "$@"'}, None),
    ({"programs": frozenset({"sh"})}, "no-bash"),
    ({"programs": frozenset({"sh", "bash"})}, None),
]


@pytest.mark.parametrize(("seen", "code"), FORBIDDEN)
def test_what_a_kept_image_must_not_be(seen: dict[str, Any], code: str | None, tmp_path: Path) -> None:
    toml = '[environment]\ndocker_image = "tides:1"\n'
    found = made(tmp_path, toml, image="keep", pins=PINNED, images=facts(**seen))
    assert (found.code if isinstance(found, Refused) else None) == code


INHERITED = [
    ("FROM debian:12\n", {"user": "1000"}, "user-not-root"),
    ("FROM debian:12\nUSER root\n", {"user": "1000"}, None),
    ("FROM debian:12\n", {"entrypoint": ("/serve",)}, "entrypoint-services"),
    ("FROM debian:12\nENTRYPOINT []\n", {"entrypoint": ("/serve",)}, None),
    ("FROM debian:12\nRUN add-bash\n", {"programs": frozenset({"sh"})}, None),
]


@pytest.mark.parametrize(("text", "seen", "code"), INHERITED)
def test_what_a_dockerfile_inherits(text: str, seen: dict[str, Any], code: str | None, tmp_path: Path) -> None:
    found = made(tmp_path, files={"environment/Dockerfile": text}, images=facts(**seen))
    assert (found.code if isinstance(found, Refused) else None) == code


def test_another_user_allowed_means_a_line_of_ours(tmp_path: Path) -> None:
    allow = frozenset({"user-not-root"})
    inherited = made(tmp_path / "1", allow=allow, images=facts(user="1000"))
    assert dockerfile(inherited) == DOCKERFILE + "# added by suite-converter\nUSER root\n"
    toml = '[environment]\ndocker_image = "tides:1"\n'
    files: dict[str, str | bytes | None] = {"environment/high": ""}
    kept = made(tmp_path / "2", toml, files, image="keep", allow=allow, pins=PINNED, images=facts(user="1000"))
    assert dockerfile(kept) == f"FROM tides:1@{DIGEST}\n# added by suite-converter\nUSER root\n"
    assert isinstance(kept, Environment) and [file.path for file in kept.part.files] == ["env/Dockerfile"]


LISTED = [
    ({}, None),
    ({"/app": There.FOLDER, "/tests": There.EMPTY, "/oracle": There.NOTHING}, None),
    ({"/app": There.NOTHING}, "agent-cwd-missing"),
    ({"/app": There.FILE}, "agent-cwd-missing"),
    ({"/tests": There.FOLDER}, "staging-occupied"),
    ({"/oracle": There.FILE}, "staging-occupied"),
]


@pytest.mark.parametrize(("paths", "code"), LISTED)
def test_what_must_be_at_the_directories(paths: dict[str, There], code: str | None) -> None:
    kept = Container(f"tides:1@{DIGEST}", "", facts(paths=paths)["tides:1"])
    found = unfit(kept, "/app", "/")
    assert (found.code if found else None) == code
    assert unfit(replace(kept, pinned=""), "/app", "/") is None  # a build may still change it


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
    found = environment(load(root), Choices(), Container("", "", None))
    assert isinstance(found, Environment)
    assert [file.path for file in found.part.files if file.path.endswith(".keep")] == places
