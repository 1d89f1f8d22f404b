"""A root folder of its own on this machine, where a verifier may have /tests, /logs and /app without a container."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BASH = shutil.which("bash") or "bash"
ENTER = """
set -e
root=$1; shift
for place in /*; do
  name=${place#/}
  case " tests logs app " in *" $name "*) continue ;; esac
  if [ -L "$place" ]; then cp -P "$place" "$root/$name"
  elif [ -d "$place" ]; then mkdir "$root/$name"; mount --rbind "$place" "$root/$name"; fi
done
exec chroot "$root" "$@"
"""


@cache
def why_no_box() -> str | None:
    """The reason why no root folder of its own can be made here."""
    tools = [tool for tool in ("unshare", "mount", "chroot") if shutil.which(tool) is None]
    if tools:
        return f"{tools[0]} is not on PATH"
    done = subprocess.run([*_unshare(), "true"], capture_output=True, text=True)
    return done.stderr.strip() or "unshare failed" if done.returncode else None


def _unshare() -> list[str]:
    return ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--map-root-user", "--mount"]


@dataclass(frozen=True)
class Verdict:
    """How a verifier ended."""

    status: int
    output: str

    @property
    def name(self) -> str:
        """PASS, FAIL or INFRA; '' without a verdict, two names when there were two."""
        lines = [line for line in self.output.splitlines() if line.startswith("VERDICT: ")]
        return " ".join(line.removeprefix("VERDICT: ") for line in lines)

    @property
    def reason(self) -> str:
        """The sentence of the verdict."""
        return next((line[8:] for line in self.output.splitlines() if line.startswith("reason: ")), "")


@dataclass(frozen=True)
class Box:
    """A root folder below ``root``: the machine's own folders, but for /tests, /logs and /app."""

    root: Path

    def put(self, place: str, files: Mapping[str, str | bytes]) -> None:
        """Write ``files`` below ``place``, executable."""
        for name, text in files.items():
            path = self.root / place.strip("/") / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            path.chmod(0o755)

    def verify(self, **environment: str) -> Verdict:
        """Run /tests/test.sh as Margin does."""
        path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        env = {"PATH": path, "HOME": "/app"} | environment
        inner = ["env", "-i", *(f"{name}={value}" for name, value in env.items()), BASH, "-c", "tests/test.sh"]
        command = [*_unshare(), BASH, "-c", ENTER, "box", str(self.root), *inner]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        return Verdict(done.returncode, done.stdout + done.stderr)
