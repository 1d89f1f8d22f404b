"""A conversion whose hardening breaks the right work: the pattern is taken back by program, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.cli import main
from tests.support.harbor import make_task
from tests.support.images import BASE_IMAGE

pytestmark = pytest.mark.docker

# The right work goes on writing a file, and nothing in prompt or tests says that something has to run for it.
TASK = {
    "instruction.md": "See to it that /app/beat is written anew every second.\n",
    "environment/Dockerfile": f"FROM {BASE_IMAGE}\nWORKDIR /app\n",
    "tests/test.sh": """#!/bin/bash
bash /tests/check.sh
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
""",
    "tests/check.sh": "#!/bin/bash\nrm -f /app/beat\nsleep 2\n[ -s /app/beat ]\n",
    "solution/solve.sh": (
        "#!/bin/bash\nsetsid sh -c 'while :; do echo now >/app/beat; sleep 0.3; done' </dev/null >/dev/null 2>&1 &\n"
    ),
}
TAKEN_BACK = "hardening taken back, since the right work was not judged 0 with it: alone"


def test_a_pattern_that_breaks_the_right_work_is_taken_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_task(tmp_path / "data" / "beat", TASK)
    out = tmp_path / "out"
    assert main(["convert", str(tmp_path / "data"), "-o", str(out), "--jobs", "1", "--require-proof"]) == 0
    verifier = (out / "cases" / "beat" / "tests" / "test.sh").read_text()
    heading = next(line for line in verifier.splitlines() if line.startswith("# Hardened by: "))
    assert "alone" not in heading and "intact" in heading
    assert "\n  alone\n" not in verifier
    assert TAKEN_BACK in (tmp_path / "out.run" / "report.md").read_text()
    assert TAKEN_BACK in (tmp_path / "out.run" / "report.json").read_text()
    assert main(["report", str(tmp_path / "out.run")]) == 0
