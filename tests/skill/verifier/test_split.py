"""Where a source's script is cut: what goes before, which command decides, and why there may be no such command."""

from __future__ import annotations

import pytest

from skill.verifier.split import understood
from tests.support.verifiers import cut

TXT = "/logs/verifier/reward.txt"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi"
SAVED = f"[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}"

CUTS = [
    # script, statements of the body, the test command
    (f"cd /app\npytest -q\n{TAIL}", 0, "pytest -q"),
    (f"./build.sh\npytest -q\n{TAIL}", 1, "pytest -q"),
    (f"pytest a.py\npytest b.py\n{TAIL}", 1, "pytest b.py"),  # the source looks at the second alone
    (f"grep -q tide /app/log\ncp /app/a /tmp/a\npytest; rc=$?\n{SAVED}", 2, "pytest"),
    # what leads up to the test command stays with it
    (f"cd /app && pytest\n{TAIL}", 0, "cd /app && pytest"),
    (f"cd /app && python3 check.py < in.txt\n{TAIL}", 0, "cd /app && python3 check.py < in.txt"),
    (f"cat in.txt | python3 check.py\n{TAIL}", 0, "cat in.txt | python3 check.py"),
    (f"if cd /app && pytest; then echo 1 > {TXT}; fi", 0, "cd /app && pytest"),
    (f"out=$(cd /app && pytest)\n{TAIL}", 0, "cd /app && pytest"),
    # what follows it does not
    (f"pytest | tee log\nrc=${{PIPESTATUS[0]}}\n{SAVED}", 0, "pytest"),
    (f"pytest || rc=$?\nrc=${{rc:-0}}\n{SAVED}", 0, "pytest"),
    (f"python3 - <<'END'\nassert True\nEND\n{TAIL}", 0, "python3 - <<'END'\nassert True\nEND"),
    (f"case x in x) pytest ;; esac\n{TAIL}", 0, "pytest"),
    (f"( cd /app && python3 check.py ) 2>&1\n{TAIL}", 0, "( cd /app && python3 check.py ) 2>&1"),
    (f"( python3 check.py ) < in.txt\n{TAIL}", 0, "( python3 check.py ) < in.txt"),
    # functions and jobs that nothing asks for
    (f"note() ( echo hi )\nmake\nset -x &\npytest\n{TAIL}", None, ""),
    (f"note() ( echo hi )\nmake\npytest\n{TAIL}", 2, "pytest"),
    # settings of the shell are no obstacle
    (f"make -C /app\nsource /opt/venv/bin/activate\npytest\n{TAIL}", 2, "pytest"),
]


@pytest.mark.parametrize(("script", "body", "test"), CUTS)
def test_cut(script: str, body: int | None, test: str) -> None:
    tree, found = cut(script)
    if body is None:
        assert "background" in found.reason
        return
    assert found.test is not None, found.reason
    assert (tree.text(found.test), len(found.body)) == (test, body)


REFUSED = [
    # --- the tail reads what the body may have changed
    (
        f"bad=0\ncheck() {{ [ -f $1 ] || bad=1; }}\ncheck /app/a\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}",
        "value of $bad",
    ),
    (f"bad=0\ngrep -q a /app/f || ((bad++))\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"bad=0\ngrep -q a /app/f || let bad=1\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"bad=0\ngrep -c a /app/f | read bad\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"bad=0\nprintf -v bad %s $(grep -c a /app/f)\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"bad=0\nfor bad in 1 2; do :; done\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"bad=0\nif ! grep -q a /app/f; then bad=1; fi\npytest; rc=$?\n[ $bad = 0 ] && {SAVED}", "value of $bad"),
    (f"pytest a; A=$?\npytest b; B=$?\n[ $A = 0 ] && [ $B = 0 ] && echo 1 > {TXT}", "value of $A"),
    (f"N=1\nN+=$(wc -l < /app/f)\npytest; rc=$?\n[ $N = 1 ] && {SAVED}", "value of $N"),
    # --- the body may end the script, or make another of what follows
    (f"[ -f /app/out ] || exit 0\npytest\n{TAIL}", "exit before the test command"),
    (f"fail() {{ exit 1; }}\n./build.sh || fail\npytest\n{TAIL}", "exit before the test command"),
    (f"./build.sh\nsource /tests/helpers.sh\npytest\n{TAIL}", "source before the test command"),
    (f'./build.sh\neval "$(cat /app/settings)"\npytest\n{TAIL}', "eval before the test command"),
    (f"exec > /tmp/log\npytest\n{TAIL}", "exec before the test command"),
    (f"python3 /app/server.py &\nsleep 2\npytest\n{TAIL}", "a job in the background before the test command"),
    # --- a reward before the tests
    (f"./build.sh || echo 0 > {TXT}\npytest && echo 1 > {TXT}", "a reward is written before"),
    (f'R={TXT}\n./build.sh || echo 0 > "$REWARD"\npytest && echo 1 > "$R"', "a reward is written before"),
    # --- the test command cannot be taken out of its statement
    (f"{{ export MODE=fast; pytest; }}\n{TAIL}", "does something else before it"),
    (f"{{ python3 check.py; }} < in.txt\n{TAIL}", "stands in a redirected statement"),
    (f"{{ cd /app; pytest; }}\n{TAIL}", "does something else before it"),
    (f"if pytest -q; then cp a b; fi\nif [ -d x ]; then echo 1 > {TXT}; fi", "test -d"),
    (f'python3 -c \'open("/logs/verifier/reward.json", "w").write("0")\'\n{TAIL}', "knows of the reward"),
    # --- masked: no status changes the reward
    (f"pytest || true\n{TAIL}", "verdict-masked"),
    (f"pytest | tee log\n{TAIL}", "verdict-masked"),
    (f"pytest\necho ran\n{TAIL}", "verdict-masked"),
    (f"pytest\necho 1 > {TXT}", "verdict-masked"),
    (f"pytest\necho 0 > {TXT}", "verdict-masked"),
    # --- other tables
    (f"pytest\n[ $? -le 1 ] && echo 1 > {TXT} || echo 0 > {TXT}", "not 1 for status 0 and 0 for all others"),
    (f"pytest\n[ $? -eq 0 ] && echo 0.9 > {TXT} || echo 0 > {TXT}", "not 1 for status 0 and 0 for all others"),
    ("pytest", "no reward follows"),
    ("", "the script runs no test"),
    ("set -e\ncd /app\n", "the script runs no test"),
]


@pytest.mark.parametrize(("script", "reason"), REFUSED)
def test_no_command_decides_alone(script: str, reason: str) -> None:
    _, found = cut(script)
    assert found.test is None
    assert reason in found.reason


def test_a_broken_script_has_no_cut() -> None:
    script, found = understood(b"if true; then\n")
    assert (script.broken > 0, found) == (True, None)


OPTIONS = [
    ("set -e\npytest", ("set -e",)),
    ("set -euo pipefail\ncd /app\n./build\nset +e\npytest", ("set -euo pipefail", "set +e")),
    ("pytest", ()),
]


@pytest.mark.parametrize(("script", "options"), OPTIONS)
def test_options_in_force_at_the_test_command(script: str, options: tuple[str, ...]) -> None:
    _, found = cut(f"{script} && echo 1 > {TXT} || echo 0 > {TXT}\nset -u")
    assert found.test is not None, found.reason
    assert found.options == options
