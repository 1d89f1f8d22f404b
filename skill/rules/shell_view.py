"""What the verifier rules ask of a shell script: its exits, its steps in order, the options in force at each.

A view is a pure function of the script (and of the files it sources), so equal scripts are looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from skill import bash
from skill.bash import Node
from skill.shell_syntax import (
    BRANCHES,
    LOOPS,
    bodies,
    branch,
    has_default,
    in_own_process,
    options,
    shebang_option,
)

ALWAYS_ZERO: Final = frozenset(("echo", "printf", "true", ":"))


@dataclass(frozen=True, eq=False)
class Exit:
    """One ``exit`` that ends the script itself."""

    node: Node
    line: int
    value: str  # as written, without quotes; "" for a bare exit

    @property
    def code(self) -> int | None:
        """The literal status, None when it is computed."""
        return int(self.value) if self.value.isdigit() else None


@dataclass(frozen=True, eq=False)
class Step:
    """One statement of the main flow with the options in force when it runs."""

    node: Node
    line: int
    errexit: bool
    pipefail: bool


@dataclass(frozen=True, eq=False)
class ShellView:
    """A parsed script together with the function bodies of the files it sources."""

    script: bash.Script
    libraries: tuple[bash.Script, ...]

    @cached_property
    def depth(self) -> int:
        """How deep the syntax is nested."""
        deepest, pending = 0, [(self.script.root, 0)]
        while pending:
            node, depth = pending.pop()
            deepest = max(deepest, depth)
            pending += [(child, depth + 1) for child in node.named_children]
        return deepest

    @cached_property
    def statements(self) -> list[Node]:
        """The statements at top level."""
        return bash.statements(self.script.root)

    @cached_property
    def commands(self) -> tuple[tuple[str, list[str], Node], ...]:
        """Every simple command: its name, its words, its node."""
        nodes = bash.commands(self.script.root)
        return tuple((bash.name(self.script, node), bash.words(self.script, node), node) for node in nodes)

    @cached_property
    def functions(self) -> dict[str, tuple[bash.Script, Node]]:
        """Function name -> script and body, of this file and of those it sources."""
        found: dict[str, tuple[bash.Script, Node]] = {}
        for script in (*self.libraries, self.script):
            for node in bash.walk(script.root):
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if node.type == "function_definition" and name is not None and body is not None:
                    found[script.text(name)] = (script, body)
        return found

    @cached_property
    def exits(self) -> tuple[Exit, ...]:
        """Every exit of the main process in this file, functions included."""
        return tuple(
            Exit(node, bash.line(node), words[1].strip('"') if len(words) > 1 else "")
            for name, words, node in self.commands
            if name == "exit" and not in_own_process(node)
        )

    @cached_property
    def library_exits(self) -> tuple[str, ...]:
        """The values of exits in functions of sourced files."""
        return tuple(
            (bash.words(script, node)[1:] or [""])[0].strip('"')
            for script in self.libraries
            for node in bash.commands(script.root)
            if bash.name(script, node) == "exit"
        )

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The statements of the main flow in order, branches and loops entered, functions not."""
        state = {"errexit": shebang_option(self.script.data), "pipefail": False}
        return tuple(self._steps(self.statements, state))

    def _steps(self, nodes: list[Node], state: dict[str, bool]) -> Iterator[Step]:
        for node in nodes:
            if node.type not in ("function_definition", *BRANCHES) or node.type == "if_statement":
                yield Step(node, bash.line(node), state["errexit"], state["pipefail"])
            if node.type in LOOPS or node.type in BRANCHES or node.type == "case_statement":
                yield from self._steps(bodies(node), state)
            elif node.type == "command" and bash.name(self.script, node) == "set":
                state.update(options(bash.words(self.script, node)[1:]))

    def ends(self, node: Node, script: bash.Script | None = None, depth: int = 0) -> bool:
        """Whether nothing after ``node`` can run, because every way through it exits."""
        script = script or self.script
        if node.type in ("program", "compound_statement", "else_clause", "elif_clause", "case_item"):
            return any(self.ends(child, script, depth) for child in bash.statements(node))
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return body is not None and self.ends(body, script, depth)
        if node.type == "if_statement":
            return self._every_branch_ends(node, script, depth)
        if node.type == "case_statement":
            items = [child for child in node.named_children if child.type == "case_item"]
            return has_default(script, items) and all(self.ends(item, script, depth) for item in items)
        if node.type == "list":
            return self._list_ends(node, script, depth)
        return node.type == "command" and self._command_ends(node, script, depth)

    def _command_ends(self, node: Node, script: bash.Script, depth: int) -> bool:
        name = bash.name(script, node)
        if name in ("exit", "exec"):
            return name == "exit" or len(bash.words(script, node)) > 1
        if name == "builtin":
            return bash.words(script, node)[1:2] == ["exit"]
        if name in self.functions and depth < 8:
            inner, body = self.functions[name]
            return self.ends(body, inner, depth + 1)
        return False

    def _list_ends(self, node: Node, script: bash.Script, depth: int) -> bool:
        left, right = node.named_children[0], node.named_children[-1]
        if self.ends(left, script, depth):
            return True
        is_or = any(child.type == "||" for child in node.children)
        if not is_or or not self.ends(right, script, depth) or left.type != "list":
            return False
        return self.ends(left.named_children[-1], script, depth)

    def _every_branch_ends(self, node: Node, script: bash.Script, depth: int) -> bool:
        clauses = [child for child in node.named_children if child.type in ("elif_clause", "else_clause")]
        if not any(clause.type == "else_clause" for clause in clauses):
            return False
        return any(self.ends(child, script, depth) for child in branch(node)) and all(
            any(self.ends(child, script, depth) for child in branch(clause)) for clause in clauses
        )

    def is_zero(self, node: Node) -> bool:
        """Whether the status after ``node`` is 0 whatever happens before it."""
        if node.type == "redirected_statement":
            body = node.child_by_field_name("body")
            return body is not None and self.is_zero(body)
        if node.type == "if_statement":
            clauses = [child for child in node.named_children if child.type in ("elif_clause", "else_clause")]
            return all(part[-1:] and self.is_zero(part[-1]) for part in map(branch, (node, *clauses)))
        if node.type == "list":
            is_or = node.children[-2].type == "||"
            return is_or and self.is_zero(node.named_children[-1])
        if node.type == "compound_statement":
            inner = bash.statements(node)
            return bool(inner) and self.is_zero(inner[-1])
        if node.type == "command":
            words = bash.words(self.script, node)
            return bash.name(self.script, node) in ALWAYS_ZERO or words == ["exit", "0"]
        return False


@lru_cache(maxsize=1024)
def view(data: bytes, libraries: tuple[bytes, ...] = ()) -> ShellView:
    """The view of a script that sources ``libraries``."""
    return ShellView(bash.parse(data), tuple(bash.parse(library) for library in libraries))
