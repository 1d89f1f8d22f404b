"""What a rewritten test.sh still runs of the source's check: rewrites that keep it, then those that do not."""

from __future__ import annotations

import pytest

from skill.loss import Kind
from skill.weakening_script import script_losses

HEAD = '#!/bin/bash\n. "$TESTS/.verdict/lib.sh" || exit 2\nmain() {\n'
TAIL = '\n}\nmain "$@"; exit 2\n'

PYTEST = {
    "test.sh": "#!/bin/bash\ntrap 'echo 0 > /logs/verifier/reward.txt' EXIT\nset -e\n"
    "pytest /tests/test_oil.py /tests/test_wick.py\necho 1 > /logs/verifier/reward.txt\n",
    "test_oil.py": "def test_oil(): assert 1\n",
    "test_wick.py": "def test_wick(): assert 1\n",
    "notes.txt": "not run\n",
}
GO = {
    "test.sh": "#!/bin/bash\ncp /tests/lamp_test.go /app/\ncd /app\n"
    "go test ./... && echo 1 > /logs/verifier/reward.txt\n",
    "lamp_test.go": "package lamp\n",
}
FOLDER = {
    "test.sh": "#!/bin/bash\npytest /tests -q\necho $? > /logs/verifier/status\n",
    "test_oil.py": "def test_oil(): assert 1\n",
    "data.py": "WANTED = 3\n",
}
INLINE = {
    "test.sh": "#!/bin/bash\nscore=0\ngrep -q 'three wicks' /app/list && score=1\n"
    '[ "$(wc -l < /app/list)" -eq 42 ] || score=0\necho $score > /logs/verifier/reward.txt\n',
}
DOCUMENT = {
    "test.sh": "#!/bin/bash\npython3 - <<'PY'\nimport json\nlamp = json.load(open('/app/lamp'))\n"
    "print(1 if lamp['oil'] == 7 else 0)\nPY\n",
}
BODY = "import json\nlamp = json.load(open('/app/lamp'))\nprint(1 if lamp['oil'] == 7 else 0)\n"

KEPT = {
    "both files, at once": (PYTEST, 'candidate pytest "$TESTS/test_oil.py" "$TESTS/test_wick.py"\njudge_status', {}),
    "both files, one by one": (
        PYTEST,
        'for f in test_oil.py test_wick.py; do\n  candidate pytest "$TESTS/$f"\n'
        '  [ "$STATUS" = 0 ] || fail "$f"\ndone\npass ok',
        {},
    ),
    "the source's script": (
        PYTEST,
        'candidate "$TESTS/source-test.sh"\njudge_reward',
        {"source-test.sh": PYTEST["test.sh"]},
    ),
    "a helper": (
        PYTEST,
        'candidate python3 "$TESTS/judge.py"\njudge_status',
        {"judge.py": "import pytest\npytest.main(['/tests/test_oil.py', '/tests/test_wick.py'])\n"},
    ),
    "go": (GO, 'cp "$TESTS/lamp_test.go" /app/ || infra no\ncd /app\ncandidate go test ./...\njudge_status', {}),
    "the folder's files": (FOLDER, 'candidate pytest "$TESTS/test_oil.py" -q\njudge_status', {}),
    "the folder": (FOLDER, 'candidate pytest "$TESTS" -q\njudge_status', {}),
    "the comparisons": (
        INLINE,
        'grep -q "three wicks" /app/list || fail no\n[ "$(wc -l </app/list)" -eq 42 ] || fail no\npass ok',
        {},
    ),
    "a comparison in another way": (
        INLINE,
        '[[ $(</app/list) = *three\\ wicks* ]] || fail no\n[ "$(wc -l </app/list)" = 42 ] || fail no\npass ok',
        {},
    ),
    "the document": (DOCUMENT, f"out=$(python3 - <<'PY'\n{BODY}PY\n)\n[ \"$out\" = 1 ] && pass ok\nfail no", {}),
    "the document in a file": (
        DOCUMENT,
        'out=$(timeout 9 python3 "$TESTS/judge.py")\n[ "$out" = 1 ] && pass ok\nfail no',
        {"judge.py": BODY},
    ),
}

LOST = {
    "one of two files": (PYTEST, 'candidate pytest "$TESTS/test_oil.py"\njudge_status', {}, {Kind.UNRUN}),
    "a file that is only looked at": (
        PYTEST,
        'need pytest\n[ -f "$TESTS/test_wick.py" ] || infra no\ncandidate pytest "$TESTS/test_oil.py"\njudge_status',
        {},
        {Kind.UNRUN},
    ),
    "a script that nobody starts": (
        PYTEST,
        'candidate pytest "$TESTS/test_oil.py"\njudge_status',
        {"source-test.sh": PYTEST["test.sh"]},
        {Kind.UNRUN},
    ),
    "a copy of the source's script without its tests": (
        PYTEST,
        'candidate "$TESTS/source-test.sh"\njudge_status',
        {"source-test.sh": "#!/bin/bash\npytest /tests/test_oil.py\n"},
        {Kind.UNRUN},
    ),
    "a helper that runs something else": (
        PYTEST,
        'candidate python3 "$TESTS/judge.py"\njudge_status',
        {"judge.py": "print('fine')\n"},
        {Kind.UNRUN, Kind.EARLY},
    ),
    "an option": (
        PYTEST,
        'candidate pytest "$TESTS/test_oil.py" "$TESTS/test_wick.py" -k "not slow"\njudge_status',
        {},
        {Kind.NARROWED},
    ),
    "one test of a file": (
        PYTEST,
        'candidate pytest "$TESTS/test_oil.py::test_oil" "$TESTS/test_wick.py"\njudge_status',
        {},
        {Kind.NARROWED},
    ),
    "an option in the inner script": (
        PYTEST,
        'candidate "$TESTS/source-test.sh"\njudge_status',
        {"source-test.sh": PYTEST["test.sh"].replace("pytest ", "pytest --deselect x ")},
        {Kind.NARROWED},
    ),
    "go without the suite's test": (GO, "cd /app\ncandidate go test ./...\njudge_status", {}, {Kind.UNRUN}),
    "the suite's test without go": (
        GO,
        'cp "$TESTS/lamp_test.go" /app/ && pass ok\nfail no',
        {},
        {Kind.UNRUN, Kind.EARLY},
    ),
    "a comparison": (INLINE, 'grep -q "three wicks" /app/list && pass ok\nfail no', {}, {Kind.EXPECTED}),
    "a compared value": (
        INLINE,
        'grep -q "three wicks" /app/list || fail no\n[ "$(wc -l </app/list)" -eq 4 ] || fail no\npass ok',
        {},
        {Kind.EXPECTED},
    ),
    "a value in the document": (
        DOCUMENT,
        f"out=$(python3 - <<'PY'\n{BODY.replace('7', '8')}PY\n)\n[ \"$out\" = 1 ] && pass ok\nfail no",
        {},
        {Kind.UNRUN, Kind.EARLY},
    ),
    "a program that runs nothing": (
        PYTEST,
        'candidate true "$TESTS/source-test.sh"\njudge_status',
        {},
        {Kind.UNRUN, Kind.EARLY},
    ),
    "a program that is only given the tests": (
        PYTEST,
        'candidate python3 -c pass "$TESTS/test_oil.py" "$TESTS/test_wick.py"\njudge_status',
        {},
        {Kind.EARLY},
    ),
    "code that ends well whatever it runs": (
        PYTEST,
        'candidate bash -c "pytest $TESTS/test_oil.py $TESTS/test_wick.py; true"\njudge_status',
        {},
        {Kind.EARLY},
    ),
    "a condition about something else": (
        PYTEST,
        'candidate pytest "$TESTS/test_oil.py" "$TESTS/test_wick.py"\n[ -d /app ] && pass ok\nfail no',
        {},
        {Kind.EARLY},
    ),
    "the inner script passes whatever happens": (
        PYTEST,
        'candidate "$TESTS/source-test.sh"\njudge_reward',
        {"source-test.sh": PYTEST["test.sh"].replace("set -e\n", "")},
        {Kind.EARLY},
    ),
    "the inner script makes a status good": (
        PYTEST,
        'candidate "$TESTS/source-test.sh"\njudge_reward',
        {"source-test.sh": PYTEST["test.sh"].replace("wick.py\n", "wick.py || true\n")},
        {Kind.EARLY},
    ),
    "everything": (PYTEST, "pass ok", {}, {Kind.UNRUN, Kind.EARLY}),
    "the outcome": (
        PYTEST,
        'candidate pytest "$TESTS/test_oil.py" "$TESTS/test_wick.py"\npass ok',
        {},
        {Kind.EARLY},
    ),
}


def found(source: dict[str, str], body: str, files: dict[str, str]) -> set[Kind]:
    case = {**source, **files, "test.sh": HEAD + body + TAIL}
    losses = script_losses(*({path: text.encode() for path, text in side.items()} for side in (source, case)))
    return {loss.kind for loss in losses}


@pytest.mark.parametrize(("source", "body", "files"), KEPT.values(), ids=KEPT)
def test_a_rewrite_that_runs_all_of_the_check_is_none_the_weaker(
    source: dict[str, str], body: str, files: dict[str, str]
) -> None:
    assert found(source, body, files) == set()


@pytest.mark.parametrize(("source", "body", "files", "kinds"), LOST.values(), ids=LOST)
def test_a_rewrite_that_leaves_something_out_is_seen(
    source: dict[str, str], body: str, files: dict[str, str], kinds: set[Kind]
) -> None:
    assert found(source, body, files) == kinds
