"""Whatever lies on disk, the rules answer and never raise; only a folder that is none is an error."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skill.errors import SuiteError
from skill.suite import read_suite
from tests.support.suites import (
    CASE,
    CASE_TOML,
    DOCKERFILE,
    PROMPT,
    SOLVE_SH,
    TEST_SH,
    fifo,
    findings,
    link,
    put,
    remove,
    swap,
    write_suite,
)

PLACES = st.sampled_from(["suite.toml", CASE_TOML, PROMPT, DOCKERFILE, TEST_SH, SOLVE_SH, "preamble-prompt.md"])
BYTES = st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode(errors="replace")))


@settings(max_examples=150, deadline=None)
@given(place=PLACES, data=BYTES)
@example(place="suite.toml", data=b'kind = "test_suite"\ncases = ["first", "\\uD7FF", "a/../b", "/etc", "."]\n')
@example(place=CASE_TOML, data=b"[" * 5000)
@example(place=TEST_SH, data=b"(" * 2000)
@example(place=TEST_SH, data=b"if a; then\n" * 400 + b"fi\n" * 400)
@example(place=DOCKERFILE, data=b'FROM x\nCOPY ["a\nUSER\nCOPY --from=\n')
def test_no_bytes_make_the_rules_raise(place: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        findings(write_suite(Path(folder), put(place, data)))


def test_file_names_that_are_no_text_are_no_problem(tmp_path: Path) -> None:
    root = write_suite(tmp_path)
    (root / os.fsdecode(f"{CASE}/tests/".encode() + b"\xff\n")).write_bytes(b"")
    assert findings(root) == []


@pytest.mark.parametrize("place", [CASE_TOML, PROMPT, TEST_SH, DOCKERFILE, SOLVE_SH, f"{CASE}/tests", "suite.toml"])
def test_pipes_and_endless_links_do_not_block(tmp_path: Path, place: str) -> None:
    write_suite(tmp_path / "pipe", fifo(place))
    write_suite(tmp_path / "loop", link(place, Path(place).name))
    assert findings(tmp_path / "pipe")
    assert findings(tmp_path / "loop")


def test_one_case_is_judged_as_if_it_stood_alone(tmp_path: Path) -> None:
    alone = findings(write_suite(tmp_path / "alone", remove(PROMPT)))
    two = write_suite(tmp_path / "two", remove(PROMPT), swap("suite.toml", '"first",', '"first",\n  "second",'))
    for path in (CASE_TOML, TEST_SH):
        text = (two / path).read_text().replace('"first"', '"second"')
        put(path.replace("first", "second"), text, (two / path).stat().st_mode)(two)
    assert [finding for finding in findings(two) if finding.path.startswith(CASE)] == alone


def test_what_is_no_folder_cannot_be_read(tmp_path: Path) -> None:
    put("file", "")(tmp_path)
    for path, reason in (("nowhere", "no such folder"), ("file", "not a folder")):
        with pytest.raises(SuiteError, match=reason):
            read_suite(tmp_path / path)
