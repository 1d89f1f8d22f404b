"""suite.toml and the suite's folder: near misses first, then the hit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.suites import CASE, Edit, findings, folder, lines, link, move, put, remove, swap, write_suite

TOML = "suite.toml"
LIST = 'cases = [\n  "first",\n]'

CASES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC101", [swap(TOML, "\n", "\r\n")], []),
    ("SC101", [move(TOML, "real.toml"), link(TOML, "real.toml")], []),
    ("SC101", [move(TOML, "Suite.toml")], [0]),
    ("SC101", [folder(TOML)], [0]),
    ("SC102", [swap(TOML, "small", "sm\\u00e4ll")], []),
    ("SC102", [swap(TOML, '"small"', '"sm"all"')], [2]),
    ("SC102", [swap(TOML, "kind", "\ufeffkind")], [1]),
    ("SC102", [put(TOML, b'kind = "test_suite"\nname = "\xff"\n')], [2]),
    ("SC102", [swap(TOML, 'name = "small"', 'name = "a"\nname = "b"')], [3]),
    ("SC103", [swap(TOML, 'name = "small"', 'weight = 5\nname = "small"')], []),
    ("SC103", [swap(TOML, '"small"', "5")], [2]),
    ("SC103", [swap(TOML, '"first",', '"first", 1')], [3]),
    ("SC103", [swap(TOML, '"small"', '"small"\nbig = 9223372036854775808')], [3]),
    ("SC104", [swap(TOML, LIST, LIST + '\n[metadata]\nversion = "1"\n')], []),
    ("SC104", [swap(TOML, LIST, LIST + '\nVersion = "1"\n')], []),
    ("SC104", [swap(TOML, LIST, 'version = "1"\n' + LIST)], [3]),
    ("SC104", [swap(TOML, LIST, "base_version.x = 1\n" + LIST)], [3]),
    ("SC105", [swap(TOML, '"test_suite"', '" test_suite "')], []),
    ("SC105", [swap(TOML, "kind", "KIND")], []),
    ("SC105", [swap(TOML, "test_suite", "suite")], [1]),
    ("SC105", [swap(TOML, 'kind = "test_suite"\n', "")], [0]),
    ("SC106", [swap(TOML, "cases", "Cases")], []),
    ("SC106", [swap(TOML, LIST, "cases = []")], [3]),
    ("SC106", [swap(TOML, LIST, "")], [0]),
    ("SC107", [move("cases", "real"), link("cases", "real")], []),
    ("SC107", [remove("cases"), put("cases", "")], [0]),
    ("SC107", [remove("cases")], [0]),
    ("SC108", [swap(TOML, '"first"', '" first "')], []),
    ("SC108", [swap(TOML, '"first",', '"first",\n  " \\t",')], [0]),
    ("SC108", [swap(TOML, '"first",', '"first",\n  "",')], [5]),
    ("SC109", [swap(TOML, '"first",', '"first",\n  "First",')], []),
    ("SC109", [swap(TOML, '"first",', '"first",\n  "first",')], [5]),
    ("SC109", [swap(TOML, '"first",', '"first",\n  " first",')], [5]),
    ("SC110", [swap(TOML, '"first"', '"first-2.0_x"')], []),
    ("SC110", [swap(TOML, '"first"', '"../first"')], [4]),
    ("SC110", [swap(TOML, '"first"', '"a b"')], [4]),
    ("SC110", [swap(TOML, '"first"', '"-x"')], [4]),
    ("SC111", [swap(TOML, '"first",', '"first",\n  "firsts",')], []),
    ("SC111", [swap(TOML, '"first",', '"First",\n  "first",')], [4, 5]),
    ("SC112", [put("cases/notes.txt", "")], []),
    ("SC112", [folder("cases/second")], [0]),
    ("SC113", [swap(TOML, '"first",', '"first",\n  "second",')], []),
    ("SC113", [swap(TOML, '"first",', '"second",\n  "first",')], [5]),
    ("SC114", [swap(TOML, "name", "Name")], []),
    ("SC114", [swap(TOML, '"small"', '" "')], [2]),
    ("SC115", [put("preamble-prompt.md", "Be brief.\n")], []),
    ("SC115", [put("preamble-prompt.md", " \n\u00a0\n")], [0]),
    ("SC115", [folder("preamble-prompt.md")], [0]),
    ("SC116", [], []),
    ("SC116", [move(TOML, "real.toml"), link(TOML, "real.toml")], [0]),
    ("SC116", [move("cases", "real"), link("cases", "real")], [0]),
]


@pytest.mark.parametrize(("code", "edits", "expected"), CASES)
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    assert lines(write_suite(tmp_path, *edits), code) == expected


def test_the_clean_suite_is_clean(tmp_path: Path) -> None:
    assert findings(write_suite(tmp_path)) == []


def test_all_defects_are_told_at_once(tmp_path: Path) -> None:
    root = write_suite(tmp_path, swap(TOML, "test_suite", "x"), remove(f"{CASE}/prompt.md"), remove(f"{CASE}/env"))
    assert {"SC105", "SC501", "SC401"} <= {finding.code for finding in findings(root)}
