"""Who writes the reward, and whether it can be anything but 0 and 1."""

from __future__ import annotations

import pytest

from skill.verifier.base import Asset
from skill.verifier.rewards import constant, rewards
from tests.support.verifiers import parsed

TXT, JSON = "/logs/verifier/reward.txt", "/logs/verifier/reward.json"

OPEN_SHELL = [
    f'echo "$(python3 /tests/score.py)" > {TXT}',
    f"SCORE=$(cat /tmp/score)\necho $SCORE > {TXT}",
    f"SCORE=1\nSCORE=$(cat /tmp/score)\necho $SCORE > {TXT}",
    f"python3 /tests/score.py > {TXT}",
    f"cp /tmp/score {TXT}",
    f"python3 /tests/score.py --out {TXT}",
    f"echo 0.5 > {TXT}",
    f"echo -1 > {TXT}",
    f"echo 1 > {TXT}\necho $((PASSED * 100 / TOTAL)) > {TXT}",
    f'echo \'{{"a": 1, "b": 1}}\' > {JSON}',
    f"echo '{{\"reward\": 0.5}}' > {JSON}",
    f'printf \'{{"reward": %s}}\' "$SCORE" > {JSON}',
    f"bc <<< '1 / 3' > {TXT}",
    f"python3 - <<'END'\nopen('{TXT}', 'w').write(str(passed / total))\nEND",
    "uvx --from harbor-rewardkit rewardkit /tests",
    "rewardkit /tests --workspace /app",
]


@pytest.mark.parametrize("script", OPEN_SHELL)
def test_a_shell_script_may_write_something_else(script: str) -> None:
    found = rewards(parsed(script), ())
    assert found.writers == ("test.sh",)
    assert found.open


BINARY_SHELL = [
    f"echo 1 > {TXT}",
    f"echo 1.0 > {TXT}",
    f"printf '1\\n' > {TXT}",
    f"printf '%s\\n' 0 > {TXT}",
    f"if pytest; then R=1; else R=0; fi\necho $R > {TXT}",
    f'R=0\npytest && R=1\necho "${{R}}" > {TXT}',
    f"echo '{{\"reward\": 1}}' > {JSON}",
    f"python3 - <<'END'\nopen('{TXT}', 'w').write('1' if ok else '0')\nEND",
    'REWARD_FILE=/logs/verifier/reward.txt\necho 0 > "$REWARD_FILE"',
]


@pytest.mark.parametrize("script", BINARY_SHELL)
def test_a_shell_script_writes_0_or_1(script: str) -> None:
    assert rewards(parsed(script), ()).open == ""


OPEN_PYTHON = [
    "Path('{}').write_text(str(passed / total))",
    "score = sum(results) / 4\nPath('{}').write_text(str(score))",
    "score = 1\nscore *= 0.5\nPath('{}').write_text(str(score))",
    "score = 0\nfor part in parts:\n    score += 1\nPath('{}').write_text(str(score))",
    "Path('{}').write_text(f'{{score:.2f}}')",
    "Path('{}').write_text(f'1{{int(ok)}}')",
    "with open('{}', 'w') as out:\n    json.dump({{'reward': 1, 'extra': 1}}, out)",
    "with open('{}', 'w') as out:\n    json.dump(load(), out)",
    "def save(value):\n    Path('{}').write_text(str(value))\nsave(1)\nsave(grade())",
    "for value in (0, 1):\n    Path('{}').write_text(str(value))",
    "shutil.copy(report, '{}')",
    "a, b = grade()\nPath('{}').write_text(str(a))",
    "print(score, file=open('{}', 'w'))",
    "Path('{}').write_text(str(int(score * 2)))",
]


@pytest.mark.parametrize("source", OPEN_PYTHON)
@pytest.mark.parametrize("place", [TXT, JSON])
def test_a_python_program_may_write_something_else(source: str, place: str) -> None:
    grader = Asset("grade.py", source.format(place).encode(), 0o644)
    found = rewards(parsed("python3 /tests/grade.py"), (grader,))
    assert found.writers == ("grade.py",)
    assert "grade.py may write a reward other than 0 or 1" in found.open


BINARY_PYTHON = [
    "Path('{}').write_text('1')",
    "Path('{}').write_text('1' if ok else '0')",
    "Path('{}').write_text(str(int(bool(ok) and all(checks))))",
    "reward = 0\nif ok:\n    reward = 1\nPath('{}').write_text(f'{{reward}}\\n')",
    "REWARD = Path('{}')\nREWARD.write_text('0')",
    "with open('{}', 'w') as out:\n    out.write(str(1.0 if ok else 0.0))",
    "with open('{}', 'w') as out:\n    json.dump({{'reward': 1 if ok else 0}}, out)",
    "Path('{}').write_text(json.dumps({{'reward': float(not failed)}}))",
    "def save(value):\n    Path('{}').write_text(str(value))\nsave(1)\nsave(0)",
    "def grade():\n    if bad:\n        return 0\n    return 1\nPath('{}').write_text(str(grade()))",
    "print(int(a == b), file=open('{}', 'w'))",
    "ok = True\nok &= check()\nok = ok == True\nPath('{}').write_text(str(int(a < b)))",
]


@pytest.mark.parametrize("source", BINARY_PYTHON)
def test_a_python_program_writes_0_or_1(source: str) -> None:
    grader = Asset("grade.py", source.format(TXT).encode(), 0o644)
    assert rewards(parsed("python3 /tests/grade.py"), (grader,)).open == ""


WRITERS = [
    ("pytest", {}, ()),
    ("pytest", {"notes.md": f"writes {TXT}"}, ()),
    (f"pytest  # {TXT} is written by nobody", {}, ()),
    ("pytest /tests/rewardkit", {}, ()),
    ("pytest", {"other.txt": "reward of the king"}, ()),
    ("pytest", {"grade.sh": f"echo 1 > {TXT}"}, ("grade.sh",)),
    (f"echo 1 > {TXT}", {"grade.py": f"Path('{JSON}').write_text('1')"}, ("test.sh", "grade.py")),
]


@pytest.mark.parametrize(("script", "assets", "writers"), WRITERS)
def test_writers(script: str, assets: dict[str, str], writers: tuple[str, ...]) -> None:
    files = tuple(Asset(path, text.encode(), 0o644) for path, text in assets.items())
    assert rewards(parsed(script), files).writers == writers


def test_a_writer_that_is_no_script_is_not_understood() -> None:
    found = rewards(parsed("node /tests/grade.js"), (Asset("grade.js", TXT.encode(), 0o644),))
    assert "not understood" in found.open


CONSTANT = [
    (f"test -f /app/x && echo 1 > {TXT}", 0),
    (f"if test -f /app/x; then echo 1 > {TXT}; fi", 0),
    (f"set -e\ntest -f /app/x\necho 1 > {TXT}", 0),
    (f"test -f /app/x || exit 1\necho 1 > {TXT}", 0),
    (f"echo 0 > {TXT}\npytest && echo 1 > {TXT}", 0),
    (f"echo 1 > {TXT}\npytest || echo 0 > {TXT}", 0),
    (f"echo $SCORE > {TXT}", 0),
    (f"echo 1 > {TXT}", 1),
    (f"set -u\npytest\necho 1 > {TXT}", 3),
    (f"if pytest; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\necho 0 > {TXT}", 2),
]


@pytest.mark.parametrize(("script", "line"), CONSTANT)
def test_a_last_word_that_depends_on_nothing_is_seen(script: str, line: int) -> None:
    assert constant(parsed(script)) == line
