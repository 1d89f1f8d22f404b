"""A tiny dataset, its conversion on disk, and the ledger of that conversion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skill.draft import CaseDraft, Choices, draft
from skill.sources.harbor import HARBOR
from tests.support.harbor_tasks import make_task
from tests.support.suites import put

NAME = "tide-table"
VERIFIER = """\
#!/bin/bash
mkdir -p /logs/verifier
cd /app
python3 /tests/check.py
if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""
TASK: Mapping[str, str | None] = {
    "tests/test.sh": VERIFIER,
    "tests/check.py": "import sys\nsys.exit(open('/app/table').read() != '1 2 3')\n",
    "environment/Dockerfile": "FROM python:3.12-slim\nWORKDIR /app\nCOPY data /data\n",
    "environment/data/tides": "3 1 2\n",
    "solution/solve.sh": "#!/bin/bash\necho '1 2 3' > /app/table\n",
}


@dataclass
class Conversion:
    """What a conversion leaves behind."""

    source: Path
    suite: Path
    rows: list[dict[str, Any]]

    def row(self, path: str) -> dict[str, Any]:
        """The ledger row of one output file."""
        return next(row for row in self.rows if row["path"] == path)


def convert(root: Path, files: Mapping[str, str | None] | None = None, choices: Choices | None = None) -> Conversion:
    """One task below ``root``/source, converted into ``root``/suite."""
    source, suite = root / "source", root / "suite"
    make_task(source / NAME, {**TASK, **(files or {})})
    (ref,) = HARBOR.inventory(source).tasks
    made = draft(HARBOR.load(ref), NAME, choices or Choices())
    assert isinstance(made, CaseDraft), made
    for file in made.files:
        data = file.copy_of.read_bytes() if file.copy_of else file.data or b""
        put(f"cases/{NAME}/{file.path}", data, file.mode)(suite)
    put("suite.toml", f'kind = "test_suite"\nname = "tides"\ncases = ["{NAME}"]\n')(suite)
    return Conversion(source, suite, [{"case": NAME, **vars(row)} for row in made.ledger])
