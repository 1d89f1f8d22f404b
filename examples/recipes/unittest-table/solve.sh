#!/bin/bash
# The reference solution of the table.
set -e
python3 - <<'PYTHON'
import json
from pathlib import Path

data = json.loads(Path("/solution/data.json").read_text())
Path("/app/solution.py").write_text(data["code_prompt"] + data["canonical_solution"])
PYTHON
