"""A minimal clean suite on disk, and edits that break it in one place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from skill.finding import Finding
from skill.rules import check_suite
from skill.suite import read_suite

Edit = Callable[[Path], None]

CASE = "cases/first"
CASE_TOML = f"{CASE}/case.toml"
TEST_SH = f"{CASE}/tests/test.sh"
SOLVE_SH = f"{CASE}/oracle/solve.sh"
DOCKERFILE = f"{CASE}/env/Dockerfile"
PROMPT = f"{CASE}/prompt.md"

SCRIPT = """\
#!/bin/bash
{ command -v python3 >/dev/null || exit 2
cd /app || exit 1
timeout -k 5 50 python3 /tests/grade.py
rc=$?
case "$rc" in
  0) exit 0 ;;
  1 | 124) exit 1 ;;
  *) exit 2 ;;
esac; }
"""

FILES = {
    "suite.toml": ('kind = "test_suite"\nname = "small"\ncases = [\n  "first",\n]\n', 0o644),
    CASE_TOML: (
        'kind = "test_case"\nname = "first"\ndescription = "greets"\nagent_cwd = "/app"\n'
        'test_cwd = "/"\ntest_timeout_seconds = 60\n\n[metadata]\ndifficulty = "easy"\n',
        0o644,
    ),
    PROMPT: ("Write hello.txt in /app.\n", 0o644),
    DOCKERFILE: ("FROM python:3.12-slim\nWORKDIR /app\n", 0o644),
    TEST_SH: (SCRIPT, 0o755),
    f"{CASE}/tests/grade.py": ("import sys\nsys.exit(0)\n", 0o644),
    SOLVE_SH: ('#!/bin/bash\ncd "$MARGIN_AGENT_CWD" || exit 1\necho hello > hello.txt\n', 0o755),
}


def write_suite(root: Path, *edits: Edit) -> Path:
    """The clean suite at ``root`` with ``edits`` applied in order."""
    for path, (text, mode) in FILES.items():
        put(path, text, mode)(root)
    for edit in edits:
        edit(root)
    return root


def put(path: str, data: str | bytes, mode: int = 0o644) -> Edit:
    """Write a file, making its folders."""

    def edit(root: Path) -> None:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        target.chmod(mode)

    return edit


def swap(path: str, old: str, new: str) -> Edit:
    """Replace text that has to be there."""

    def edit(root: Path) -> None:
        text = (root / path).read_text()
        assert old in text, f"{old!r} is not in {path}"
        (root / path).write_text(text.replace(old, new))

    return edit


def script(text: str) -> Edit:
    """Another tests/test.sh."""
    return put(TEST_SH, text, 0o755)


def remove(path: str) -> Edit:
    """Take a file or a folder away."""

    def edit(root: Path) -> None:
        target = root / path
        shutil.rmtree(target) if target.is_dir() and not target.is_symlink() else target.unlink()

    return edit


def link(path: str, target: str) -> Edit:
    """A symbolic link, in the place of whatever was there."""

    def edit(root: Path) -> None:
        if (root / path).exists():
            remove(path)(root)
        (root / path).symlink_to(target)

    return edit


def move(path: str, target: str) -> Edit:
    """Rename something inside the suite."""

    def edit(root: Path) -> None:
        (root / path).rename(root / target)

    return edit


def folder(path: str) -> Edit:
    """An empty folder, in the place of whatever was there."""

    def edit(root: Path) -> None:
        if (root / path).exists():
            remove(path)(root)
        (root / path).mkdir(parents=True)

    return edit


def fifo(path: str) -> Edit:
    """A named pipe, in the place of whatever was there."""

    def edit(root: Path) -> None:
        if (root / path).exists():
            remove(path)(root)
        os.mkfifo(root / path)

    return edit


def chmod(path: str, mode: int) -> Edit:
    """Another mode."""

    def edit(root: Path) -> None:
        (root / path).chmod(mode)

    return edit


def sparse(path: str, size: int) -> Edit:
    """A file of ``size`` zero bytes that takes no space."""

    def edit(root: Path) -> None:
        put(path, b"")(root)
        os.truncate(root / path, size)

    return edit


def findings(root: Path) -> list[Finding]:
    """All that the rules say about the suite at ``root``."""
    return list(check_suite(read_suite(root)))


def lines(root: Path, code: str) -> list[int]:
    """The lines on which the rule ``code`` fires."""
    return [finding.line for finding in findings(root) if finding.code == code]
