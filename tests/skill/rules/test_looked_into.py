"""Rules about images that were looked into: what is fine first, then what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skill.image_facts import ImageFacts, There
from skill.rules import check_image
from skill.rules.looked_into import LookedInto, paths_of
from skill.suite import read_suite
from tests.support.suites import Edit, put, script, write_suite

TOOLS = frozenset("bash sh sha256sum timeout mktemp rm mkdir python3".split())
FINE: dict[str, Any] = {
    "name": "tides:1",
    "digest": "sha256:" + "0" * 64,
    "platform": "linux/amd64",
    "workdir": "/app",
    "user": "",
    "programs": TOOLS,
    "paths": {"/app": There.EMPTY, "/tests": There.NOTHING, "/oracle": There.EMPTY},
}


def found(root: Path, facts: dict[str, Any], *edits: Edit) -> list[tuple[str, str, int]]:
    case = next(iter(read_suite(write_suite(root, *edits)).cases()))
    seen = check_image(LookedInto(case, ImageFacts(**{**FINE, **facts})))
    return [(one.code, one.path.rpartition("/")[2], one.line) for one in seen]


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"user": "root"},
        {"user": "0:0"},
        {"programs": None, "paths": {}},  # only its configuration could be had
        {"platform": "linux/amd64/v3"},
        {"entrypoint": ("/bin/sh",)},
        {"entrypoint": ("/e.sh",), "script": 'set -e\nexec "$@"\n'},
    ],
)
def test_fine(facts: dict[str, Any], tmp_path: Path) -> None:
    assert found(tmp_path, facts) == []


@pytest.mark.parametrize(
    ("facts", "code", "line"),
    [
        ({"paths": {"/app": There.NOTHING}}, "SC421", 4),
        ({"paths": {"/app": There.FILE}}, "SC421", 4),
        ({"user": "1000"}, "SC422", 0),
        ({"programs": TOOLS - {"bash"}}, "SC423", 0),
        ({"paths": {"/tests": There.FOLDER}}, "SC424", 5),
        ({"paths": {"/oracle": There.FILE}}, "SC424", 5),
        ({"platform": "linux/arm64"}, "SC425", 0),
        ({"entrypoint": ("/serve",)}, "SC426", 0),
    ],
)
def test_not_fine(facts: dict[str, Any], code: str, line: int, tmp_path: Path) -> None:
    assert found(tmp_path, facts) == [(code, "case.toml", line)]


def test_the_tools_of_a_generated_verifier(tmp_path: Path) -> None:
    text = "#!/bin/bash\n. /tests/.verdict/lib.sh\nneed python3 jq\necho need curl\n"
    library = put("cases/first/tests/.verdict/lib.sh", "begin() {\n  need sha256sum stat\n}\nneed() {\n  :\n}\n")
    assert found(tmp_path, {}, script(text), library) == [("SC427", "lib.sh", 2), ("SC427", "test.sh", 3)]


def test_what_is_looked_at(tmp_path: Path) -> None:
    case = next(iter(read_suite(write_suite(tmp_path)).cases()))
    assert paths_of(case) == ("/app", "/tests", "/oracle")
