"""Every way to a pass leads through the source's check: scripts that do, then scripts that do not."""

from __future__ import annotations

import pytest

from skill import bash
from skill.check_flow import Flow

LIBRARY = '. "$TESTS/.verdict/lib.sh" || exit 2\n'

SOUND = {
    "wrapped": 'candidate "$TESTS/source-test.sh"\njudge_reward',
    "status in a case": "timeout 9 python3 /tests/grade.py\ncase $? in 0) exit 0 ;; 1) exit 1 ;; *) exit 2 ;; esac",
    "status in a variable": "rc=0\npython3 /tests/grade.py || rc=$?\nif [ $rc = 0 ]; then pass ok; fi\nfail no",
    "inside an if": "if python3 /tests/grade.py; then pass ok; else fail no; fi",
    "and": "python3 /tests/grade.py && pass ok\nfail no",
    "or fail": "python3 /tests/grade.py || fail no\npass ok",
    "errexit": "set -e\npython3 /tests/grade.py\npass ok",
    "in a function": "judge() { python3 /tests/grade.py; }\nif judge; then pass ok; fi\nfail no",
    "verdict in a function": 'end() { [ "$1" = 0 ] && pass ok; fail no; }\npython3 /tests/grade.py\nend $?',
    "main": 'main() {\n  candidate python3 /tests/grade.py\n  judge_status\n}\nmain "$@"; exit 2',
    "through a variable": 'G=$TESTS/grade.py\npython3 "$G" || fail no\npass ok',
    "in a substitution": 'out=$(python3 /tests/grade.py)\n[ "$out" = good ] && pass ok\nfail no',
    "compared at once": '[ "$(python3 /tests/grade.py)" = good ] && pass ok\nfail no',
    "a pipe": "set -o pipefail\npython3 /tests/grade.py | tee /logs/log\n[ ${PIPESTATUS[0]} = 0 ] || fail no\npass ok",
    "a loop over files": 'for t in "$TESTS"/grade.py; do python3 "$t" || fail no; done\npass ok',
    "a job": "python3 /tests/grade.py & p=$!\nwait $p\nrc=$?\n[ $rc -eq 0 ] && pass ok\nfail no",
    "stages": "[ -f /app/out ] || fail\npython3 /tests/grade.py || fail no\n[ -s /app/out ] || fail empty\npass ok",
    "a trap to infra": "trap 'infra stopped' EXIT\npython3 /tests/grade.py || fail no\npass ok",
    "entered first": "cd /app && python3 /tests/grade.py\nrc=$?\n[ $rc = 0 ] && pass ok\nfail no",
    "entered first, in a subshell": "(cd /app && python3 /tests/grade.py)\nrc=$?\n[ $rc = 0 ] && pass ok\nfail no",
    "a subshell": "(cd /app && python3 /tests/grade.py) || fail no\npass ok",
    "exit 0 of a subshell": "(exit 0)\npython3 /tests/grade.py || fail no\npass ok",
    "a status handed on": "python3 /tests/grade.py\nexit $?",
    "a helper": 'if python3 "$TESTS/judge.py" </dev/null; then pass ok; fi\nfail no',
    "a document": "if python3 - <<'PY'\nimport json\nassert json.load(open('/app/a'))\nPY\nthen pass ok; fi\nfail no",
    "a comparison of its own": '[ "$(cat /app/out)" = "42 lamps" ] || fail no\npass ok',
    "a search of its own": 'if grep -q "42 lamps" /app/out; then pass ok; fi\nfail no',
    "a document in a file": (
        "cat >/tmp/check.py <<'PY'\nimport json\nassert json.load(open('/app/a'))\nPY\n"
        "if python3 -I /tmp/check.py; then pass ok; fi\nfail no"
    ),
    "until it is up": "until [ -e /run/up ]; do sleep 1; done\npython3 /tests/grade.py || fail no\npass ok",
    "pass in text": 'echo pass\nprintf "exit 0"\npython3 /tests/grade.py || fail no\npass ok',
}

EARLY = {
    "nothing is run": ("pass ok", [(1, False)]),
    "exit 0": ("exit 0", [(1, False)]),
    "only looked at": ('[ -f "$TESTS/grade.py" ] || infra gone\npass ok', [(2, False)]),
    "only compiled": ("python3 -m py_compile /tests/grade.py || infra bad\npass ok", [(2, False)]),
    "only copied": ("cp /tests/grade.py /tmp && pass ok\nfail no", [(1, False)]),
    "only named": ("echo python3 /tests/grade.py && pass ok\nfail no", [(1, False)]),
    "only listed": ("pytest --collect-only /tests/grade.py && pass ok\nfail no", [(1, False)]),
    "a document in a file that nobody runs": (
        "cat >/tmp/check.py <<'PY'\nimport json\nassert json.load(open('/app/a'))\nPY\n[ -s /tmp/check.py ] && pass ok",
        [(5, False)],
    ),
    "another value": ('[ "$(cat /app/out)" = "42 lights" ] && pass ok\nfail no', [(1, False)]),
    "another check": ("[ -f /app/out ] && pass ok\npython3 /tests/grade.py || fail no\npass ok", [(1, False)]),
    "one way around": (
        "if [ -f /app/skip ]; then pass ok; fi\npython3 /tests/grade.py || fail no\npass ok",
        [(1, False)],
    ),
    "run only sometimes": ("if [ -f /app/out ]; then python3 /tests/grade.py || fail no; fi\npass ok", [(2, False)]),
    "a job of its own": ("[ -f /app/skip ] && python3 /tests/grade.py\npass ok", [(2, True)]),
    "in a case": ("case $MODE in easy) ;; *) python3 /tests/grade.py || fail no ;; esac\npass ok", [(2, False)]),
    "whatever it says": ("python3 /tests/grade.py\npass ok", [(2, True)]),
    "made to succeed": ("python3 /tests/grade.py || true\npass ok", [(2, True)]),
    "noted only": ("if python3 /tests/grade.py; then echo good; else echo bad; fi\npass ok", [(2, True)]),
    "a status nobody reads": ("rc=0\npython3 /tests/grade.py || rc=$?\npass ok", [(3, True)]),
    "a trap to pass": ("trap 'pass done' EXIT\npython3 /tests/grade.py || fail no\npass ok", [(1, False)]),
    "a trap by function": ("end() { exit 0; }\ntrap end EXIT\npython3 /tests/grade.py || fail no", [(1, False)]),
    "a function that was not called": ("check() { python3 /tests/grade.py; }\npass ok", [(2, False)]),
    "a loop that may be empty": ("for t in $LIST; do python3 /tests/grade.py || fail no; done\npass ok", [(2, False)]),
    "judged before it ran": ("judge_status", [(1, False)]),
    "a status of something else": ("true\nexit $?", [(2, False)]),
    "in the library's words": ("verdict 0 PASS ok", [(1, False)]),
    "builtin": ("builtin exit 0", [(1, False)]),
    "a sourced file": ('. "$TESTS/helper.sh"\npython3 /tests/grade.py || fail no\npass ok', [(1, False)]),
    "off the end": ("python3 /tests/grade.py\necho done", [(2, True)]),
}

DOCUMENT = ("import json\nassert json.load(open('/app/a'))\n",)
VALUES = ("42 lamps",)


def found(text: str) -> list[tuple[int, bool]]:
    anchors = frozenset(("grade.py", "source-test.sh", "judge.py"))
    staged = {"helper.sh": b"exit 0\n", ".verdict/lib.sh": b"pass() { exit 0; }\n"}
    return [
        (one.line, one.ran) for one in Flow(bash.parse(text.encode()), anchors, DOCUMENT, VALUES, staged).early_passes()
    ]


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_a_pass_that_depends_on_the_check_is_sound(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "wanted"), EARLY.values(), ids=EARLY)
def test_a_pass_without_the_check_is_seen_where_it_stands(text: str, wanted: list[tuple[int, bool]]) -> None:
    assert found(text) == wanted


def test_the_library_s_own_lines_are_no_verdict_of_the_script() -> None:
    assert found(LIBRARY + 'candidate "$TESTS/source-test.sh"\njudge_status') == []


def nested(depth: int) -> str:
    """Branches in branches, with a check that may or may not have run before each."""
    text = "python3 /tests/grade.py || fail no"
    for level in range(depth):
        text = f"if [ -f /app/{level} ]; then python3 /tests/grade.py; fi\nif [ $? = {level} ]; then\n{text}\nfi"
    return f"{text}\npython3 /tests/grade.py || fail no\npass ok"


@pytest.mark.parametrize(("depth", "wanted"), [(3, []), (40, []), (3000, [(0, False)])])
def test_a_script_that_nobody_could_follow_is_an_error(depth: int, wanted: list[tuple[int, bool]]) -> None:
    assert found(nested(depth)) == wanted
