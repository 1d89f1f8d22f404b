"""The text that stands for the test command once the script ends with it."""

from __future__ import annotations

from skill import bash
from skill.bash import Node

# Around a test command these add nothing to what it does: they look at its status, or take its output.
FRAMES = frozenset(
    "program list pipeline if_statement elif_clause else_clause negated_command compound_statement redirected_statement"
    " variable_assignment declaration_command command_substitution string case_statement case_item".split()
)
HARMLESS = frozenset(("echo", "printf", "true", ":", "set"))


def top_level(node: Node) -> Node:
    """The top-level statement that ``node`` stands in."""
    while node.parent is not None and node.parent.type != "program":
        node = node.parent
    return node


def in_function(test: Node) -> bool:
    """Whether the test command stands in a function, where its text alone would not do."""
    return top_level(test).type == "function_definition"


def widened(test: Node) -> Node:
    """The test command with what leads up to it: ``cd /app && pytest``, ``cat input | python check.py``."""
    node = test
    while node.parent is not None:
        parent, last = node.parent, [child for child in node.parent.named_children if child.type != "comment"][-1]
        whole_list = parent.type == "redirected_statement" and node.type == "list"
        if not whole_list and (parent.type not in ("list", "pipeline") or last.id != node.id):
            break
        node = parent
    return node


def misplaced(script: bash.Script, test: Node) -> str:
    """Why the test command cannot be taken out of the statement that it stands in, '' when it can."""
    top = top_level(test)
    frame = test
    while frame.id != top.id and frame.parent is not None:
        frame = frame.parent
        if frame.type == "function_definition":
            return ""  # never taken out of it
        reads = frame.type == "redirected_statement" and any(
            child.type != "file_redirect" or "<" in script.text(child) for child in frame.named_children[1:]
        )
        if frame.type not in FRAMES or reads:
            return f"line {bash.line(test)}: the test command stands in a {frame.type.replace('_', ' ')}"
    for part in bash.walk(top):
        if part.end_byte <= test.start_byte and _acts(script, part):
            return f"line {bash.line(part)}: the statement of the test command does something else before it"
    return ""


def _acts(script: bash.Script, part: Node) -> bool:
    if part.type == "command":
        return bash.name(script, part) not in HARMLESS
    return part.type in ("variable_assignment", "subshell", "unset_command", "function_definition")
