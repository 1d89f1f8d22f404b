"""What a tail makes of the test command's status: the reward for each, or the reason why that cannot be told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from skill import bash
from skill.verifier.status import Meaning, meanings
from tests.support.verifiers import parsed

TXT = "/logs/verifier/reward.txt"
PASS_OR_FAIL = "1 for 0, else 0"
PASS_OR_NONE = "1 for 0, else none"


def meaning(script: str) -> Meaning:
    """The meaning of a script whose test command comes first."""
    tree = parsed(script)
    return next(meanings(tree, bash.statements(tree.root), 0))


def described(found: Meaning) -> str:
    """A table of rewards in words."""
    if found.unknown:
        return found.unknown
    others = {value for status, value in found.rewards.items() if status}
    if len(others) > 1:
        return f"1 for {sorted(status for status, value in found.rewards.items() if value == 1)}, else something else"
    (other,) = others
    first = found.rewards[0]
    return f"{'none' if first is None else f'{first:g}'} for 0, else {'none' if other is None else f'{other:g}'}"


TAILS = [
    # --- the status asked for at once
    (f"pytest\nif [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (f"pytest\nif [ $? -ne 0 ]; then echo 0 > {TXT}; else echo 1 > {TXT}; fi", PASS_OR_FAIL),
    (f"pytest\nif [[ $? == 0 ]]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (f"pytest\ntest $? -eq 0 && echo 1 > {TXT} || echo 0 > {TXT}", PASS_OR_FAIL),
    (f"pytest\ncase $? in 0) echo 1 > {TXT} ;; *) echo 0 > {TXT} ;; esac", PASS_OR_FAIL),
    # --- through a variable
    (f"pytest\nrc=$?\n[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}", PASS_OR_FAIL),
    (f'pytest\nrc="$?"\nif [ "$rc" = "0" ]; then r=1; else r=0; fi\necho "$r" > {TXT}', PASS_OR_FAIL),
    (f"rc=0\npytest || rc=$?\nif [ $rc -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (f"r=1\npytest || r=0\nprintf '%s\\n' \"$r\" > {TXT}", PASS_OR_FAIL),
    (f'pytest && r=1 || r=0\nprintf "{{\\"reward\\": $r}}" > {TXT.replace("txt", "json")}', PASS_OR_FAIL),
    (f"set +e\npytest\nrc=$?\nset -e\necho done\nif [ $rc -eq 0 ]; then echo 1 > {TXT}; fi", PASS_OR_NONE),
    # --- the test command as a condition
    (f"if pytest; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (f"if ! pytest; then echo 0 > {TXT}; else echo 1 > {TXT}; fi", PASS_OR_FAIL),
    (f"if pytest; then :; elif true; then echo 0 > {TXT}; exit; fi\necho 1 > {TXT}", PASS_OR_FAIL),
    (f"if out=$(pytest 2>&1); then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (f"pytest && echo 1 > {TXT} || echo 0 > {TXT}", PASS_OR_FAIL),
    (f"echo 0 > {TXT}\npytest && echo 1 > {TXT}", PASS_OR_FAIL),
    (f"if pytest >log 2>&1; then echo 1; else echo 0; fi > {TXT}", PASS_OR_FAIL),
    (f"{{ pytest >log 2>&1 && echo 1 || echo 0; }} > {TXT}", PASS_OR_FAIL),
    (f"( cd /app && pytest )\nif [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    # --- errexit
    (f"set -e\npytest\necho 1 > {TXT}", PASS_OR_NONE),
    (f"#!/bin/bash -e\npytest\necho 1 > {TXT}", PASS_OR_NONE),
    (f"set -euo pipefail\npytest | tee log\necho 1 > {TXT}", PASS_OR_NONE),
    (
        f"set -e\npytest && echo fine > log\necho 1 > {TXT}",
        "1 for 0, else 1",
    ),  # errexit looks away from a list's first half
    (f"set -e\nrun() {{ pytest; echo ran; }}\nif run; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for 0, else 1"),
    (f"set -e\n{{ echo 1; pytest >log; }} > {TXT}", "1 for 0, else 1"),
    # --- pipelines
    (f"pytest | tee log\nrc=$?\n[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}", "1 for 0, else 1"),
    (f"pytest | tee log\nif [ ${{PIPESTATUS[0]}} -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", PASS_OR_FAIL),
    (
        f"pytest | tee log\necho ran\n[ ${{PIPESTATUS[0]}} -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}",
        "1 for 0, else 1",
    ),
    (f"set -o pipefail\npytest | tee log\nrc=$?\n[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}", PASS_OR_FAIL),
    # --- functions
    (f"yes() {{ echo 1 > {TXT}; exit 0; }}\nno() {{ echo 0 > {TXT}; exit 1; }}\npytest && yes || no", PASS_OR_FAIL),
    (f'give() {{ echo "$1" > {TXT}; }}\nif pytest; then give 1; else give 0; fi', PASS_OR_FAIL),
    (f'r=1\nf() {{ local r=0; }}\npytest || r=0\nf\necho "$r" > {TXT}', PASS_OR_FAIL),
    (f"bad() {{ return 1; }}\npytest || bad && echo 1 > {TXT} || echo 0 > {TXT}", PASS_OR_FAIL),
    (f"echo() {{ printf 0; }}\npytest && echo 1 > {TXT} || printf 1 > {TXT}", "0 for 0, else 1"),
    # --- masked
    (f"pytest || true\nif [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for 0, else 1"),
    (f"pytest\necho ran\nif [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for 0, else 1"),
    (f"pytest\nrc=$?\nrc=0\nif [ $rc -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for 0, else 1"),
    # --- more than 0 and 1
    (f"pytest\nif [ $? -le 1 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for [0, 1], else something else"),
    (f"pytest\nif [ $? -eq 77 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "1 for [77], else something else"),
    (
        f"pytest\nrc=$?\nif [ $rc -ge 200 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi",
        "1 for [200, 201, 255], else something else",
    ),
    (f"pytest && echo 0.5 > {TXT} || echo 0 > {TXT}", "0.5 for 0, else 0"),
    (f"pytest && echo pass > {TXT} || echo 0 > {TXT}", "-1 for 0, else 0"),
    (f"echo 0 > {TXT}\npytest && echo 1 >> {TXT}", "-1 for 0, else 0"),  # "0\n1" is no number
    # --- json stands above txt, as Harbor reads them
    (
        f"echo '{{\"reward\": 0}}' > {TXT.replace('txt', 'json')}\npytest && echo 1 > {TXT} || echo 0 > {TXT}",
        "0 for 0, else 0",
    ),
    (f'pytest && echo \'{{"a": 1, "b": 1}}\' > {TXT.replace("txt", "json")}', "-1 for 0, else none"),
    (f'pytest && r=1 || r=0\ncat > {TXT.replace("txt", "json")} <<END\n{{"reward": $r}}\nEND', PASS_OR_FAIL),
    (f'pytest && r=1 || r=0\ncat <<END > {TXT.replace("txt", "json")}\n{{"reward": $r}}\nEND', PASS_OR_FAIL),
    (f"pytest && r=1 || r=0\ncat > {TXT} <<'END'\n$r\nEND", "-1 for 0, else -1"),
]


@pytest.mark.parametrize(("script", "expected"), TAILS)
def test_a_tail_means(script: str, expected: str) -> None:
    assert described(meaning(script)) == expected


IF = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi"
R = f"[ $rc -eq 0 ] && echo 1 > {TXT} || echo 0 > {TXT}"
UNKNOWN = [
    # --- two commands whose outcome only running tells
    (f"pytest a && pytest b && echo 1 > {TXT} || echo 0 > {TXT}", "a second command"),
    (f"pytest a\nA=$?\npytest b\nB=$?\n[ $A = 0 ] && [ $B = 0 ] && echo 1 > {TXT}", "a second command"),
    (
        f"run() {{ pytest $1; }}\nrun a; A=$?\nrun b; B=$?\n[ $A = 0 ] && [ $B = 1 ] && echo 1 > {TXT}",
        "a second command",
    ),
    (f"pytest | grep passed\n{IF}", "a second command"),
    # --- the world
    (f"pytest\nrc=$?\nif [ $rc -eq 0 ] && [ -f /app/out ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi", "test -f"),
    (f'pytest\nif [ "${{X:-0}}" = 0 ]; then echo 1 > {TXT}; fi', "value of ${X:-0}"),
    (f'pytest\nif [ "$X" = 0 ]; then echo 1 > {TXT}; fi', "value of $X"),
    (f"pytest\nrc=$?\nSECONDS=0\n[ $rc = 0 ] && [ $SECONDS -lt 9 ] && echo 1 > {TXT}", "value of $SECONDS"),
    (f'score=$(python3 /tests/score.py)\necho "$score" > {TXT}', "value of $score"),
    (f"python3 /tests/score.py > {TXT}", "a reward is what a command prints"),
    (f"if pytest; then echo 1; else echo 0; fi > {TXT}", "a reward is what a command prints"),
    (f"python3 /tests/score.py && cat /tmp/score > {TXT}", "a reward is what cat prints"),
    # --- patterns and arithmetic
    (f"pytest\ncase $? in [1-9]*) echo 0 > {TXT} ;; *) echo 1 > {TXT} ;; esac", "pattern"),
    (f"pytest\nrc=$?\n[[ $rc == 0* ]] && echo 1 > {TXT}", "a pattern"),
    (f"pytest\nrc=$?\nif (( rc == 0 )); then echo 1 > {TXT}; fi", "arithmetic command"),
    (f"pytest\nrc=$?\necho $((1 - rc)) > {TXT}", "arithmetic_expansion"),
    (f"pytest\nr=$((1 - $?))\necho $r > {TXT}", "assignment of a computed value"),
    # --- control flow
    (f"for i in 1 2 3; do pytest && break; done\n{IF}", "for_statement"),
    (f"until pytest; do sleep 1; done\necho 1 > {TXT}", "while_statement"),
    (f"pytest &\n{IF}", "a job in the background"),
    (f"exec pytest\n{IF}", "exec acts on the shell itself"),
    (f"eval pytest\n{IF}", "eval acts on the shell itself"),
    (f"source /tests/run.sh\n{IF}", "source acts on the shell itself"),
    (f". /tests/run.sh\n{IF}", ". acts on the shell itself"),
    (f"trap 'echo 0 > {TXT}' EXIT\npytest && echo 1 > {TXT}", "trap acts on the shell itself"),
    (f"read rc < /tmp/rc\n{R}", "read acts on the shell itself"),
    (f"pytest\nreturn $?\necho 1 > {TXT}", "return outside of a function"),
    (f"pytest\nexit $((1))\necho 1 > {TXT}", "arithmetic_expansion"),
    (f"pytest\nexit now\necho 1 > {TXT}", "exit now"),
    (f"run() ( pytest )\nrun\n{IF}", "runs in a shell of its own"),
    (f"again() {{ again; }}\nagain\n{IF}", "calls itself"),
    (f"main() {{ pytest || exit 1; echo 1 > {TXT}; }}\nmain | tee log", "a subshell that is more than a command"),
    (f"python3 - <<'END' | tee log\nprint(1)\nEND\n{IF}", "a command that goes on after a here-document's mark"),
    (f"rc=0\npython3 - <<'END' || rc=$?\nprint(1)\nEND\n{R}", "a command that goes on after a here-document's mark"),
    # --- places of the reward
    ("pytest && echo 1 > /tmp/reward.txt", "a reward at /tmp/reward.txt"),
    ("pytest && echo 1 > reward.txt", "a reward at reward.txt"),
    (f"pytest && echo 1 | tee {TXT}", "tee on the place of the reward"),
    (f"echo 1 > /tmp/r\npytest && mv /tmp/r {TXT}", "mv on the place of the reward"),
    (f"pytest && echo 1 2> {TXT}", "a reward among other redirections"),
    (f"pytest && echo 1 &> {TXT}", "a reward among other redirections"),
    ("pytest", "no reward follows"),
    (f"echo 1 > {TXT}", "no reward follows"),
]


@pytest.mark.parametrize(("script", "reason"), UNKNOWN)
def test_nothing_is_said_about(script: str, reason: str) -> None:
    found = meaning(script)
    assert reason in found.unknown, (found.unknown, found.rewards)


NOT_THE_SHELLS_OWN = [
    ("/app/cat in.txt", "/app/cat in.txt"),
    ("./echo", "./echo"),
    ("env MODE=fast pytest", "env MODE=fast pytest"),
    ("/usr/bin/env MODE=fast pytest", "/usr/bin/env MODE=fast pytest"),
    ("time pytest", "time pytest"),
    ('"$PYTHON" -m pytest', '"$PYTHON" -m pytest'),
    ("echo start\ncd /app\npytest -q >log 2>&1", "pytest -q >log 2>&1"),
    ("timeout 60 python3 check.py < in.txt", "timeout 60 python3 check.py < in.txt"),
]


@pytest.mark.parametrize(("command", "test"), NOT_THE_SHELLS_OWN)
def test_the_test_command_is(command: str, test: str) -> None:
    script = f"{command}\n{IF}"
    found = meaning(script)
    assert found.test is not None, found.unknown
    assert parsed(script).text(found.test) == test


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, int], float | None]:
    """Run a script for real, its test command ending with a chosen status, and read the reward as Harbor does."""
    (tmp_path / "bin").mkdir()
    for name in ("pytest", "timeout"):
        (tmp_path / "bin" / name).write_text(f"#!{shutil.which('bash')}\nexit $STATUS\n")
        (tmp_path / "bin" / name).chmod(0o755)

    def running(script: str, status: int) -> float | None:
        for old in tmp_path.glob("reward.*"):
            old.unlink()
        text = script.replace("/logs/verifier", str(tmp_path)).replace("cd /app", "true")
        environment = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "STATUS": str(status)}
        flags = ["-e"] if script.startswith("#!/bin/bash -e") else []
        subprocess.run(
            [shutil.which("bash") or "bash", *flags, "-c", text], cwd=tmp_path, env=environment, capture_output=True
        )
        for place in (tmp_path / "reward.json", tmp_path / "reward.txt"):
            if place.exists():
                return number(place)
        return None

    return running


def number(place: Path) -> float:
    """One number, -1 for anything else."""
    try:
        table = json.loads(place.read_text())
    except ValueError:
        return -1
    values = list(table.values()) if isinstance(table, dict) else [table]
    return float(values[0]) if len(values) == 1 and isinstance(values[0], int | float) else -1


@pytest.mark.parametrize("script", [script for script, _ in TAILS])
def test_bash_agrees(script: str, run: Callable[[str, int], float | None]) -> None:
    rewards = meaning(script).rewards
    for status in (0, 1, 77, 127):
        if status in rewards:
            assert run(script, status) == rewards[status], f"status {status}"
