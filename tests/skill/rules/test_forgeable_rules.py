"""Verdicts that a candidate could forge, seen in the script: near misses first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.suites import CASE, lines, put, script, write_suite

RUN = "timeout 50 pytest -q /tests/test_a.py"


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("SC661", f"main() {{\n{RUN}\nexit $?\n}}\nmain; exit $?\n", []),
        ("SC661", f"{{\n{RUN}\nexit $?\n}}\n", []),
        ("SC661", f"{RUN}; exit $?\n", []),
        ("SC661", "command -v pytest || exit 2\npytest --version || exit 2\nexit 1\n", []),
        ("SC661", f"cd /app\n{RUN}\nexit $?\n", [3]),
        ("SC662", '. "$TESTS/lib.sh"\n', []),
        ("SC662", ". /tests/lib.sh\n", []),
        ("SC662", "( . /root/.profile; env >/tmp/env )\n", []),
        ("SC662", 'source "$HOME/.local/bin/env"\n', [2]),
        ("SC662", ". /app/settings.sh\n", [2]),
        ("SC663", "rm -f /tmp/report.xml\ngrep -q passed /tmp/report.xml\n", []),
        ("SC663", "rm -rf /tmp\ngrep -q passed /tmp/report.xml\n", []),
        ("SC663", "pytest --junitxml=/tmp/report.xml\ngrep -q passed /tmp/report.xml\n", []),
        ("SC663", "grep -q passed /app/out.txt\n", []),
        ("SC663", "grep -q passed /tmp/report.xml\n", [2]),
        ("SC664", "if [ -f /app/out ]; then exit 0; fi\nexit 1\n", []),
        ("SC664", "if grep -q done /app/out; then echo yes; fi\nexit 1\n", []),
        ("SC664", "grep -q x /dev/null && exit 2\nif grep -q done /app/out; then exit 0; fi\nexit 1\n", []),
        ("SC664", "if grep -q done /app/out; then exit 0; fi\nexit 1\n", [2]),
        ("SC665", "pytest -q /app/tests\n", []),
        ("SC665", "pytest -c /tests/a.ini /tests/test_a.py\n", []),
        ("SC665", "pytest -q /tests/test_a.py\n", [2]),
        ("SC666", "jest\n", []),
        ("SC666", "pytest\ncase $? in 0) exit 0 ;; 5) exit 2 ;; esac\n", []),
        ("SC666", "jest --passWithNoTests\n", [2]),
        ("SC666", "pytest\ncase $? in 0 | 5) exit 0 ;; esac\n", [3]),
    ],
)
def test_forgeable(tmp_path: Path, code: str, text: str, found: list[int]) -> None:
    assert lines(write_suite(tmp_path, script(f"#!/bin/bash\n{text}")), code) == found


def test_an_ini_beside_the_tests_is_enough(tmp_path: Path) -> None:
    edits = (script("#!/bin/bash\npytest /tests/test_a.py\n"), put(f"{CASE}/tests/pytest.ini", "[pytest]\n"))
    assert lines(write_suite(tmp_path, *edits), "SC665") == []
