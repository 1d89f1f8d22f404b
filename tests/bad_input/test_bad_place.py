"""Places that cannot be written or must not be: one clear line, the right exit status, nothing else changed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cli import main
from tests.support.harbor import make_dataset, snapshot

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_dataset(tmp_path / "set", ("auk", "tern"))
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/mine").write_text("mine")
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "foreign.run").mkdir()
    (tmp_path / "foreign.run/mine").write_text("mine")
    (tmp_path / "linked.run").symlink_to("folder")
    return tmp_path


WRONG = [
    ("set", "inside the source"),
    ("set/out", "inside the source"),
    ("set/auk/tests/out", "inside the source"),
    ("set/../set/out", "inside the source"),
    ("file", "exists already"),
    ("folder", "exists already"),
    ("link", "is a symbolic link"),
    ("none/out", "is not a folder"),
    ("file/out", "is not a folder"),
    ("foreign", "is not ours"),
    ("linked", "is in the way"),
    (".", "no name for an output folder"),
    ("folder/..", "no name for an output folder"),
]


@pytest.mark.parametrize(("out", "words"), WRONG)
def test_a_wrong_output_is_told_and_nothing_is_touched(
    out: str, words: str, place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    before = snapshot(place)
    assert main(["convert", "set", "-o", out, "--proof", "none", "--quiet"]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("suite-converter: ")]
    assert words in line
    assert snapshot(place) == before


def test_force_replaces_no_file_and_no_source(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in ("file", "link", "set", "set/out", ""):
        assert main(["convert", str(place / "set"), "-o", f"{place}/{out}", "--force", "--proof", "none"]) == 2
    assert (place / "file").read_text() == "mine"


def test_a_source_that_is_called_like_a_run_folder_is_not_taken_for_one(place: Path) -> None:
    make_dataset(place / "birds.run", ("auk",))
    before = snapshot(place)
    assert main(["convert", str(place / "birds.run"), "-o", str(place / "birds"), "--proof", "none"]) == 2
    assert snapshot(place) == before


@pytest.mark.parametrize("source", ["none", "file", "folder"])
def test_a_source_that_is_none_is_told(source: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", str(place / source), "-o", str(place / "out"), "--proof", "none"]) == 2
    assert f"{place / source}: " in capsys.readouterr().err
    assert not (place / "out.run").exists()


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of 96 KiB, or a skip where it cannot be mounted."""
    (place / "disk").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", str(place / "disk")]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system takes root")
    yield place / "disk"
    subprocess.run(["umount", "-l", str(place / "disk")], check=True)


def test_a_full_disk_stops_the_run_and_leaves_the_earlier_output(
    small_disk: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small_disk / "out").mkdir()
    (small_disk / "out/mine").write_text("mine")
    before = snapshot(place / "set")
    words = ["convert", str(place / "set"), "-o", str(small_disk / "out"), "--force", "--proof", "none", "--quiet"]
    assert main(words) == 5
    said = capsys.readouterr().err
    assert "No space left on device" in said
    assert f"go on with: suite-converter resume {small_disk / 'out.run'}" in said
    assert (small_disk / "out/mine").read_text() == "mine"
    assert snapshot(place / "set") == before
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert main(["resume", str(small_disk / "out.run"), "--quiet"]) == 0
    assert main(["check", str(small_disk / "out"), "--source", str(place / "set"), "--quiet"]) == 0


def test_a_read_only_output_is_told(small_disk: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert main(["convert", str(place / "set"), "-o", str(small_disk / "out"), "--proof", "none"]) == 2
    assert f"{small_disk}: cannot be written to" in capsys.readouterr().err


def test_a_limit_on_file_sizes_is_infrastructure(place: Path) -> None:
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700));"
        "from agent.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["convert", str(place / "set"), "-o", str(place / "out"), "--proof", "none", "--quiet"]
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "File too large" in done.stderr) == (5, True)
    assert "Traceback" not in done.stderr
    assert not (place / "out").exists()
