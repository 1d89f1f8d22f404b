"""Tiny Terminal-Bench tasks, written into a folder by the tests that need them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skill.sources.base import SourceTask
from skill.sources.terminal_bench import TERMINAL_BENCH

YAML = """\
instruction: |
  Put the tide table in order.
difficulty: easy
parser_name: pytest
max_agent_timeout_sec: 300.0
max_test_timeout_sec: 90.0
"""
COMPOSE = """\
services:
  client:
    build:
      dockerfile: Dockerfile
    image: ${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: ${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: ["sh", "-c", "sleep infinity"]
    environment:
      - TEST_DIR=${T_BENCH_TEST_DIR}
    volumes:
      - ${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}
      - ${T_BENCH_TASK_AGENT_LOGS_PATH}:${T_BENCH_CONTAINER_AGENT_LOGS_PATH}
"""
FILES: Mapping[str, str] = {
    "task.yaml": YAML,
    "docker-compose.yaml": COMPOSE,
    "Dockerfile": "FROM debian:bookworm-slim\nWORKDIR /app\nCOPY tides.txt ./\n",
    "tides.txt": "3 1 2\n",
    "run-tests.sh": "#!/bin/bash\npytest $TEST_DIR/test_outputs.py -rA\n",
    "tests/test_outputs.py": "def test_order():\n    assert open('/app/tides.txt').read() == '1 2 3'\n",
    "solution.sh": "#!/bin/bash\necho '1 2 3' > /app/tides.txt\n",
}


def make_task(root: Path, files: Mapping[str, str | bytes | None] | None = None, *, yaml: str = "") -> Path:
    """A sound task in ``root``, with ``files`` added, replaced, or left out where the text is None."""
    for path, text in {**FILES, **({"task.yaml": yaml} if yaml else {}), **(files or {})}.items():
        if text is not None:
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def load(root: Path) -> SourceTask:
    """The task in ``root`` as the source reads it."""
    return TERMINAL_BENCH.load(TERMINAL_BENCH.inventory(root).tasks[0])
