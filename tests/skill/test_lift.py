"""A rewrite of one case applied to the others of its shape: what fits, what is renamed, what comes back."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from skill.lift import Lifted, Misfit, edit_of, lifted
from skill.odd_shape import OddShape, shape_of

SCRIPT = """\
#!/bin/bash
trap 'echo 0 > /logs/verifier/reward.txt' EXIT
set -e
cd /app
python3 /tests/check_{fruit}.py /app/{fruit}.txt
[ "$(wc -l < /app/{fruit}.txt)" -eq {number} ]
echo 1 > /logs/verifier/reward.txt
"""
BODY = """\
  need python3
  candidate python3 "$TESTS/check_peach.py" /app/peach.txt
  [ "$STATUS" = 0 ] || fail "the check of check_peach failed"
  [ "$(wc -l </app/peach.txt)" -eq 42 ] || fail "not 42 lines"
  pass "both hold"
"""


def files(fruit: str, number: int, grader: str = "assert 1\n", name: str = "check_{}.py") -> dict[str, bytes]:
    script = SCRIPT.format(fruit=fruit, number=number).replace(f"check_{fruit}.py", name.format(fruit))
    return {"test.sh": script.encode(), name.format(fruit): grader.encode(), "data.json": b"{}"}


def shape(held: Mapping[str, bytes]) -> OddShape:
    return shape_of(held)


def origins(held: Mapping[str, bytes]) -> dict[str, bytes]:
    """The tests as a case holds them: the source's script under its other name."""
    return {("source-test.sh" if path == "test.sh" else path): data for path, data in held.items()}


def lift(
    body: str,
    target: dict[str, bytes],
    written: Mapping[str, bytes] | None = None,
    first: dict[str, bytes] | None = None,
) -> Lifted | Misfit:
    held = first or files("peach", 42)
    edit = edit_of(shape(held), body.encode(), origins(held), written or {})
    return lifted(edit, shape(target), origins(target))


def body(result: Lifted | Misfit) -> str:
    assert isinstance(result, Lifted), result
    return result.body.decode()


def reason(result: Lifted | Misfit) -> str:
    assert isinstance(result, Misfit), result
    return result.reason


def test_its_own_case_gets_the_rewrite_as_it_was() -> None:
    assert body(lift(BODY, files("peach", 42))) == BODY


def test_another_case_gets_its_own_names_and_values() -> None:
    assert body(lift(BODY, files("plum", 77))) == BODY.replace("peach", "plum").replace("42", "77")


def test_a_rewrite_that_names_nothing_fits_all() -> None:
    plain = '  candidate "$TESTS/source-test.sh"\n  judge_reward\n'
    assert body(lift(plain, files("plum", 77))) == plain


def test_names_that_swap_places_are_renamed_at_once() -> None:
    script = "#!/bin/bash\ntrap x EXIT\ncmp /app/{} /app/{}\n"
    one, other = (
        {"test.sh": script.format(*pair).encode()} for pair in (("aaa.txt", "bbb.txt"), ("bbb.txt", "aaa.txt"))
    )
    assert body(lift("cmp /app/aaa.txt /app/bbb.txt", other, first=one)) == "cmp /app/bbb.txt /app/aaa.txt"


def test_a_here_document_is_exchanged_whole() -> None:
    script = "#!/bin/bash\ntrap x EXIT\npython3 - <<'PY'\n{}PY\n"
    texts = [
        "import sys\nsys.exit(open('/app/a').read() != 'one')\n",
        "import sys\nsys.exit(open('/app/b').read() != 'two')\n",
    ]
    one, other = ({"test.sh": script.format(text).encode()} for text in texts)
    assert body(lift(f"python3 - <<'PY'\n{texts[0]}PY\n", other, first=one)) == f"python3 - <<'PY'\n{texts[1]}PY\n"


MISFITS = {
    "another shape": (BODY, {"test.sh": b"#!/bin/bash\ntrue\n"}, "another shape"),
    "a number of its own": (BODY.replace("need python3", "sleep 42"), files("plum", 77), "limit of its own"),
    "a name inside of a word": (BODY.replace("both hold", "unpeach.txted"), files("plum", 77), "name of the case"),
}


@pytest.mark.parametrize(("text", "target", "wanted"), MISFITS.values(), ids=MISFITS)
def test_what_cannot_be_carried_over_comes_back_with_the_reason(
    text: str, target: dict[str, bytes], wanted: str
) -> None:
    assert wanted in reason(lift(text, target))


def test_one_word_for_two_things_comes_back() -> None:
    script = "#!/bin/bash\ntrap x EXIT\ncmp /app/{} /app/old/{}\ncat /app/{}\n"
    one = {"test.sh": script.format("aaa.txt", "aaa.txt", "aaa.txt").encode()}
    other = {"test.sh": script.format("bbb.txt", "ccc.txt", "bbb.txt").encode()}
    assert "2 different things" in reason(lift("cat aaa.txt", other, first=one))
    assert body(lift("cat /app/aaa.txt", other, first=one)) == "cat /app/bbb.txt"


def test_files_of_the_rewrite_go_along_renamed() -> None:
    result = lift(BODY, files("plum", 77), {"judge.py": b"run('/tests/check_peach.py')\n"})
    assert isinstance(result, Lifted)
    assert result.files == {"judge.py": b"run('/tests/check_plum.py')\n"}


def test_a_file_that_the_source_has_is_not_overwritten() -> None:
    target = {**files("plum", 77), "judge.py": b"mine\n"}
    assert "of its own" in reason(lift(BODY, target, {"judge.py": b"run()\n"}))


def test_equal_files_are_changed_verbatim() -> None:
    written = {"data.json": b"[]"}
    result = lift(BODY, files("plum", 77), written)
    assert isinstance(result, Lifted)
    assert result.files == written


def test_a_change_of_the_inner_script_finds_its_place_in_another() -> None:
    held = files("peach", 42)
    inner = held["test.sh"].replace(b"trap 'echo 0 > /logs/verifier/reward.txt' EXIT\n", b"")
    result = lift(BODY, files("plum", 77), {"source-test.sh": inner})
    assert isinstance(result, Lifted)
    target = files("plum", 77)["test.sh"]
    assert result.files["source-test.sh"] == target.replace(b"trap 'echo 0 > /logs/verifier/reward.txt' EXIT\n", b"")


def test_a_change_without_a_place_comes_back() -> None:
    held = files("peach", 42, "one = 1\ntwo = 2\nthree = 3\n")
    written = {"check_peach.py": b"one = 1\ntwo = 22\nthree = 3\n"}
    assert "places for the change" in reason(lift(BODY, files("plum", 77, "something = 0\n"), written, held))
    twice = files("plum", 77, "two = 2\ntwo = 2\n")
    assert "2 places" in reason(lift(BODY, twice, written, held))
