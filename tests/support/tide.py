"""One small task in three styles, to be forged and to be solved honestly: make ``low`` of /app/tide.py right."""

from __future__ import annotations

from typing import Final

from tests.support.tools_image import image

DOCKERFILE: Final = f"FROM {image()}\nWORKDIR /app\nCOPY tide.py /app/tide.py\n"
WRONG: Final = "def low(heights):\n    return 0\n"
RIGHT: Final = "def low(heights):\n    return min(heights)\n"
SOLVE: Final = f"#!/bin/bash\ncat >/app/tide.py <<'END'\n{RIGHT}END\n"
TEST: Final = "from tide import low\n\n\ndef test_low():\n    assert low([3, 1, 2]) == 1\n"
CHECK: Final = (
    "import sys\n\nsys.path.insert(0, '/app')\ntry:\n    from tide import low\n\n    right = low([3, 1, 2]) == 1\n"
    "except Exception:\n    right = False\nsys.exit(0 if right else 1)\n"
)
TAIL: Final = (
    "if [ $? -eq 0 ]; then\n  echo 1 > /logs/verifier/reward.txt\nelse\n  echo 0 > /logs/verifier/reward.txt\nfi\n"
)
BY_PYTEST: Final = f"#!/bin/bash\ncd /app\npython3 -m pytest -q /tests/test_tide.py\n{TAIL}"
BY_SCRIPT: Final = f"#!/bin/bash\npython3 /tests/check.py\n{TAIL}"
BY_REWARD: Final = (
    "#!/bin/bash\necho 0 > /logs/verifier/reward.txt\npython3 /tests/check.py >/tmp/said 2>&1 || exit 0\n"
    "echo 1 > /logs/verifier/reward.txt\n"
)


def task(script: str = BY_PYTEST, solve: str = SOLVE, **files: str | None) -> dict[str, str | None]:
    """The files of the task, judged by ``script``; ``__`` in a name stands for a slash, ``_dot_`` for a dot."""
    own: dict[str, str | None] = {
        "environment/Dockerfile": DOCKERFILE,
        "environment/data/tides": None,
        "environment/tide.py": WRONG,
        "tests/test.sh": script,
        "tests/test_tide.py": TEST,
        "tests/check.py": CHECK,
        "solution/solve.sh": solve,
    }
    return own | {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
