"""The tools that a verifier itself calls, to be looked up before the candidate is touched."""

from __future__ import annotations

import re
from collections.abc import Iterable

from skill import bash
from skill.bash import Node
from skill.verifier.commands import TOOLS

STARTERS = frozenset("timeout env exec time nice sudo xargs nohup stdbuf".split())
SYSTEM = re.compile(r"^(?:/usr(?:/local)?)?/bin/(?=[^/]+$)")  # a tool in another folder is no tool of the system
INSTALL = re.compile(r"\b(?:re-?install|install|set up|setup|build|compile|upgrade|provision)", re.IGNORECASE)


def needed(script: bash.Script, nodes: Iterable[Node], prompt: str) -> tuple[str, ...]:
    """Known tools called in ``nodes``, without those that the script itself looks for or that the task is about."""
    called: set[str] = set()
    looked_for: set[str] = set()
    for node in nodes:
        for command in bash.commands(node):
            words = [SYSTEM.sub("", word) for word in bash.words(script, command)]
            if words[:1] in (["command"], ["which"], ["type"], ["hash"]):
                looked_for.update(words[1:])
            called.update(_started(words))
    found = (called & TOOLS) - looked_for
    return tuple(sorted(tool for tool in found if not _is_the_task(tool, prompt)))


def _started(words: list[str]) -> set[str]:
    """The program that a simple command starts, through ``timeout 60`` and the like."""
    found = set(words[:1])
    index = 0
    while index < len(words) and words[index] in STARTERS:
        index += 1
        while index < len(words) and (
            words[index].startswith("-") or words[index][:1].isdigit() or "=" in words[index]
        ):
            index += 1
        found.update(words[index : index + 1])
    return found


def _is_the_task(tool: str, prompt: str) -> bool:
    """Whether the prompt asks to install the tool: then its absence is the candidate's failure."""
    names = {"python3": r"python", "node": r"node(?:\.?js)?", "g++": r"g\+\+|gcc"}.get(tool, re.escape(tool))
    word = re.compile(rf"(?<![\w/.-])(?:{names})(?![\w-])", re.IGNORECASE)
    return any(INSTALL.search(line) and word.search(line) for line in prompt.splitlines())
