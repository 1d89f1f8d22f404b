"""A source's script cut into bootstrap, candidate and interpretation, where the cut can be justified."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from skill import bash
from skill.bash import Node
from skill.verifier.prefix import Kind, kind
from skill.verifier.status import STATUSES, Exited, Machine, Unknown


@dataclass(frozen=True)
class Split:
    """``prefix`` is the bootstrap; for a direct verifier ``body`` ends with the ``test`` command and a tail follows."""

    prefix: tuple[tuple[Kind, Node], ...]
    body: tuple[Node, ...]  # candidate statements before the test command
    test: Node | None  # the command whose status decides; None: no plain tail, the verifier is not direct
    reason: str  # why there is no test command
    options: tuple[str, ...]  # set commands in force at the test command


@lru_cache(maxsize=512)
def understood(data: bytes) -> tuple[bash.Script, Split | None]:
    """The script with its cut (None when it is broken); equal bytes are analysed once."""
    script = bash.parse(data)
    return script, None if script.broken else split(script)


def split(script: bash.Script) -> Split:
    """Cut ``script``; ``test`` is set only when the tail provably maps 0 to reward 1 and all else to 0 or none."""
    nodes = bash.statements(script.root)
    prefix = _prefix(script, nodes)
    rest = nodes[len(prefix) :]
    reason, assigned = "the script runs no test", _assigned(script)
    for index in range(len(rest)):
        table, test, unknown = _table(script, nodes, len(prefix) + index, assigned)
        body = tuple(rest[:index])
        problem = unknown if test is None else _unfit(script, body) or _misfit(table)
        if test is not None and not problem:
            return Split(prefix, body, test, "", _options(script, [node for _, node in prefix] + list(body)))
        reason = problem if not reason.startswith("verdict-masked") else reason
    return Split(prefix, (), None, reason, ())


def _prefix(script: bash.Script, nodes: list[Node]) -> tuple[tuple[Kind, Node], ...]:
    found: list[tuple[Kind, Node]] = []
    for node in nodes:
        part = kind(script, node)
        if part is None:
            break
        found.append((part, node))
    return tuple(found)


def _table(
    script: bash.Script, nodes: list[Node], start: int, assigned: frozenset[str]
) -> tuple[dict[int, float | None], Node | None, str]:
    """Reward for each status of the first command of unknown outcome at or after ``start``."""
    table: dict[int, float | None] = {}
    test = None
    for given in STATUSES:
        machine = Machine(script, given, assigned)
        try:
            for node in nodes[:start]:
                _prepare(machine, node)
            machine.status = None
            machine.run(nodes[start:])
        except Exited:
            pass
        except Unknown as unknown:
            return {}, None, str(unknown)
        if machine.test is None or not (machine.rewards or table.get(0)):
            return {}, None, "no reward follows from the status of one command"
        test = machine.test
        table[given] = _reward(machine)
    return table, test, ""


def _assigned(script: bash.Script) -> frozenset[str]:
    names = (node.child_by_field_name("name") for node in bash.walk(script.root) if node.type == "variable_assignment")
    return frozenset(script.text(name) for name in names if name is not None)


def _prepare(machine: Machine, node: Node) -> None:
    """Take from an earlier statement what the tail may rely on: options, constants, functions."""
    machine.status = None
    if node.type == "function_definition" or (node.type == "command" and bash.name(machine.script, node) == "set"):
        machine.statement(node, True)
        return
    constant = node.type in ("variable_assignment", "declaration_command")
    for part in bash.walk(node):
        if part.type == "variable_assignment" and (name := part.child_by_field_name("name")):
            machine.variables[machine.script.text(name)] = _constant(machine, part) if constant else None


def _constant(machine: Machine, assignment: Node) -> str | None:
    value = assignment.child_by_field_name("value")
    try:
        return machine.value(value) if value else ""
    except Unknown:
        return None


def _reward(machine: Machine) -> float | None:
    for suffix in (".json", ".txt"):
        for path, text in machine.rewards.items():
            if path.endswith(suffix):
                return _number(text, suffix)
    return None


def _number(text: str, suffix: str) -> float | None:
    try:
        value = json.loads(text) if suffix == ".json" else float(text)
    except ValueError:
        return -1.0
    if isinstance(value, dict):
        if len(value) != 1:
            return -1.0
        value = next(iter(value.values()))
    return float(value) if isinstance(value, int | float) else -1.0


def _misfit(table: dict[int, float | None]) -> str:
    """Why the reward is no plain function of the status, '' when 0 alone gives 1."""
    if len(set(table.values())) == 1:
        return "verdict-masked: the reward does not depend on the test command's status"
    if table[0] != 1.0 or any(value not in (0.0, None) for status, value in table.items() if status):
        return "the reward is not 1 for status 0 and 0 for all others"
    return ""


def _unfit(script: bash.Script, body: tuple[Node, ...]) -> str:
    """Why statements before the test command forbid the direct form."""
    for node in body:
        for command in bash.commands(node):
            if bash.name(script, command) in ("exit", "trap", "exec", "return"):
                return f"line {bash.line(command)}: {bash.name(script, command)} before the test command"
        text = script.text(node)
        if "reward." in text:
            return f"line {bash.line(node)}: a reward is written before the test command"
    return ""


def _options(script: bash.Script, nodes: list[Node]) -> tuple[str, ...]:
    return tuple(script.text(node) for node in nodes if node.type == "command" and bash.name(script, node) == "set")
