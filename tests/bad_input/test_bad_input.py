"""Malformed and hostile tasks: each gets one clear line, takes no other task along, and changes nothing."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.cli import main
from tests.support.harbor import TEST_SH, TOML, make_dataset, make_task, snapshot

Spoil = Callable[[Path], object]


def text(path: str, content: str | bytes) -> Spoil:
    """The file ``path`` of the task has this content."""

    def spoil(task: Path) -> None:
        (task / path).unlink(missing_ok=True)
        (task / path).write_bytes(content.encode() if isinstance(content, str) else content)

    return spoil


def link(path: str, target: str) -> Spoil:
    def spoil(task: Path) -> None:
        (task / path).unlink(missing_ok=True)
        (task / path).symlink_to(target)

    return spoil


def pipe(path: str) -> Spoil:
    def spoil(task: Path) -> None:
        (task / path).unlink(missing_ok=True)
        os.mkfifo(task / path)

    return spoil


def folder(path: str) -> Spoil:
    def spoil(task: Path) -> None:
        (task / path).unlink()
        (task / path).mkdir()

    return spoil


def gone(path: str) -> Spoil:
    def spoil(task: Path) -> None:
        shutil.rmtree(task / path) if (task / path).is_dir() else (task / path).unlink()

    return spoil


def socket_file(task: Path) -> None:
    before = Path.cwd()
    os.chdir(task / "tests")  # the path of a socket is short by law
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("ear")
    finally:
        os.chdir(before)


def sparse(path: str, size: int) -> Spoil:
    def spoil(task: Path) -> None:
        with (task / path).open("ab") as stream:
            stream.truncate(size)

    return spoil


def odd_name(name: bytes) -> Spoil:
    def spoil(task: Path) -> None:
        Path(os.fsdecode(os.fsencode(task / "tests") + b"/" + name)).write_text("x")

    return spoil


CONFLICT = "#!/bin/bash\n<<<<<<< ours\npytest /tests/a.py\n=======\npytest /tests/b.py\n>>>>>>> theirs\n"

LEFT_OUT: dict[str, tuple[Spoil, str, str]] = {
    "broken TOML": (text("task.toml", "[verifier\n"), "bad-toml", "line 1"),
    "TOML with a byte order mark": (text("task.toml", b"\xef\xbb\xbf" + TOML.encode()), "bad-toml", "byte order"),
    "TOML in UTF-16": (text("task.toml", TOML.encode("utf-16")), "bad-toml", "UTF-8"),
    "TOML nested without end": (text("task.toml", "a = " + "[" * 5000 + "]" * 5000), "bad-toml", "deep"),
    "TOML with a hole": (text("task.toml", "a = {{ b }}\n"), "template", "{{ b }}"),
    "a table that is a string": (text("task.toml", 'verifier = "fast"\n'), "bad-field", "verifier"),
    "a timeout that is a string": (
        text("task.toml", '[verifier]\ntimeout_sec = "soon"\n'),
        "bad-field",
        "timeout_sec",
    ),
    "a negative timeout": (text("task.toml", "[verifier]\ntimeout_sec = -1\n"), "bad-timeout", "-1"),
    "an endless timeout": (text("task.toml", "[verifier]\ntimeout_sec = inf\n"), "bad-timeout", "inf"),
    "a timeout that is no number": (text("task.toml", "[verifier]\ntimeout_sec = nan\n"), "bad-timeout", "nan"),
    "no prompt": (gone("instruction.md"), "no-prompt", "instruction.md"),
    "a blank prompt": (text("instruction.md", " \n\n"), "empty-prompt", "instruction.md"),
    "a prompt that is a folder": (folder("instruction.md"), "bad-layout", "instruction.md"),
    "a prompt that is a pipe": (pipe("instruction.md"), "special-file", "instruction.md"),
    "no tests": (gone("tests"), "no-verifier", "tests/test.sh"),
    "no Dockerfile": (gone("environment/Dockerfile"), "no-environment", "Dockerfile"),
    "an empty Dockerfile": (text("environment/Dockerfile", ""), "bad-dockerfile", "FROM"),
    "a Dockerfile without FROM": (text("environment/Dockerfile", "RUN true\n"), "bad-dockerfile", "FROM"),
    "a Dockerfile that is a pipe": (pipe("environment/Dockerfile"), "special-file", "Dockerfile"),
    "an empty script": (text("tests/test.sh", ""), "empty-verifier", "tests/test.sh"),
    "a script that is a folder": (folder("tests/test.sh"), "no-verifier", "tests/test.sh"),
    "a script that is a pipe": (pipe("tests/test.sh"), "special-file", "tests/test.sh"),
    "a binary script": (text("tests/test.sh", bytes(range(256)) * 50), "binary-verifier", "tests/test.sh"),
    "a NUL in the script": (text("tests/test.sh", TEST_SH.replace("-rA", "-r\0A")), "binary-verifier", "NUL"),
    "CRLF in the script": (text("tests/test.sh", TEST_SH.replace("\n", "\r\n")), "broken-verifier", "CRLF"),
    "a conflict in the script": (text("tests/test.sh", CONFLICT), "broken-verifier", "conflict"),
    "a hole in the script": (text("tests/test.sh", "{{ test }}\n" + TEST_SH), "template", "tests/test.sh"),
    "a script cut off": (text("tests/test.sh", TEST_SH[:-4]), "broken-verifier", "tests/test.sh"),
    "a script of 100 MB of nothing": (sparse("tests/test.sh", 100 << 20), "binary-verifier", "tests/test.sh"),
    "a script of 100 MB": (
        lambda task: (task / "tests/test.sh").write_bytes(b"echo tide\n" * 10_000_000),
        "oversized-verifier",
        "tests/test.sh",
    ),
    "assets beyond Margin's limit": (sparse("tests/big", 600 << 20), "too-large", "tests/"),
    "a pipe among the assets": (pipe("tests/pipe"), "special-file", "tests/pipe"),
    "a device among the assets": (
        lambda task: os.mknod(task / "tests/null", 0o20666, os.makedev(1, 3)),
        "special-file",
        "tests/null",
    ),
    "a socket among the assets": (socket_file, "special-file", "tests/ear"),
    "a link to itself": (link("tests/loop", "loop"), "link-broken", "tests/loop"),
    "a link to its own folder": (link("tests/again", "."), "link-broken", "tests/again"),
    "a link to nothing": (link("tests/none", "nowhere"), "link-broken", "tests/none"),
    "a link to the host": (link("tests/passwd", "/etc/passwd"), "link-escape", "tests/passwd"),
    "a link to another task": (link("environment/up", "../../auk/instruction.md"), "link-escape", "environment/up"),
    "task.toml as a link to the host": (link("task.toml", "/etc/hostname"), "link-escape", "task.toml"),
    "a script that is a link to the host": (link("tests/test.sh", "/bin/sh"), "link-escape", "tests/test.sh"),
    "a backslash in a name": (odd_name(b"..\\evil"), "unusual-name", "..\\evil"),
    "a line end in a name": (odd_name(b"a\nb"), "unusual-name", "a\\nb"),
    "an escape sequence in a name": (odd_name(b"\x1b[2J"), "unusual-name", "\\x1b[2J"),
    "bytes that are no UTF-8 in a name": (odd_name(b"\xff"), "unusual-name", "\\udcff"),
    "a name of blanks": (odd_name(b" "), "unusual-name", "tests/ "),
    "a name that the verifier needs": (odd_name(b"source-test.sh"), "needs-agent", "source-test.sh"),
}

CONVERTED: dict[str, Spoil] = {
    "an empty task.toml": text("task.toml", ""),
    "a prompt with NUL": text("instruction.md", "a\0b\n"),
    "a prompt that is no UTF-8": text("instruction.md", b"\xff\xfe text\n"),
    "a prompt that would break TOML": text("instruction.md", 'say "x" \\ and \x1b[31m """\n'),
    "a name as long as may be": odd_name(b"n" * 255),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_dataset(tmp_path / "set", ("auk", "tern"))
    return tmp_path


def left_of(place: Path) -> list[dict[str, str]]:
    rows = json.loads((place / "out.run/report.json").read_bytes())["tasks"]
    return [row for row in rows if row["outcome"] != "converted"]


@pytest.mark.parametrize("what", LEFT_OUT)
def test_a_bad_task_is_left_out_alone(what: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spoil, code, words = LEFT_OUT[what]
    if what.startswith("a device") and os.geteuid():
        pytest.skip("making a device takes root")
    spoil(make_task(place / "set/bad"))
    before = snapshot(place / "set")

    status = main(["convert", str(place / "set"), "-o", str(place / "out"), "--proof", "none"])

    said = [line for line in capsys.readouterr().err.splitlines() if " bad: " in line]
    assert (status, len(said)) == (1, 1)
    assert words in said[0]
    assert said[0].isprintable()
    assert [(row["id"], row["code"]) for row in left_of(place)] == [("bad", code)]
    assert sorted(path.name for path in (place / "out/cases").iterdir()) == ["auk", "tern"]
    assert main(["check", str(place / "out"), "--source", str(place / "set"), "--quiet"]) == 0
    assert snapshot(place / "set") == before


@pytest.mark.parametrize("what", CONVERTED)
def test_an_odd_task_is_converted_as_it_is(what: str, place: Path) -> None:
    CONVERTED[what](make_task(place / "set/odd"))
    assert main(["convert", str(place / "set"), "-o", str(place / "out"), "--proof", "none", "--quiet"]) == 0
    assert (place / "out/cases/odd/prompt.md").read_bytes() == (place / "set/odd/instruction.md").read_bytes()
    assert main(["check", str(place / "out"), "--quiet"]) == 0


def test_a_task_that_its_marks_are_missing_from_is_named_as_skipped(place: Path) -> None:
    gone("task.toml")(make_task(place / "set/bad"))
    assert main(["convert", str(place / "set"), "-o", str(place / "out"), "--proof", "none", "--quiet"]) == 0
    (skipped,) = json.loads((place / "out.run/report.json").read_bytes())["skipped"]
    assert skipped["path"] == "bad"
