"""What a session's verifier may not do to the words that give its verdict: redefine, set, route around or overwrite.

The library's functions and variables, the staged files and the reward files are what gates and proof rely on; a
verifier that needs none of this says what it does in literal commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from skill import bash
from skill.bash import Node
from skill.verifier.template import OWN_NAMES, library

DEFINED: Final = re.compile(rb"(?m)^([a-z_]+)\(\) ")
NEVER_DEFINED: Final = frozenset(
    "exit return trap test [ printf echo source . command builtin timeout eval exec kill cd set unset export read wait"
    " bash sh env python python3 node pytest sha256sum mktemp type true false".split()
)
INDIRECT: Final = frozenset(("eval", "alias", "exec", "enable", "hash", "mapfile", "readarray"))
SETTING: Final = frozenset("read declare local export readonly typeset unset getopts printf let".split())
FIXED: Final = OWN_NAMES - {"IFS"} | {"PIPESTATUS", "VERDICT_DIR", "LD_PRELOAD", "LD_LIBRARY_PATH"}
WRITING: Final = frozenset(("cp", "mv", "tee", "ln", "install", "dd", "rsync", "patch", "truncate", "touch"))
REWARD: Final = re.compile(r"reward\.(?:txt|json)")
STAGED: Final = re.compile(r"^[\"']?(?:\$\{?TESTS\b|/tests(?:/|[\"']?$))")
PRIVATE: Final = re.compile(r"\$\{?PRIVATE\b")


class Rewired(NamedTuple):
    """One place where a script meddles with what gives the verdict."""

    line: int
    message: str


def rewired(data: bytes) -> list[Rewired]:
    """Every such place in a shell script of a session, in its order."""
    script = bash.parse(data)
    found: list[Rewired] = []
    for node in bash.walk(script.root):
        found += [Rewired(bash.line(node), said) for said in _against(script, node)]
    return sorted(set(found))


@cache
def functions() -> frozenset[str]:
    """The functions of the shared library."""
    return frozenset(name.decode() for name in DEFINED.findall(library()))


def _against(script: bash.Script, node: Node) -> Iterator[str]:
    if node.type == "function_definition":
        name = node.child_by_field_name("name")
        if name is not None and script.text(name) in functions() | NEVER_DEFINED:
            yield f"{script.text(name)} is a word of the library or the shell, and is defined anew"
    elif node.type in ("variable_assignment", "for_statement"):
        yield from _assignment(script, node)
    elif node.type == "file_redirect":
        yield from _target(script, node)
    elif node.type == "compound_statement" and script.text(node).startswith("(("):
        yield from (
            f"{name} is the library's"
            for name in _names(script.text(node))
            if re.search(name + r"\s*[-+*/]?=[^=]", script.text(node))
        )
    elif node.type == "command":
        yield from _command(script, node)
    elif node.type in ("declaration_command", "unset_command"):
        yield from (
            f"{name} is the library's" for name in _names(script.text(node)) if not _is_export(script, node, name)
        )


def _is_export(script: bash.Script, node: Node, name: str) -> bool:
    """Whether a declaration only hands the variable on, or reads it for another's value."""
    return not re.search(rf"(?<![\w$\{{]){name}=", script.text(node)) and node.type == "declaration_command"


def _assignment(script: bash.Script, node: Node) -> Iterator[str]:
    target = node.child_by_field_name("name" if node.type == "variable_assignment" else "variable")
    value = node.child_by_field_name("value")
    if target is not None and script.text(target).split("[")[0] in FIXED:
        yield f"{script.text(target)} is the library's"
    said = script.text(value) if node.type == "variable_assignment" and value is not None else ""
    if "$(" not in said and REWARD.search(said):
        yield ("a reward file in a variable: where the source leaves its verdict is for judge_reward to read")


def _target(script: bash.Script, node: Node) -> Iterator[str]:
    text, destination = script.text(node), node.child_by_field_name("destination")
    if destination is None or ">" not in text:
        return
    where = script.text(destination)
    if REWARD.search(where):
        yield "writes a reward file: only the source's own script does that"
    if STAGED.match(where):
        yield "writes into the staged tests"


def _command(script: bash.Script, node: Node) -> Iterator[str]:
    name, words = bash.name(script, node), bash.words(script, node)
    if name in ("command", "builtin") and len(words) > 1 and words[1] not in ("-v", "-V"):
        yield f"{name} in front of a command: say the command itself"
    if not name and words:
        yield f"the command is what {words[0][:40]!r} expands to: say it in so many words"
    if name in INDIRECT and len(words) > 1:  # exec alone opens files
        yield f"{name} hides what is run"
    if name in ("source", ".") and len(words) > 1 and not STAGED.match(words[1]):
        yield "sources a file that is not one of the staged tests"
    if name == "trap":
        yield from _trap(script, node, words)
    if name in SETTING:
        yield from (f"{word} is the library's" for word in words[1:] if re.split(r"[=\[]", word)[0] in FIXED)
    if name in WRITING or (name == "sed" and any(word.startswith("-i") for word in words)):
        yield from _written(words)


def _trap(script: bash.Script, node: Node, words: list[str]) -> Iterator[str]:
    if any(word.removeprefix("SIG") in ("EXIT", "0") for word in words[2:]):
        yield "the EXIT trap is the library's: every end without a verdict is 2"
    elif any(part.type in ("simple_expansion", "expansion", "command_substitution") for part in bash.walk(node)):
        yield "a trap whose handler is not said in so many words"


def _written(words: list[str]) -> Iterator[str]:
    if any(REWARD.search(word) for word in words[1:]):
        yield "writes a reward file: only the source's own script does that"
    restores = len(words) > 2 and all(PRIVATE.search(word) for word in words[1:-1] if not word.startswith("-"))
    if (words[0] in ("sed", "truncate", "touch", "tee", "patch") or not restores) and STAGED.match(words[-1]):
        yield "writes into the staged tests"


def _names(text: str) -> list[str]:
    return [name for name in re.findall(r"[A-Za-z_]\w*", text) if name in FIXED]
