"""What a session's verifier may say, and what it may not do to the words that give its verdict."""

from __future__ import annotations

import pytest

from skill.own_words import rewired

PLAIN = {
    "the usual": 'need python3\ncandidate "$TESTS/source-test.sh"\njudge_reward',
    "a function of its own": 'stage() { candidate bash "$1"; [ "$STATUS" = 0 ] || fail "$1"; }\nstage "$TESTS/one.sh"',
    "variables of its own": 'out="$PRIVATE/out"\nrc=$?\nlocal name=x\nexport LANG=C\nread -r line <"$out"',
    "reading the library's": 'code=$STATUS\n[ "$STATUS" -eq 0 ] || fail "$STATUS"\nexport TESTS PRIVATE',
    "reading the reward": "reward=$(cat /logs/verifier/reward.txt)\nrm -f /logs/verifier/reward.txt",
    "files of its own": 'cp "$TESTS/a.py" "$PRIVATE/"\necho x >"$PRIVATE/log"\ncp "$TESTS/a_test.go" /app/',
    "tests hidden and back": 'mv "$TESTS/a.py" "$PRIVATE/a.py"\nmv "$PRIVATE/a.py" "$TESTS/a.py"',
    "a staged library": '. "$TESTS/helpers.sh"',
    "a trap for a job": "trap 'kill 5' TERM",
    "a file opened": "exec 3<>/dev/tcp/127.0.0.1/80",
    "a path": "PATH=/usr/local/go/bin:$PATH\nexport PATH",
    "command -v": "command -v python3 >/dev/null || infra no",
    "arithmetic of its own": "n=0\n(( n = n + 1 ))\nn=$((n + 1))",
    "text about it": 'fail "STATUS=0 and exit 0 are no evidence"\necho "eval this"',
}

REWIRED = {
    "a word of the library": "fail() { pass ok; }",
    "a judge": "judge_reward() { exit 0; }",
    "a helper of the library": "compare() { return 0; }",
    "a tool": "timeout() { return 0; }",
    "the status": "STATUS=0",
    "the status, read": "read -r STATUS <<< 0",
    "the status, printed": "printf -v STATUS 0",
    "the status, declared": "declare -g STATUS=0",
    "the status, counted": "(( STATUS = 0 ))",
    "the decision": "DECIDED=1",
    "the place of the tests": "TESTS=/app",
    "an array of the library": "REWARD[reward]=1",
    "a loop over the library's": "for STATUS in 0; do :; done",
    "an unset": "unset PRIVATE",
    "eval": 'eval "pass ok"',
    "an alias": "alias fail=pass",
    "exec": "exec true",
    "a prefix": "command exit 0",
    "a name in a variable": "x=exit\n$x 0",
    "a name in quotes of ANSI C": "$'exit' 0",
    "a source from a process": ". <(echo exit 0)",
    "a source from elsewhere": ". /tmp/x",
    "the EXIT trap": "trap 'rm -rf /tmp/x' EXIT",
    "the EXIT trap by number": "trap 'rm -rf /tmp/x' 0",
    "a trap that is not said": 'trap "$handler" TERM',
    "a reward": "echo 1 > /logs/verifier/reward.txt",
    "a reward, teed": "echo 1 | tee /logs/verifier/reward.txt",
    "a reward, copied": "cp /app/one /logs/verifier/reward.json",
    "a reward in a variable": 'R=/logs/verifier/reward.txt\necho 1 >"$R"',
    "a staged file": 'echo >"$TESTS/test_oil.py"',
    "a staged file, edited": 'sed -i s/assert/print/ "$TESTS/test_oil.py"',
    "a staged file, replaced": 'cp /app/x "$TESTS/test_oil.py"',
    "a staged file by its path": "cp /app/x /tests/test_oil.py",
}


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_what_a_verifier_may_say(text: str) -> None:
    assert rewired(text.encode()) == []


@pytest.mark.parametrize("text", REWIRED.values(), ids=REWIRED)
def test_what_it_may_not(text: str) -> None:
    assert [place.line for place in rewired(text.encode())] == [text.count("\n") + 1] or "R=" in text


def test_the_line_is_told() -> None:
    (place,) = rewired(b"need python3\n\nSTATUS=0\n")
    assert (place.line, place.message) == (3, "STATUS is the library's")
