"""The verifier that references/verifier-rewriting.md offers for copying does what the page promises."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "references" / "verifier-rewriting.md"
SKELETON = re.compile(r"^## Writing one by hand$.*?^```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TEST = "from ledger import total\n\n\ndef test_total():\n    assert total([2, 3]) == 5\n"
RIGHT = "def total(numbers):\n    return sum(numbers)\n"


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """The skeleton with its places moved below ``tmp_path``."""
    found = SKELETON.search(PAGE.read_text())
    assert found
    script = found[1].replace("/logs", f"{tmp_path}/logs").replace("/app", f"{tmp_path}/app")
    (tmp_path / "tests").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "tests" / "test.sh").write_text(script)
    (tmp_path / "tests" / "test_ledger.py").write_text(TEST)
    return tmp_path


def run(case: Path, **environment: str) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(case)} | environment
    bash = shutil.which("bash") or "bash"
    done = subprocess.run([bash, "tests/test.sh"], cwd=case, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout


CANDIDATES = [
    ("right", RIGHT, 0, "PASS"),
    ("wrong", "def total(numbers):\n    return 0\n", 1, "FAIL (tests failed)"),
    ("absent", None, 1, "FAIL (the candidate's module does not import)"),
    ("does not parse", "def total(:\n", 1, "FAIL (the candidate's module does not import)"),
    ("leaves with 0 on import", "import os\nos._exit(0)\n", 1, "FAIL (status 0, but no test ran)"),
]


@pytest.mark.parametrize(("name", "text", "status", "verdict"), CANDIDATES, ids=[row[0] for row in CANDIDATES])
def test_a_candidate_that_is(name: str, text: str | None, status: int, verdict: str, case: Path) -> None:
    if text is not None:
        (case / "app" / "ledger.py").write_text(text)
    code, out = run(case)
    assert (code, out.count("VERDICT:")) == (status, 1)
    assert f"VERDICT: {verdict}" in out


def test_a_candidate_that_hangs_fails_before_the_outer_limit(case: Path) -> None:
    (case / "app" / "ledger.py").write_text("import time\ntime.sleep(60)\n")
    script = case / "tests" / "test.sh"
    script.write_text(script.read_text().replace("timeout -k 5 840", "timeout -k 5 2"))
    assert run(case) == (1, "VERDICT: FAIL (the candidate ran out of time)\n")


def test_a_missing_suite_file_is_infra(case: Path) -> None:
    (case / "tests" / "test_ledger.py").unlink()
    assert run(case) == (2, "VERDICT: INFRA (test_ledger.py is missing)\n")


def test_a_suite_file_that_does_not_parse_is_infra(case: Path) -> None:
    (case / "app" / "ledger.py").write_text(RIGHT)
    (case / "tests" / "test_ledger.py").write_text("def test_total(:\n")
    assert run(case)[0] == 2


def test_a_missing_tool_is_infra(case: Path) -> None:
    tools = case / "bin"
    tools.mkdir()
    for tool in ("bash", "mkdir", "rm", "timeout"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    assert run(case, PATH=str(tools)) == (2, "VERDICT: INFRA (missing: python3)\n")


def test_a_missing_directory_of_the_source_is_infra(case: Path) -> None:
    (case / "app").rmdir()
    assert run(case)[0] == 2


def test_options_from_outside_change_nothing(case: Path) -> None:
    (case / "app" / "ledger.py").write_text(RIGHT)
    assert run(case, PYTEST_ADDOPTS="--collect-only")[0] == 0
