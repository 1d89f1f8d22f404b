"""Runs every assertion of data.json against /app/solution.py; 0 only when there is one and all of them hold."""

import json
import sys
from pathlib import Path

DATA = json.loads((Path(__file__).parent / "data.json").read_text())
TESTS = [*DATA["test_list"], *DATA["challenge_test_list"]]
if not TESTS:
    sys.exit(2)
namespace = {"__name__": "solution"}
exec(compile(DATA["test_setup_code"], "set-up", "exec"), namespace)
exec(compile(Path("/app/solution.py").read_text(), "/app/solution.py", "exec"), namespace)
for test in TESTS:
    exec(compile(test, "hidden test", "exec"), namespace)
print(f"{len(TESTS)} assertions hold")
