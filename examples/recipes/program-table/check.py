"""Runs /app/solve.py on every input of data.json and compares what it prints, outer blanks of lines left aside."""

import json
import subprocess
import sys
from pathlib import Path

TESTS = json.loads((Path(__file__).parent / "data.json").read_text())["tests"]


def lines(text):
    return [line.rstrip() for line in text.strip().splitlines()]


if not TESTS:
    sys.exit(2)
for number, test in enumerate(TESTS, 1):
    try:
        ran = subprocess.run(
            [sys.executable, "/app/solve.py"], input=test["input"], capture_output=True, text=True, timeout=10
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"test {number}: no end within 10 s")
    if ran.returncode != 0 or lines(ran.stdout) != lines(test["output"]):
        sys.exit(f"test {number}: status {ran.returncode}, another output than expected")
print(f"{len(TESTS)} tests passed")
