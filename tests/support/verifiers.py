"""Invented verifiers, as the analysis is given them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skill import bash
from skill.verifier.base import Asset, VerifierInput
from skill.verifier.split import Split, split

PLAIN = VerifierInput(
    script=b"",
    assets=(),
    cwd="/app",
    test_cwd="/",
    timeout_seconds=600,
    env={},
    pre_verify=(),
    installed=frozenset(),
    image_env={},
    prompt="Sort the tide table.\n",
    pass_if=None,
)
BASH = "#!/bin/bash\n"


def verifier(script: str, assets: Mapping[str, str] | None = None, **changes: Any) -> VerifierInput:
    """A verifier of ``script`` (an interpreter line is put in front) with ``assets`` beside it."""
    text = script if script.startswith("#!") else BASH + script
    files = tuple(Asset(path, data.encode(), 0o644) for path, data in (assets or {}).items())
    return replace(PLAIN, script=text.encode(), assets=files, **changes)


def parsed(script: str) -> bash.Script:
    """The syntax tree of ``script``, which must be sound."""
    found = bash.parse(script.encode())
    assert not found.broken, f"line {found.broken}"
    return found


def cut(script: str) -> tuple[bash.Script, Split]:
    """``script`` and its cut."""
    found = parsed(script)
    return found, split(found)
