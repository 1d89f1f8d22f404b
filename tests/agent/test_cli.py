"""The command line: cheap to start, one line for every failure, the documented exit statuses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import agent.commands.check
from agent.cli import main
from tests.support.harbor import make_dataset

ROOT = Path(__file__).resolve().parents[2]
VERBS = ("convert", "check", "prove", "pin", "resume", "report", "rules", "gc")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cli")
    make_dataset(place / "set")
    assert main(["convert", str(place / "set"), "-o", str(place / "out"), "--proof", "none", "--quiet"]) == 0
    return place / "out"


HEAVY = ("docker", "rich", "anthropic", "requests", "skill.draft", "skill.sources.harbor")


@pytest.mark.parametrize("verb", ["--help", "check", "rules"])
def test_starting_imports_nothing_heavy(verb: str, suite: Path) -> None:
    words = ["check", str(suite)] if verb == "check" else [verb]
    code = f"import sys; from agent.cli import main; main({words!r}); print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["--help"], *([verb, "--help"] for verb in VERBS), ["--version"]])
def test_help_is_there_for_every_verb(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nonsense"],
        ["convert"],
        ["convert", "x", "--sample", "-1"],
        ["convert", "x", "--limit", "many"],
        ["convert", "x"],
        ["convert", ".", "-o", "x", "--answer", "image"],
        ["check", "none"],
        ["check", "/dev/null"],
        ["prove", "none"],
        ["resume", "none"],
        ["report", "none"],
        ["rules", "SC000"],
    ],
)
def test_a_command_that_cannot_be_done_is_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert "suite-converter" in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_check_prints_compiler_lines(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(suite), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    config = suite / "cases/auk/case.toml"
    sound = config.read_text()
    config.write_text(sound.replace('name = "auk"', 'name = "awk"'))
    try:
        assert main(["check", str(suite), "--quiet"]) == 1
        (line,) = capsys.readouterr().out.splitlines()
        assert line.startswith("cases/auk/case.toml:2: error SC")
        assert main(["check", str(suite), "--quiet", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["path"] == "cases/auk/case.toml"
    finally:
        config.write_text(sound)


def test_check_against_a_source_tells_what_changed(suite: Path, tmp_path: Path) -> None:
    test = suite.parent / "set/auk/tests/test_outputs.py"
    words = ["check", str(suite), "--source", str(suite.parent / "set"), "--quiet"]
    assert main(words) == 0
    sound = test.read_text()
    test.write_text("changed\n")
    try:
        assert main(words) == 1
    finally:
        test.write_text(sound)


def test_check_against_a_source_needs_the_ledger(suite: Path, tmp_path: Path) -> None:
    shutil.copytree(suite, tmp_path / "copy")
    assert main(["check", str(tmp_path / "copy"), "--source", str(suite.parent / "set"), "--quiet"]) == 2


def test_rules_lists_all_and_explains_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    code = lines[0].split()[0]
    assert len(lines) == len({line.split()[0] for line in lines}) > 50
    assert main(["rules", code.lower()]) == 0
    assert capsys.readouterr().out.startswith(code)
    assert main(["rules", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(lines)


def test_report_shows_the_report(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run in (suite, suite.with_name("out.run")):
        assert main(["report", str(run)]) == 0
        assert "3 tasks in = 3 converted + 0 refused + 0 failed." in capsys.readouterr().out
    assert main(["report", str(suite), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "suite-converter/report/1"


def test_a_reader_that_goes_away_is_no_error(suite: Path) -> None:
    command = f"{sys.executable} -m agent rules | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_defect_of_ours_is_one_line(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(_path: Path) -> None:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr(agent.commands.check, "read_suite", failing)
    monkeypatch.delenv("SUITE_CONVERTER_TRACEBACK", raising=False)
    assert main(["check", str(suite)]) == 5
    assert capsys.readouterr().err.startswith("suite-converter: internal error, ZeroDivisionError: surprise")


def test_no_colour_and_no_cursor_movement_without_a_terminal(suite: Path) -> None:
    words = ["convert", str(suite.parent / "set"), "-o", str(suite), "--force", "--proof", "none"]
    environment = {**os.environ, "FORCE_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "agent", *words], cwd=ROOT, capture_output=True, check=True, env=environment
    )
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_terminal_gets_one_live_line_and_no_colour_when_asked(suite: Path) -> None:
    words = ["convert", str(suite.parent / "set"), "-o", str(suite), "--force", "--proof", "none"]
    leader, follower = os.openpty()
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-m", "agent", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=follower,
        check=True,
        env=environment,
    )
    os.close(follower)
    drawn = os.read(leader, 100_000)
    os.close(leader)
    assert b"\x1b[?25l" in drawn
    assert b"\x1b[3" not in drawn
    assert b"\x1b" not in done.stdout
