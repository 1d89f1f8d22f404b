"""Where the agent works: the evidence in its order, and the refusal where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.parts.base import Choices, Refused
from skill.parts.workplace import workplace
from tests.support.harbor_tasks import load, make_task

PLACES = [
    # Dockerfile, [environment].workdir, answer, texts, place, evidence
    ("FROM debian:12\nWORKDIR /app\n", "/tides", "/answer", (), "/tides", "the task states it"),
    ("FROM debian:12\nWORKDIR /app\n", None, "/answer", (), "/app", "final WORKDIR"),
    ("FROM debian:12\nWORKDIR /a\nWORKDIR b\n", None, None, (), "/a/b", "final WORKDIR"),
    ("FROM debian:12 AS one\nWORKDIR /one\nFROM debian:12\n", None, None, (), "/", "the base image"),
    ("FROM other:1\n", None, "/answer", (), "/answer", "answered"),
    ("FROM python:3.12-slim\n", None, None, (), "/", "the base image"),
    ("FROM docker.io/library/golang:1.22\n", None, None, (), "/go", "the base image"),
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
    found = workplace(task, Choices(answers={"workdir": answer} if answer else {}), texts)
    assert not isinstance(found, Refused), found
    assert (found.cwd, found.test_cwd) == (place, "/")
    assert evidence in found.evidence


UNKNOWN = [
    ("FROM other:1\n", ()),
    ("FROM other:1\n", ("cd /app", "cd /workspace")),  # two places are no evidence
    ("FROM other:1\n", ("cd /applications", "ls /opt/app")),
    ("FROM debian-like/thing:1\n", ()),
    ("FROM other:1\nWORKDIR $PLACE\n", ()),
]


@pytest.mark.parametrize(("dockerfile", "texts"), UNKNOWN)
def test_nothing_is_guessed(dockerfile: str, texts: tuple[str, ...], tmp_path: Path) -> None:
    found = workplace(load(make_task(tmp_path, {"environment/Dockerfile": dockerfile})), Choices(), texts)
    assert isinstance(found, Refused) and found.code == "workdir-unknown"


def test_the_tests_are_staged_in_the_workdir_on_request(tmp_path: Path) -> None:
    found = workplace(load(make_task(tmp_path)), Choices(test_cwd="workdir"), ())
    assert not isinstance(found, Refused)
    assert (found.cwd, found.test_cwd) == ("/app", "/app")
