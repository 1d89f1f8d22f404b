"""Makes a Harbor dataset of any size: tasks of nine files each, with a given number of distinct verifiers."""

from __future__ import annotations

from pathlib import Path

TOML = """version = "1.0"

[metadata]
author_name = "Ines Farrow"
difficulty = "{difficulty}"
category = "programming"
tags = ["generated", "task-{number}"]

[verifier]
timeout_sec = {timeout}.0

[agent]
timeout_sec = 900.0

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
"""

DOCKERFILE = """FROM debian:bookworm-slim

RUN apt-get update && apt-get install -y --no-install-recommends python3-pytest && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY input.txt limits.json /app/
"""

VERIFIERS = (
    """#!/bin/bash
# verifier {shape}
mkdir -p /logs/verifier
pytest /tests/test_outputs.py -rA -k "not slow_{shape}"

if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
""",
    """#!/usr/bin/env bash
set -uo pipefail
# verifier {shape}
python3 -m pytest -q /tests/test_outputs.py
status=$?
if [ "$status" -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
exit $status
""",
    """#!/bin/bash
# verifier {shape}
if python3 /tests/check.py --shape {shape}; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
""",
)

TEST = """from pathlib import Path


def test_answer():
    assert Path("/app/answer.txt").read_text().strip() == "{number}"


def test_slow_enough():
    assert Path("/app/input.txt").stat().st_size > 0
"""

CHECK = """import sys
from pathlib import Path

sys.exit(Path("/app/answer.txt").read_text().strip() != "{number}")
"""

PROMPT = (
    """Read `/app/input.txt` and write the number that it ends with to `/app/answer.txt`.

This is task {number}. The limits of the answer stand in `/app/limits.json`.
"""
    + "The file has one record a line, and the records are not sorted.\n" * 20
)


def make(root: Path, tasks: int, shapes: int) -> int:
    """Fill ``root`` with ``tasks`` tasks of ``shapes`` distinct verifiers; returns the number of files."""
    files = 0
    for number in range(tasks):
        shape = number % shapes
        task = root / f"set-{number % 7}" / f"task-{number:05}"
        contents = {
            "task.toml": TOML.format(difficulty=("easy", "hard")[number % 2], number=number, timeout=60 + shape),
            "instruction.md": PROMPT.format(number=number),
            "environment/Dockerfile": DOCKERFILE,
            "environment/input.txt": "".join(f"record {line} of {number}\n" for line in range(100)),
            "environment/limits.json": '{"least": 0, "most": 99999}\n',
            "tests/test.sh": VERIFIERS[shape % len(VERIFIERS)].format(shape=shape),
            "tests/test_outputs.py": TEST.format(number=number),
            "tests/check.py": CHECK.format(number=number),
            "solution/solve.sh": f"#!/bin/bash\necho {number} > /app/answer.txt\n",
        }
        for path, text in contents.items():
            (task / path).parent.mkdir(parents=True, exist_ok=True)
            (task / path).write_text(text)
            files += 1
    return files
