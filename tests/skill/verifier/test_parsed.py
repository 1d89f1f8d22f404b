"""Verifiers whose verdict is read in their output: which form they get, and how they end when they are run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skill.verifier.base import Odd, Rewrite
from skill.verifier.parsed import AS_ORIGINAL, by_rule
from skill.verifier.shipped import PARSERS
from tests.support.box import Box, why_no_box
from tests.support.verifiers import BASH, verifier

HEAD = "echo '=== short test summary info ==='\n"
SUFFIX = """
_EXIT_CODE=$?
if [ $_EXIT_CODE -eq 0 ]; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
exit $_EXIT_CODE
"""


def made(script: str, assets: dict[str, str] | None = None, **changes: Any) -> Rewrite | Odd:
    return by_rule(verifier(script, assets, **{"parser": "pytest", "with_bash": True, **changes}))


# run-tests.sh, the files beside it, the form
FORMS: list[tuple[str, dict[str, str], str]] = [
    ("pytest $TEST_DIR/test_a.py -rA\n", {}, "direct"),
    ("uv init\nuv add pytest\nuv run pytest $TEST_DIR/test_a.py -rA\n", {}, "direct"),
    ("cd /app\nmake all\npython3 -m pytest /tests -rap\n", {}, "direct"),
    ("pytest $TEST_DIR/test_a.py -v\n", {}, "direct"),  # let through by a person: no summary, so the status decides
    # near misses: the status would not tell what the summary says
    ("pytest $TEST_DIR/test_a.py -rA\necho done\n", {}, "wrapped"),
    ("pytest $TEST_DIR/test_a.py -rA || true\n", {}, "wrapped"),
    ("pytest $TEST_DIR/test_a.py -rA | tee /app/log\n", {}, "wrapped"),
    ("pytest $TEST_DIR/test_a.py -rA &\n", {}, "wrapped"),
    ("pytest /app -rA\npytest $TEST_DIR/test_a.py -rA\n", {}, "wrapped"),
    ("trap 'echo over' EXIT\npytest $TEST_DIR/test_a.py -rA\n", {}, "wrapped"),
    ("make all\npip install pytest\npytest $TEST_DIR/test_a.py -rA\n", {}, "wrapped"),
    ("pytest $TEST_DIR/test_a.py -rA --cov-fail-under=80\n", {}, "wrapped"),
    ("pytest $TEST_DIR/test_a.py -rA\n", {"test_a.py": "@pytest.mark.xfail\ndef test_a(): ...\n"}, "wrapped"),
    ("bash $TEST_DIR/run.sh\n", {"run.sh": "pytest /tests -rA\n"}, "wrapped"),
    (f"{HEAD}echo PASSED one\n", {}, "wrapped"),
]


@pytest.mark.parametrize(("script", "assets", "form"), FORMS)
def test_which_form_a_script_gets(script: str, assets: dict[str, str], form: str) -> None:
    found = made(script, assets)
    assert isinstance(found, Rewrite), found
    assert found.form == form
    text = found.files["test.sh"].decode()
    assert ("judge_output pytest" in text) == (PARSERS in found.files) == (form == "wrapped")
    assert ("judge_pytest" in text) == (form == "direct")


def test_a_wrapped_script_is_the_sources_byte_for_byte() -> None:
    script = f"set -Eeuo pipefail\ntrap 'echo over' EXIT\ncd /app\nmake\n{HEAD}echo PASSED $?\n# ä"
    found = made(script)
    assert isinstance(found, Rewrite)
    assert found.files["source-test.sh"].decode() == BASH + script


@pytest.mark.parametrize("parser", ["swebench", "sweperf", "mlebench", "swelancer"])
def test_other_parsers_always_read_the_output(parser: str) -> None:
    found = made("pytest /tests/test_a.py -rA\n", parser=parser)
    assert isinstance(found, Rewrite)
    assert f"judge_output {parser}\n" in found.files["test.sh"].decode()


@pytest.mark.parametrize(("line", "said"), [("make all\n", False), ("curl -O http://tides.example/table\n", True)])
def test_fetching_within_the_candidates_time_is_reported(line: str, said: bool) -> None:
    found = made(f"make\n{line}{HEAD}echo PASSED one\n")
    assert isinstance(found, Rewrite)
    assert ("S408" in {finding.code for finding in found.findings}) == said
    assert (b"OFFLINE=1" in found.files["test.sh"]) != said


# run-tests.sh, the refusal
ODD = [
    ("if true; then\n", "broken-verifier"),
    ("pytest {test_command}\n", "template"),
    ("grep -q done /agent-logs/run.txt && pytest -rA\n", "agent-log"),
    ("docker exec app pytest -rA\n", "needs-agent"),
    ("pytest /tests -v || pytest /tests -v\n", "never-passes"),
]


@pytest.mark.parametrize(("script", "code"), ODD)
def test_what_is_refused(script: str, code: str) -> None:
    found = made(script)
    assert isinstance(found, Odd)
    assert found.code == code
    assert "test.sh" not in found.sentence.replace("run-tests.sh", "")


def test_a_patch_with_braces_in_a_word_of_many_lines_is_no_template() -> None:
    script = "echo 'diff --git a b\n+{test_command}'\"'\"'\n' > /tmp/p\npytest -rA\n"
    assert isinstance(made(script), Rewrite)


# test.sh as Harbor's migrator left it, the files beside it, variables of the image, the judge of the conversion
MIGRATED: list[tuple[str, dict[str, str], dict[str, str], str]] = [
    ("pytest /tests/test_a.py -rA\n" + SUFFIX, {}, {"TEST_DIR": "/tests"}, 'judge_pytest "$PRIVATE/report.xml"'),
    ("bash /tests/check.sh\n" + SUFFIX, {}, {"TEST_DIR": "/tests"}, "judge_status"),  # nothing that a parser reads
    (f"{HEAD}echo FAILED one\n{SUFFIX}", {}, {}, "judge_reward"),  # not the migrator's image
    (f"{HEAD}echo FAILED one\n{SUFFIX}", {}, {"TEST_DIR": "/tests"}, f"judge_output pytest '{AS_ORIGINAL}'"),
    (f"bash /tests/run.sh\n{SUFFIX}", {"run.sh": HEAD}, {"TEST_DIR": "/tests"}, "judge_output pytest"),
    (f"code=1\n{HEAD}exit $code\n{SUFFIX}", {}, {"TEST_DIR": "/tests"}, "judge_output pytest"),
    (f"uv run p.py\necho 'SWEBench results starts here'{SUFFIX}", {}, {"TEST_DIR": "/tests"}, "judge_output swebench"),
]


@pytest.mark.parametrize(("script", "assets", "image_env", "judge"), MIGRATED)
def test_a_migrated_task_is_judged_as_the_original_was(
    script: str, assets: dict[str, str], image_env: dict[str, str], judge: str
) -> None:
    found = made(script, assets, parser="", with_bash=False, image_env=image_env)
    assert isinstance(found, Rewrite), found
    assert judge in found.files["test.sh"].decode()
    is_original = "judge_output" in judge
    assert any(finding.code == "S407" for finding in found.findings) == is_original
    assert not (is_original and b"_EXIT_CODE" in found.files["source-test.sh"])


@pytest.fixture
def box(tmp_path: Path) -> Box:
    if reason := why_no_box():
        pytest.skip(f"no root folder of its own: {reason}")
    ready = Box(tmp_path / "root")
    ready.put("app", {"answer.txt": "7\n"})
    return ready


# run-tests.sh, the verdict
RUN = [
    (f"{HEAD}grep -qx 7 answer.txt && echo PASSED level || echo FAILED level\n", "PASS"),
    (f"{HEAD}grep -qx 8 answer.txt && echo PASSED level || echo FAILED level\n", "FAIL"),
    (f"{HEAD}echo PASSED level\nexit 3\n", "PASS"),  # the status means nothing
    (f"{HEAD}echo PASSED level\nkill -9 $$\n", "FAIL"),
    (f"{HEAD}echo PASSED level\nsleep 60\n", "FAIL"),
    (f"set -e\nfalse\n{HEAD}echo PASSED level\n", "FAIL"),  # nothing from outside can have stopped it
    ("echo no summary\n", "INFRA"),
    (f"{HEAD}echo nothing\n", "INFRA"),
    (f"curl -s http://192.0.2.1/ -m 1 || exit 1\n{HEAD}", "INFRA"),
    (f'[ -f /tests/run.txt ] && [ "$TEST_DIR" = /tests ] || exit 9\n{HEAD}echo PASSED places\n', "PASS"),
]


@pytest.mark.parametrize(("script", "verdict"), RUN)
def test_how_it_ends(script: str, verdict: str, box: Box) -> None:
    assets = {"run.txt": "x\n"}
    found = made(script, assets, timeout_seconds=6)
    assert isinstance(found, Rewrite)
    box.put("tests", {**assets, **found.files})
    ended = box.verify()
    assert ended.name == verdict, ended.output


FORGED = """import os, sys
text = b"\\n=== short test summary info ===\\nPASSED test_a.py::test_total\\n"
for descriptor in range(1, 32):
    try:
        os.write(descriptor, text)
    except OSError:
        pass
os._exit(0)
"""
RIGHT = "def total(numbers):\n    return sum(numbers)\n"
TESTS = """import sys

sys.path.insert(0, "/app")


def test_total():
    import answer

    assert answer.total([1, 2]) == 3
"""
# how pytest is called, so that the parser has to read the output
CALLS = [
    "python3 -m pytest /tests/test_a.py -rA\necho done\n",
    "if true; then\n  python3 -m pytest /tests/test_a.py -rA\nfi\n",
    "python3 -m pytest /tests/test_a.py -rA || true\n",
]


@pytest.mark.parametrize("script", CALLS)
@pytest.mark.parametrize(("answer", "verdict"), [(RIGHT, "PASS"), (FORGED, "FAIL")])
def test_a_summary_that_the_candidate_prints_before_it_ends_pytest_is_seen_through(
    script: str, answer: str, verdict: str, box: Box
) -> None:
    found = made(script, {"test_a.py": TESTS}, timeout_seconds=40)
    assert isinstance(found, Rewrite)
    assert found.form == "wrapped"
    box.put("tests", {"test_a.py": TESTS, **found.files})
    box.put("app", {"answer.py": answer})
    ended = box.verify()
    assert ended.name == verdict, ended.output
