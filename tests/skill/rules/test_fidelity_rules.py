"""A conversion against its ledger and its source: near misses first, then the hit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skill.finding import Finding
from skill.ledger import digest
from skill.rules import check_fidelity
from tests.support.conversions import NAME, Conversion, convert
from tests.support.suites import chmod, put, remove, swap

Change = Callable[[Conversion], None]
CASE = f"cases/{NAME}"
SOURCE = f"{NAME}/"


def output(path: str, text: str) -> Change:
    """Other bytes in the output, told to the ledger."""

    def change(made: Conversion) -> None:
        put(f"{CASE}/{path}", text, made.row(path)["mode"])(made.suite)
        made.row(path)["sha256"] = digest(text.encode())

    return change


def row(path: str, **fields: object) -> Change:
    return lambda made: made.row(path).update(fields)


def source(path: str, text: str) -> Change:
    return lambda made: put(SOURCE + path, text)(made.source)


def no_row(path: str) -> Change:
    return lambda made: made.rows.remove(made.row(path))


DOCKER = "FROM python:3.12-slim\nWORKDIR /app\nCOPY data /data\n"
REWRITTEN = {"action": "rewritten", "by": "dockerfile-lines", "source_sha256": digest(DOCKER.encode())}

CASES: list[tuple[str, list[Change], list[str]]] = [
    ("SC801", [], []),
    ("SC801", [lambda made: put(f"{CASE}/tests/extra.py", "")(made.suite)], ["tests/extra.py"]),
    ("SC801", [no_row("case.toml")], ["case.toml"]),
    ("SC802", [lambda made: remove(f"{CASE}/tests/check.py")(made.suite)], ["tests/check.py"]),
    ("SC803", [output("tests/check.py", "x")], []),
    ("SC803", [lambda made: put(f"{CASE}/tests/check.py", "x")(made.suite)], ["tests/check.py"]),
    ("SC804", [source("tests/test.sh", "#!/bin/sh\n"), row("tests/source-test.sh", action="generated")], []),
    ("SC804", [output("tests/check.py", "x")], ["tests/check.py"]),
    ("SC804", [source("tests/check.py", "y")], ["tests/check.py"]),
    ("SC804", [row("case.toml", action="copied")], ["case.toml"]),
    ("SC805", [row("env/Dockerfile", **REWRITTEN)], []),
    ("SC805", [row("env/Dockerfile", **{**REWRITTEN, "source_sha256": "0" * 64})], ["env/Dockerfile"]),
    ("SC806", [row("env/Dockerfile", **REWRITTEN)], []),
    ("SC806", [row("case.toml", by="")], ["case.toml"]),
    ("SC807", [], []),
    ("SC807", [row("prompt.md", action="rewritten", by="x")], ["prompt.md"]),
    ("SC807", [row("prompt.md", source="README.md")], ["prompt.md"]),
    ("SC808", [no_row("oracle/solve.sh")], []),
    ("SC808", [no_row("env/data/tides")], ["environment/data/tides"]),
    ("SC808", [source("tests/new/case.json", "{}")], ["tests/new/case.json"]),
    ("SC809", [output("env/Dockerfile", DOCKER + "USER root\n"), row("env/Dockerfile", **REWRITTEN)], []),
    ("SC809", [output("env/Dockerfile", "FROM x\n"), row("env/Dockerfile", **REWRITTEN)], ["env/Dockerfile"]),
    ("SC810", [row("tests/source-test.sh", action="rewritten", by="x")], []),
    ("SC810", [row("tests/check.py", action="rewritten", by="x")], ["tests/check.py"]),
    ("SC811", [lambda made: swap(f"{CASE}/case.toml", "easy", "hard")(made.suite)], ["case.toml"]),
    ("SC811", [lambda made: swap(f"{CASE}/case.toml", "[metadata]", "[more]")(made.suite)], ["case.toml"]),
    ("SC812", [source("task.toml", "[verifier]\ntimeout_sec = 59.2\n[metadata]\ndifficulty = 'easy'\n")], []),
    ("SC812", [source("task.toml", "[verifier]\ntimeout_sec = 99\n[metadata]\ndifficulty = 'easy'\n")], ["case.toml"]),
    ("SC813", [], []),
    ("SC813", [lambda made: chmod(f"{CASE}/tests/check.py", 0o600)(made.suite)], ["tests/check.py"]),
    ("SC814", [lambda made: (made.source / NAME).rename(made.source / "renamed") and None], [""]),
]  # fmt: skip


def told(made: Conversion) -> list[Finding]:
    return list(check_fidelity(made.suite, made.rows, made.source))


@pytest.mark.parametrize(("code", "changes", "expected"), CASES)
def test_rule_fires_where_it_should(tmp_path: Path, code: str, changes: list[Change], expected: list[str]) -> None:
    made = convert(tmp_path)
    for change in changes:
        change(made)
    paths = [finding.path.removeprefix(CASE).lstrip("/") for finding in told(made) if finding.code == code]
    assert paths == expected


def test_a_faithful_conversion_is_clean(tmp_path: Path) -> None:
    assert told(convert(tmp_path)) == []


def test_a_case_that_the_ledger_does_not_know_is_told_file_by_file(tmp_path: Path) -> None:
    made = convert(tmp_path)
    made.rows.clear()
    assert {"SC801", "SC814"} == {finding.code for finding in told(made)}


def test_the_environment_may_go_when_an_image_takes_its_place(tmp_path: Path) -> None:
    made = convert(tmp_path)
    swap(f"{CASE}/case.toml", "agent_cwd", f'image = "r@sha256:{"a" * 64}"\nagent_cwd')(made.suite)
    remove(f"{CASE}/env")(made.suite)
    made.rows = [row for row in made.rows if not row["path"].startswith("env/")]
    assert "SC808" not in {finding.code for finding in told(made)}
