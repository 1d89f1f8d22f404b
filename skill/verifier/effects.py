"""Which variables a statement may change, however it does so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skill import bash
from skill.bash import Node
from skill.verifier.machine import NAME

DEFAULTED = re.compile(rf"\$\{{({NAME}):?=")
READERS = frozenset(
    "read mapfile readarray printf getopts let unset local declare typeset export readonly wait coproc".split()
)
ARITHMETIC = ("arithmetic_expansion", "compound_statement", "c_style_for_statement")
LOOPS = ("for_statement", "select_statement")


@dataclass(frozen=True)
class Functions:
    """All functions of a script taken together: their names, and the variables that their bodies may change."""

    names: frozenset[str]
    assigned: frozenset[str]


def assigned(script: bash.Script, node: Node) -> frozenset[str]:
    """Names of variables that ``node`` itself, functions that it calls left aside, may give a value."""
    names: set[str] = set(DEFAULTED.findall(script.text(node)))
    for part in bash.walk(node):
        if part.type == "variable_assignment" and (name := part.child_by_field_name("name")):
            names.add(re.split(r"\[", script.text(name))[0])
        elif part.type in LOOPS and (name := part.child_by_field_name("variable")):
            names.add(script.text(name))
        elif part.type == "command" and bash.name(script, part) in READERS:
            names.update(word for text in bash.words(script, part)[1:] for word in re.findall(NAME, text))
        elif part.type in ARITHMETIC and _computes(part):
            names.update(re.findall(NAME, script.text(part)))
    return frozenset(names)


def functions(script: bash.Script) -> Functions:
    """The functions that the script defines anywhere."""
    bodies = [part for part in bash.walk(script.root) if part.type == "function_definition"]
    names = (body.child_by_field_name("name") for body in bodies)
    return Functions(
        frozenset(script.text(name) for name in names if name is not None),
        frozenset().union(*(assigned(script, body) for body in bodies)),
    )


def changed(script: bash.Script, node: Node, known: Functions) -> frozenset[str]:
    """Names that ``node`` or a function that it may call can give a value."""
    called = {bash.name(script, command) for command in bash.commands(node)}
    return assigned(script, node) | (known.assigned if called & (known.names | {""}) else frozenset())


def _computes(node: Node) -> bool:
    return node.type != "compound_statement" or bool(node.children and node.children[0].type == "((")
