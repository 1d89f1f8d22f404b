"""The tools that a verifier itself calls, to be looked up before the candidate is touched."""

from __future__ import annotations

import re

from skill import bash
from skill.bash import Node
from skill.verifier.commands import TOOLS

STARTERS = frozenset("timeout env exec time nice sudo xargs nohup stdbuf".split())
SYSTEM = re.compile(r"^(?:/usr(?:/local)?)?/bin/(?=[^/]+$)")  # a tool in another folder is no tool of the system
INSTALL = re.compile(r"\b(?:re-?install|install|set up|setup|build|compile|upgrade|provision)", re.IGNORECASE)


def needed(script: bash.Script, nodes: tuple[Node, ...], prompt: str) -> tuple[str, ...]:
    """Known tools called in ``nodes``, without those that the script itself looks for or that the task is about."""
    lines = [line for line in prompt.splitlines() if INSTALL.search(line)] if INSTALL.search(prompt) else []
    return tuple(tool for tool in _called(script, nodes) if not _is_the_task(tool, lines))


@bash.once_a_script
def _called(script: bash.Script, nodes: tuple[Node, ...]) -> tuple[str, ...]:
    called: set[str] = set()
    looked_for: set[str] = set()
    for node in nodes:
        for command in bash.commands(node):
            words = [SYSTEM.sub("", word) for word in bash.words(script, command)]
            if words[:1] in (["command"], ["which"], ["type"], ["hash"]):
                looked_for.update(words[1:])
            called.update(_started(words))
    return tuple(sorted((called & TOOLS) - looked_for))


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


def _is_the_task(tool: str, lines: list[str]) -> bool:
    """Whether the prompt asks to install the tool, so that its absence is the candidate's failure."""
    names = {"python3": r"python", "node": r"node(?:\.?js)?", "g++": r"g\+\+|gcc"}.get(tool, re.escape(tool))
    word = re.compile(rf"(?<![\w/.-])(?:{names})(?![\w-])", re.IGNORECASE)
    return any(word.search(line) for line in lines)
