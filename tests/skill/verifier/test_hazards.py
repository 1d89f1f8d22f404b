"""What keeps a verifier from being converted by rule, and what only looks like it."""

from __future__ import annotations

import pytest

from skill.verifier.hazards import hazards, unreadable
from tests.support.verifiers import parsed, verifier

UNREADABLE = [
    (b"", "empty-verifier"),
    (b"\n \n", "empty-verifier"),
    (b"#!/bin/bash\n\0", "binary-verifier"),
    (b"#!/bin/bash\n<<<<<<< HEAD\npytest\n", "broken-verifier"),
    (b"#!/bin/bash\r\npytest\r\n", "broken-verifier"),
    (b"#!/bin/bash\necho \xff\n", "broken-verifier"),
    (b"#!/usr/bin/env python3\nprint(1)\n", "needs-agent"),
    (b"#!/bin/zsh\npytest\n", "needs-agent"),
    (b"#!/bin/bash\ncat <<<word\n", None),
    (b"#!/usr/bin/env bash\npytest\n", None),
    (b"#!/bin/sh\npytest\n", None),
    (b"#!/bin/dash\npytest\n", None),
    (b"pytest\n", None),
]


@pytest.mark.parametrize(("script", "code"), UNREADABLE)
def test_unreadable(script: bytes, code: str | None) -> None:
    found = unreadable(script)
    assert (found.code if found else None) == code


def codes(script: str, assets: dict[str, str]) -> list[str]:
    return [odd.code for odd in hazards(verifier(script, assets), parsed(script))]


INNOCENT = [
    ("mkdir -p /logs/agent\npytest", {}),
    ("# reads nothing of /logs/agent/log.txt\npytest", {}),
    ("pytest", {"test_a.py": '"""Not /logs/agent/x."""\n# OPENAI_API_KEY\n'}),
    ("pytest", {"data.json": '{"text": "OPENAI_API_KEY /logs/agent/x"}'}),
    ("pytest", {"test_a.py": "BASE = 'http://localhost:8080/'\n"}),
    ("pytest", {"test_a.py": "BASE = 'http://127.0.0.1:8080/'\nPAGE = 'https://example.org/a'\n"}),
    ("trap 'rm -rf /tmp/x' EXIT\npytest", {}),
    ("trap 'kill $PID' EXIT\npytest", {}),
    ("cat > a.tmpl <<'END'\n{{ name }}\nEND\npytest", {}),
    ("awk '{print $1}' a | sed 's/{a}/b/'\npytest", {}),
    ("echo docker\npytest", {}),
]


@pytest.mark.parametrize(("script", "assets"), INNOCENT)
def test_no_hazard(script: str, assets: dict[str, str]) -> None:
    assert codes(script, assets) == []


HAZARDS = [
    ("if true; then", {}, "broken-verifier"),
    ("if true; then\n  pytest\n\n\n", {}, "broken-verifier"),
    ("while read x\ndo\ncat <<END\n", {}, "broken-verifier"),
    ("grep done /logs/agent/log.txt", {}, "agent-log"),
    ("pytest", {"test_a.py": "LOG = open('/logs/agent/log.txt')\n"}, "agent-log"),
    ("pytest", {"run.sh": "cat /logs/trajectories/a\n"}, "agent-log"),
    ('curl -H "x-api-key: $ANTHROPIC_API_KEY" https://example.org', {}, "judge"),
    ("pytest", {"test_a.py": "import openai\n"}, "judge"),
    ("rewardkit /tests", {"style/style.toml": '[judge]\njudge = "anthropic/claude-opus-4-7"\n'}, "judge"),
    ("pytest", {"test_a.py": "key = os.environ['JUDGE_API_KEY']\n"}, "judge"),
    ("curl http://game:8080/score", {}, "sidecar"),
    ("pytest", {"test_a.py": "BASE = 'http://api:5000'\n"}, "sidecar"),
    ("trap 'echo 0 > /logs/verifier/reward.txt' EXIT\npytest", {}, "needs-agent"),
    ("trap finish EXIT\npytest", {}, "needs-agent"),
    ("docker ps\npytest", {}, "needs-agent"),
    ("ssh host uptime", {}, "needs-agent"),
    ("{{ test_command }}", {}, "template"),
    ("python3 /tests/grade.py --id={task_id}", {}, "template"),
    ('echo "{instance_id}"', {}, "template"),
]


@pytest.mark.parametrize(("script", "assets", "code"), HAZARDS)
def test_hazard(script: str, assets: dict[str, str], code: str) -> None:
    found = bashless(script, assets)
    assert found[:1] == [code]


def bashless(script: str, assets: dict[str, str]) -> list[str]:
    """Codes of a script that may be broken."""
    from skill import bash

    given = verifier(script, assets)
    return [odd.code for odd in hazards(given, bash.parse(given.script))]
