"""Hardening files that are staged beside the tests as they are shipped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

GUARD: Final = ".verdict/verdict_guard.py"
COMPLETION: Final = ".verdict/completion.py"
NODE_COMPLETION: Final = ".verdict/completion.cjs"
PARSERS: Final = ".verdict/parsers.sh"
SHIPPED: Final = {
    GUARD: "guard.py.txt",
    COMPLETION: "completion.py.txt",
    NODE_COMPLETION: "completion.cjs.txt",
    PARSERS: "parsers.sh",
}


@cache
def staged(path: str) -> bytes:
    """The bytes of the file that is staged at ``path``."""
    return files("skill.verifier").joinpath(SHIPPED[path]).read_bytes()
