"""Hardening patterns: where each one applies, near misses first, and that it costs an honest candidate nothing."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skill.verifier.base import Rewrite
from skill.verifier.named_tests import names, node_names
from skill.verifier.rewrite import rewrite
from skill.verifier.template import library
from tests.support.box import Box, Verdict, why_no_box
from tests.support.verifiers import verifier

TXT = "/logs/verifier/reward.txt"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"
IMPORT = "import sys\nsys.path.insert(0, '/app')\n"
TESTS = (
    f"{IMPORT}\ndef test_file():\n    assert True\n\n"
    "def test_total():\n    from answer import total\n    assert total([2, 3]) == 5\n"
)
PYTEST = f"pytest -p no:cacheprovider /tests/test_total.py\n{TAIL}"
WRAPPED = (
    "pytest /tests/test_total.py > /tmp/said\n"
    f"grep -q passed /tmp/said && ! grep -q failed /tmp/said && echo 1 > {TXT} || echo 0 > {TXT}\n"
)
UNITTEST = f"cd /tests\npython3 -m unittest test_case\n{TAIL}"
CASE = (
    f"{IMPORT}import unittest\nfrom answer import total\n\nclass TestTotal(unittest.TestCase):\n"
    "    def test_sum(self):\n        self.assertEqual(total([2, 3]), 5)\n"
)
SCRIPT = f"python3 /tests/check.py\n{TAIL}"
NODE = f"node /tests/check.js\n{TAIL}"
NODE_TEST = f"node --test /tests/total.test.js\n{TAIL}"
GIT = f"cd /app\ngit diff --quiet\n{TAIL}"
PIP = f"pip install tides\n{SCRIPT}"
CURL = f"curl -sf localhost/x -o /tmp/x\npython3 /tests/check.py\n{TAIL}"
COPIES = f"cp /tests/helper.py /app/helper.py\n{SCRIPT}"
T = {"test_total.py": TESTS}
JS = {"total.test.js": "const test = require('node:test');\ntest('adds up', () => {});\n"}

APPLIES: list[tuple[str, str, dict[str, str], dict[str, Any], bool]] = [
    # pattern, script, files beside it, what else is known, whether it applies
    ("named-tests", PYTEST.replace("pytest ", "pytest -k total "), T, {}, False),
    ("named-tests", PYTEST.replace(".py", ".py::test_total"), T, {}, False),
    ("named-tests", PYTEST, T | {"conftest.py": "def pytest_collection_modifyitems(items): pass\n"}, {}, False),
    ("named-tests", PYTEST, T | {"pytest.ini": "[pytest]\naddopts = -k total\n"}, {}, False),
    ("named-tests", PYTEST, T, {"without": frozenset(("guarded",))}, False),
    ("named-tests", f"cd /app\npytest\n{TAIL}", T, {}, False),
    ("named-tests", PYTEST, {"test_total.py": "def test_x(): pass\ntest_x = None\n"}, {}, False),
    ("named-tests", f"if [ -f /app/x ]; then {WRAPPED}fi\n", T, {}, False),
    ("named-tests", WRAPPED, T, {}, True),
    ("named-tests", PYTEST, T, {}, True),
    ("named-tests", f"cd /app && {PYTEST}", T, {}, True),
    ("sealed", f"chmod +x /tests/check.py\n{SCRIPT}", {}, {}, False),
    ("sealed", SCRIPT, {"check.py": "import os\nos.chmod('/app/run', 0o755)\n"}, {}, False),
    ("sealed", f"sed -i s/a/b/ /tests/check.py\n{SCRIPT}", {}, {}, False),
    ("sealed", SCRIPT, {}, {}, True),
    ("fresh-bytecode", SCRIPT, {"helper.py": ""}, {}, False),
    ("fresh-bytecode", COPIES, {}, {"prompt": "Remove every __pycache__.\n"}, False),
    ("fresh-bytecode", COPIES.replace("helper.py /", "helper.txt /"), {}, {}, False),
    ("fresh-bytecode", COPIES, {}, {}, True),
    ("own-git-settings", SCRIPT, {}, {}, False),
    ("own-git-settings", GIT, {}, {"prompt": "Set core.hooksPath for everybody.\n"}, False),
    ("own-git-settings", GIT, {}, {"around": "RUN git config --global alias.st status\n"}, False),
    ("own-git-settings", GIT, {}, {"around": "RUN git config --global user.name Tide\n"}, True),
    ("own-git-settings", SCRIPT, {"check.py": "subprocess.run(['git', 'log'])\n"}, {}, True),
    ("own-git-settings", GIT, {}, {}, True),
    ("own-installer-settings", SCRIPT, {}, {}, False),
    ("own-installer-settings", PIP, {}, {"around": "RUN pip config set global.index-url http://mirror\n"}, False),
    ("own-installer-settings", PIP, {}, {"image_env": {"PIP_INDEX_URL": "http://mirror"}}, False),
    ("own-installer-settings", f"uv run pytest /tests/test_total.py\n{TAIL}", T, {}, False),
    ("own-installer-settings", PIP, {}, {}, True),
    ("own-download-settings", CURL, {}, {"image_env": {"HTTPS_PROXY": "http://proxy"}}, False),
    ("own-download-settings", CURL, {}, {}, True),
    ("completed", f"node --inspect /tests/check.js\n{TAIL}", {}, {}, False),
    ("completed", NODE, {"check.js": "const { Worker } = require('worker_threads');\n"}, {}, False),
    ("completed", f"python3 -m pydoc test_case\n{TAIL}", {}, {}, False),
    ("completed", NODE, {}, {}, True),
    ("completed", UNITTEST, {}, {}, True),
    ("completed", SCRIPT, {}, {}, True),
    ("named-node-tests", NODE_TEST.replace("--test ", "--test --test-reporter=dot "), JS, {}, False),
    ("named-node-tests", NODE_TEST, {"total.test.js": "test.skip('adds up', () => {});\n"}, {}, False),
    (
        "named-node-tests",
        NODE_TEST,
        {"total.test.js": "for (const n of [1]) test(`adds ${n}`, () => {});\n"},
        {},
        False,
    ),
    ("named-node-tests", NODE_TEST, JS, {}, True),
    ("reported", f"npx jest --json /tests/a.test.js\n{TAIL}", {}, {}, False),
    ("reported", f"npx vitest /tests/a.test.js\n{TAIL}", {}, {}, False),
    ("reported", f"npx jest --passWithNoTests\n{TAIL}", {}, {}, False),
    ("reported", f"npx --yes jest /tests/a.test.js\n{TAIL}", {}, {}, True),
    ("reported", f"npx vitest run /tests/a.test.js\n{TAIL}", {}, {}, True),
    ("npm-shell", f"npm test\n{TAIL}", {}, {"around": "COPY .npmrc /app/\n"}, False),
    ("npm-shell", f"npm test\n{TAIL}", {}, {}, True),
]


@pytest.mark.parametrize(("name", "script", "assets", "known", "applies"), APPLIES)
def test_where_a_pattern_applies(
    name: str, script: str, assets: dict[str, str], known: dict[str, Any], applies: bool
) -> None:
    made = rewrite(verifier(script, assets, **known))
    assert isinstance(made, Rewrite), made
    assert (name in made.patterns) == applies


def test_a_pattern_that_was_taken_back_leaves_no_trace() -> None:
    made = rewrite(verifier(NODE, without=frozenset(("completed",))))
    assert isinstance(made, Rewrite)
    assert b"completion" not in made.files["source-test.sh"] and b"completed" not in made.files["test.sh"]


NAMED = [
    ("def test_a(:\n", ()),
    ("def helper(): pass\n", ()),
    ("@given(x)\ndef test_a(x): pass\n", ()),
    ("@pytest.mark.parametrize('x', rows())\ndef test_a(x): pass\n", ()),
    ("async def test_a(): pass\n", ()),
    ("if slow:\n    def test_a(): pass\n", ()),
    ("def test_a(): pass\ndel test_a\n", ()),
    ("class TestA(Base):\n    def test_a(self): pass\n", ()),
    ("class TestA:\n    def __init__(self): pass\n    def test_a(self): pass\n", ()),
    ("__test__ = False\ndef test_a(): pass\n", ()),
    ("def test_a(): pass\n", ("test_a",)),
    ("@pytest.mark.slow\ndef test_a(): pass\n", ("test_a",)),
    ("class TestA:\n    def test_a(self): pass\n", ("TestA::test_a",)),
    ("class Tides(unittest.TestCase):\n    def test_a(self): pass\n", ("Tides::test_a",)),
    ("def test_a(): pass\n@pytest.mark.skipif(x)\ndef test_b(): pass\n", ("?test_a",)),
]


@pytest.mark.parametrize(("source", "expected"), NAMED)
def test_names_that_a_file_defines(source: str, expected: tuple[str, ...]) -> None:
    assert names(source.encode()) == expected


NODE_NAMED = [
    ("test(`a ${x}`, () => {});\n", ()),
    ("if (x) {\n  test('a', () => {});\n}\n", ()),
    ("test('a', { skip: true }, () => {});\n", ()),
    ("/* test('a', () => {}); */\n", ()),
    ("test('a', () => {});\nit(\"b c\", async () => {});\n", ("a", "b c")),
    (
        "describe('x', () => {\n  it('a', () => {\n    test('no', () => {});\n  });\n  it('b', () => {});\n});\n",
        ("a", "b"),
    ),
]


@pytest.mark.parametrize(("source", "expected"), NODE_NAMED)
def test_names_for_the_runner_of_node(source: str, expected: tuple[str, ...]) -> None:
    assert node_names(source.encode()) == expected


@pytest.fixture
def box(tmp_path: Path) -> Box:
    if reason := why_no_box():
        pytest.skip(f"no root folder of its own: {reason}")
    return Box(tmp_path / "root")


RIGHT, WRONG = "def total(numbers):\n    return sum(numbers)\n", "def total(numbers):\n    return 0\n"
LATE = "import atexit, os\natexit.register(os._exit, 0)\n"
CHECK = {"check.py": f"{IMPORT}from answer import total\nsys.exit(0 if total([2, 3]) == 5 else 1)\n"}
RESTORES = (
    "import os\nwas = open('/tests/second.py').read()\n"
    "open('/tests/second.py', 'w').write('was = %r\\nopen(\"/tests/second.py\", \"w\").write(was)\\n' % was)\n" + WRONG
)
TWO = {
    "first.py": f"{IMPORT}import answer\n",
    "second.py": f"{IMPORT}from answer import total\nassert total([2, 3]) == 5\n",
}
TWICE = f"python3 /tests/first.py\npython3 /tests/second.py\n{TAIL}"
STOPS = "import pytest\n\ndef total(numbers):\n    pytest.exit('enough', returncode=0)\n"
SKIPS = "import unittest\n\ndef total(numbers):\n    raise unittest.SkipTest('not today')\n"

FORGED: list[tuple[str, str, Mapping[str, str], Mapping[str, str]]] = [
    # the pattern without which it passes, script, staged files, what the candidate left
    ("named-tests", PYTEST, T, {"answer.py": STOPS}),
    ("named-tests", PYTEST, T, {"answer.py": SKIPS}),
    ("named-tests", WRAPPED, T, {"answer.py": STOPS}),
    ("named-tests", PYTEST.replace("pytest ", "pytest -n 2 "), T, {"answer.py": SKIPS}),
    ("named-tests", PYTEST, {"test_total.py": f"{CASE}    def test_any(self):\n        pass\n"}, {"answer.py": SKIPS}),
    ("sealed", TWICE, TWO, {"answer.py": RESTORES}),
    ("completed", SCRIPT, CHECK, {"answer.py": LATE + WRONG}),
    ("completed", UNITTEST, {"test_case.py": CASE}, {"answer.py": LATE + WRONG}),
]


def verdict(box: Box, script: str, staged: Mapping[str, str], app: Mapping[str, str], **changes: Any) -> Verdict:
    made = rewrite(verifier(script, staged, timeout_seconds=60, **changes))
    assert isinstance(made, Rewrite), made
    for place in ("tests", "logs"):
        shutil.rmtree(box.root / place, ignore_errors=True)
    for left in box.root.iterdir() if box.root.exists() else ():
        if left.name != "app":
            left.unlink() if left.is_symlink() else left.rmdir()
    shutil.rmtree(box.root / "app", ignore_errors=True)
    box.put("app", app)
    box.put("tests", {**staged, **made.files})
    return box.verify()


@pytest.mark.parametrize(("name", "script", "staged", "app"), FORGED)
def test_what_a_pattern_stops_and_what_it_does_not(
    name: str, script: str, staged: Mapping[str, str], app: Mapping[str, str], box: Box
) -> None:
    assert verdict(box, script, staged, app, without=frozenset((name,))).status == 0, "no attack"
    assert verdict(box, script, staged, app).status == 1
    assert verdict(box, script, staged, {"answer.py": RIGHT}).status == 0
    assert verdict(box, script, staged, {"answer.py": WRONG}).status == 1


def shell(tmp_path: Path, commands: str, **environment: str) -> Verdict:
    """What ``commands`` do in a shell that has read the library, with a private folder."""
    (tmp_path / "lib.sh").write_bytes(library())
    (tmp_path / "private").mkdir(exist_ok=True)
    text = f". {tmp_path}/lib.sh\nPRIVATE={tmp_path}/private\n{commands}\n"
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)} | environment
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, env=env, cwd=tmp_path)
    return Verdict(done.returncode, done.stdout + done.stderr)


COUNTED = [
    (None, 1),
    ("", 1),
    ('{"numFailedTests":0,"numPassedTests":0}', 1),
    ('{"numFailedTests":1,"numPassedTests":2}', 1),
    ('{"numFailedTests":0}', 1),
    ('{"numFailedTests":0,"numPassedTests":2}', 0),
    ('{"numTotalTests": 12, "numPassedTests": 12, "numFailedTests": 0}', 0),
]


@pytest.mark.parametrize(("report", "status"), COUNTED)
def test_a_report_of_a_javascript_runner(report: str | None, status: int, tmp_path: Path) -> None:
    if report is not None:
        (tmp_path / "private").mkdir()
        (tmp_path / "private" / "report.json").write_text(report)
    assert shell(tmp_path, "STATUS=0; reported; builtin exit 0").status == status


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_sees_who_works_and_whom_to_trust_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text(
        "[user]\n\tname = Tide\n[safe]\n\tdirectory = /app\n\tdirectory = /srv\n[diff]\n\texternal = true\n"
    )
    said = shell(tmp_path, "own_git; git config --global --list; builtin exit 0").output
    assert said.splitlines() == ["user.name=Tide", "safe.directory=/app", "safe.directory=/srv"]
