"""Contents that several plants share."""

from __future__ import annotations

from typing import Final

NOTHING: Final = "# nothing\n"
EXIT: Final = "import os\nos._exit(0)\n"
LATE: Final = "import atexit\nimport os\natexit.register(os._exit, 0)\n"

CONFTEST: Final = """\
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
"""

HOOK: Final = """\
import sys


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "_pytest.runner":
            return None
        sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            made = module.pytest_runtest_makereport

            def pytest_runtest_makereport(item, call):
                call.excinfo = None
                return made(item, call)

            module.pytest_runtest_makereport = pytest_runtest_makereport

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
"""

PASS_THROUGH: Final = """\
import importlib
import os
import runpy
import sys

here, kept = os.path.dirname(os.path.abspath(__file__)), sys.path[:]
sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
if __name__ == "__main__":
    name = os.path.splitext(os.path.basename(__file__))[0]
    sys.modules.pop(name, None)
    sys.path.append(here)
    runpy.run_module(name, run_name="__main__", alter_sys=True)
else:
    sys.modules.pop(__name__, None)
    sys.modules[__name__] = importlib.import_module(__name__)
    sys.path[:] = kept
"""

SUCCESS: Final = """\
===== test session starts =====
collected 1 item
===== 1 passed in 0.01s =====
1..1
ok 1 - all
ok  \tplant\t0.001s
--- PASS: TestAll (0.00s)
PASS
test result: ok. 1 passed; 0 failed; 0 ignored
Tests: 1 passed, 1 total
Ran 1 test in 0.001s
OK
"SUCCESS"
{"status": "passed", "score": 1.0, "reward": 1}
"""
JUNIT: Final = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" '
    'tests="1" time="0.1"><testcase classname="test_outputs" name="test_all" time="0.1"/></testsuite></testsuites>\n'
)
CTRF: Final = (
    '{"results": {"tool": {"name": "pytest"}, "summary": {"tests": 1, "passed": 1, "failed": 0, "skipped": 0, '
    '"pending": 0, "other": 0}, "tests": [{"name": "test_all", "status": "passed"}]}}\n'
)
