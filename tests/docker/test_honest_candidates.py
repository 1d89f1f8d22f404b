"""Right solutions that use what forgeries abuse: the hardened verifier passes every one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from skill.suite import read_suite
from tests.support.conversions import convert
from tests.support.tide import BY_PYTEST, BY_SCRIPT, CHECK, SOLVE, TAIL, TEST, task
from tests.support.tools_image import why_no_tools
from tools.runners import open_runner
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Runner, Setup

pytestmark = pytest.mark.docker

SITE = "$(python3 -c 'import site; print(site.getsitepackages()[0])')"
USER_SITE = "$(python3 -c 'import site; print(site.getusersitepackages())')"
HOOK = "import pytest\n\n\n@pytest.fixture\ndef tides():\n    return [3, 1, 2]\n"
WITH_FIXTURE = TEST + "\n\ndef test_calm(tmp_path):\n    assert low([1]) == 1\n"
SERVED = (
    "import urllib.request\n\nfrom tide import low\n\n\ndef test_low():\n    assert low([3, 1]) == 1\n\n\n"
    "def test_is_served():\n    assert b'tide' in urllib.request.urlopen('http://localhost:9000/').read()\n"
)
BY_MAKE = f"#!/bin/bash\ncd /app\nmake check && python3 /tests/check.py\n{TAIL}"
LINKED = TEST + "\n\ndef test_output():\n    assert open('/app/low.txt').read() == '1\\n'\n"
HOOKED = TEST + "\n\ndef test_hook():\n    assert 'exit 1' in open('/app/.git/hooks/pre-commit').read()\n"
AT_HOME = TEST + "\n\ndef test_home():\n    assert 'tide' in open('/root/.config/tide/settings').read()\n"


def solve(*commands: str) -> str:
    return SOLVE + "cd /app\n" + "\n".join(commands) + "\n"


HONEST = {
    "a conftest.py of its own": (BY_PYTEST, solve(f"cat >conftest.py <<'END'\n{HOOK}END"), {}),
    "settings of its own": (BY_PYTEST, solve("printf '[pytest]\\naddopts = -q\\nmarkers = calm\\n' >pytest.ini"), {}),
    "settings at the root": (BY_PYTEST, solve("printf '[tool.black]\\nline-length = 90\\n' >/pyproject.toml"), {}),
    "an editable install": (
        BY_PYTEST,
        solve("mkdir -p src && mv tide.py src/tide.py", f'echo /app/src >"{SITE}/tide.pth"'),
        {},
    ),
    "a package in the user's site": (
        BY_PYTEST,
        solve(
            f'mkdir -p "{USER_SITE}" && mv tide.py "{USER_SITE}/tide_core.py"',
            "echo 'from tide_core import low' >tide.py",
        ),
        {},
    ),
    "a harmless sitecustomize": (BY_PYTEST, solve(f"echo 'import sys' >\"{SITE}/sitecustomize.py\""), {}),
    "a plugin by its metadata": (
        BY_PYTEST,
        solve(
            "mkdir tides-1.dist-info",
            "printf 'Metadata-Version: 2.1\\nName: tides\\nVersion: 1\\n' >tides-1.dist-info/METADATA",
            "printf '[pytest11]\\ntides = tides\\n' >tides-1.dist-info/entry_points.txt",
            f"cat >tides.py <<'END'\n{HOOK}END",
        ),
        {},
    ),
    "tests of its own": (BY_PYTEST, solve("mkdir tests && echo 'def test_own(): assert True' >tests/test_own.py"), {}),
    "a service that keeps running": (
        BY_PYTEST,
        solve("setsid python3 -m http.server 9000 >/dev/null 2>&1 &", "sleep 1"),
        {"tests/test_tide.py": SERVED},
    ),
    "a GNUmakefile that was asked for": (
        BY_MAKE,
        solve("printf 'check:\\n\\ttrue\\n' >GNUmakefile"),
        {"instruction.md": "Write /app/GNUmakefile with a target check, and make low right.\n"},
    ),
    "npm, cargo and git settings": (
        BY_SCRIPT,
        solve(
            "echo fund=false >.npmrc", "mkdir .cargo && echo >.cargo/config.toml", "printf '[user]\\n' >~/.gitconfig"
        ),
        {},
    ),
    "an output that is a link": (
        BY_PYTEST,
        solve("mkdir out && echo 1 >out/low.txt && ln -s out/low.txt low.txt"),
        {"tests/test_tide.py": LINKED},
    ),
    "git hooks as what was asked for": (
        BY_PYTEST,
        solve("mkdir -p .git/hooks && printf '#!/bin/sh\\nexit 1\\n' >.git/hooks/pre-commit"),
        {"tests/test_tide.py": HOOKED},
    ),
    "settings in HOME": (
        BY_PYTEST,
        solve("mkdir -p ~/.config/tide && echo tide=low >~/.config/tide/settings"),
        {"tests/test_tide.py": AT_HOME},
    ),
    "a script that exits by itself": (
        BY_SCRIPT,
        SOLVE,
        {"tests/check.py": CHECK.replace("sys.exit(0", "raise SystemExit(0")},
    ),
    "tests that use fixtures and fail inside": (
        BY_PYTEST,
        SOLVE,
        {
            "tests/test_tide.py": "import pytest\n"
            + WITH_FIXTURE
            + "\n\n@pytest.mark.xfail\ndef test_x():\n    assert low([]) == 1\n"
        },
    ),
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    assert why_no_tools() == ""
    opened = open_runner("docker", Setup("honest"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_candidate_is_not_made_to_pay(name: str, tmp_path: Path, runner: Runner) -> None:
    source, solution, files = HONEST[name]
    made = convert(tmp_path, task(source, solution) | files)
    (case,) = read_suite(made.suite).cases()
    with runner.prepare(case, [UNTOUCHED, KNOWN_GOOD]) as prepared:
        ended = prepared.run(KNOWN_GOOD)
        assert ended.exit_code == 0, ended.detail + ended.log_tail
        assert prepared.run(UNTOUCHED).exit_code == 1
