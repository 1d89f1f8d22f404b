"""Under which keys a source books its reward: with more than one, somebody has to say which of them passes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from skill import bash
from skill.sources.base import Question, SourceTask
from skill.verifier import python
from skill.verifier.rewards_python import Program

OTHERS: Final = "..."  # keys that are computed
MENTIONED: Final = b"reward.json"
KEY: Final = re.compile(r'\\?"([\w.-]+)\\?"\s*:')
TARGET: Final = re.compile(r"reward\.json[\"']?$")
PASS_IF: Final = "pass_if"
FORMAT: Final = (
    "a key, one of >=, > and ==, and a number, such as {example}. What stands there decides alone, whatever the other "
    "keys say"
)


def reward_keys(task: SourceTask) -> tuple[str, ...]:
    """The keys of the reward tables that files of tests/ write, sorted; as far as that can be read from them."""
    found: set[str] = set()
    for file in task.tests:
        data = file.read() if file.size <= 1 << 20 else b""
        if MENTIONED not in data:
            continue
        if file.path.endswith(".py"):
            found.update(_of_python(data))
        elif file.path.endswith(".sh"):
            found.update(_of_shell(bash.parse(data)))
    return tuple(sorted(found))


def _of_shell(script: bash.Script) -> Iterator[str]:
    """Keys of literal tables that the shell prints, and of those that a program in a here-document writes."""
    for node in bash.walk(script.root):
        if node.type == "heredoc_body":
            yield from _of_python(script.data[node.start_byte : node.end_byte])
        if node.type == "redirected_statement" and any(TARGET.search(to) for _, to in bash.redirects(script, node)):
            yield from KEY.findall(script.text(node))


def _of_python(source: bytes) -> set[str]:
    module = python.tree(source)
    program = Program(module) if module else None
    return {key for sink in program.sinks() for key in _keys(program, sink, 0)} if program else set()


def _keys(program: Program, node: ast.expr | None, depth: int) -> set[str]:
    """The keys of what ``node`` may be, where that is a table; those that are set one by one included."""
    if isinstance(node, ast.Call) and node.args:
        return _keys(program, node.args[0], depth + 1)
    if isinstance(node, ast.Dict):
        return {str(key.value) if isinstance(key, ast.Constant) else OTHERS for key in node.keys}
    if isinstance(node, ast.DictComp):
        return {OTHERS}
    if not isinstance(node, ast.Name) or depth > 5:
        return set()
    found = {key for value in program.values.get(node.id, ()) for key in _keys(program, value, depth + 1)}
    return found | {key for part in ast.walk(program.module) for key in _set_later(part, node.id)}


def _set_later(node: ast.AST, name: str) -> set[str]:
    """The key of an assignment to an item of ``name``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Store):
        return set()
    if not isinstance(node.value, ast.Name) or node.value.id != name:
        return set()
    return {str(node.slice.value) if isinstance(node.slice, ast.Constant) else OTHERS}


def question(keys: Iterable[str]) -> Question | None:
    """What is to be asked about a reward with these ``keys``; nothing when it has one at most."""
    named = sorted(keys)
    if len(named) < 2:
        return None
    first = "reward" if "reward" in named else next(key for key in named if key != OTHERS)
    example = f"{first}>=1"
    said = f"The source books several rewards ({', '.join(named)}): which of them passes? "
    return Question(PASS_IF, said + FORMAT.format(example=example), (example,))
