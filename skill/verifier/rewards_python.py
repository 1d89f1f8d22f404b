"""Can a Python program write a reward other than 0 or 1? Answered from its syntax tree, cautiously.

Only what can be shown counts: an expression is *binary* when every value that can reach it is 0, 1, true or false.
Everything else is "open", and the case needs a threshold from a person.
"""

from __future__ import annotations

import ast
import re

from skill.verifier import python

REWARD = re.compile(r"reward\.(?:txt|json)$")
BINARY_TEXT = re.compile(r"[01](?:\.0*)?\s*\Z")
BINARY_CALLS = frozenset(("all", "any", "bool", "isinstance", "issubclass", "hasattr", "callable"))
PASSED_ON = frozenset(("int", "float", "str", "dumps", "repr"))


def is_binary(source: bytes) -> bool | None:
    """True: only 0 or 1 under one key can be written; False: something else may be; None: writes no reward at all."""
    module = python.tree(source)
    if module is None or not any(REWARD.search(str(node.value)) for node in python.strings(module)):
        return None
    program = Program(module)
    sinks = program.sinks()
    return bool(sinks) and all(program.binary(value, 0) for value in sinks)


class Program:
    """What a program binds to its names, and what it writes to a reward file."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.functions = {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
        self.values: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(module):
            self._bind(node)
        self.paths = {
            name for name, values in self.values.items() if any(v is not None and self._is_path(v) for v in values)
        }
        self._handles()

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.values.setdefault(target.id, []).append(node.value)
                elif isinstance(target, ast.Tuple | ast.List):
                    for part in ast.walk(target):
                        if isinstance(part, ast.Name):
                            self.values.setdefault(part.id, []).append(None)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self.values.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            bitwise = isinstance(node.op, ast.BitAnd | ast.BitOr)
            self.values.setdefault(node.target.id, []).append(node.value if bitwise else None)
        elif isinstance(node, ast.For | ast.comprehension | ast.NamedExpr):
            for part in ast.walk(node.target):
                if isinstance(part, ast.Name):
                    self.values.setdefault(part.id, []).append(None)

    def _is_path(self, node: ast.expr) -> bool:
        return any(isinstance(part, ast.Constant) and REWARD.search(str(part.value)) for part in ast.walk(node))

    def _handles(self) -> None:
        """Names of files opened on a reward path count as such paths."""
        for node in ast.walk(self.module):
            if (
                isinstance(node, ast.withitem)
                and isinstance(node.optional_vars, ast.Name)
                and self._on_reward(node.context_expr)
            ):
                self.paths.add(node.optional_vars.id)

    def _on_reward(self, node: ast.expr) -> bool:
        return self._is_path(node) or any(
            isinstance(part, ast.Name) and part.id in self.paths for part in ast.walk(node)
        )

    def sinks(self) -> list[ast.expr]:
        """The expressions that are written to a reward file."""
        found: list[ast.expr] = []
        for node in ast.walk(self.module):
            if not isinstance(node, ast.Call):
                continue
            if (
                isinstance(node.func, ast.Attribute)
                and node.func.attr in ("write_text", "write")
                and self._on_reward(node.func.value)
            ):
                found += node.args[:1]
            elif (
                isinstance(node.func, ast.Attribute)
                and node.func.attr == "dump"
                and len(node.args) > 1
                and self._on_reward(node.args[1])
            ):
                found.append(node.args[0])
            elif isinstance(node.func, ast.Name) and node.func.id == "print":
                found += [
                    node.args[0]
                    for word in node.keywords
                    if word.arg == "file" and self._on_reward(word.value) and node.args
                ]
        return found

    def binary(self, node: ast.expr | None, depth: int) -> bool:
        """Whether every value of ``node`` that can be shown is 0 or 1 (or one key with such a value)."""
        if node is None or depth > 12:
            return False
        if isinstance(node, ast.Constant):
            return (
                node.value in (0, 1)
                if not isinstance(node.value, str)
                else bool(BINARY_TEXT.match(node.value)) or self._json(node.value)
            )
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return True
        if isinstance(node, ast.IfExp):
            return self.binary(node.body, depth + 1) and self.binary(node.orelse, depth + 1)
        if isinstance(node, ast.BoolOp):
            return all(self.binary(value, depth + 1) for value in node.values)
        if isinstance(node, ast.BinOp):
            return self._combined(node, depth)
        if isinstance(node, ast.JoinedStr):
            return self._formatted(node, depth)
        if isinstance(node, ast.Dict):
            return len(node.values) == 1 and node.keys != [None] and self.binary(node.values[0], depth + 1)
        if isinstance(node, ast.Name):
            return self._name(node, depth)
        return isinstance(node, ast.Call) and self._call(node, depth)

    def _json(self, text: str) -> bool:
        return bool(re.fullmatch(r'\s*\{\s*"[^"]+"\s*:\s*[01](?:\.0*)?\s*\}\s*', text))

    def _combined(self, node: ast.BinOp, depth: int) -> bool:
        if isinstance(node.op, ast.BitAnd | ast.BitOr):
            return self.binary(node.left, depth + 1) and self.binary(node.right, depth + 1)
        newline = isinstance(node.right, ast.Constant) and node.right.value == "\n"
        return isinstance(node.op, ast.Add) and newline and self.binary(node.left, depth + 1)

    def _formatted(self, node: ast.JoinedStr, depth: int) -> bool:
        inner = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        text = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant)).strip()
        return len(inner) == 1 and not text and self.binary(inner[0], depth + 1)

    def _name(self, node: ast.Name, depth: int) -> bool:
        if node.id in self.values:
            return all(self.binary(value, depth + 1) for value in self.values[node.id])
        return self._parameter(node.id, depth)

    def _parameter(self, name: str, depth: int) -> bool:
        """A parameter is binary when it is so at every call of every function that has one of this name."""
        owners = [f for f in self.functions.values() if name in [argument.arg for argument in f.args.args]]
        arguments: list[ast.expr | None] = []
        for owner in owners:
            index = [argument.arg for argument in owner.args.args].index(name)
            for call in ast.walk(self.module):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == owner.name:
                    keyword = next((word.value for word in call.keywords if word.arg == name), None)
                    arguments.append(call.args[index] if index < len(call.args) else keyword)
        return bool(arguments) and all(self.binary(argument, depth + 1) for argument in arguments)

    def _call(self, node: ast.Call, depth: int) -> bool:
        name = (
            node.func.id
            if isinstance(node.func, ast.Name)
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else ""
        )
        if name in BINARY_CALLS:
            return True
        if name in PASSED_ON and node.args:
            return self.binary(node.args[0], depth + 1)
        function = self.functions.get(name)
        if function is None:
            return False
        returned = [part.value for part in ast.walk(function) if isinstance(part, ast.Return)]
        return bool(returned) and all(self.binary(value, depth + 1) for value in returned)
