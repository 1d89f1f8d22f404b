"""What a test such as ``[ "$rc" -eq 0 ]`` says, as far as it asks about words and not about the world."""

from __future__ import annotations

import re
from collections.abc import Callable

from skill.bash import Node
from skill.verifier.machine import Machine, Unknown

GLOB = re.compile(r"[*?\[]")
QUOTED = ("string", "raw_string")
NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": int.__eq__,
    "-ne": int.__ne__,
    "-gt": int.__gt__,
    "-ge": int.__ge__,
    "-lt": int.__lt__,
    "-le": int.__le__,
}


def holds(machine: Machine, node: Node) -> bool:
    """Whether the expression inside ``[ ]`` or ``[[ ]]`` is true; Unknown for files and patterns."""
    if node.type == "parenthesized_expression":
        return holds(machine, node.named_children[0])
    if node.type == "unary_expression":
        operator, operand = machine.script.text(node.children[0]), node.named_children[-1]
        if operator == "!":
            return not holds(machine, operand)
        return _of_one(operator, machine.value(operand))
    if node.type != "binary_expression" or len(node.children) != 3:
        raise Unknown(node.type)
    left, operator, right = node.children[0], machine.script.text(node.children[1]), node.children[2]
    if operator in ("&&", "-a"):
        return holds(machine, left) and holds(machine, right)
    if operator in ("||", "-o"):
        return holds(machine, left) or holds(machine, right)
    pattern = machine.value(right)
    if right.type not in QUOTED and GLOB.search(pattern):
        raise Unknown("a pattern")
    return _of_two(machine.value(left), operator, pattern)


def words_hold(machine: Machine, words: list[Node]) -> bool:
    """Whether ``test WORDS…`` is true."""
    values = [machine.value(word) for word in words]
    if values[:1] == ["!"]:
        return not words_hold(machine, words[1:])
    if len(values) == 2:
        return _of_one(values[0], values[1])
    if len(values) == 3:
        return _of_two(values[0], values[1], values[2])
    raise Unknown("test")


def matches(machine: Machine, subject: str, pattern: Node) -> bool:
    """Whether a pattern of ``case`` takes ``subject``; Unknown for patterns other than ``*`` and plain words."""
    text = machine.value(pattern)
    if pattern.type in QUOTED or not GLOB.search(text):
        return text == subject
    if text == "*":
        return True
    raise Unknown(f"pattern {text}")


def _of_one(operator: str, operand: str) -> bool:
    if operator in ("-z", "-n"):
        return (operand == "") == (operator == "-z")
    raise Unknown(f"test {operator}")


def _of_two(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    if operator not in NUMBERS or not re.fullmatch(r"-?\d+", left) or not re.fullmatch(r"-?\d+", right):
        raise Unknown(f"test {operator}")
    return NUMBERS[operator](int(left), int(right))
