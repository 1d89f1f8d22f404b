"""A case's folder and case.toml: near misses first, then the hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill.suite import read_suite
from tests.support.suites import (
    CASE,
    CASE_TOML,
    PROMPT,
    TEST_SH,
    Edit,
    fifo,
    findings,
    folder,
    lines,
    link,
    move,
    put,
    remove,
    swap,
    write_suite,
)

LIMIT = "test_timeout_seconds = 60"
OUTSIDE = "../../../elsewhere"


def outside(path: str) -> Edit:
    """A link to a real file beside the suite."""

    def edit(root: Path) -> None:
        (root.parent / "elsewhere").write_text('kind = "test_case"\nname = "first"\n')
        link(path, OUTSIDE)(root)

    return edit


CASES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC201", [move(CASE, "real"), link(CASE, "../real")], []),
    ("SC201", [move(CASE, "cases/First")], [4]),
    ("SC201", [remove(CASE), put(CASE, "")], [4]),
    ("SC201", [swap("suite.toml", '"first"', '"fi\\u0000rst"')], [0]),
    ("SC202", [swap("suite.toml", '"first"', '"../cases/first"')], []),
    ("SC202", [swap("suite.toml", '"first"', '"../../first"')], [4]),
    ("SC202", [remove(CASE), link(CASE, "../..")], [4]),
    ("SC203", [move(CASE_TOML, f"{CASE}/real"), link(CASE_TOML, "real")], []),
    ("SC203", [move(CASE_TOML, f"{CASE}/Case.toml")], [0]),
    ("SC203", [fifo(CASE_TOML)], [0]),
    ("SC204", [swap(CASE_TOML, "\n", "\r\n")], []),
    ("SC204", [swap(CASE_TOML, '"greets"', '"says "hi""')], [3]),
    ("SC205", [swap(CASE_TOML, "60", "1_800")], []),
    ("SC205", [swap(CASE_TOML, "60", "0x3C")], []),
    ("SC205", [swap(CASE_TOML, 'difficulty = "easy"', "agent_cwd = 5")], []),
    ("SC205", [swap(CASE_TOML, "60", "60.0")], [6]),
    ("SC205", [swap(CASE_TOML, "60", '"60"')], [6]),
    ("SC205", [swap(CASE_TOML, "60", "true")], [6]),
    ("SC205", [swap(CASE_TOML, '"greets"', "1979-05-27")], [3]),
    ("SC205", [swap(CASE_TOML, 'description = "greets"', "description.long = 1")], [3]),
    ("SC205", [swap(CASE_TOML, "description", "DESCRIPTION"), swap(CASE_TOML, '"greets"', "5")], [3]),
    ("SC205", [swap(CASE_TOML, '"easy"', "9223372036854775808")], [8]),
    ("SC206", [swap(CASE_TOML, 'difficulty = "easy"', 'version = "1.0"')], []),
    ("SC206", [swap(CASE_TOML, LIMIT, f'{LIMIT}\nversion = "1.0"')], [7]),
    ("SC206", [swap(CASE_TOML, "[metadata]", "[base_version]\n[metadata]")], [8]),
    ("SC207", [swap(CASE_TOML, '"test_case"', '"\\ttest_case"')], []),
    ("SC207", [swap(CASE_TOML, "test_case", "test-case")], [1]),
    ("SC208", [swap(CASE_TOML, '"first"', '" first\\n"')], []),
    ("SC208", [swap(CASE_TOML, '"first"', '"First"')], [2]),
    ("SC208", [swap(CASE_TOML, 'name = "first"', "")], [0]),
    ("SC209", [swap(CASE_TOML, "60", "1")], []),
    ("SC209", [swap(CASE_TOML, "60", '"0"')], []),
    ("SC209", [swap(CASE_TOML, "60", "0")], [6]),
    ("SC209", [swap(CASE_TOML, "60", "-5")], [6]),
    ("SC209", [swap(CASE_TOML, LIMIT, "")], [0]),
    ("SC210", [swap(CASE_TOML, "60", "9223372036")], []),
    ("SC210", [swap(CASE_TOML, "60", "9223372037")], [6]),
    ("SC211", [swap(CASE_TOML, 'difficulty = "easy"', "timeout = 60")], []),
    ("SC211", [swap(CASE_TOML, LIMIT, f"{LIMIT}\ntimeout = 60")], [7]),
    ("SC212", [], []),
    ("SC212", [swap(CASE_TOML, "kind", "Kind")], [1]),
    ("SC213", [swap(CASE_TOML, 'difficulty = "easy"', 'test_cwd = "/"')], []),
    ("SC213", [swap(CASE_TOML, LIMIT, ""), swap(CASE_TOML, 'difficulty = "easy"', LIMIT)], [9]),
    ("SC214", [], []),
    ("SC214", [put(f"{CASE}/solution/solve.sh", "")], [0]),
    ("SC215", [], []),
    ("SC215", [move(CASE, "real"), link(CASE, "../real")], [0]),
    ("SC215", [move(PROMPT, f"{CASE}/p"), link(PROMPT, "p")], [0]),
    ("SC216", [move(PROMPT, f"{CASE}/p"), link(PROMPT, "p")], []),
    ("SC216", [outside(PROMPT)], [0]),
    ("SC216", [outside(CASE_TOML)], [0]),
    ("SC217", [swap(TEST_SH, "command -v", "echo sk-short; command -v")], []),
    ("SC217", [swap(TEST_SH, "command -v", f"echo AKIA{'A1' * 8}; command -v")], [2]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edits", "expected"), CASES)
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    assert lines(write_suite(tmp_path / "suite", *edits), code) == expected


def test_a_missing_folder_is_one_finding(tmp_path: Path) -> None:
    assert [finding.code for finding in findings(write_suite(tmp_path, remove(CASE)))] == ["SC201"]


def test_a_link_that_leaves_the_suite_is_not_read(tmp_path: Path) -> None:
    root = write_suite(tmp_path / "suite", outside(PROMPT))
    (case,) = read_suite(root).cases()
    assert case.prompt.data == b""


def test_cases_are_read_afresh_each_time(tmp_path: Path) -> None:
    suite = read_suite(write_suite(tmp_path))
    (before,) = suite.cases()
    assert before.script
    folder(f"{CASE}/tests")(tmp_path)
    (after,) = suite.cases()
    assert after.script is None
