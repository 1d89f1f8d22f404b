"""The ledger that a conversion leaves beside its suite, read line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent.errors import UsageError
from agent.run_folder import LEDGER, run_path


def ledger_of(suite: Path) -> Iterator[dict[str, Any]]:
    """The rows that the conversion of ``suite`` left beside it; raises UsageError when there are none."""
    path = run_path(suite.resolve()) / LEDGER
    try:
        with path.open("rb") as lines:
            for line in lines:
                if (row := json.loads(line)).get("case"):
                    yield row
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: is no ledger ({error}); only a converted suite has one") from error
