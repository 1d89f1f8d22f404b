"""The frame around a verifier that is written in a session."""

from __future__ import annotations

import pytest

from skill.skeleton import body_of, completed, frame_fault, frame_of, sealed, skeleton
from skill.verifier.base import Odd, Rewrite, VerifierInput
from skill.verifier.template import MANIFEST
from tests.support.verifiers import verifier

GIVEN = verifier("trap 'echo 0' EXIT\npython3 $TEST_DIR/check.py\n", {"check.py": "assert 1\n"})
BODY = b'  candidate "$TESTS/source-test.sh"\n  judge_reward\n'


def made(given: VerifierInput = GIVEN, body: bytes = BODY, files: dict[str, bytes] | None = None) -> Rewrite:
    found = completed("odd-1", body, files or {}, "session 1 turn 2")(given)
    assert isinstance(found, Rewrite)
    return found


def test_a_skeleton_is_whole_but_unwritten() -> None:
    found = skeleton("odd-1")(GIVEN)
    assert isinstance(found, Rewrite)
    assert found.files["source-test.sh"] == GIVEN.script
    assert frame_fault(found.files["test.sh"]) == "the verifier is not written yet"


def test_the_body_stands_between_the_marks() -> None:
    script = made().files["test.sh"]
    assert body_of(script) == BODY
    assert frame_fault(script) == ""


def test_the_frame_is_the_same_whatever_the_body_and_the_hash() -> None:
    other = made(body=b"  fail no\n", files={"judge.py": b"pass\n"}).files["test.sh"]
    assert frame_of(other) == frame_of(made().files["test.sh"])


def test_the_frame_says_what_differs_from_case_to_case() -> None:
    script = made(verifier("python3 $TEST_DIR/a\n", cwd="/srv/a b", timeout_seconds=77)).files["test.sh"]
    assert b"  begin 77 3 " in script
    assert b"  enter '/srv/a b'\n" in script
    assert b'  export TEST_DIR="$TESTS"\n' in script


FAULTS = {
    "no first mark": (b"# >>> the verifier", b"#"),
    "no last mark": (b"# <<< the verifier", b"#"),
    "marks the wrong way round": (b"# <<< the verifier\n}", b"# >>> the verifier\n  # <<< the verifier\n}"),
    "something before": (b"main() {\n", b"pass() { exit 0; }\nmain() {\n"),
    "something after": (b'main "$@"; exit 2', b'main "$@"; exit 0'),
    "no clock": (b"  begin ", b"  # begin "),
    "another library": (b"lib.sh", b"my.sh"),
}


@pytest.mark.parametrize(("old", "new"), FAULTS.values(), ids=FAULTS)
def test_a_frame_that_was_changed_is_seen(old: bytes, new: bytes) -> None:
    script = made().files["test.sh"]
    assert old in script
    assert frame_fault(script.replace(old, new)) != ""


def test_sealing_lists_what_is_there() -> None:
    files = dict(made().files) | {"check.py": b"assert 1\n", "judge.py": b"pass\n"}
    done = sealed(files)
    assert b"  judge.py\n" in done[MANIFEST]
    assert done == sealed({**files, **done})
    assert frame_of(done["test.sh"]) == frame_of(files["test.sh"])


@pytest.mark.parametrize(
    "given", [verifier("true\n", {"source-test.sh": ""}), verifier("true\n", env={"TESTS": None})], ids=["file", "name"]
)
def test_what_no_frame_can_hold_stays_odd(given: VerifierInput) -> None:
    assert isinstance(completed("odd-1", BODY, {}, "x")(given), Odd)


HARDENED = {
    "no pytest": ("python3 /tests/check.py\n", {"check.py": "assert 1\n"}, False),
    "settings of its own": (
        "pytest /tests/test_a.py\n",
        {"test_a.py": "", "pytest.ini": "[pytest]\naddopts = -q\n"},
        True,
    ),
    "pytest": ("pytest /tests/test_a.py\n", {"test_a.py": ""}, True),
}


@pytest.mark.parametrize(("script", "assets", "is_guarded"), HARDENED.values(), ids=HARDENED)
def test_what_hardens_stands_in_the_frame(script: str, assets: dict[str, str], is_guarded: bool) -> None:
    found = made(verifier(f"trap x EXIT\n{script}", assets)).files
    frame = frame_of(found["test.sh"])
    assert frame is not None
    assert (b"\n  guarded\n" in frame) == is_guarded
    assert ("pytest.ini" in found) == (is_guarded and "pytest.ini" not in assets)
    assert b"  pass() { intact; " in frame
    assert frame_fault(found["test.sh"]) == ""


def test_a_script_in_another_language_is_not_hardened() -> None:
    assert b"pass() {" not in made(verifier("#!/usr/bin/env python3\nprint(1)\n")).files["test.sh"]
