"""Lists, branches, pipelines, groups and functions in an imagined run."""

from __future__ import annotations

from skill import bash
from skill.bash import Node
from skill.verifier import conditions
from skill.verifier.assignments import in_subshell
from skill.verifier.machine import Machine, Unknown
from skill.verifier.simple_commands import program

PASSING_ON = ("tee", "cat", "head", "tail")  # at the end of a pipeline these succeed


def and_or(machine: Machine, node: Node, guarded: bool) -> None:
    """``a && b`` and ``a || b``."""
    if second_runs(machine, node):
        machine.perform(node.named_children[-1], guarded)


def second_runs(machine: Machine, node: Node) -> bool:
    """Carry out the first half of a list and say whether the second is reached."""
    operator = next(child.type for child in node.children if child.type in ("&&", "||"))
    machine.perform(node.named_children[0], True)
    return (machine.known_status() == 0) == (operator == "&&")


def branch(machine: Machine, node: Node, guarded: bool) -> None:
    """``if … elif … else … fi``."""
    for clause in (node, *(child for child in node.named_children if child.type == "elif_clause")):
        condition, body = _condition_and_body(clause)
        machine.run(condition, True)
        if machine.known_status() == 0:
            machine.run(body, guarded)
            return
    machine.status = 0
    for child in node.named_children:
        if child.type == "else_clause":
            machine.run(bash.statements(child), guarded)


def _condition_and_body(clause: Node) -> tuple[list[Node], list[Node]]:
    """What stands before and after ``then`` in an if statement or an elif clause."""
    then = next((child.start_byte for child in clause.children if child.type == "then"), clause.end_byte)
    parts = [part for part in bash.statements(clause) if part.type not in ("elif_clause", "else_clause")]
    return [part for part in parts if part.start_byte < then], [part for part in parts if part.start_byte > then]


def case(machine: Machine, node: Node, guarded: bool) -> None:
    """``case word in … esac`` with plain words and ``*``."""
    subject = machine.value(node.named_children[0])
    machine.status = 0
    for item in (child for child in node.named_children if child.type == "case_item"):
        patterns = [child for i, child in enumerate(item.children) if item.field_name_for_child(i) == "value"]
        if any(conditions.matches(machine, subject, pattern) for pattern in patterns):
            if any(child.type in (";&", ";;&") for child in item.children):
                raise Unknown("case that falls through")
            ids = {pattern.id for pattern in patterns}
            machine.run([child for child in bash.statements(item) if child.id not in ids], guarded)
            return


def test(machine: Machine, node: Node, guarded: bool) -> None:
    """``[ … ]`` and ``[[ … ]]``."""
    if len(node.named_children) != 1:
        raise Unknown("test")
    machine.status = 0 if conditions.holds(machine, node.named_children[0]) else 1


def pipeline(machine: Machine, node: Node, guarded: bool) -> None:
    """``a | b`` with its PIPESTATUS and pipefail."""
    if machine.stdout is not None:
        raise Unknown("a reward is what a pipeline prints")
    parts, statuses = node.named_children, []
    for part in parts:
        in_subshell(machine, part)
        statuses.append(machine.status)
    last = parts[-1] if parts[-1].type == "command" else parts[-1].named_children[0]
    if last.type == "command" and program(machine, last) in PASSING_ON:
        statuses[-1] = 0
    machine.pipe = statuses
    bad = [status for status in statuses if status != 0]
    machine.status = (bad[-1] if bad else 0) if machine.pipefail else statuses[-1]


def negated(machine: Machine, node: Node, guarded: bool) -> None:
    """``! a``."""
    machine.perform(node.named_children[0], True)
    machine.status = 0 if machine.known_status() else 1


def group(machine: Machine, node: Node, guarded: bool) -> None:
    """``{ a; b; }`` in this shell; ``( a; b )`` as one command of unknown outcome."""
    if node.children[0].type not in ("{", "("):
        raise Unknown("arithmetic command")
    if node.type == "subshell":
        machine.opaque(node)
    else:
        machine.run(bash.statements(node), guarded)


def function(machine: Machine, node: Node, guarded: bool) -> None:
    """Keep a function's body for its calls."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        machine.functions[machine.script.text(name)] = body
    machine.status = 0
