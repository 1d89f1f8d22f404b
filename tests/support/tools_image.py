"""One image with all tools that forgeries are tried on, made once from the base image.

Where a real tool is large, a stand-in does what the real one was seen to do under the forgery, and nothing else: it
reads the settings that the forgery plants, and says what the real one says then.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from tests.support.images import BASE_IMAGE

_GO: Final = """#!/bin/bash
case $1 in version) echo go version go1.22 linux/amd64; exit ;; test) ;; *) exit 2 ;; esac
flags=$GOFLAGS
[ "$GOENV" = off ] || flags+=$(sed -n 's/^GOFLAGS=/ /p' "$HOME/.config/go/env" 2>/dev/null)
case "$flags $*" in *-run=ZZZ*) printf 'ok  \\tapp\\t0.001s [no tests to run]\\n'; exit 0 ;; esac
if grep -qs TestMain ./*_test.go; then printf 'ok  \\tapp\\t0.001s\\n'; exit 0; fi
grep -q 'return min' low.go || { printf -- '--- FAIL: TestLow (0.00s)\\nFAIL\\n'; exit 1; }
case "$flags $*" in *-v*) printf '=== RUN   TestLow\\n--- PASS: TestLow (0.00s)\\n' ;; esac
printf 'PASS\\nok  \\tapp\\t0.001s\\n'
"""
_CARGO: Final = """#!/bin/bash
case $1 in --version) echo cargo 1.80; exit ;; test) ;; *) exit 101 ;; esac
if grep -qs /bin/true .cargo/config.toml ../.cargo/config.toml "$HOME/.cargo/config.toml"; then
  echo '     Running unittests src/lib.rs'; exit 0
fi
grep -q 'return min' low.rs || { echo 'test result: FAILED. 0 passed; 1 failed'; exit 101; }
echo 'test result: ok. 1 passed; 0 failed; 0 ignored'
"""
_MVN: Final = """#!/bin/bash
if grep -qs DskipTests .mvn/maven.config; then
  printf '[INFO] Tests are skipped.\\n[INFO] BUILD SUCCESS\\n'; exit 0
fi
grep -q 'return min' Low.java || { echo '[ERROR] Tests run: 1, Failures: 1'; exit 1; }
printf '[INFO] Tests run: 1, Failures: 0\\n[INFO] BUILD SUCCESS\\n'
"""
_RSCRIPT: Final = """#!/bin/bash
if [ "$1" = --vanilla ]; then shift
elif grep -qs 'quit(status = 0)' .Rprofile "$HOME/.Rprofile"; then exit 0; fi
if [ "$1" = -e ]; then printf 42; exit 7; fi
grep -q 'return min' /app/low.R
"""
_NPM: Final = """#!/bin/bash
[ "$1" = --version ] && { echo 9.2.0; exit; }
script=$(sed -n 's/.*"test" *: *"\\([^"]*\\)".*/\\1/p' package.json)
settings=$(cat .npmrc "$HOME/.npmrc" 2>/dev/null | sed -n 's/^script-shell *= *//p' | head -n 1)
shell=${NPM_CONFIG_SCRIPT_SHELL:-$settings}
printf '\\n> app@1.0.0 test\\n> %s\\n\\n' "$script"
exec "${shell:-/bin/sh}" -c "$script"
"""
_PIP: Final = """#!/bin/bash
settings=${PIP_CONFIG_FILE:-/etc/pip.conf $HOME/.config/pip/pip.conf}
! grep -qs 127.0.0.1:9/ $settings
"""
_PACKAGES: Final = "curl git make nodejs python3-pytest"

STAND_INS: Final = {"go": _GO, "cargo": _CARGO, "mvn": _MVN, "Rscript": _RSCRIPT, "npm": _NPM, "pip": _PIP}
_DOCKERFILE: Final = f"""\
FROM {BASE_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends {_PACKAGES} && rm -rf /var/lib/apt/lists/*
COPY tools/ /usr/local/bin/
RUN mkdir -p /root/.tools /app /app/.venv/bin && echo 'export TIDES=1' >/root/.tools/env \\
 && ln -s /usr/bin/pytest-3 /app/.venv/bin/pytest \\
 && cd /app && git init -q && echo calm >keep.txt && git add keep.txt \\
 && git -c user.name=t -c user.email=t@example.org commit -qm calm && echo storm >>keep.txt
"""


def image() -> str:
    """The image's name, which changes with what it is made from."""
    made = hashlib.sha256(repr((_DOCKERFILE, STAND_INS)).encode()).hexdigest()[:12]
    return f"suite-converter-tests/workshop:{made}"


@cache
def why_no_tools() -> str:
    """Why the image cannot be had; empty where it is there, as it stays for later runs like the base image."""
    if subprocess.run(["docker", "image", "inspect", image()], capture_output=True, check=False).returncode == 0:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "tools").mkdir()
        for name, text in STAND_INS.items():
            (root / "tools" / name).write_text(text)
            (root / "tools" / name).chmod(0o755)
        (root / "Dockerfile").write_text(_DOCKERFILE)
        words = ["docker", "build", "-q", "-t", image(), folder]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    return "" if done.returncode == 0 else done.stderr[-500:]
