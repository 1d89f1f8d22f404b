"""What may stand before the tests without being part of them, and what may not."""

from __future__ import annotations

import pytest

from skill import bash
from skill.verifier.prefix import Kind, kind
from skill.verifier.split import split
from tests.support.verifiers import parsed

CANDIDATE = [
    # --- the candidate's own things
    "pip install -r requirements.txt",
    "pip install -e .",
    "pip install .",
    "pip install /app/dist/tides.whl",
    "uv sync",
    "npm install",
    "npm ci",
    "source /app/venv/bin/activate",
    "source ./helpers.sh",
    "bash /tests/run.sh",
    "sh build.sh",
    "mkdir -p /app/out",
    "rm -rf /app/out",
    "curl http://localhost:8080/health",
    'curl "http://$HOST/health"',
    # --- programs that something else starts
    "env MODE=fast python3 /tests/check.py",
    "command python3 /tests/check.py",
    "sudo python3 /tests/check.py",
    "uv run pytest /tests",
    "uvx pytest /tests",
    "echo go | python3 /tests/check.py",
    "if [ -f /app/a ]; then python3 /tests/check.py; fi",
    # --- values that only running tells
    "RESULT=$(python3 /tests/check.py)",
    "export RESULT=$(cat /app/result)",
    "RESULT=`cat /app/result`",
    # --- shapes that are looked at nowhere
    "for f in a b; do echo $f; done",
    "check() { echo hi; }",
    "cat > /app/conf <<END\nx\nEND",
    "(( n = 1 ))",
    "echo hi > /app/out.txt",
    "cd /app extra",
    "{ cd /app; }",
]


@pytest.mark.parametrize("text", CANDIDATE)
def test_belongs_to_the_candidate_phase(text: str) -> None:
    script = parsed(text)
    assert kind(script, bash.statements(script.root)[0]) is None


PARTS = [
    ("set -euo pipefail", Kind.OPTION),
    ("set +e", Kind.OPTION),
    ("TEST_DIR=/tests", Kind.ASSIGN),
    ("export PATH=/opt/bin:$PATH", Kind.ASSIGN),
    ('HERE="$(cd "$(dirname "$0")" && pwd)"', Kind.ASSIGN),
    ("LOG=$(mktemp)", Kind.ASSIGN),
    ("echo start", Kind.DIAGNOSTIC),
    ("ls -la /app || true", Kind.DIAGNOSTIC),
    ("env", Kind.DIAGNOSTIC),
    ("command -v uv", Kind.DIAGNOSTIC),
    ("which python3 && date", Kind.DIAGNOSTIC),
    ("[ -d /app ]", Kind.DIAGNOSTIC),
    ("umask 022", Kind.DIAGNOSTIC),
    ("rm -rf /var/lib/apt/lists/*", Kind.DIAGNOSTIC),
    ("mkdir -p /logs/verifier", Kind.LOGS),
    ("cd /app", Kind.ENTER),
    ('if [ "$PWD" = "/" ]; then echo "set a WORKDIR"; exit 1; fi', Kind.GUARD),
    ('if [ "$(pwd)" = "/" ]; then\n  exit 1\nfi', Kind.GUARD),
    ("apt-get update", Kind.INSTALL),
    ("apt-get update && apt-get install -y --no-install-recommends curl", Kind.INSTALL),
    ("apt-get install -y curl >/dev/null 2>&1 || true", Kind.INSTALL),
    ("DEBIAN_FRONTEND=noninteractive apt-get install -y curl", Kind.INSTALL),
    ("sudo apt-get install -y curl", Kind.INSTALL),
    ("curl -LsSf https://example.org/uv/install.sh | sh", Kind.INSTALL),
    ("wget -q https://example.org/data.bin -O /tmp/data.bin", Kind.INSTALL),
    ("source $HOME/.local/bin/env", Kind.INSTALL),
    (". /opt/venv/bin/activate", Kind.INSTALL),
    ("pip install pytest==8.4.1", Kind.INSTALL),
    ("pip install -r /tests/requirements.txt", Kind.INSTALL),
    ("python3 -m pip install pytest", Kind.INSTALL),
    ("python3 -m venv /opt/venv", Kind.INSTALL),
    ("uv pip install --system pytest", Kind.INSTALL),
    ("uv venv .tbench", Kind.INSTALL),
    ("npm install -g bats", Kind.INSTALL),
    ("if ! command -v uv; then curl -LsSf https://example.org/i.sh | sh; fi", Kind.INSTALL),
]


@pytest.mark.parametrize(("text", "part"), PARTS)
def test_stands_before_the_tests_as(text: str, part: Kind) -> None:
    script = parsed(text)
    assert kind(script, bash.statements(script.root)[0]) is part


REQUIREMENTS = [
    ("HERE=/app", False),
    ('HERE="$PWD"', False),
    ("OTHER=/tests", False),
    ("HERE=/tests", True),
    ('HERE="${TEST_DIR:-/tests}"', True),
    ('HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"', True),
    ('export HERE=$(dirname "$0")', True),
]


@pytest.mark.parametrize(("line", "ours"), REQUIREMENTS)
def test_requirements_of_the_suite_and_of_the_candidate(line: str, ours: bool) -> None:
    script = parsed(f'{line}\npip install -r "${{HERE}}/requirements.txt"')
    assert (kind(script, bash.statements(script.root)[1]) is Kind.INSTALL) == ours


ENDS = [
    ("echo hi\npytest", 1),
    ("echo hi\npython3 /app/server.py &\necho ready", 1),
    ("echo hi &\npytest", 0),  # a job in the background is nobody's bootstrap
    ("echo 0 > /logs/verifier/reward.txt\necho hi", 0),  # nor is a reward
    ('R=/logs/verifier/reward.txt\necho 0 > "$REWARD"', 0),
    ("set -e\ncd /app\napt-get update\nmkdir -p /logs/verifier\npytest", 4),
]


@pytest.mark.parametrize(("text", "count"), ENDS)
def test_the_bootstrap_ends_where_the_first_other_statement_stands(text: str, count: int) -> None:
    assert len(split(parsed(text)).prefix) == count
