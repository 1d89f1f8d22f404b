"""A small sound recipe and source, written into folders by the tests that need them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from skill.recipe.reading import read_recipe
from skill.sources.base import SourceTask
from skill.sources.recipe import Described

RECIPE = """
schema = "suite-converter/recipe/1"
name = "harbour"

[rows]
format = "jsonl"
files = ["*.jsonl"]
id = "id"

[case]
prompt = "{{ question }}"
agent_cwd = "/app"
timeout_seconds = 60

[environment]
dockerfile = "Dockerfile"

[verifier]
run = "python3 /tests/check.py"
files = [{ path = "check.py", copy = "check.py" }]
data = ["answer"]

[oracle]
script = "solve.sh"
data = ["answer"]
"""
CHECK = """import json
import sys
from pathlib import Path

sys.exit(Path("/app/answer").read_text() != json.loads(Path("/tests/data.json").read_text())["answer"])
"""
SOLVE = """#!/bin/bash
python3 - <<'PYTHON'
import json
from pathlib import Path

Path("/app/answer").write_text(json.loads(Path("/solution/data.json").read_text())["answer"])
PYTHON
"""
FILES = {"Dockerfile": "FROM debian:bookworm-slim\nWORKDIR /app\n", "check.py": CHECK, "solve.sh": SOLVE}
ROW = {"id": "quay", "question": "How many boats lie at the quay?", "answer": "seven"}


def put_recipe(root: Path, text: str = RECIPE, files: Mapping[str, str] | None = None) -> Path:
    """The recipe in ``root``, with ``files`` added or replaced."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in {**FILES, **(files or {}), "recipe.toml": text}.items():
        (root / name).write_text(content)
    return root


def put_rows(root: Path, rows: Sequence[Mapping[str, Any] | str]) -> Path:
    """The records as JSON lines; a text stands there as it is."""
    root.mkdir(parents=True, exist_ok=True)
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    (root / "rows.jsonl").write_text("".join(line + "\n" for line in lines))
    return root


def described(root: Path, text: str = RECIPE, files: Mapping[str, str] | None = None) -> Described:
    """The source that a recipe in ``root`` describes."""
    return Described(read_recipe(put_recipe(root / "recipe", text, files)))


def tasks(root: Path, rows: Sequence[Mapping[str, Any] | str], text: str = RECIPE) -> list[SourceTask]:
    """The source task of each record."""
    source = described(root, text)
    return [source.load(ref) for ref in source.inventory(put_rows(root / "source", rows)).tasks]


def contents(task: SourceTask, part: str) -> dict[str, bytes]:
    """The files of one part of a task."""
    return {file.path: file.read() for file in getattr(task, part)}
