"""Small Harbor tasks and datasets for the tests of the command line."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

TOML = 'version = "1.0"\n\n[verifier]\ntimeout_sec = 60.0\n\n[environment]\n'
TEST_SH = """#!/bin/bash
pytest /tests/test_outputs.py -rA

if [ $? -eq 0 ]; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""

FILES: Mapping[str, str | bytes] = {
    "task.toml": TOML,
    "instruction.md": "Write `ahoy` to `/app/greeting.txt`.\n",
    "environment/Dockerfile": (
        "FROM debian:bookworm-slim\n"
        "RUN apt-get update && apt-get install -y --no-install-recommends python3-pytest\n"
        "WORKDIR /app\n"
    ),
    "tests/test.sh": TEST_SH,
    "tests/test_outputs.py": (
        "from pathlib import Path\n\n\ndef test_greeting():\n"
        '    assert Path("/app/greeting.txt").read_text().strip() == "ahoy"\n'
    ),
    "solution/solve.sh": "#!/bin/bash\necho ahoy > /app/greeting.txt\n",
}


def make_task(root: Path, changes: Mapping[str, str | bytes | None] | None = None) -> Path:
    """A sound task at ``root``, but for ``changes``: other contents, or None for a file that is not there."""
    for path, content in {**FILES, **(changes or {})}.items():
        if content is None:
            continue
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        (root / path).write_bytes(data)
    return root


def make_dataset(root: Path, names: tuple[str, ...] = ("auk", "curlew", "tern")) -> Path:
    """Sound tasks called ``names`` below ``root``; their tests differ."""
    for name in names:
        make_task(root / name, {"instruction.md": f"Write `ahoy` for the {name} to `/app/greeting.txt`.\n"})
    return root


def snapshot(root: Path) -> dict[str, tuple[str, str]]:
    """Kind, mode and content of everything below ``root``, so that two states can be compared."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            status = path.lstat()
            content = ""
            if stat.S_ISLNK(status.st_mode):
                content = str(path.readlink())
            elif stat.S_ISREG(status.st_mode):
                with path.open("rb") as stream:  # some are huge
                    content = hashlib.file_digest(stream, "sha256").hexdigest()
            found[path.relative_to(root).as_posix()] = (oct(status.st_mode), content)
    return found
