"""The margin CLI as a judge of suites: compiles, runs nothing.

``--auth-file-path`` is refused after a suite was compiled and before Docker is touched, so that refusal means
"compiled". It is a side effect of the CLI and not a promise, good enough for a cross-check.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.support.suites import put

HOOK = '#!/bin/sh\necho \'{"path": "/bin/sh", "args": ["-c", "exit 0"]}\'\n'
AGENT = {
    "agent/config.toml": (
        'kind = "agent_config"\nname = "nobody"\ndefinition = "./definition"\nmode = "direct"\n[input]\nx = 1\n',
        0o644,
    ),
    "agent/definition/definition.toml": (
        'kind = "agent_definition"\nname = "nobody"\n[run]\nprepare = "hooks/prepare.sh"\n',
        0o644,
    ),
    "agent/definition/hooks/prepare.sh": (HOOK, 0o755),
    "eval.toml": ('kind = "eval_config"\nname = "once"\nmax_concurrency = 1\ninstance_timeout_seconds = 60\n', 0o644),
}


class Compiler:
    """``margin`` with an agent that does nothing, below ``home``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        for path, (text, mode) in AGENT.items():
            put(path, text, mode)(home)

    def complaint(self, suite: Path, *, oracle: bool = False) -> str:
        """The first error that the compiler has, empty when it has none; a hang is a complaint too."""
        command = [
            shutil.which("margin") or "margin",
            *("run", "--non-interactive", "--dry-run" if not oracle else "--oracle-run"),
            *("--suite", str(suite), "--agent-config", str(self.home / "agent")),
            *("--eval", str(self.home / "eval.toml"), "--output", str(self.home / "never")),
            *("--auth-file-path", "x", "--agent-server-binary", "/bin/true"),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20)
        except subprocess.TimeoutExpired:
            return "the compiler hangs"
        assert done.returncode != 0, "margin started a run"
        return "" if "--auth-file-path" in done.stderr else done.stderr.strip().splitlines()[0]
