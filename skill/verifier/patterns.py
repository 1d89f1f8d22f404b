"""Hardening around a source's verifier where the facts of a case allow it: what cheap forgeries fail at.

A pattern is one function: from a situation to what it adds to the verifier, or None where its precondition does not
hold. Its docstring says what it stops and why an honest candidate does not notice. What the proof shows to be wrong
for a case is taken back by name. What every verifier carries stands in lib.sh and template.py instead.
"""

from __future__ import annotations

from typing import Final

from skill.verifier import patterns_pytest, patterns_runner, patterns_settings, patterns_staged
from skill.verifier.patterns_pytest import SETTINGS
from skill.verifier.shipped import SHIPPED, staged
from skill.verifier.situation import PATTERNS, Addition, Situation

__all__ = [
    "FAMILIES",
    "HEADING",
    "PATTERNS",
    "SETTINGS",
    "SHIPPED",
    "Addition",
    "Situation",
    "additions",
    "staged",
    "used",
]

FAMILIES: Final = (patterns_staged, patterns_pytest, patterns_runner, patterns_settings)
HEADING: Final = "# Hardened by: "


def used(script: bytes) -> tuple[str, ...]:
    """The patterns of a generated test.sh, as its heading names them."""
    lines = script.decode("utf-8", "replace").splitlines()[:6]
    found = next((line.removeprefix(HEADING) for line in lines if line.startswith(HEADING)), "")
    return tuple(name for name in found.split(", ") if name in PATTERNS)


def additions(situation: Situation) -> dict[str, Addition]:
    """What each pattern whose precondition holds adds, but for those that were taken back."""
    found = {name: pattern(situation) for name, pattern in PATTERNS.items() if name not in situation.given.without}
    return {name: addition for name, addition in found.items() if addition is not None}
