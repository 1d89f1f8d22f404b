"""Wrong versions of right files: what each operator does, and which mutants a case gets."""

from __future__ import annotations

import pytest

from skill.mutation import OPERATORS, PLACES, TURNS, Mutant, chosen, mutants_of
from skill.runnable import CRASH, EXIT, HANG, LANGUAGES, instead
from skill.work import Changed, Form

BEFORE = b"def total(prices):\n    return 0\n"
AFTER = (
    b"# adds 12 prices up\ndef total(prices):\n    if len(prices) >= 3:\n        return sum(prices) - 7\n    return 0\n"
)
MODULE = Changed("/app/shop.py", Form.FILE, AFTER, BEFORE)
REPORT = Changed("/app/out/report.csv", Form.FILE, b"name,total\nada,19\nbo,40\n")
IMAGE = Changed("/app/logo.png", Form.FILE, b"\x89PNG\x00\x01 12 <= 13 word")
SCRIPT = Changed("/app/run", Form.FILE, b"#!/bin/sh\necho 1\n", mode=0o755)
LINK = Changed("/app/current", Form.LINK, b"/app/releases/2")
GONE = Changed("/app/old.cfg", Form.GONE, before=b"x=1\n", mode=0o600, owner=(7, 7))


def by_kind(file: Changed) -> dict[str, Mutant]:
    return {mutant.kind: mutant for mutant in mutants_of(file)}


@pytest.mark.parametrize(
    ("kind", "description", "text"),
    [
        ("number", "line 3: 3 became 4", AFTER.replace(b">= 3", b">= 4")),
        ("operator", "line 3: >= became >", AFTER.replace(b">=", b">")),
        ("line", "line 4 left out", AFTER.replace(b"        return sum(prices) - 7\n", b"")),
        ("undone", "as it was before", BEFORE),
        ("emptied", "nothing left in it", b""),
        ("truncated", f"cut off after byte {len(AFTER) // 2}", AFTER[: len(AFTER) // 2]),
        ("crashes", "a program that dies by a signal", b"import os\nos.kill(os.getpid(), 11)\n"),
        ("hangs", "a program that never comes back", b"import time\nwhile True:\n    time.sleep(1)\n"),
    ],
)
def test_one_way_of_breaking_a_module(kind: str, description: str, text: bytes) -> None:
    mutant = by_kind(MODULE)[kind]
    assert (mutant.description, mutant.data, mutant.form) == (description, text, Form.FILE)


def test_every_mutant_differs_from_the_right_version_and_from_the_others() -> None:
    for file in (MODULE, REPORT, IMAGE, SCRIPT, LINK, GONE):
        made = list(mutants_of(file))
        assert made
        assert len({mutant.digest for mutant in made}) == len(made)
        assert not any((m.form, m.data, m.mode) == (file.form, file.data, file.mode) for m in made)


def test_text_is_broken_only_where_the_candidate_wrote() -> None:
    """Line 1 is a comment, lines 2 and 5 were there before."""
    for kind in ("number", "operator", "word", "line"):
        changed = by_kind(MODULE)[kind].description
        assert changed.startswith(("line 3", "line 4")), changed


def test_where_nothing_is_new_the_whole_text_counts() -> None:
    shorter = Changed("/app/a.txt", Form.FILE, b"alpha 1\n", b"alpha 1\nbeta 2\n")
    assert by_kind(shorter)["number"].data == b"alpha 2\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"rate=0.25\n", b"rate=0.26\n"),
        (b"port 8089\n", b"port 8088\n"),
        (b"v2 abc1 x_3\n", None),  # parts of names
        (b"no digits\n", None),
    ],
)
def test_a_number_keeps_its_width(text: bytes, number: bytes | None) -> None:
    found = by_kind(Changed("/app/a.conf", Form.FILE, text)).get("number")
    assert (found.data if found else None) == number


def test_a_binary_is_broken_as_a_whole_only() -> None:
    assert set(by_kind(IMAGE)) == {"emptied", "truncated", "garbled", "removed", "fifo", "folder", "device"}


def test_what_is_no_file_takes_the_place_and_the_mode_of_one() -> None:
    made = by_kind(SCRIPT)
    assert [(made[kind].form, made[kind].mode) for kind in ("fifo", "folder", "device")] == [
        (Form.FIFO, 0o755),
        (Form.FOLDER, 0o755),
        (Form.DEVICE, 0o755),
    ]
    assert not {"fifo", "folder", "device"} & (set(by_kind(LINK)) | set(by_kind(GONE)))


@pytest.mark.parametrize("file", [MODULE, REPORT, IMAGE, SCRIPT])
def test_a_case_with_one_file_gets_what_blocks_and_what_is_no_file_within_the_bound(file: Changed) -> None:
    kinds = {mutant.kind for mutant in chosen([file], 12)}
    assert {"fifo", "folder"} <= kinds
    assert "hangs" in kinds or file in (REPORT, IMAGE)


def test_an_executable_without_a_suffix_is_a_program() -> None:
    made = by_kind(SCRIPT)
    assert made["crashes"].data == b"#!/bin/sh\nkill -SEGV $$\n"
    assert made["mode"].mode == 0o644
    assert made["mode"].data == SCRIPT.data
    assert instead("/app/tool", b"\x7fELF\x00", 0o755, HANG) == b"#!/bin/sh\nwhile :; do sleep 1; done\n"
    assert instead("/app/data", b"\x7fELF\x00", 0o644, HANG) is None


def test_links_and_removed_files() -> None:
    assert {kind: mutant.form for kind, mutant in by_kind(LINK).items()} == {"dangling": "link", "removed": "gone"}
    (back,) = mutants_of(GONE)
    assert (back.kind, back.data, back.mode, back.owner) == ("undone", b"x=1\n", 0o600, (7, 7))


def test_compiled_languages_keep_their_text() -> None:
    for language in LANGUAGES:
        for program in language.texts:
            data = instead(f"/app/x{language.suffixes[0]}", b"package main\n", 0o644, program)
            assert data is not None
            assert data.startswith(b"package main\n") is language.appended
    assert instead("/app/notes.md", b"# x\n", 0o644, EXIT) is None
    assert instead("/app/x.js", b"#!/usr/bin/env node\n1\n", 0o644, CRASH) == (
        b'#!/usr/bin/env node\nprocess.kill(process.pid, "SIGSEGV");\n'
    )


def test_the_choice_is_the_same_every_time_and_bounded() -> None:
    files = [MODULE, REPORT, SCRIPT]
    first = chosen(files, 12)
    assert first == chosen(files, 12)
    assert len(first) == 12
    assert chosen(files, 5) == first[:5]
    assert chosen([], 12) == []


def test_the_choice_is_spread_over_kinds_and_files() -> None:
    found = chosen([MODULE, REPORT, SCRIPT], 12)
    assert len({mutant.kind for mutant in found}) >= 11
    assert {mutant.path for mutant in found[:6]} == {MODULE.path, REPORT.path, SCRIPT.path}


def test_what_blocks_is_asked_for_once() -> None:
    found = chosen([MODULE, SCRIPT], 100)
    for kind in ("hangs", "fifo"):
        assert [mutant.kind for mutant in found].count(kind) == 1
    assert [mutant.kind for mutant in found].count("crashes") == 2


def test_every_operator_has_its_row() -> None:
    kinds = [kind for kind, _ in (*OPERATORS, *PLACES)]
    assert len(set(kinds)) == len(kinds)
    assert set(kinds) <= {mutant.kind for file in (MODULE, REPORT, SCRIPT) for mutant in mutants_of(file)}


def test_more_places_of_one_text_come_last() -> None:
    """A case with one file still gets its share: other places of the same kinds."""
    text = b"".join(b"row %d has %d words here\n" % (number, number * 7 + 10) for number in range(40))
    found = chosen([Changed("/app/rows.txt", Form.FILE, text)], 12)
    assert [mutant.kind for mutant in found if mutant.kind.endswith(TURNS[1:])] == [
        "number-2",
        "word-2",
    ]
    assert len({mutant.digest for mutant in found}) == 12
