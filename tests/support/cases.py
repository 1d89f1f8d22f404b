"""Small hand-written Margin cases for tests that run verifiers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skill.case import Case
from skill.suite import read_suite
from tests.support.images import BASE_IMAGE

DOCKERFILE = f"FROM {BASE_IMAGE}\nWORKDIR /app\n"
SOLVED = "[ -f /app/done ] || exit 1"
SOLVE = "touch /app/done"


def script(*lines: str) -> str:
    """A bash script of ``lines``."""
    return "\n".join(("#!/bin/bash", *lines, ""))


def write_case(
    suite: Path,
    name: str,
    *,
    test: str = script(SOLVED),
    solve: str | None = script(SOLVE),
    dockerfile: str = DOCKERFILE,
    files: Mapping[str, str] | None = None,
    agent_cwd: str = "/app",
    test_cwd: str = "/",
    timeout: int = 20,
) -> Case:
    """The case ``name`` added to the suite at ``suite``: by default one that passes once it is solved."""
    root = suite / "cases" / name
    contents = {"prompt.md": "Make /app/done.\n", "env/Dockerfile": dockerfile, "tests/test.sh": test}
    contents |= {"oracle/solve.sh": solve} if solve is not None else {}
    contents["case.toml"] = (
        f'kind = "test_case"\nname = "{name}"\nagent_cwd = "{agent_cwd}"\ntest_cwd = "{test_cwd}"\n'
        f"test_timeout_seconds = {timeout}\n"
    )
    for path, text in (contents | dict(files or {})).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o755 if path.endswith(".sh") else 0o644)
    names = sorted(path.name for path in (suite / "cases").iterdir())
    listed = ", ".join(f'"{known}"' for known in names)
    (suite / "suite.toml").write_text(f'kind = "test_suite"\nname = "small"\ncases = [{listed}]\n')
    return next(case for case in read_suite(suite).cases() if case.name == name)
