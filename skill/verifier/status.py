"""What a script's tail makes of the test command's status, found by running the tail with each status in turn.

The machine knows the small part of bash that such tails are written in. It runs nothing: at the first thing
it does not know it raises Unknown, and the verifier is then no *direct* one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skill import bash
from skill.bash import Node
from skill.verifier.commands import QUIET

# One of each: pass, fail, pytest's and go's own codes, cargo's 101, not started, time-outs, signals.
STATUSES = (0, 1, 2, 3, 4, 5, 6, 101, 124, 126, 127, 134, 137, 139, 255)
REWARD_FILE = re.compile(r"(?:^|/)reward\.(?:txt|json)$")
NAME = r"[A-Za-z_][A-Za-z0-9_]*"


class Unknown(Exception):
    """The tail holds something whose effect is not known."""


class Exited(Exception):
    """The script came to its end early."""


@dataclass
class Machine:
    """One run over statements; ``status`` None means: set by something whose outcome is not known."""

    script: bash.Script
    given: int  # status of the test command
    assigned: frozenset[str] = frozenset()  # names that the script assigns somewhere; any other may come from outside
    errexit: bool = False
    pipefail: bool = False
    status: int | None = 0
    pipe: list[int | None] = field(default_factory=list)
    variables: dict[str, str | None] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    rewards: dict[str, str] = field(default_factory=dict)
    test: Node | None = None  # the one command whose status is given
    depth: int = 0
    stdout: list[str] | None = None

    def run(self, nodes: Sequence[Node], guarded: bool = False) -> None:
        """Run statements in order; ``guarded`` is a context in which errexit does not act."""
        for node in nodes:
            self.statement(node, guarded)

    def statement(self, node: Node, guarded: bool) -> None:
        """Run one statement and let errexit act on it."""
        handler = HANDLERS.get(node.type)
        if handler is None:
            raise Unknown(node.type)
        handler(self, node, guarded)
        simple = node.type in (
            "command",
            "redirected_statement",
            "pipeline",
            "test_command",
            "subshell",
            "variable_assignment",
        )
        if simple and self.errexit and not guarded and self.status != 0:
            if self.status is None:
                raise Unknown("errexit after an unknown status")
            raise Exited

    def known_status(self) -> int:
        """The last status, which must be known."""
        if self.status is None:
            raise Unknown("$? of a command whose outcome is not known")
        return self.status

    def value(self, node: Node) -> str:
        """The text that a word stands for."""
        if node.type in (
            "word",
            "number",
            "raw_string",
            "ansi_c_string",
            "variable_name",
            "string_content",
            "extglob_pattern",
            "regex",
        ):
            return bash.plain(self.script, node)
        if node.type in ("simple_expansion", "expansion"):
            return self.expansion(self.script.text(node))
        if node.type == "string":
            return self.string(self.script.text(node)[1:-1])
        if node.type == "concatenation":
            return "".join(self.value(part) for part in node.named_children)
        raise Unknown(node.type)

    def string(self, text: str) -> str:
        """A double-quoted string with its expansions filled in."""
        if "`" in text or "$(" in text:
            raise Unknown("command substitution")
        pattern = re.compile(r"\\([\\$\"`])|(\$\{[^}]*\}|\$" + NAME + r"|\$[?#@*0-9])")
        return pattern.sub(lambda m: m[1] if m[1] else self.expansion(m[2]), text)

    def expansion(self, text: str) -> str:
        """``$?``, ``$NAME``, ``${NAME}``, ``${NAME:-default}``, ``${PIPESTATUS[n]}``."""
        inner = text[2:-1] if text.startswith("${") else text[1:]
        if inner == "?":
            return str(self.known_status())
        if match := re.fullmatch(r"PIPESTATUS\[(\d+)\](?::-.*)?", inner):
            return self.pipe_status(int(match[1]))
        match = re.fullmatch(f"({NAME})(?::?-(.*))?", inner)
        if match is None:
            raise Unknown(text)
        found = self.variables.get(match[1], "")
        outside = match[1] not in self.variables and (match[2] is None or match[1] not in self.assigned)
        if outside or found is None:
            raise Unknown(f"value of {text}")
        return found or self.string(match[2] or "")

    def pipe_status(self, index: int) -> str:
        """The status of one part of the last pipeline."""
        statuses = self.pipe or [self.status]
        if index >= len(statuses) or statuses[index] is None:
            raise Unknown("PIPESTATUS of something else")
        return str(statuses[index])

    def opaque(self, node: Node) -> None:
        """A command that only running would tell; the first one is the test command."""
        if self.test is not None and self.test.id != node.id:
            raise Unknown(f"a second command of unknown outcome: {self.script.text(node)[:40]}")
        self.test = node
        self.status = self.given


def _command(machine: Machine, node: Node, guarded: bool) -> None:
    name = bash.name(machine.script, node)
    arguments = [child for child in node.named_children if child.type not in ("command_name", "variable_assignment")]
    if name in machine.functions:
        _call(machine, machine.functions[name])
    elif name == "set":
        _set(machine, " ".join(bash.words(machine.script, node)[1:]))
    elif name == "exit":
        machine.status = int(machine.value(arguments[0])) if arguments else machine.status
        raise Exited
    elif name in ("true", ":", "echo", "printf"):
        if machine.stdout is not None and name in ("echo", "printf"):
            machine.stdout.append(_printed(machine, name, arguments))
        machine.status = 0
    elif name == "false":
        machine.status = 1
    elif name in QUIET:
        machine.status = None if name not in ("cd", "mkdir", "unset", "sync") else 0
    else:
        machine.opaque(node)


def _printed(machine: Machine, name: str, arguments: list[Node]) -> str:
    values = [machine.value(argument) for argument in arguments]
    if name == "echo":
        return " ".join(v for v in values if v not in ("-n", "-e"))
    if not values:
        raise Unknown("printf")
    text = values[0].replace("\\n", "\n")
    for value in values[1:]:
        text = re.sub(r"%[sd]", lambda _m, v=value: v, text, count=1)  # type: ignore[misc]
    if "%" in text:
        raise Unknown("printf format")
    return text


def _call(machine: Machine, body: Node) -> None:
    machine.depth += 1
    if machine.depth > 20:
        raise Unknown("recursion")
    machine.run(bash.statements(body))
    machine.depth -= 1


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


def _assignment(machine: Machine, node: Node, guarded: bool) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    key = machine.script.text(name) if name else ""
    if not re.fullmatch(NAME, key):
        raise Unknown("assignment")
    if value is not None and _holds_substitution(value):
        _captured(machine, value, guarded)
        machine.variables[key] = None
        return
    machine.variables[key] = machine.value(value) if value else ""
    machine.status = 0


def _holds_substitution(value: Node) -> bool:
    return any(node.type in ("command_substitution", "arithmetic_expansion") for node in bash.walk(value))


def _captured(machine: Machine, value: Node, guarded: bool) -> None:
    inner = value.named_children[0] if value.type == "string" and len(value.named_children) == 1 else value
    if inner.type != "command_substitution" or len(bash.statements(inner)) != 1:
        raise Unknown("assignment of a computed value")
    machine.statement(bash.statements(inner)[0], True)


def _declaration(machine: Machine, node: Node, guarded: bool) -> None:
    for child in node.named_children:
        if child.type == "variable_assignment":
            _assignment(machine, child, guarded)
    machine.status = 0


def _redirected(machine: Machine, node: Node, guarded: bool) -> None:
    body = node.child_by_field_name("body")
    if body is None:
        raise Unknown("redirection without a command")
    target = None
    for operator, written in bash.redirects(machine.script, node):
        if operator in (">", ">>", ">|", "&>"):
            path = machine.string(written) if "$" in written else written
            if REWARD_FILE.search(path):
                target = path
    _into(machine, body, target, node, guarded)


def _into(machine: Machine, body: Node, target: str | None, whole: Node, guarded: bool) -> None:
    """Run ``body`` with its output going to ``target``; in a list the redirection is the last command's."""
    if body.type == "list":
        left, right = body.named_children[0], body.named_children[-1]
        operator = next(child.type for child in body.children if child.type in ("&&", "||"))
        machine.statement(left, True)
        if (machine.known_status() == 0) == (operator == "&&"):
            _into(machine, right, target, right, guarded)
    elif target is None:
        _statement_of(machine, body, whole, guarded)
    else:
        machine.stdout, saved = [], machine.stdout
        machine.statement(body, True)
        machine.rewards[target] = "\n".join(machine.stdout).strip()
        machine.stdout = saved


def _statement_of(machine: Machine, body: Node, whole: Node, guarded: bool) -> None:
    """Run the body of a redirected statement; an opaque one is taken with its redirections."""
    stdout, machine.stdout = machine.stdout, None
    if (
        body.type == "command"
        and bash.name(machine.script, body) not in machine.functions
        and _is_opaque(machine, body)
    ):
        machine.opaque(whole)
    else:
        machine.statement(body, True)
    machine.stdout = stdout


def _is_opaque(machine: Machine, node: Node) -> bool:
    known = {"set", "exit", "true", ":", "echo", "printf", "false"} | QUIET
    return bash.name(machine.script, node) not in known


def _list(machine: Machine, node: Node, guarded: bool) -> None:
    left, right = node.named_children[0], node.named_children[-1]
    operator = next(child.type for child in node.children if child.type in ("&&", "||"))
    machine.statement(left, True)
    if (machine.known_status() == 0) == (operator == "&&"):
        machine.statement(right, guarded)


def _if(machine: Machine, node: Node, guarded: bool) -> None:
    keyword = "if"
    condition: list[Node] = []
    branch: list[Node] = []
    taken: bool | None = None
    for child in node.children:
        if child.type in ("if", "then"):
            keyword = child.type
        elif child.type in ("elif_clause", "else_clause"):
            if taken is None:
                machine.run(condition, True)
                taken = machine.known_status() == 0
            if taken:
                break
            if child.type == "else_clause":
                machine.run(bash.statements(child), guarded)
                return
            taken = _elif(machine, child, guarded)
            if taken:
                return
        elif child.is_named and child.type != "comment":
            (condition if keyword == "if" else branch).append(child)
    if taken is None:
        machine.run(condition, True)
        taken = machine.known_status() == 0
    if taken:
        machine.run(branch, guarded)
    else:
        machine.status = 0


def _elif(machine: Machine, node: Node, guarded: bool) -> bool:
    then = next(i for i, child in enumerate(node.children) if child.type == "then")
    named = [(i, child) for i, child in enumerate(node.children) if child.is_named and child.type != "comment"]
    machine.run([child for i, child in named if i < then], True)
    taken = machine.known_status() == 0
    if taken:
        machine.run([child for i, child in named if i > then], guarded)
    return taken


def _case(machine: Machine, node: Node, guarded: bool) -> None:
    subject = machine.value(node.named_children[0])
    machine.status = 0
    for item in (child for child in node.named_children if child.type == "case_item"):
        patterns = [child for i, child in enumerate(item.children) if item.field_name_for_child(i) == "value"]
        if any((p := machine.value(pattern)) == "*" or p == subject for pattern in patterns):
            ids = {pattern.id for pattern in patterns}
            machine.run([child for child in bash.statements(item) if child.id not in ids], guarded)
            return


def _test(machine: Machine, node: Node, guarded: bool) -> None:
    inner = node.named_children
    if len(inner) != 1:
        raise Unknown("test")
    machine.status = 0 if _holds(machine, inner[0]) else 1


def _holds(machine: Machine, node: Node) -> bool:
    if node.type == "parenthesized_expression":
        return _holds(machine, node.named_children[0])
    if node.type == "unary_expression":
        operator, operand = machine.script.text(node.children[0]), node.named_children[-1]
        if operator == "!":
            return not _holds(machine, operand)
        if operator in ("-z", "-n"):
            return (machine.value(operand) == "") == (operator == "-z")
        raise Unknown(f"test {operator}")
    if node.type == "binary_expression" and len(node.children) == 3:
        left, operator, right = node.children[0], machine.script.text(node.children[1]), node.children[2]
        if operator in ("&&", "-a"):
            return _holds(machine, left) and _holds(machine, right)
        if operator in ("||", "-o"):
            return _holds(machine, left) or _holds(machine, right)
        return _compared(machine.value(left), operator, machine.value(right))
    raise Unknown(node.type)


def _compared(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    numbers: dict[str, Callable[[int, int], bool]] = {
        "-eq": int.__eq__,
        "-ne": int.__ne__,
        "-gt": int.__gt__,
        "-ge": int.__ge__,
        "-lt": int.__lt__,
        "-le": int.__le__,
    }
    if operator not in numbers or not re.fullmatch(r"-?\d+", left) or not re.fullmatch(r"-?\d+", right):
        raise Unknown(f"test {operator}")
    return numbers[operator](int(left), int(right))


def _pipeline(machine: Machine, node: Node, guarded: bool) -> None:
    parts, statuses = node.named_children, []
    for part in parts:
        machine.statement(part, True)
        statuses.append(machine.status)
    tail = parts[-1] if parts[-1].type == "command" else parts[-1].named_children[0]
    if bash.name(machine.script, tail) in ("tee", "cat", "head", "tail"):
        statuses[-1] = 0
    machine.pipe = statuses
    bad = [status for status in statuses if status != 0]
    machine.status = (bad[-1] if bad else 0) if machine.pipefail else statuses[-1]


def _negated(machine: Machine, node: Node, guarded: bool) -> None:
    machine.statement(node.named_children[0], True)
    machine.status = 0 if machine.known_status() else 1


def _group(machine: Machine, node: Node, guarded: bool) -> None:
    if node.children[0].type not in ("{", "("):
        raise Unknown("arithmetic command")
    if node.type == "subshell":
        machine.opaque(node)
        return
    machine.run(bash.statements(node), guarded)


def _function(machine: Machine, node: Node, guarded: bool) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None or body.type != "compound_statement":
        raise Unknown("function")
    machine.functions[machine.script.text(name)] = body


def _unset(machine: Machine, node: Node, guarded: bool) -> None:
    machine.status = 0


Handler = Callable[[Machine, Node, bool], None]
HANDLERS: dict[str, Handler] = {
    "command": _command,
    "variable_assignment": _assignment,
    "declaration_command": _declaration,
    "redirected_statement": _redirected,
    "list": _list,
    "if_statement": _if,
    "case_statement": _case,
    "test_command": _test,
    "pipeline": _pipeline,
    "negated_command": _negated,
    "compound_statement": _group,
    "subshell": _group,
    "function_definition": _function,
    "unset_command": _unset,
}
