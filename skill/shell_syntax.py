"""Small questions about bash syntax that a view of a script is built from."""

from __future__ import annotations

import re
from typing import Final

from skill import bash
from skill.bash import Node

OWN_PROCESS: Final = ("subshell", "command_substitution", "process_substitution", "pipeline")
SHEBANG: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?#![ \t]*(\S+)[ \t]*([^\r\n]*)")
LOOPS: Final = ("for_statement", "while_statement", "c_style_for_statement")
BRANCHES: Final = ("if_statement", "elif_clause", "else_clause", "case_item", "do_group", "compound_statement")


def in_own_process(node: Node) -> bool:
    """Whether an exit at ``node`` ends only a subshell, a substitution or a part of a pipeline."""
    parent = node.parent
    while parent is not None:
        if parent.type in OWN_PROCESS:
            return True
        parent = parent.parent
    return False


def reads_status(script: bash.Script, node: Node) -> bool:
    """Whether ``node`` reads ``$?`` before it runs anything: ``rc=$?``, ``exit $?``, ``if [ $? ... ]``."""
    first = node
    while first.type in ("if_statement", "list", "redirected_statement") and first.named_children:
        first = first.named_children[0]
    if first.type == "case_statement" and first.named_children:
        first = first.named_children[0]
    if first.type == "command" and bash.name(script, first) in ("echo", "printf"):
        return False
    return "$?" in script.text(first) or "${?}" in script.text(first)


def branch(node: Node) -> list[Node]:
    """The statements of a branch without its condition."""
    found: list[Node] = []
    seen = node.type in ("else_clause",)
    for child in node.children:
        if child.type == "then":
            seen = True
        elif child.type in ("elif_clause", "else_clause", "fi"):
            break
        elif seen and child.is_named and child.type != "comment":
            found.append(child)
    return found


def bodies(node: Node) -> list[Node]:
    """What runs inside a branch, loop or group, conditions and patterns left out."""
    if node.type in ("if_statement", "elif_clause"):
        clauses = [child for child in node.named_children if child.type in ("elif_clause", "else_clause")]
        return [*branch(node), *clauses]
    if node.type in LOOPS:
        return [child for child in node.named_children if child.type in ("do_group", "compound_statement")]
    if node.type == "case_statement":
        return [child for child in node.named_children if child.type == "case_item"]
    if node.type == "case_item":
        return [child for child in bash.statements(node) if child not in node.children_by_field_name("value")]
    return bash.statements(node)


def has_default(script: bash.Script, items: list[Node]) -> bool:
    """Whether one of the items matches everything."""
    return any(script.text(value) == "*" for item in items for value in item.children_by_field_name("value"))


def options(words: list[str]) -> dict[str, bool]:
    """What a ``set`` command changes of errexit and pipefail."""
    changed: dict[str, bool] = {}
    for index, word in enumerate(words):
        if word in ("--", "-"):
            break
        if re.match(r"[-+][A-Za-z]+$", word):
            if "e" in word:
                changed["errexit"] = word[0] == "-"
            if word.endswith("o") and words[index + 1 : index + 2] in (["errexit"], ["pipefail"]):
                changed[words[index + 1]] = word[0] == "-"
    return changed


def shebang_option(data: bytes) -> bool:
    """Whether the interpreter line itself asks for errexit."""
    found = SHEBANG.match(data)
    return found is not None and re.search(rb"(?:^|\s)-[a-z]*e", found[2]) is not None
