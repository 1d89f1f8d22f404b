import subprocess
import sys
from pathlib import Path

sys.path.insert(0, "/app")


def test_own_tests_pass():
    assert subprocess.run(["pytest", "-q", "/app/tests"], cwd="/app", timeout=60).returncode == 0


def test_own_tests_are_all_there():
    assert Path("/app/tests/test_slug.py").read_text().count("def test_") == 3


def test_hidden_titles():
    from slug import slug

    assert slug("Spring\tTide  2031") == "spring-tide-2031"
