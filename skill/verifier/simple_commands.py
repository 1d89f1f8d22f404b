"""Simple commands in an imagined run: builtins that are understood, quiet programs, functions, and the test command."""

from __future__ import annotations

import re

from skill import bash
from skill.bash import Node
from skill.verifier import conditions
from skill.verifier.commands import QUIET, SHELL
from skill.verifier.machine import Exited, Machine, Returned, Unknown
from skill.verifier.reward_file import touched

KNOWN = frozenset(("set", "exit", "return", "true", ":", "false", "echo", "printf", "test"))
SYSTEM = re.compile(r"(?:/usr)?/bin/[^/]+")
POSITIONAL = tuple("123456789")
ONE_WORD = ("string", "raw_string", "word", "number")


def command(machine: Machine, node: Node, guarded: bool) -> None:
    """Carry out one simple command; whatever has no known outcome is taken for the test command."""
    name = program(machine, node)
    arguments = [child for child in node.named_children if child.type in bash.WORDS]
    if name in machine.functions:
        _call(machine, machine.functions[name], arguments, guarded)
    elif name in SHELL:
        raise Unknown(f"{name} acts on the shell itself")
    elif name in KNOWN:
        _builtin(machine, node, name, arguments)
    elif name in QUIET and not (name == "env" and arguments):
        _quiet(machine, name, arguments)
    else:
        machine.opaque(node)


def program(machine: Machine, node: Node) -> str:
    """The name under which the shell knows a command; '' for a program in a folder of its own."""
    first = node.child_by_field_name("name")
    written = machine.script.text(first) if first is not None else ""
    return bash.name(machine.script, node) if "/" not in written or SYSTEM.fullmatch(written) else ""


def is_opaque(machine: Machine, node: Node) -> bool:
    """Whether only running the command would tell how it ends."""
    name = program(machine, node)
    return name not in KNOWN | QUIET | SHELL and name not in machine.functions


def _builtin(machine: Machine, node: Node, name: str, arguments: list[Node]) -> None:
    if name == "set":
        _set(machine, " ".join(bash.words(machine.script, node)[1:]))
    elif name in ("exit", "return"):
        _leave(machine, name, arguments)
    elif name == "test":
        machine.status = 0 if conditions.words_hold(machine, arguments) else 1
    else:
        if machine.stdout is not None and name in ("echo", "printf"):
            machine.stdout.append(_printed(machine, name, arguments))
        machine.status = 1 if name == "false" else 0


def _quiet(machine: Machine, name: str, arguments: list[Node]) -> None:
    if machine.stdout is not None and name not in ("cd", "mkdir", "rm", "sleep"):
        raise Unknown(f"a reward is what {name} prints")
    touched(machine, name, arguments)
    machine.status = 0 if name in ("cd", "mkdir", "sync") else None


def _leave(machine: Machine, name: str, arguments: list[Node]) -> None:
    if arguments:
        text = machine.value(arguments[0])
        if not re.fullmatch(r"[0-9]{1,3}", text):
            raise Unknown(f"{name} {text}")
        machine.status = int(text) % 256
    if name == "exit":
        raise Exited
    if not machine.calls:
        raise Unknown("return outside of a function")
    raise Returned


def _printed(machine: Machine, name: str, arguments: list[Node]) -> str:
    values = [machine.value(argument) for argument in arguments]
    if name == "echo":
        while values and re.fullmatch(r"-[neE]+", values[0]):
            values.pop(0)
        return " ".join(values)
    if not values:
        raise Unknown("printf")
    text = values[0].replace("\\n", "\n")
    for value in values[1:]:
        text = re.sub(r"%[sd]", lambda _m, v=value: v, text, count=1)  # type: ignore[misc]
    if "%" in text:
        raise Unknown("printf format")
    return text


def _call(machine: Machine, body: Node, arguments: list[Node], guarded: bool) -> None:
    if len(machine.calls) > 20 or body.type != "compound_statement":
        raise Unknown("a function that calls itself, or runs in a shell of its own")
    hidden = {name: machine.variables[name] for name in POSITIONAL if name in machine.variables}
    machine.variables.update(_positional(machine, arguments))
    machine.calls.append({})
    try:
        machine.run(bash.statements(body), guarded)
    except Returned:
        machine.settle(guarded)
    machine.variables.update(machine.calls.pop())
    for name in POSITIONAL:
        del machine.variables[name]
    machine.variables.update(hidden)


def _positional(machine: Machine, arguments: list[Node]) -> dict[str, str | None]:
    """``$1`` to ``$9`` of a call; an unquoted expansion may be several words, so nothing is known then."""
    if any(argument.type not in ONE_WORD for argument in arguments):
        return dict.fromkeys(POSITIONAL)
    values: list[str | None] = []
    for argument in arguments:
        try:
            values.append(machine.value(argument))
        except Unknown:
            values.append(None)
    return {name: values[i] if i < len(values) else "" for i, name in enumerate(POSITIONAL)}


def _set(machine: Machine, words: str) -> None:
    for sign, letters in re.findall(r"(?:^|\s)([-+])([A-Za-z]+)", words):
        if "e" in letters:
            machine.errexit = sign == "-"
    for sign, option in re.findall(r"([-+])[A-Za-z]*o\s+(\w+)", words):
        if option == "errexit":
            machine.errexit = sign == "-"
        if option == "pipefail":
            machine.pipefail = sign == "-"
    machine.status = 0
