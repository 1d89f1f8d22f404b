"""Which runner a command calls, how it is tried beforehand, and where its report goes."""

from __future__ import annotations

import pytest

from skill import bash
from skill.verifier.runner import Call, call_of, pytest_call
from tests.support.verifiers import parsed


def called(text: str) -> tuple[bash.Script, Call | None]:
    script = parsed(text)
    return script, pytest_call(script, next(bash.commands(script.root)))


NOT_PYTEST = [
    "pip install pytest",
    "uv add pytest",
    "uv pip install pytest",
    "uvx --with pytest ruff check",
    "uvx --from pytest coverage",
    "python3 -p pytest",
    "grep -k pytest /app/log",
    "python3 /tests/pytest.py",
    "./run-pytest",
    "echo pytest-xdist",
    "tool -m pytest",
]


@pytest.mark.parametrize("text", NOT_PYTEST)
def test_no_call_of_pytest(text: str) -> None:
    assert called(text)[1] is None


TRIALS = [
    ("pytest", "pytest"),
    ("pytest /tests/test_tides.py -rA -v", "pytest"),
    ("/opt/venv/bin/pytest -q", "/opt/venv/bin/pytest"),
    ("py.test", "py.test"),
    ("python3 -m pytest /tests", "python3 -m pytest"),
    ("timeout 300 python -m pytest /tests", "timeout 300 python -m pytest"),
    ("uvx --with requests==2.32.0 pytest /tests", "uvx --with requests==2.32.0 pytest"),
    ("uvx -p 3.13 -w pytest==8.4.1 -w pandas pytest /tests", "uvx -p 3.13 -w pytest==8.4.1 -w pandas pytest"),
    (
        "uvx --with pytest==8.4.1 \\\n  --with 'numpy<3' \\\n  pytest /tests",
        "uvx --with pytest==8.4.1 --with 'numpy<3' pytest",
    ),
    ("uv run --with pytest pytest -rA", "uv run --with pytest pytest"),
    ("uv run python -m pytest -rA", 'uv run --project "$PWD" python -m pytest'),  # the project that the source is in
    ("uv run --directory /srv pytest", "uv run --directory /srv pytest"),
    ("env MODE=fast pytest", "env MODE=fast pytest"),
    # options that need a plugin are tried, those that name paths are not
    ("pytest -n 4 -x /tests", "pytest -n 4"),
    ("pytest --timeout=60 -k tides", "pytest --timeout=60"),
    ("pytest -p no:cacheprovider --tb=short", "pytest -p no:cacheprovider"),
    ("pytest --ctrf /logs/verifier/ctrf.json /tests", 'pytest --ctrf "$PRIVATE/check/extra"'),
    (
        "pytest --json-report --json-report-file=/tmp/r.json",
        'pytest --json-report --json-report-file "$PRIVATE/check/extra"',
    ),
    # what only running tells cannot be tried
    ('should be""\n\n# next\npython -m pytest', ""),
    ("$(which pytest) /tests", ""),
    ('uvx --with "$(cat /tests/pin)" pytest', ""),
]


@pytest.mark.parametrize(("text", "trial"), TRIALS)
def test_the_call_is_tried_as(text: str, trial: str) -> None:
    _, call = called(text)
    assert (call.trial if call else "") == trial


REPORTS = [
    # source's call, its report, ours put in
    ("pytest -q", "", "pytest{} -q"),
    ("uvx pytest -q", "", "uvx pytest{} -q"),
    (
        "pytest --junitxml=/logs/verifier/junit.xml -q",
        "/logs/verifier/junit.xml",
        "pytest --junitxml=/logs/verifier/junit.xml{} -q",
    ),
    ("pytest --junit-xml /tmp/j.xml -q", "/tmp/j.xml", "pytest --junit-xml /tmp/j.xml{} -q"),
    # a place that only the script knows: ours comes later and wins
    ("pytest --junitxml=junit.xml -q", "", "pytest --junitxml=junit.xml{} -q"),
    ('pytest --junitxml="$LOGS/junit.xml" -q', "", 'pytest --junitxml="$LOGS/junit.xml"{} -q'),
    ("pytest --junitxml '/tmp/a\"; exit 0; \".xml' -q", "", "pytest --junitxml '/tmp/a\"; exit 0; \".xml'{} -q"),
]


@pytest.mark.parametrize(("text", "report", "with_ours"), REPORTS)
def test_reports(text: str, report: str, with_ours: str) -> None:
    _, call = called(text)
    assert call is not None
    assert (call.report, text[: call.insert_at] + "{}" + text[call.insert_at :]) == (report, with_ours)


RUNNERS = [
    ("python3 /tests/check.py", "python", ""),
    ("python3 -m unittest discover /tests", "unittest", "Ran "),
    ("timeout -k 5 60 node --test /tests", "node", "pass "),
    ("node /tests/check.js", "node", ""),
    ("go test ./...", "go", "PASS"),
    ("go vet ./...", "go", ""),
    ("cargo test --release", "cargo", "passed"),
    ("bats /tests", "bats", "ok "),
    ("ctest --output-on-failure", "ctest", "tests failed out of"),
    ("bash /tests/run.sh", "bash", ""),
    ("sudo -E make check", "make", ""),
    ("/app/tides --check", "status", ""),
    ('"$PYTHON" /tests/check.py', "status", ""),
    ("grep -q tide /app/log", "status", ""),
    ("( cd /app && g++ -o t t.cpp && ./t )", "status", ""),
    ("cat in.txt | python3 check.py", "python", ""),
    ("python3 check.py $(pytest --version)", "python", ""),
    ("cd /app && pytest", "pytest", ""),
]


@pytest.mark.parametrize(("text", "runner", "evidence"), RUNNERS)
def test_the_runner_is(text: str, runner: str, evidence: str) -> None:
    script = parsed(text)
    found = call_of(script, bash.statements(script.root)[0])
    assert found.runner == runner
    assert evidence in found.evidence and bool(evidence) == bool(found.evidence)
