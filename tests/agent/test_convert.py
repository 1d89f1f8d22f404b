"""`convert`: a dataset becomes a suite, the books balance, and stopping anywhere loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import agent.convert
from agent.cli import main
from agent.progress import Progress
from tests.support.harbor import TOML, make_dataset, make_task, snapshot

ROOT = Path(__file__).resolve().parents[2]
NO_PROOF = ("--proof", "none", "--quiet")
IMAGE = TOML + f'docker_image = "registry.example/tern@sha256:{"0" * 64}"\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "flock")


def convert(source: Path, out: Path, *words: str) -> int:
    return main(["convert", str(source), "-o", str(out), *NO_PROOF, *words])


def report(out: Path) -> dict[str, Any]:
    return json.loads((out.with_name(out.name + ".run") / "report.json").read_bytes())


def test_a_sound_dataset_is_converted_whole(source: Path, tmp_path: Path) -> None:
    before = snapshot(source)
    assert convert(source, tmp_path / "out") == 0
    assert report(tmp_path / "out")["books"] == {"in": 3, "converted": 3, "refused": 0, "failed": 0}
    assert (tmp_path / "out/cases/tern/prompt.md").read_bytes() == (source / "tern/instruction.md").read_bytes()
    assert main(["check", str(tmp_path / "out"), "--source", str(source), "--quiet"]) == 0
    assert snapshot(source) == before


def test_a_plan_writes_nothing(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = snapshot(tmp_path)
    assert main(["convert", str(source), "--plan"]) == 0
    assert "would convert 3, leaves 0; nothing was written" in capsys.readouterr().out
    assert main(["convert", str(source), "--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["books"] == {"in": 3, "converted": 3, "refused": 0, "failed": 0}
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("words", "kept"),
    [(("--only", "t*"), ["tern"]), (("--limit", "2"), ["auk", "curlew"]), (("--only", "*u*", "--limit", "1"), ["auk"])],
)
def test_a_selection_converts_only_that(words: tuple[str, ...], kept: list[str], source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "out", *words) == 0
    assert sorted(path.name for path in (tmp_path / "out/cases").iterdir()) == kept


def test_what_cannot_be_converted_is_named_and_takes_nobody_along(source: Path, tmp_path: Path) -> None:
    make_task(source / "steps", {"task.toml": TOML + '[[steps]]\nname = "one"\n'})
    make_task(source / "broken", {"task.toml": "not toml"})
    assert convert(source, tmp_path / "out") == 1
    found = report(tmp_path / "out")
    assert found["books"] == {"in": 5, "converted": 3, "refused": 2, "failed": 0}
    assert {row["code"] for row in found["left"]} == {"multi-step", "bad-toml"}
    assert main(["check", str(tmp_path / "out"), "--quiet"]) == 0


def test_nothing_converted_means_no_suite_but_a_report(tmp_path: Path) -> None:
    make_task(tmp_path / "flock/broken", {"task.toml": "not toml"})
    assert convert(tmp_path / "flock", tmp_path / "out") == 1
    assert not (tmp_path / "out").exists()
    assert report(tmp_path / "out")["suite"] is None


def test_an_open_question_publishes_nothing_and_shows_its_flags(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("both", "other"):
        make_task(source / name, {"task.toml": IMAGE})
    assert convert(source, tmp_path / "out") == 3
    said = capsys.readouterr().err
    assert said.count("question image (2 tasks)") == 1
    assert "--image keep  |  --image dockerfile" in said
    assert not (tmp_path / "out").exists()
    assert convert(source, tmp_path / "out", "--image", "keep") == 0
    assert report(tmp_path / "out")["books"]["converted"] == 5


def test_answers_may_come_from_a_file(source: Path, tmp_path: Path) -> None:
    make_task(source / "both", {"task.toml": IMAGE})
    (tmp_path / "answers.toml").write_text('image = "dockerfile"\n')
    assert convert(source, tmp_path / "out", "--answers", str(tmp_path / "answers.toml")) == 0
    assert (tmp_path / "out/cases/both/env/Dockerfile").is_file()


def test_same_bytes_whatever_the_place_umask_and_number_of_processes(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "a") == 0
    (tmp_path / "elsewhere").mkdir()
    shutil.copytree(source, tmp_path / "elsewhere" / "flock")
    before = os.umask(0o077)
    try:
        assert convert(tmp_path / "elsewhere/flock", tmp_path / "elsewhere/b", "--jobs", "2") == 0
    finally:
        os.umask(before)
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "elsewhere/b")
    for name in ("report.json", "report.md", "ledger.jsonl"):
        assert (tmp_path / "a.run" / name).read_bytes() == (tmp_path / "elsewhere/b.run" / name).read_bytes()


def test_every_output_file_has_a_ledger_row(source: Path, tmp_path: Path) -> None:
    assert convert(source, tmp_path / "out") == 0
    rows = [json.loads(line) for line in (tmp_path / "out.run/ledger.jsonl").read_text().splitlines()]
    told = {f"cases/{row['case']}/{row['path']}" if row["case"] else row["path"] for row in rows}
    there = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert told == there


def test_an_existing_output_is_kept_unless_forced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("mine")
    assert convert(source, tmp_path / "out") == 2
    assert (tmp_path / "out/mine").read_text() == "mine"
    assert convert(source, tmp_path / "out", "--force") == 0
    assert not (tmp_path / "out/mine").exists()


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours may handle it."""


@pytest.mark.parametrize("record", range(6))
@pytest.mark.parametrize("written", [True, False])
def test_killed_at_any_record_the_next_run_gives_the_same_bytes(
    record: int, written: bool, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert(source, tmp_path / "whole") == 0
    count = 0

    def dying(self: Any, data: Any) -> int:
        nonlocal count
        offset = append(self, data) if written or count < record else 0
        if count == record:
            raise Killed
        count += 1
        return offset

    from agent.journal import Journal

    append = Journal.append
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "append", dying)
        with pytest.raises(Killed):
            convert(source, tmp_path / "out")
    assert convert(source, tmp_path / "out") in (0, 2)  # 2: it was complete
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "whole")
    assert (tmp_path / "out.run/report.json").read_bytes() == (tmp_path / "whole.run/report.json").read_bytes()


@pytest.mark.parametrize("renames", [0, 1])
def test_killed_while_publishing_the_earlier_output_or_the_new_one_is_there(
    renames: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert convert(source, tmp_path / "whole") == 0
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("mine")
    rename, done = Path.rename, 0

    def dying(self: Path, target: Path) -> Path:
        nonlocal done
        if done == renames:
            raise Killed
        done += 1
        return rename(self, target)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "rename", dying)
        convert(source, tmp_path / "out", "--force")
    assert convert(source, tmp_path / "out") == 2  # without --force the earlier output stays
    assert (tmp_path / "out/mine").read_text() == "mine"
    assert main(["resume", str(tmp_path / "out.run"), "--quiet"]) == 0
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "whole")


def test_an_unfinished_run_goes_on_and_keeps_what_is_whole(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drafted: list[str] = []
    draft = agent.unit.draft

    def counting(task: Any, name: str, choices: Any) -> Any:
        drafted.append(name)
        if len(drafted) == 2:
            os.kill(os.getpid(), 2)
        return draft(task, name, choices)

    monkeypatch.setattr(agent.unit, "draft", counting)
    assert convert(source, tmp_path / "out") == 130
    assert f"go on with: suite-converter resume {tmp_path / 'out.run'}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    (tmp_path / "out.run/staging/cases/auk/prompt.md").write_text("tampered")
    assert main(["resume", str(tmp_path / "out.run"), "--quiet"]) == 0
    assert drafted == ["auk", "curlew", "auk", "tern"]  # curlew was whole, auk had been touched
    assert main(["check", str(tmp_path / "out"), "--source", str(source), "--quiet"]) == 0


def test_a_second_interrupt_stops_at_once_and_says_how_to_go_on(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(task: Any, name: str, choices: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(agent.unit, "draft", interrupted)
        assert convert(source, tmp_path / "out") == 130
    assert "go on with: suite-converter resume" in capsys.readouterr().err
    assert convert(source, tmp_path / "out") == 0


@pytest.mark.parametrize("moment", [0.25, 0.35, 0.45, 0.6])
def test_killed_for_real_the_next_run_gives_the_same_bytes(moment: float, tmp_path: Path) -> None:
    make_dataset(tmp_path / "flock", tuple(f"bird-{number:03}" for number in range(80)))
    assert convert(tmp_path / "flock", tmp_path / "whole") == 0
    words = ["convert", str(tmp_path / "flock"), "-o", str(tmp_path / "out"), *NO_PROOF, "--jobs", "2"]
    run = subprocess.Popen([sys.executable, "-m", "agent", *words], cwd=ROOT)
    time.sleep(moment)
    run.kill()  # its workers are left to notice by themselves
    run.wait()
    assert convert(tmp_path / "flock", tmp_path / "out") in (0, 2)  # 2: it was complete
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "whole")


def test_resume_of_a_run_that_is_over_says_what_it_did(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert convert(source, tmp_path / "out") == 0
    said = capsys.readouterr().out
    assert main(["resume", str(tmp_path / "out.run"), "--quiet"]) == 0
    assert capsys.readouterr().out == said


def test_two_runs_at_one_place_do_not_mix(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = Progress.start

    def nested(self: Progress, names: Any) -> None:
        monkeypatch.setattr(Progress, "start", start)
        assert convert(source, tmp_path / "out") == 2
        start(self, names)

    monkeypatch.setattr(Progress, "start", nested)
    assert convert(source, tmp_path / "out") == 0
    assert "another run is at work here" in capsys.readouterr().err


def test_a_defect_of_ours_fails_one_task_with_one_line(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = agent.unit.draft

    def failing(task: Any, name: str, choices: Any) -> Any:
        if name == "curlew":
            raise ZeroDivisionError("two\nlines \x1b[2J")
        return draft(task, name, choices)

    monkeypatch.setattr(agent.unit, "draft", failing)
    assert convert(source, tmp_path / "out") == 1
    (left,) = report(tmp_path / "out")["left"]
    assert (left["outcome"], left["code"], left["tasks"]) == ("failed", "internal", 1)
    assert left["sample"] == "curlew: ZeroDivisionError: two\\nlines \\x1b[2J"
