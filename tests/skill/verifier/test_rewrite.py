"""Small invented verifiers, and what the rules make of each: a form, or the code of a refusal."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from skill.sources.base import EnvValue
from skill.verifier.base import Odd, Rewrite
from skill.verifier.rewrite import rewrite
from tests.support.verifiers import verifier

TXT, JSON = "/logs/verifier/reward.txt", "/logs/verifier/reward.json"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"
GRADER = {"grade.py": f"Path('{TXT}').write_text('1' if ok else '0')\n"}
SCORER = {"grade.py": f"Path('{TXT}').write_text(str(hits / 4))\n"}
ASSERTS = "[ -f /app/out.txt ] && R=1 || R=0\n"

REFUSED: list[tuple[str, dict[str, str], dict[str, Any], str]] = [
    # --- no script
    ("#!/usr/bin/env python3\nprint(1)\n", {}, {}, "needs-agent"),
    ("#!/bin/bash\nif true; then\n", {}, {}, "broken-verifier"),
    ("#!/bin/bash\r\npytest\r\n", {}, {}, "broken-verifier"),
    ("{{ test_command }}\n", {}, {}, "template"),
    # --- no verdict that depends on the tests
    ("pytest\n", {}, {}, "no-reward"),
    (f"echo 1 > {TXT}\n", {}, {}, "verdict-masked"),
    (f"pytest || true\n{TAIL}", {}, {}, "verdict-masked"),
    (f"pytest\necho 1 > {TXT}\n", {}, {}, "verdict-masked"),
    ("pytest\necho 1 > /logs/verifier/rewards.txt\n", {}, {}, "no-reward"),
    # --- no verdict that is 0 or 1
    ("python3 /tests/grade.py\n", SCORER, {}, "reward-not-binary"),
    (f"SCORE=$(cat /tmp/s)\necho $SCORE > {TXT}\n", {}, {}, "reward-not-binary"),
    ("python3 /tests/grade.py\n", SCORER, {"pass_if": "reward"}, "reward-not-binary"),
    # --- a rule about a reward of another name
    ("pytest\n", {}, {"pass_if": "score>=1"}, "no-reward"),
    (f"pytest\n{TAIL}", {}, {"pass_if": "score>=1"}, "reward-key"),
    ("python3 /tests/grade.py\n", SCORER, {"pass_if": "score>=1"}, "reward-key"),
    # --- what Margin does not have
    (f"grep done /logs/agent/log\n{TAIL}", {}, {}, "agent-log"),
    (f'curl -H "k: $OPENAI_API_KEY" https://example.org\n{TAIL}', {}, {}, "judge"),
    (f"curl http://game:80/score\n{TAIL}", {}, {}, "sidecar"),
    # --- what a rule cannot tell
    (f"trap finish EXIT\npytest\n{TAIL}", {}, {}, "needs-agent"),
    (f"pytest\nrc=$?\napt-get install -y jq\n[ $rc = 0 ] && echo 1 > {TXT}\n", {}, {}, "needs-agent"),
    (f'RUN="pytest -q"\n$RUN\n{TAIL}', {}, {}, "needs-agent"),
    (f'PY=python3\n"$PY" -m pytest\n{TAIL}', {}, {}, "needs-agent"),
    (
        f"if command -v uvx; then uvx pytest; rc=$?; else pytest; rc=$?; fi\n[ $rc = 0 ] && echo 1 > {TXT}\n",
        {},
        {},
        "needs-agent",
    ),
    (f"uvx $TOOL check\n{TAIL}", {}, {}, "needs-agent"),
    (f"pytest\n{TAIL}", {"source-test.sh": ""}, {}, "needs-agent"),
    (f"pytest\n{TAIL}", {".verdict/x": ""}, {}, "needs-agent"),
    # --- variables that would change the script around the source's
    (f"pytest\n{TAIL}", {}, {"env": {"A; exit 0; B": EnvValue(literal="")}}, "needs-agent"),
    (f"pytest\n{TAIL}", {}, {"env": {"LIMIT": EnvValue(literal="0")}}, "needs-agent"),
    (f"pytest\n{TAIL}", {}, {"env": {"TESTS": EnvValue(literal="/app")}}, "needs-agent"),
]


@pytest.mark.parametrize(("script", "assets", "changes", "code"), REFUSED)
def test_refused(script: str, assets: dict[str, str], changes: dict[str, Any], code: str | None) -> None:
    found = rewrite(verifier(script, assets, **changes))
    assert (found.code if isinstance(found, Odd) else None) == code


REWRITTEN: list[tuple[str, dict[str, str], dict[str, Any], str, str]] = [
    # --- direct: one command decides
    (f"pytest /tests/test_a.py\n{TAIL}", {}, {}, "direct-pytest", 'judge_pytest "$PRIVATE/report.xml"'),
    (f"pytest --junitxml=/tmp/j.xml\n{TAIL}", {}, {}, "direct-pytest", 'judge_pytest "/tmp/j.xml"'),
    (f"set -e\npytest\necho 1 > {TXT}\n", {}, {}, "direct-pytest", 'judge_pytest "$PRIVATE/report.xml"'),
    (
        f"pip install pytest\nif pytest; then echo 1 > {TXT}; fi\n",
        {},
        {},
        "direct-pytest",
        'judge_pytest "$PRIVATE/report.xml"',
    ),
    (f"uvx -w requests pytest\n{TAIL}", {}, {}, "direct-pytest", 'judge_pytest "$PRIVATE/report.xml"'),
    (f"cd /app && python3 /tests/check.py\n{TAIL}", {}, {}, "direct-python", "judge_status"),
    (f"node --test /tests\n{TAIL}", {}, {}, "direct-node", "judge_status"),
    (f"bash /tests/run.sh\n{TAIL}", {"run.sh": "pytest -q\n"}, {}, "direct-bash", "judge_status"),
    (f"( g++ -o t t.cpp && ./t )\n{TAIL}", {}, {}, "direct-status", "judge_status"),
    (f"diff /app/out.txt /tests/out.txt\n{TAIL}", {}, {}, "direct-status", "judge_status"),
    # --- wrapped: the reward is read as the source's framework reads it
    (f"{ASSERTS}echo $R > {TXT}\n", {}, {}, "wrapped-reward", "judge_reward"),
    ("python3 /tests/grade.py\n", GRADER, {}, "wrapped-reward", "judge_reward"),
    (f"run() {{ pytest /tests/test_a.py; }}\nrun\n{TAIL}", {}, {}, "wrapped-pytest", "judge_reward"),
    (f"pytest a && pytest b && echo 1 > {TXT} || echo 0 > {TXT}\n", {}, {}, "wrapped-pytest", "judge_reward"),
    (
        "python3 /tests/grade.py\n",
        SCORER,
        {"pass_if": "reward>=0.75"},
        "wrapped-reward",
        "judge_reward reward '>=' 0.75",
    ),
    # --- wrapped, for another file or the world outside has a say
    (
        f"python3 /tests/grade.py\n{TAIL}",
        {"grade.py": f"Path('{JSON}').write_text('1')"},
        {},
        "wrapped-reward",
        "judge_reward",
    ),
    (f"python3 /app/server.py &\npython3 /tests/check.py\n{TAIL}", {}, {}, "wrapped-reward", "judge_reward"),
    (f"[ -d /app/x ] || exit 0\npython3 /tests/check.py\n{TAIL}", {}, {}, "wrapped-reward", "judge_reward"),
    (
        f"rc=0\npython3 /tests/check.py || rc=$?\n[ ${{rc:-0}} = 0 ] && echo 1 > {TXT}\n",
        {},
        {"env": {"rc": EnvValue(literal="")}},
        "wrapped-reward",
        "judge_reward",
    ),
]


@pytest.mark.parametrize(("script", "assets", "changes", "shape", "judge"), REWRITTEN)
def test_rewritten(script: str, assets: dict[str, str], changes: dict[str, Any], shape: str, judge: str) -> None:
    given = verifier(script, assets, **changes)
    found = rewrite(given)
    assert isinstance(found, Rewrite), found
    assert found.shape.rsplit("-", 1)[0] == shape
    assert found.files["test.sh"].decode().splitlines()[-3:] == [f"  {judge}", "}", 'main "$@"; exit 2']
    for name in ("test.sh", "source-test.sh"):
        done = subprocess.run([shutil.which("bash") or "bash", "-n"], input=found.files[name], capture_output=True)
        assert done.stderr == b""
    assert rewrite(verifier(script, assets, **changes)) == found, "equal inputs give equal rewrites"


SHAPES = [
    (f"pytest /tests/test_a.py\n{TAIL}", f"# other\npytest /tests/test_b.py\n\n{TAIL}", True),
    (f"pytest /tests/test_a.py\n{TAIL}", f"pytest -x /tests/test_a.py\n{TAIL}", False),
    (f"pytest /tests/test_a.py\n{TAIL}", f"py.test /tests/test_a.py\n{TAIL}", False),
]


@pytest.mark.parametrize(("one", "other", "same"), SHAPES)
def test_cases_are_grouped_by_all_but_names_and_comments(one: str, other: str, same: bool) -> None:
    first, second = rewrite(verifier(one)), rewrite(verifier(other))
    assert (first.shape == second.shape) == same


FINDINGS = [
    ({"timeout_seconds": 600}, "", []),
    ({"timeout_seconds": 3}, "", ["S401"]),
    ({"timeout_seconds": 600}, "pip install pytest\n", ["S402"]),
]


@pytest.mark.parametrize(("changes", "before", "codes"), FINDINGS)
def test_findings(changes: dict[str, Any], before: str, codes: list[str]) -> None:
    found = rewrite(verifier(f"{before}pytest\n{TAIL}", **changes))
    assert isinstance(found, Rewrite)
    assert [finding.code for finding in found.findings] == codes


NEEDS = [
    # script, installed in the image, imports of the tests that are tried beforehand
    (f"pytest\n{TAIL}", frozenset({"requests"}), "IMPORTS=requests"),
    (f"pip install requests==2.0\npytest\n{TAIL}", frozenset(), "IMPORTS=requests"),
    (f"uvx -w 'requests<3' pytest\n{TAIL}", frozenset(), "IMPORTS=requests"),
    (f"pytest\n{TAIL}", frozenset(), None),
    (f"python3 /tests/test_a.py\n{TAIL}", frozenset({"requests"}), None),
]


@pytest.mark.parametrize(("script", "installed", "line"), NEEDS)
def test_imports_that_the_suite_brings(script: str, installed: frozenset[str], line: str | None) -> None:
    found = rewrite(verifier(script, {"test_a.py": "import requests, tides\n"}, installed=installed))
    assert isinstance(found, Rewrite)
    lines = [text.strip() for text in found.files["test.sh"].decode().splitlines()]
    assert [text for text in lines if text.startswith("IMPORTS=")] == ([line] if line else [])


def test_a_byte_order_mark_is_dropped() -> None:
    given = verifier("pytest\n" + TAIL)
    assert rewrite(replace(given, script=b"\xef\xbb\xbf" + given.script)) == rewrite(given)


def test_a_script_without_an_interpreter_line_is_run_by_bash() -> None:
    found = rewrite(replace(verifier(""), script=b"pytest\n" + TAIL.encode()))
    assert isinstance(found, Rewrite)
    assert b'candidate bash "$TESTS/source-test.sh"' in found.files["test.sh"]
