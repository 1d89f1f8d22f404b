"""Variables in an imagined run: assignments, declarations, what a command substitution leaves."""

from __future__ import annotations

import re

from skill import bash
from skill.bash import Node
from skill.verifier.machine import NAME, Machine, Unknown
from skill.verifier.simple_commands import program

COMPUTED = ("command_substitution", "arithmetic_expansion")


def assignment(machine: Machine, node: Node, guarded: bool) -> None:
    """``NAME=word``, ``NAME+=word``, and ``NAME=$(command)``, whose value is not known but whose status is."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    key = machine.script.text(name) if name else ""
    if not re.fullmatch(NAME, key):
        raise Unknown("assignment")
    if value is not None and any(part.type in COMPUTED for part in bash.walk(value)):
        _captured(machine, value)
        machine.assign(key, None)
        return
    text = machine.value(value) if value else ""
    appended = any(child.type == "+=" for child in node.children)
    machine.assign(key, machine.expansion("${" + key + "}") + text if appended else text)
    machine.status = 0


def _captured(machine: Machine, value: Node) -> None:
    inner = value.named_children[0] if value.type == "string" and len(value.named_children) == 1 else value
    if inner.type != "command_substitution" or len(bash.statements(inner)) != 1:
        raise Unknown("assignment of a computed value")
    stdout, machine.stdout = machine.stdout, None
    in_subshell(machine, bash.statements(inner)[0])
    machine.stdout = stdout


def in_subshell(machine: Machine, node: Node) -> None:
    """Carry out a statement in a shell of its own; Unknown when it holds more than plain commands."""
    names = {program(machine, part) for part in bash.commands(node)}
    if names & ({"exit", "return", "set"} | machine.functions.keys()):
        raise Unknown("a subshell that is more than a command")
    for part in bash.walk(node):
        if part.type == "variable_assignment" and part.parent is not None and part.parent.type != "command":
            raise Unknown("an assignment in a subshell")
    machine.perform(node, True)


def declaration(machine: Machine, node: Node, guarded: bool) -> None:
    """``export``, ``readonly``, ``declare`` and ``local``; the values of local names come back at a function's end."""
    keyword = machine.script.text(node.children[0])
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_assignment" else child
        if machine.calls and keyword in ("local", "declare", "typeset") and name is not None:
            key = machine.script.text(name)
            machine.calls[-1].setdefault(key, machine.variables.get(key))
            machine.variables[key] = None
        if child.type == "variable_assignment":
            assignment(machine, child, guarded)
    machine.status = 0


def unset(machine: Machine, node: Node, guarded: bool) -> None:
    """``unset NAME``: nothing is said about the name's value any more."""
    for child in node.named_children:
        machine.variables[machine.script.text(child)] = None
    machine.status = 0
