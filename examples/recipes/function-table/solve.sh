#!/bin/bash
# The reference solution: the stub and the body that the table has for it.
set -e
python3 - <<'PYTHON'
import json
from pathlib import Path

data = json.loads(Path("/solution/data.json").read_text())
Path("/app/solution.py").write_text(data["prompt"] + data["canonical_solution"])
PYTHON
