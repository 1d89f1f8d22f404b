"""suite.toml of the converted suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skill.contract import SUITE_FILE
from skill.ledger import Action, Row, digest
from skill.sources.base import Inventory
from skill.toml import dump
from tools.workspace import Workspace

BY = "suite-file"


def suite_text(name: str, description: str, cases: Sequence[str]) -> str:
    """suite.toml with one case a line, sorted; the names are file-safe and need no escapes."""
    head = dump({"kind": "test_suite", "name": name, "description": description})
    return head + "cases = [\n" + "".join(f'  "{case}",\n' for case in sorted(cases)) + "]\n"


def write_suite(staging: Path, inventory: Inventory, name: str, cases: Sequence[str]) -> Row | None:
    """Write suite.toml into ``staging`` and return its ledger row; None when there is no case to list."""
    if not cases:
        return None
    data = suite_text(name or inventory.name, inventory.description, cases).encode()
    with Workspace(staging) as files:
        files.write(SUITE_FILE, data)
    return Row(SUITE_FILE, Action.GENERATED, digest(data), 0o644, by=BY)
