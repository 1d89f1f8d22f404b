"""What Margin enforces, as constants: file names, limits, exit codes, patterns.

Facts read in Margin's compiler and runner and mostly seen running; references/margin-contract.md tells them.
"""

from __future__ import annotations

import re
from typing import Final

SUITE_FILE: Final = "suite.toml"
CASES_DIR: Final = "cases"
CASE_FILE: Final = "case.toml"
PROMPT_FILE: Final = "prompt.md"
PREAMBLE_FILE: Final = "preamble-prompt.md"
TEST_SCRIPT: Final = "tests/test.sh"
DOCKERFILE: Final = "env/Dockerfile"
SOLVE_SCRIPT: Final = "oracle/solve.sh"

PASS: Final = 0
FAIL: Final = 1
INFRA: Final = 2
TIMEOUT_EXIT: Final = 124  # what Margin reports for a script that ran into test_timeout_seconds

MAX_UNPACKED_BYTES: Final = 536_870_912  # per packed folder, sum of file sizes
MAX_PACKED_BYTES: Final = 134_217_728  # per packed folder, gzip of the tar
MAX_TIMEOUT_SECONDS: Final = 9_223_372_036  # above, Margin's nanoseconds overflow
DEFAULT_TIMEOUT_SECONDS: Final = 1800  # when the source names none

IMAGE_PIN: Final = re.compile(r"(?:[^\s@]+@sha256:[a-f0-9]{64}|sha256:[a-f0-9]{64})\Z")
FORBIDDEN_KEYS: Final = ("version", "base_version")  # fatal at top level in suite.toml and case.toml
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")  # our grammar; Margin has none
