"""tests/test.sh: near misses first, then the hit. A script is written as its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.suites import (
    CASE,
    CASE_TOML,
    DOCKERFILE,
    SCRIPT,
    TEST_SH,
    Edit,
    chmod,
    findings,
    folder,
    lines,
    move,
    put,
    remove,
    script,
    swap,
    write_suite,
)

APP = swap(CASE_TOML, 'test_cwd = "/"', 'test_cwd = "/app"')
MAP = 'case "$rc" in 0) exit 0 ;; 1) exit 1 ;; *) exit 2 ;; esac'

IMAGE_SETS_IT = put(DOCKERFILE, "FROM x\nENV TEST_DIR=/tests\n")


def sh(*text: str) -> Edit:
    return script("\n".join(("#!/bin/bash", *text, "")))


FILE: list[tuple[str, list[Edit], list[int]]] = [
    ("SC601", [remove(f"{CASE}/tests/grade.py")], []),
    ("SC601", [remove(f"{CASE}/tests")], [0]),
    ("SC601", [remove(f"{CASE}/tests"), put(f"{CASE}/tests", "")], [0]),
    ("SC602", [remove(f"{CASE}/tests")], []),
    ("SC602", [move(TEST_SH, f"{CASE}/tests/run.sh")], [0]),
    ("SC602", [folder(TEST_SH)], [0]),
    ("SC603", [chmod(f"{CASE}/tests/grade.py", 0o644)], []),
    ("SC603", [chmod(TEST_SH, 0o644)], [0]),
    ("SC603", [chmod(TEST_SH, 0o744)], [0]),
    ("SC604", [sh(":")], []),
    ("SC604", [script("")], [0]),
    ("SC604", [sh("# later")], [1]),
    ("SC605", [sh("printf 'a\\r\\n'", "exit 1")], []),
    ("SC605", [script("#!/bin/bash\r\nexit 1\r\n")], [1]),
    ("SC606", [script("#!/usr/bin/env -S bash -e\nexit 1\n")], []),
    ("SC606", [script("# no shebang\nexit 1\n")], []),
    ("SC606", [script("#!/usr/bin/env zsh\nexit 1\n")], [1]),
    ("SC606", [script("#!/usr/bin/python3\nexit(1)\n")], [1]),
    ("SC607", [sh("echo '\ufeff'")], []),
    ("SC607", [script("\ufeff#!/bin/bash\nexit 1\n")], [1]),
    ("SC608", [sh("cat <<'EOF'", "if then", "EOF", "exit 1")], []),
    ("SC608", [sh("if true; then", "exit 1")], [4]),
    ("SC608", [sh("<<<<<<< HEAD", "exit 1", "=======", "exit 0", ">>>>>>> b")], [2]),
    ("SC609", [script("#!/bin/bash\nexit 1\n")], []),
    ("SC609", [script("if a; then\n" * 50 + "b\n" + "fi\n" * 50)], []),
    ("SC609", [script("if a; then\n" * 2000 + "b\n" + "fi\n" * 2000)], [0]),
    ("SC610", [script("#! /bin/sh\nexit 1\n")], []),
    ("SC610", [script("# made by hand\n#!/bin/bash\nexit 1\n")], [1]),
    ("SC609", [script("#!/bin/bash\nexit 1\n" + "#" * (1 << 20))], [0]),
]

EXITS: list[tuple[str, list[Edit], list[int]]] = [
    ("SC611", [sh("pytest", "exit $?")], []),
    ("SC611", [sh("pytest")], []),
    ("SC611", [sh("set -e", "pytest", "exit 0")], []),
    ("SC611", [sh("if pytest; then exit 0; else exit 1; fi")], []),
    ("SC611", [sh("fail() { exit 1; }", "pytest || fail", "echo done")], []),
    ("SC611", [put(f"{CASE}/tests/lib.sh", "fail() { exit 1; }\n"), sh(". tests/lib.sh", "fail", "exit 0")], []),
    ("SC611", [sh("trap '[ -f /app/ok ] || exit 1' EXIT", "pytest || true")], []),
    ("SC611", [sh("pytest", "exit 0")], [3]),
    ("SC611", [sh("pytest", "echo done")], [3]),
    ("SC611", [sh("pytest || true")], [2]),
    ("SC611", [sh("if pytest; then exit 0; fi")], [2]),
    ("SC611", [sh("( exit 1 )", "exit 0")], [3]),
    ("SC611", [sh("if pytest; then echo 1 > /tmp/r; else echo 0 > /tmp/r; fi")], [2]),
    ("SC611", [sh("set -e", "pytest || true", "exit 0")], [4]),
    ("SC612", [], []),
    ("SC612", [sh("pytest && exit 0 || exit 1")], []),
    ("SC612", [sh("if pytest; then", "  exit 0", "elif true; then exit 2", "else", "  exit 1", "fi")], []),
    ("SC612", [sh("pass() { exit 0; }", "infra() { echo no; exit 2; }", "case $1 in a) pass ;; *) infra ;; esac")], []),
    ("SC612", [put(f"{CASE}/tests/lib.sh", "infra() { exit 2; }\n"), sh('. "$(dirname "$0")/lib.sh"', "infra")], []),
    ("SC612", [sh("pytest")], [2]),
    ("SC612", [sh("if pytest; then exit 0; elif x; then exit 1; fi")], [2]),
    ("SC612", [sh("case $1 in 0) exit 0 ;; 1) exit 1 ;; esac")], [2]),
    ("SC612", [sh("pytest", "( exit 1 )")], [3]),
    ("SC613", [sh("( exit 3 )", "exit 1")], []),
    ("SC613", [sh("echo 'exit 3'", "exit 1")], []),
    ("SC613", [sh("a && exit 1", "exit 3")], [3]),
    ("SC613", [sh("bad() { exit 77; }", "bad")], [2]),
    ("SC614", [sh("pytest", "rc=$?", MAP)], []),
    ("SC614", [sh("pytest", "rc=$?", 'case "$rc" in 0|1|2) exit "$rc" ;; *) exit 2 ;; esac')], []),
    ("SC614", [sh("pytest", "rc=$?", 'if [ "$rc" -le 1 ]; then exit $rc; fi', "exit 2")], []),
    ("SC614", [sh("rc=1", "pytest && rc=0", "exit $rc")], []),
    ("SC614", [sh("exec 3>&1", "exit 1")], []),
    ("SC614", [sh("pytest", "exit $?")], [3]),
    ("SC614", [sh("pytest", "rc=$?", "exit $rc")], [4]),
    ("SC614", [sh("pytest | tee x", 'exit "${PIPESTATUS[0]}"')], [3]),
    ("SC614", [sh("pytest", "exit")], [3]),
    ("SC614", [sh("exec python3 /tests/grade.py")], [2]),
    ("SC615", [sh("set -e", "jq --version || exit 2", "exit 1")], []),
    ("SC615", [sh("set -e", "trap 'exit 2' ERR", "jq --version", "exit 1")], []),
    ("SC615", [sh("set -e", "mkdir -p /x", "if jq; then exit 0; fi", "exit 1")], []),
    ("SC615", [sh("set -e", "pytest /tests/x.py")], []),
    ("SC615", [sh("set -u", "jq --version", "exit 1")], []),
    ("SC615", [sh("set -e", "set +e", "jq", "exit 1")], []),
    ("SC615", [sh("set -euo pipefail", "apt-get update", "jq", "exit 1")], [3]),
    ("SC615", [sh("set -o errexit", "x=$(jq)", "exit 1")], [3]),
    ("SC615", [script("#!/bin/bash -e\njq\nexit 1\n")], [2]),
    ("SC616", [sh("set -e", "rc=0", "pytest || rc=$?", MAP)], []),
    ("SC616", [sh("set -e", "set +e", "pytest", "rc=$?", MAP)], []),
    ("SC616", [sh("set -e", "pytest", "rc=$?", MAP)], [4]),
    ("SC617", [sh("pytest", "rc=$?", "echo $rc", MAP)], []),
    ("SC617", [sh("pytest", 'echo "ended: $?"', "exit 1")], []),
    ("SC617", [sh("pytest", 'echo "ended: $?"', "exit $?")], [4]),
    ("SC617", [sh("if pytest; then echo ok; rc=0; else rc=$?; fi", MAP)], []),
    ("SC617", [sh("pytest || true", "rc=$?", MAP)], [3]),
    ("SC617", [sh("pytest || :", "if [ $? -eq 0 ]; then exit 0; else exit 1; fi")], [3]),
    ("SC618", [sh("set -o pipefail", "pytest | tee log", "rc=$?", MAP)], []),
    ("SC618", [sh("pytest | tee log", 'rc="${PIPESTATUS[0]}"', MAP)], []),
    ("SC618", [sh("ls | pytest", "rc=$?", MAP)], []),
    ("SC618", [sh("pytest 2>&1 | tee log", "rc=$?", MAP)], [3]),
    ("SC618", [sh("set -eu", "pytest 2>&1 | tee log", "rc=$?", MAP)], [4]),
    ("SC619", [sh("cat /logs/verifier/reward.txt", "exit 1")], []),
    ("SC619", [sh("mkdir -p /logs/verifier", "echo 1 > /logs/verifier/reward.txt", "exit 1")], [3]),
]  # fmt: skip

PATHS: list[tuple[str, list[Edit], list[int]]] = [
    ("SC621", [sh("pytest /tests/x.py", "exit 1")], []),
    ("SC621", [APP, sh("pytest /app/tests/x.py a/tests/b /tests-venv/bin $D/tests/", "# /tests/x", "exit 1")], []),
    ("SC621", [APP, sh("", "pytest /tests/x.py", "exit 1")], [3]),
    ("SC622", [APP, IMAGE_SETS_IT, sh("TEST_DIR=/app/tests", 'pytest "$TEST_DIR"')], []),
    ("SC622", [IMAGE_SETS_IT, sh('pytest "${TEST_DIR:-/tests}"')], []),
    ("SC622", [APP, IMAGE_SETS_IT, sh('T="${TEST_DIR:-$PWD/tests}"')], [2]),
    ("SC623", [sh("TESTS_DIR=/tests", "ls $TESTS_DIR")], []),
    ("SC623", [IMAGE_SETS_IT, sh('pytest "$TEST_DIR"')], []),
    ("SC623", [sh('TEST_DIR="${TEST_DIR:-/tests}"', 'ls "$TEST_DIR"')], [2]),
    ("SC623", [sh("", 'pytest "$TEST_DIR"')], [3]),
    ("SC631", [sh("cd /app", "cat tests/mine.py", "exit 1")], []),
    ("SC631", [sh("python3 tests/grade.py", "cd /app", "exit 1")], []),
    ("SC631", [APP, sh("cd /app", "python3 tests/grade.py", "exit 1")], []),
    ("SC631", [sh("cd /app", "python3 ./tests/grade.py", "exit 1")], [3]),
    ("SC635", [put(f"{CASE}/tests/x.py", "open('/tests/y')\n")], []),
    ("SC635", [APP, put(f"{CASE}/tests/x.bin", b"\0 /tests/y\n")], []),
    ("SC635", [APP, put(f"{CASE}/tests/x.py", "\nopen('/tests/y')\n")], [2]),
    ("SC632", [sh("python3 /tests/grade.py", "python3 /app/other.py", "exit 1")], []),
    ("SC632", [sh("echo x > /tests/made.py", "python3 /tests/made.py", "exit 1")], []),
    ("SC632", [sh("python3 /tests/graed.py", "exit 1")], [2]),
    ("SC633", [sh("cp -r /tests/. /app/t", "pytest /app/t/test_x.py", "exit 1")], []),
    ("SC633", [sh("cp /app/a /app/b", "pytest", "exit 1")], []),
    ("SC633", [sh("cp -r /tests/. /app/t", "pytest -q /app", "exit 1")], [3]),
]  # fmt: skip

SURROUNDINGS: list[tuple[str, list[Edit], list[int]]] = [
    ("SC624", [sh("mkdir -p /logs/verifier", "a > /logs/verifier/out", "exit 1")], []),
    ("SC624", [sh("mkdir -p /logs/verifier/deep", "a > /logs/verifier/out", "exit 1")], []),
    ("SC624", [sh("a > /app/logs/out", "exit 1")], []),
    ("SC624", [put(DOCKERFILE, "FROM x\nRUN mkdir -p /logs/verifier\n"), sh("a > /logs/verifier/out", "exit 1")], []),
    ("SC624", [sh("a 2> /logs/verifier/out", "exit 1")], [2]),
    ("SC625", [APP, sh('if [ "$PWD" = "/" ]; then exit 1; fi', "exit 1")], []),
    ("SC625", [sh("cd /app", 'if [ "$PWD" = "/" ]; then exit 1; fi', "exit 1")], []),
    ("SC625", [sh('if [ "$PWD" = "/app" ]; then exit 1; fi', "exit 1")], []),
    ("SC625", [sh('if [ "$PWD" = "/" ]; then exit 1; fi', "exit 1")], [2]),
    ("SC625", [sh('[ "$PWD" = "/" ] && exit 1', "exit 1")], [2]),
    ("SC626", [sh("pip list", "git status", "curl http://localhost:80/x", "exit 1")], []),
    ("SC626", [sh("pip install x", "exit 1")], [2]),
    ("SC626", [sh("curl -LsSf https://example.org/x | sh", "exit 1")], [2]),
    ("SC626", [sh("", "uvx pytest", "exit 1")], [3]),
    ("SC627", [sh("timeout 9 pytest", "exit 1")], []),
    ("SC627", [sh("grep -q x /app/y && exit 0", "exit 1")], []),
    ("SC627", [sh("", "pytest", "exit 1")], [3]),
    ("SC628", [sh("timeout -k 5 -s KILL 59 pytest", "exit 1")], []),
    ("SC628", [sh('timeout "$N" pytest', "exit 1")], []),
    ("SC628", [sh("timeout 60 pytest", "exit 1")], [2]),
    ("SC628", [sh("timeout -k 5 1m pytest", "exit 1")], [2]),
    ("SC636", [sh("curl http://localhost:80801/x", "exit 1")], []),
    ("SC636", [put(DOCKERFILE, "FROM x\n# EXPOSE\nEXPOSE 80\n")], []),
    ("SC636", [put(DOCKERFILE, "FROM x\nEXPOSE 80 8080\n")], [2]),
    ("SC636", [sh("curl http://localhost:8080/x", "exit 1")], [2]),
    ("SC637", [sh("# $USER", 'echo "${USER:-root} $USERS"', "exit 1")], []),
    ("SC637", [sh("LANG=C", "echo $LANG", "exit 1")], []),
    ("SC637", [sh("", 'chown "$USER" /app', "exit 1")], [3]),
    ("SC629", [sh("echo MARGIN_AGENT_CWD", "exit 1")], []),
    ("SC629", [sh('cd "${MARGIN_AGENT_CWD}"', "exit 1")], [2]),
    ("SC630", [sh("mkdir -p /logs/agents", "exit 1")], []),
    ("SC630", [sh("", "grep x /logs/agent/answer.txt", "exit 1")], [3]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edits", "expected"), [*FILE, *EXITS, *PATHS, *SURROUNDINGS])
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    assert lines(write_suite(tmp_path, *edits), code) == expected


def test_a_verifier_that_only_writes_a_reward_is_told_why(tmp_path: Path) -> None:
    text = sh("mkdir -p /logs/verifier", "pytest && echo 1 > /logs/verifier/reward.txt", "exit 0")
    (found,) = [finding for finding in findings(write_suite(tmp_path, text)) if finding.code == "SC611"]
    assert found.message.startswith("writes a reward file but always ends with 0")


def test_equal_scripts_are_looked_at_once(tmp_path: Path) -> None:
    from skill.rules.shell_view import view

    assert view(SCRIPT.encode()) is view(SCRIPT.encode())
