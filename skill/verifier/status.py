"""What a script's tail makes of the test command's status, found by imagining the tail with each status in turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from skill import bash
from skill.bash import Node
from skill.verifier import assignments, compounds, effects, redirections, simple_commands
from skill.verifier.machine import Exited, Machine, Unknown
from skill.verifier.reward_file import reward

# One of each: pass, fail, pytest's and go's own codes, cargo's 101, not started, time-outs, signals.
STATUSES = frozenset((0, 1, 2, 3, 4, 5, 6, 101, 124, 126, 127, 134, 137, 139, 255))
SHEBANG_ERREXIT = re.compile(rb"#!\s*\S+(?:\s+\S*sh)?\s+-[a-z]*e")
STOPPING = re.compile(r"set\b.*\s-(?:[A-Za-z]*[eu]|o\s+(?:errexit|nounset)\b)")
HANDLERS: dict[str, Callable[[Machine, Node, bool], None]] = {
    "command": simple_commands.command,
    "variable_assignment": assignments.assignment,
    "declaration_command": assignments.declaration,
    "unset_command": assignments.unset,
    "redirected_statement": redirections.redirected,
    "list": compounds.and_or,
    "if_statement": compounds.branch,
    "case_statement": compounds.case,
    "test_command": compounds.test,
    "pipeline": compounds.pipeline,
    "negated_command": compounds.negated,
    "compound_statement": compounds.group,
    "subshell": compounds.group,
    "function_definition": compounds.function,
}


@dataclass(frozen=True)
class Meaning:
    """The reward for each status of ``test`` (None: no reward is written), or why nothing can be said."""

    rewards: dict[int, float | None] = field(default_factory=dict)
    test: Node | None = None
    unknown: str = ""


def meanings(script: bash.Script, nodes: Sequence[Node], first: int) -> Iterator[Meaning]:
    """For each tail ``nodes[i:]`` with i from ``first``: the reward that follows from its first unknown status."""
    statuses = sorted(STATUSES | _compared(script))
    functions = effects.functions(script)
    state = Machine(
        script,
        0,
        effects.assigned(script, script.root),
        errexit=bool(SHEBANG_ERREXIT.match(script.data)),
        status=None,
        handlers=HANDLERS,
    )
    for index, node in enumerate(nodes):
        if index >= first:
            yield _meaning(state, nodes[index:], statuses)
        _prepare(state, node, functions)


def _meaning(state: Machine, tail: Sequence[Node], statuses: Sequence[int]) -> Meaning:
    rewards: dict[int, float | None] = {}
    test = None
    for given in statuses:
        machine = state.copy(given)
        try:
            machine.run(tail)
        except Exited:
            pass
        except Unknown as unknown:
            return Meaning(unknown=str(unknown))
        if machine.test is None or not (machine.rewards or rewards.get(0)):
            return Meaning(unknown="no reward follows from the status of one command")
        test = machine.test
        rewards[given] = reward(machine)
    return Meaning(rewards, test)


def _compared(script: bash.Script) -> frozenset[int]:
    """Numbers that tests and patterns of the script name, and their neighbours."""
    found: set[int] = set()
    for node in bash.walk(script.root):
        if node.type in ("test_command", "case_item", "command"):
            text = script.text(node) if node.type != "command" or bash.name(script, node) == "test" else ""
            found.update(int(number) + step for number in re.findall(r"\b\d{1,3}\b", text) for step in (-1, 0, 1))
    return frozenset(number for number in found if 0 <= number <= 255)


def _prepare(machine: Machine, node: Node, functions: effects.Functions) -> None:
    """Take from a statement before the tail what the tail may rely on: options, constants, functions."""
    script = machine.script
    if bash.in_background(node):
        return
    if node.type == "function_definition" or (node.type == "command" and bash.name(script, node) == "set"):
        machine.perform(node, True)
        machine.status, machine.pipe = None, []
        return
    is_constant = node.type in ("variable_assignment", "declaration_command")
    values = {}
    if is_constant:
        parts = [part for part in bash.walk(node) if part.type == "variable_assignment"]
        values = {script.text(name): part for part in parts if (name := part.child_by_field_name("name"))}
    for changed in effects.changed(script, node, functions):
        machine.assign(changed, _constant(machine, values[changed]) if changed in values else None)


def _constant(machine: Machine, assignment: Node) -> str | None:
    value = assignment.child_by_field_name("value")
    try:
        text = machine.value(value) if value else ""
        name = assignment.child_by_field_name("name")
        if any(child.type == "+=" for child in assignment.children) and name is not None:
            text = machine.expansion("${" + machine.script.text(name) + "}") + text
    except Unknown:
        return None
    return text
