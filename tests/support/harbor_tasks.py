"""Tiny Harbor tasks, written into a folder by the tests that need them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skill.sources.base import SourceTask
from skill.sources.harbor import HARBOR

TOML = '[metadata]\ndifficulty = "easy"\n\n[verifier]\ntimeout_sec = 60.0\n'
FILES: Mapping[str, str | None] = {
    "task.toml": TOML,
    "instruction.md": "Put the tide table in order.\n",
    "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\n",
    "tests/test.sh": "#!/bin/bash\ntrue\n",
    "solution/solve.sh": "#!/bin/bash\ntrue\n",
}


def make_task(root: Path, files: Mapping[str, str | bytes | None] | None = None, *, toml: str = TOML) -> Path:
    """A sound task in ``root``, with ``files`` added, replaced, or left out where the text is None."""
    for path, text in {**FILES, "task.toml": toml, **(files or {})}.items():
        if text is not None:
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def load(root: Path) -> SourceTask:
    """The task in ``root`` as the Harbor source reads it."""
    return HARBOR.load(HARBOR.inventory(root).tasks[0])


def codes(task: SourceTask) -> set[str]:
    """The codes of a task's refusals."""
    return {refusal.code for refusal in task.refusals}


def notes(task: SourceTask) -> set[str]:
    """The codes of a task's findings."""
    return {finding.code for finding in task.findings}


def sentence(task: SourceTask, code: str) -> str:
    """The sentence of the refusal with ``code``."""
    return next(refusal.sentence for refusal in task.refusals if refusal.code == code)
