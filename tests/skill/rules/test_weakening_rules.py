"""A verifier written in a session against its source: near misses first, then the hit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from skill.ledger import digest
from skill.rules import check_fidelity
from skill.skeleton import framed
from tests.support.conversions import NAME, Conversion, convert
from tests.support.suites import put, remove
from tests.support.verifiers import PLAIN

TESTS = f"cases/{NAME}/tests"
SOUND = (
    '#!/bin/bash\n. "$TESTS/.verdict/lib.sh" || exit 2\n'
    'candidate python3 -m pytest "$TESTS/test_tide.py"\njudge_status\n'
)
FRAMED = framed(PLAIN, b"  judge_status\n", "0" * 64).decode()
TEST = """\
import pytest

@pytest.fixture
def tide():
    return open("/app/table").read()

@pytest.mark.parametrize("n", [1, 2])
def test_tide(n, tide):
    assert str(n) in tide

def helper():
    return 3
"""
SOURCE = {
    "tests/test.sh": "#!/bin/bash\npytest /tests/test_tide.py\n"
    "if [ $? -eq 0 ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt\n",
    "tests/check.py": None,
    "tests/test_tide.py": TEST,
    "tests/wanted.txt": "1 2\n",
}

CASES: list[tuple[str, dict[str, str | None], list[tuple[str, int]]]] = [
    ("SC820", {"judge.py": "pass\n"}, []),
    ("SC820", {"wanted.txt": None}, [("wanted.txt", 0)]),
    ("SC821", {"test_tide.py": TEST.replace("[1, 2]", "[1,2]")}, []),
    ("SC821", {"test_tide.py": TEST.replace("def test_tide", "def tide_test")}, [("test_tide.py", 0)]),
    ("SC822", {"test_tide.py": TEST.replace("    assert", "    # so\n    assert")}, []),
    ("SC822", {"test_tide.py": TEST.replace("assert str(n) in tide", "str(n) in tide")}, [("test_tide.py", 8)]),
    ("SC823", {"test_tide.py": TEST.replace("[1, 2]", "[1, 2, ]")}, []),
    ("SC823", {"test_tide.py": TEST.replace("[1, 2]", "[1]")}, [("test_tide.py", 8)]),
    ("SC824", {"test_tide.py": TEST.replace('"/app/table"', "'/app/table'")}, []),
    ("SC824", {"test_tide.py": TEST.replace("return 3", "return 4")}, [("test_tide.py", 12)]),
    ("SC825", {"test_tide.py": TEST.replace("def tide():", "def tide( ):")}, []),
    ("SC825", {"test_tide.py": TEST.replace('"/app/table"', '"/app/tables"')}, [("test_tide.py", 4)]),
    ("SC826", {"test_tide.py": TEST + "\n\n# the end\n"}, []),
    ("SC826", {"test_tide.py": TEST + "\nprint()\n"}, [("test_tide.py", 14)]),
    ("SC827", {"notes.txt": "1\n"}, []),
    ("SC827", {"wanted.txt": "1 2 \n"}, [("wanted.txt", 0)]),
    ("SC828", {"judge/helper.py": "pass\n"}, []),
    ("SC828", {"conftest.py": "collect_ignore = ['test_tide.py']\n"}, [("conftest.py", 0)]),
    ("SC829", {"test.sh": SOUND.replace("python3 -m pytest", "timeout 9 pytest")}, []),
    ("SC829", {"test.sh": SOUND.replace("test_tide.py", "test_moon.py")}, [("test.sh", 0)]),
    ("SC830", {"test.sh": SOUND.replace("pytest ", "pytest -q ")}, []),
    ("SC830", {"test.sh": SOUND.replace("pytest ", "pytest -k moon ")}, [("test.sh", 0)]),
    ("SC831", {"test.sh": SOUND.replace("candidate", "need python3\ncandidate")}, []),
    ("SC831", {"test.sh": SOUND.replace("judge_status", "pass done")}, [("test.sh", 4)]),
    ("SC832", {"test.sh": FRAMED}, []),
    ("SC832", {"test.sh": FRAMED.replace("exit 2\n", "exit 1\n")}, [("test.sh", 0)]),
    ("SC832", {"test.sh": SOUND}, [("test.sh", 0)]),
    ("SC833", {"test.sh": FRAMED.replace("  judge", "  code=$STATUS\n  judge")}, []),
    ("SC833", {"test.sh": FRAMED.replace("  judge", "  STATUS=0\n  judge")}, [("test.sh", FRAMED.count("\n") - 3)]),
]


def rewritten(made: Conversion, files: Mapping[str, str | None]) -> None:
    """The case as a session leaves it: ``files`` of tests/ written, their rows saying so."""
    for name, text in {"test.sh": SOUND, **files}.items():
        path = f"tests/{name}"
        made.rows = [row for row in made.rows if row["path"] != path]
        if text is None:
            remove(f"{TESTS}/{name}")(made.suite)
            continue
        put(f"{TESTS}/{name}", text, 0o755 if name.endswith(".sh") else 0o644)(made.suite)
        row = {"case": NAME, "path": path, "action": "generated", "sha256": digest(text.encode()), "mode": 0o644}
        made.rows.append({**row, "by": "session 0c1f2a turn 3"})


def found(made: Conversion, code: str) -> list[tuple[str, int]]:
    findings = check_fidelity(made.suite, made.rows, made.source)
    return [(one.path.removeprefix(TESTS + "/"), one.line) for one in findings if one.code == code]


@pytest.mark.parametrize(
    ("code", "files", "wanted"), CASES, ids=[f"{code}-{n}" for n, (code, _, _) in enumerate(CASES)]
)
def test_what_a_session_lost_of_the_source_s_tests(
    code: str, files: dict[str, str | None], wanted: list[tuple[str, int]], tmp_path: Path
) -> None:
    made = convert(tmp_path, SOURCE)
    rewritten(made, files)
    assert found(made, code) == wanted


def test_what_was_written_by_rule_is_not_looked_into(tmp_path: Path) -> None:
    made = convert(tmp_path, SOURCE)
    put(f"{TESTS}/test.sh", "#!/bin/bash\nexit 0\n", 0o755)(made.suite)
    assert found(made, "SC831") == []
