"""Where the agent works: the evidence in its order, and the refusal where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skill.image_facts import ImageFacts
from skill.parts.base import Choices, Refused
from skill.parts.image import Container
from skill.parts.workplace import workplace
from tests.support.harbor_tasks import load, make_task

NOTHING_SEEN = Container("", "", None)
PLACES = [
    # Dockerfile, [environment].workdir, answer, texts, place, evidence
    ("FROM debian:12\nWORKDIR /app\n", "/tides", "/answer", (), "/tides", "the task states it"),
    ("FROM debian:12\nWORKDIR /app\n", None, "/answer", (), "/app", "final WORKDIR"),
    ("FROM debian:12\nWORKDIR /a\nWORKDIR b\n", None, None, (), "/a/b", "final WORKDIR"),
    ("FROM debian:12 AS one\nWORKDIR /one\nFROM debian:12\n", None, None, (), "/", "the base image"),
    ("FROM other:1\n", None, "/answer", (), "/answer", "answered"),
    ("FROM python:3.12-slim\n", None, None, (), "/", "the base image"),
    ("FROM docker.io/library/golang:1.22\n", None, None, (), "/go", "the base image"),
    ("FROM debian:12\nWORKDIR app\n", None, None, (), "/app", "WORKDIR app below"),
    ("FROM golang:1\nWORKDIR src\nWORKDIR tide\n", None, None, (), "/go/src/tide", "WORKDIR src/tide below"),
    ("FROM other:1\n", None, None, ("cd /app and /app/x", "ls /app"), "/app", "the only place"),
]


@pytest.mark.parametrize(("dockerfile", "said", "answer", "texts", "place", "evidence"), PLACES)
def test_place(
    dockerfile: str,
    said: str | None,
    answer: str | None,
    texts: tuple[str, ...],
    place: str,
    evidence: str,
    tmp_path: Path,
) -> None:
    toml = f'[environment]\nworkdir = "{said}"\n' if said else ""
    task = load(make_task(tmp_path, {"environment/Dockerfile": dockerfile}, toml=toml))
    found = workplace(task, Choices(answers={"workdir": answer} if answer else {}), texts, NOTHING_SEEN)
    assert not isinstance(found, Refused), found
    assert (found.cwd, found.test_cwd) == (place, "/")
    assert evidence in found.evidence


UNKNOWN = [
    ("FROM other:1\n", ()),
    ("FROM other:1\n", ("cd /app", "cd /workspace")),  # two places are no evidence
    ("FROM other:1\n", ("cd /applications", "ls /opt/app")),
    ("FROM debian-like/thing:1\n", ()),
    ("FROM other:1\nWORKDIR $PLACE\n", ()),
    ("FROM debian:12\nWORKDIR $PLACE\n", ()),
    ("FROM debian:12\nWORKDIR $PLACE\nWORKDIR app\n", ()),
]


@pytest.mark.parametrize(("dockerfile", "texts"), UNKNOWN)
def test_nothing_is_guessed(dockerfile: str, texts: tuple[str, ...], tmp_path: Path) -> None:
    found = workplace(load(make_task(tmp_path, {"environment/Dockerfile": dockerfile})), Choices(), texts, NOTHING_SEEN)
    assert isinstance(found, Refused) and found.code == "workdir-unknown"


def seen(pinned: str = "", **facts: Any) -> Container:
    return Container(pinned, "", ImageFacts(**{"name": "tern:1", "digest": "", "platform": "", "user": "", **facts}))


SEEN = [
    # Dockerfile, what was seen of the image, place, evidence
    ("FROM tern:1\nWORKDIR /app\n", seen(workdir="/srv"), "/app", "final WORKDIR"),
    ("FROM tern:1\nWORKDIR $X\n", seen(workdir="/srv"), None, ""),
    ("FROM tern:1\n", seen(workdir="/srv"), "/srv", "looked into"),
    ("FROM tern:1\nWORKDIR app\n", seen(workdir="/srv"), "/srv/app", "looked into"),
    ("FROM debian:12\n", seen(workdir="/srv"), "/srv", "looked into"),
    ("FROM debian:12\nWORKDIR /app\n", seen("tern:1@...", workdir="/srv"), "/srv", "WORKDIR of the image tern:1"),
]


@pytest.mark.parametrize(("dockerfile", "inside", "place", "evidence"), SEEN)
def test_an_image_that_was_looked_into_says_more_than_its_name(
    dockerfile: str, inside: Container, place: str | None, evidence: str, tmp_path: Path
) -> None:
    found = workplace(load(make_task(tmp_path, {"environment/Dockerfile": dockerfile})), Choices(), (), inside)
    if place is None:
        assert isinstance(found, Refused) and found.code == "workdir-unknown"
    else:
        assert not isinstance(found, Refused) and found.cwd == place and evidence in found.evidence


def test_the_tests_are_staged_in_the_workdir_on_request(tmp_path: Path) -> None:
    found = workplace(load(make_task(tmp_path)), Choices(test_cwd="workdir"), (), NOTHING_SEEN)
    assert not isinstance(found, Refused)
    assert (found.cwd, found.test_cwd) == ("/app", "/app")
