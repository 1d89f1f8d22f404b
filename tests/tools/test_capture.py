from __future__ import annotations

import pytest

from tools.capture import Capture, Output, log_tail, printable, reason_in


@pytest.mark.parametrize(
    ("pieces", "kept"),
    [
        ([], b""),
        ([b"abc"], b"abc"),
        ([b"abc", b"defghij"], b"abcdefghij"),
        ([b"abcdefghijk"], b"abcd\n[... 1 bytes left out ...]\nfghijk"),
        ([b"abcd"] * 100, b"abcd\n[... 390 bytes left out ...]\ncdabcd"),
    ],
)
def test_head_and_tail_are_kept(pieces: list[bytes], kept: bytes) -> None:
    capture = Capture(head=4, tail=6)
    for piece in pieces:
        capture.feed(piece)
    assert capture.bytes() == kept


def test_text_is_safe_to_show() -> None:
    assert printable(b"a\tb\r\n\x1b[1mc\x1b[0m\x07\xff\x9b") == "a\tb\nc\ufffd\ufffd"


def test_tail_starts_with_a_line() -> None:
    assert log_tail("short\n") == "short"
    assert log_tail("one\ntwo\nthree\n", limit=8) == "three"
    assert log_tail("x" * 50, limit=10) == "x" * 10


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("", ""),
        ("\n \n", ""),
        ("first\nlast\n\n", "last"),
        ("VERDICT: PASS\nreason: 3 tests passed\n", "VERDICT: PASS: 3 tests passed"),
        ("a VERDICT: FAIL\nreason: no\nafterwards\n", "VERDICT: FAIL: no"),
        ("VERDICT: PASS\nVERDICT: INFRA (gone)\nother\n", "VERDICT: INFRA (gone)"),
    ],
)
def test_reason_is_the_verdict_or_the_last_line(log: str, reason: str) -> None:
    assert reason_in(log) == reason


STREAMS = [
    ([], ""),
    ([("out", b"a\n")], "a"),
    ([("err", b"e\n")], "e"),
    ([("out", b"a\n"), ("err", b"e\n"), ("out", b"VERDICT: PASS\n")], "e\na\nVERDICT: PASS"),
    ([("err", b"e\n"), ("out", b"a\n"), ("out", b"VERDICT: PASS\n")], "e\na\nVERDICT: PASS"),
]


@pytest.mark.parametrize(("pieces", "text"), STREAMS)
def test_both_streams_are_told_in_an_order_of_ours(pieces: list[tuple[str, bytes]], text: str) -> None:
    output = Output()
    for stream, piece in pieces:
        (output.stdout if stream == "out" else output.stderr).feed(piece)
    assert output.text() == text
    assert output.total == sum(len(piece) for _, piece in pieces)
