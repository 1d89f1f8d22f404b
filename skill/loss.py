"""What can be lost of a source's tests, and the one change of a text that is recognised."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What was lost."""

    FILE = "test-file-lost"
    TEST = "test-function-lost"
    ASSERTION = "assertion-lost"
    PARAMETERS = "parametrisation-changed"
    EXPECTED = "expected-value-changed"
    FIXTURE = "fixture-changed"
    CODE = "test-code-changed"
    DATA = "test-data-changed"
    STEERING = "runner-configuration-added"
    UNRUN = "source-test-not-run"
    NARROWED = "tests-left-out"
    EARLY = "pass-without-check"
    REWIRED = "verdict-rewired"


class Loss(NamedTuple):
    """One thing that the case's tests lack, or that was put among them."""

    kind: Kind
    path: str  # below tests/
    line: int  # in the case's file where it has the place, else in the source's; 0: the file as a whole
    message: str


class Moved(NamedTuple):
    """The recognised change of a text: the source stages its tests at /tests, the case at ``staged``."""

    staged: str

    def allows(self, before: str, after: str) -> bool:
        """Whether ``after`` is ``before``, or ``before`` with every path below /tests at its new place."""
        return before == after or self.carried(before) == after

    def carried(self, text: str) -> str:
        """``text`` as it reads at the new place; look-alikes such as /app/tests stay."""
        return re.sub(r"(?<![\w./-])/tests(?![\w-])", lambda _: self.staged, text)
