"""Verifiers that suite-converter wrote: what a change to one of their files is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.finding import Severity
from tests.support.conversions import NAME, convert
from tests.support.suites import Edit, chmod, findings, lines, move, put, remove, swap

TESTS = f"cases/{NAME}/tests"
MANIFEST = f"{TESTS}/.verdict/manifest.sha256"

CASES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC651", [], []),
    ("SC651", [swap(f"{TESTS}/.verdict/lib.sh", "pass()", "pass() { builtin exit 0; }\npass_()")], [0]),
    ("SC651", [remove(f"{TESTS}/.verdict/lib.sh")], [0]),
    ("SC652", [], []),
    ("SC652", [swap(MANIFEST, "check.py", "chekc.py")], [0]),
    ("SC652", [remove(MANIFEST)], [0]),
    ("SC653", [], []),
    ("SC653", [put(f"{TESTS}/check.py", "raise SystemExit(0)\n")], [0]),
    ("SC653", [remove(f"{TESTS}/check.py")], [0]),
    ("SC653", [put(f"{TESTS}/conftest.py", "")], [0]),
    ("SC653", [swap(MANIFEST, "check.py", "check.py\nno hash here")], [2]),
    ("SC653", [move(f"{TESTS}/check.py", f"{TESTS}/other.py")], [0, 0]),
    ("SC655", [chmod(f"{TESTS}/source-test.sh", 0o755)], []),
    ("SC655", [chmod(f"{TESTS}/source-test.sh", 0o644)], [0]),
]


@pytest.mark.parametrize(("code", "edits", "expected"), CASES)
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    suite = convert(tmp_path).suite
    for edit in edits:
        edit(suite)
    found = lines(suite, code)
    assert found == expected or (expected == [2] and len(found) == 1 and found[0] > 0)


@pytest.mark.parametrize("line", ["exit 0", "  exit 1  # done"])
def test_an_exit_of_its_own_is_told(tmp_path: Path, line: str) -> None:
    suite = convert(tmp_path).suite
    swap(f"{TESTS}/test.sh", "main() {", f"{line}\nmain() {{")(suite)
    assert len(lines(suite, "SC654")) == 1


def test_another_ending_is_told(tmp_path: Path) -> None:
    suite = convert(tmp_path).suite
    swap(f"{TESTS}/test.sh", 'main "$@"; exit 2\n', 'main "$@"\necho done\n')(suite)
    assert len(lines(suite, "SC654")) == 1


def test_a_conversion_is_clean(tmp_path: Path) -> None:
    assert [str(f) for f in findings(convert(tmp_path).suite) if f.severity is not Severity.NOTE] == []
