"""Whether a script lets pytest name the tests that pass, as a harness needs that reads its summary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from skill import bash
from skill.verifier.base import Asset
from skill.verifier.runner import pytest_call

HEADER: Final = re.compile(rb"short test summary info", re.IGNORECASE)
SHOWN: Final = re.compile(rb"(?<![\w-])-r[A-Za-z]*[Ap][A-Za-z]*(?![\w/.-])|(?i:addopts)")
TEXTS: Final = (".py", ".sh", ".ini", ".toml", ".cfg", ".txt", ".js", ".ts", ".rb", "Makefile")


def texts(script: bash.Script, assets: Iterable[Asset]) -> list[bytes]:
    """The script and what lies beside it, as far as it may say how tests are run."""
    return [script.data, *(asset.data for asset in assets if asset.path.endswith(TEXTS))]


def speaks(script: bash.Script, assets: Iterable[Asset]) -> bool:
    """Whether anything there knows of the summary that the parser looks for."""
    return any(HEADER.search(text) for text in texts(script, assets))


def never_passes(script: bash.Script, assets: Iterable[Asset]) -> bool:
    """Whether all that could print a summary is a pytest that prints one only when something fails.

    The harness finds no summary then when every test passes, and books no result.
    """
    beside = tuple(assets)
    shells = [script, *(bash.parse(asset.data) for asset in beside if asset.path.endswith(".sh"))]
    calls = [call for shell in shells for node in bash.commands(shell.root) if (call := pytest_call(shell, node))]
    said = texts(script, beside)
    return bool(calls) and not any(HEADER.search(text) or SHOWN.search(text) for text in said)
