"""Tools that a verifier itself needs: looked up before the candidate is touched."""

from __future__ import annotations

import pytest

from skill import bash
from skill.verifier.tools import needed
from tests.support.verifiers import parsed

TOOLS = [
    # --- not the verifier's
    ("/app/tides --check", "", ()),
    ("make-tides", "", ()),
    ("/opt/venv/bin/python /tests/check.py", "", ()),  # no python that PATH would have to offer
    ("/app/node_modules/.bin/node x", "", ()),
    ("command -v jq >/dev/null && jq . /app/a.json", "", ()),  # the script itself looks for it
    ("which node\nnode /tests/check.js", "", ()),
    ("python3 /tests/check.py", "Install Python 3.12 from source.", ()),  # the task is to bring it
    ("gcc -o t t.c", "Set up gcc and make in the container.", ()),
    ("xargs python3 -c pass", "", ("python3", "xargs")),
    # --- the verifier's
    ("python3 /tests/check.py", "Write a Python program that sorts.", ("python3",)),
    ("/usr/bin/python3 /tests/check.py", "", ("python3",)),
    ("timeout 60 node /tests/check.js", "", ("node",)),
    ("timeout -k 5 60 env MODE=fast go test ./...", "", ("go",)),
    ("echo hi\nif grep -q tide /app/log; then diff a b; fi", "", ("diff", "grep")),
    ("check() { jq -e .ok /app/a.json; }\ncheck", "", ("jq",)),
    ("out=$(cargo test 2>&1)", "", ("cargo",)),
    ("node /tests/check.js", "Explain how node names are chosen.", ("node",)),
]


@pytest.mark.parametrize(("text", "prompt", "tools"), TOOLS)
def test_needed(text: str, prompt: str, tools: tuple[str, ...]) -> None:
    script = parsed(text)
    assert needed(script, tuple(bash.statements(script.root)), prompt) == tools
