from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from tools.capture import HEAD_BYTES, TAIL_BYTES
from tools.errors import CommandMissing
from tools.process import environment, run


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(path: Path) -> int:
    for _ in range(200):
        if path.exists() and (text := path.read_text().strip()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError(f"{path} was not written")


def gone(pid: int) -> bool:
    return any(not is_alive(pid) or time.sleep(0.02) for _ in range(200))


@pytest.mark.parametrize(
    ("script", "code", "out", "err"),
    [
        ("exit 0", 0, "", ""),
        ("echo out; echo err >&2; exit 7", 7, "out\n", "err\n"),
        ("kill -KILL $$", -9, "", ""),
        ("cat", 0, "", ""),  # there is no input to wait for
        ("printf 'a\\033[31mb\\000c'", 0, "abc", ""),
    ],
)
def test_a_program_ends_by_itself(script: str, code: int, out: str, err: str) -> None:
    done = run(["sh", "-c", script], timeout=20)
    assert (done.exit_code, done.stdout, done.stderr, done.timed_out) == (code, out, err, False)


@pytest.mark.parametrize("prefix", ["", "trap '' TERM; "], ids=["obedient", "deaf"])
def test_timeout_ends_the_grandchildren_too(tmp_path: Path, prefix: str) -> None:
    pid = tmp_path / "pid"
    script = f"{prefix}(sh -c '{prefix and 'trap : TERM; '}echo $$ >{pid}; while :; do sleep 1; done') & wait; wait"
    done = run(["sh", "-c", script], timeout=1, grace=0.5)
    assert done.timed_out
    assert done.seconds < 5
    assert gone(wait_for(pid))


def test_children_left_behind_are_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    done = run(["sh", "-c", f"sleep 300 & echo $! >{pid}"], timeout=20)
    assert (done.exit_code, done.timed_out) == (0, False)
    assert gone(wait_for(pid))


def test_a_daemon_that_keeps_the_pipe_holds_nobody_up(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"setsid sh -c 'echo $$ >{pid}; exec sleep 300' & until [ -s {pid} ]; do sleep 0.1; done; echo said"
    done = run(["sh", "-c", script], timeout=60)
    daemon = wait_for(pid)
    os.kill(daemon, 9)
    assert done.stdout == "said\n"
    assert done.seconds < 10


def test_an_interrupted_caller_leaves_nothing(tmp_path: Path) -> None:
    pid, stop = tmp_path / "pid", threading.Event()
    threading.Timer(0.5, stop.set).start()
    done = run(["sh", "-c", f"echo $$ >{pid}; sleep 300"], timeout=60, stop=stop)
    assert done.timed_out
    assert gone(wait_for(pid))


def test_endless_output_is_bounded() -> None:
    done = run(["sh", "-c", "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"], timeout=60)
    assert done.stdout.startswith("first\n")
    assert done.stdout.endswith("x\nlast\n")
    assert "bytes left out" in done.stdout
    assert len(done.stdout) < HEAD_BYTES + TAIL_BYTES + 100


def test_only_allowed_variables_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    monkeypatch.setenv("WANTED", "w")
    seen = run(["env"], timeout=20, env=environment("WANTED", "ABSENT", EXTRA="e")).stdout.splitlines()
    assert {"WANTED=w", "EXTRA=e"} <= set(seen)
    assert not [line for line in seen if "s3cret" in line or line.startswith("ABSENT")]
    assert "s3cret" not in run(["env"], timeout=20).stdout


def test_a_missing_program_is_said() -> None:
    with pytest.raises(CommandMissing, match=r"^no-such-program: cannot be started: No such file"):
        run(["no-such-program"], timeout=5)
