"""The source's script as it stands in the converted case: bytes, line numbers, and what test.sh took over."""

from __future__ import annotations

import pytest

from skill.verifier.rewrite import rewrite
from skill.verifier.source_script import MOVED
from tests.support.verifiers import cut, verifier

TXT = "/logs/verifier/reward.txt"
TAIL = f"if [ $? -eq 0 ]; then echo 1 > {TXT}; else echo 0 > {TXT}; fi\n"


def rewritten(script: str, assets: dict[str, str] | None = None) -> tuple[str, str]:
    """(source-test.sh, test.sh)"""
    made = rewrite(verifier(script, assets or {"grade.py": f"Path('{TXT}').write_text('1')"}))
    assert not hasattr(made, "code"), made
    return made.files["source-test.sh"].decode(), made.files["test.sh"].decode()


IDENTICAL = [
    "#!/bin/bash\npython3 /tests/grade.py\n",
    "#!/bin/bash\n\n# a comment\nset -e\ncd /app\nexec python3 /tests/grade.py",
    "#!/bin/bash\nfor f in a b; do\n\tpython3 /tests/grade.py  \ndone\n\n\n",
    "#!/bin/sh\npython3 /tests/grade.py # äöü\n",
]


@pytest.mark.parametrize("script", IDENTICAL)
def test_a_wrapped_script_is_the_sources_byte_for_byte(script: str) -> None:
    assert rewritten(script)[0] == script


BOOTSTRAP = """#!/bin/bash
set -e
apt-get update
apt-get install -y \\
  curl \\
  jq
if [ "$PWD" = "/" ]; then
  echo "no WORKDIR"
  exit 1
fi
source $HOME/.local/bin/env  # uv
cd /app; pip install pytest
echo start
exec python3 /tests/grade.py
"""


def test_moved_lines_become_comments_on_their_own_lines() -> None:
    before, after = BOOTSTRAP.splitlines(), rewritten(BOOTSTRAP)[0].splitlines()
    assert len(before) == len(after)
    mark = MOVED.decode()
    changed = {number: (old, new) for number, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new}
    assert sorted(changed) == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert changed[12] == ("cd /app; pip install pytest", "cd /app; :")
    assert all(new == mark + old for number, (old, new) in changed.items() if number < 12)


def test_what_moved_is_done_by_the_bootstrap_of_test_sh() -> None:
    script = rewritten(BOOTSTRAP)[1]
    phase = script[script.index("set -a") : script.index("keep_environment")].splitlines()
    assert [line.split(" || ")[0].strip() for line in phase[1:]] == [
        "apt-get update",
        "apt-get install -y \\",
        "curl \\",
        "jq",
        "source $HOME/.local/bin/env",
        "cd /app",
        "pip install pytest",
        "",
    ]


GUARDED = [
    ("apt-get update", False),
    ("apt-get update -qq > /dev/null", False),
    ("apt-get install -y curl || true", False),
    ("pip install pytest | tail -1", False),
    ("if ! command -v uv; then pip install uv; fi", False),
    ("apt-get install -y curl", True),
    ("apt-get update && apt-get install -y curl", True),
    ("curl -LsSf https://example.org/i.sh | sh", True),
    ("pip install 'pytest<9'", True),
]


@pytest.mark.parametrize(("install", "guarded"), GUARDED)
def test_an_install_that_the_source_needs_ends_in_infra(install: str, guarded: bool) -> None:
    script = rewritten(f"{install}\npython3 /tests/grade.py\n")[1]
    line = next(line for line in script.splitlines() if install in line)
    assert (" || infra 'bootstrap failed in source line 2" in line) == guarded


def test_text_inside_of_a_moved_statement_keeps_its_lines() -> None:
    script = rewritten("NOTE='a\n  b\u2028c'\npip install pytest\npython3 /tests/grade.py\n")[1]
    assert "NOTE='a\n  b\u2028c'\n" in script


DIRECT = [
    # script, what source-test.sh ends with
    (f"cd /app\npytest -q\n{TAIL}", 'cd /app\npytest --junitxml="$VERDICT_DIR/report.xml" -q\n'),
    (f"cd /app && pytest -q\n{TAIL}", 'bash\ncd /app && pytest --junitxml="$VERDICT_DIR/report.xml" -q\n'),
    (
        f"if ! node /tests/check.js; then\n  exit\nfi\necho 1 > {TXT}\n",
        "bash\nnode /tests/.verdict/completion.cjs /tests/check.js\n",
    ),
    (
        f"echo go\nout=$(node /tests/check.js 2>&1)\n{TAIL}",
        "echo go\nnode /tests/.verdict/completion.cjs /tests/check.js 2>&1\n",
    ),
    (f"python3 - <<'END'\nassert True\nEND\n{TAIL}", "bash\npython3 - <<'END'\nassert True\nEND\n"),
    (
        f"set -e\nmake\npytest\necho 1 > {TXT}\n",
        ': >"$VERDICT_DIR/reached"; pytest --junitxml="$VERDICT_DIR/report.xml"\n',
    ),
    (f"pytest --junitxml=/tmp/j.xml\n{TAIL}", "bash\npytest --junitxml=/tmp/j.xml\n"),
    # the log that a tee leaves is kept where the shell can tell the statuses apart
    (
        f"python3 c.py 2>&1 | tee /tmp/log\nif [ ${{PIPESTATUS[0]}} = 0 ]; then echo 1 > {TXT}; fi\n",
        'python3 c.py 2>&1 | tee /tmp/log\nexit "${PIPESTATUS[0]}"\n',
    ),
]


@pytest.mark.parametrize(("script", "ending"), DIRECT)
def test_a_direct_script_ends_with_its_test_command(script: str, ending: str) -> None:
    made = rewrite(verifier(script, {}))
    assert made.form == "direct", made
    assert made.files["source-test.sh"].decode().endswith(ending)


def test_bytes_before_the_test_command_stay() -> None:
    script = (
        "#!/bin/bash\n# head\n\ncp  /app/a   /tmp/a  # odd   spaces\n" + f"pytest; rc=$?\n[ $rc = 0 ] && echo 1 > {TXT}"
    )
    _, found = cut(script)
    made = rewrite(verifier(script, {}))
    assert found.test is not None
    assert made.files["source-test.sh"].startswith(script.encode()[: found.test.start_byte])


# options of the script, whether a project that is there already ends the run
PROJECTS = [("", False), ("set -e\n", True), ("set -euo pipefail\n", True)]


@pytest.mark.parametrize(("options", "ends"), PROJECTS)
def test_a_project_that_the_candidate_has_begun_stops_only_a_script_that_stops(options: str, ends: bool) -> None:
    _, after = rewritten(f"{options}uv init\nuv add pytest\nuv run pytest /tests -rA\n{TAIL}")
    assert ("uv init || infra" in after) == ends
    assert "uv add pytest || infra" in after
