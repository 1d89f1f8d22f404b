"""Python tests compared by their syntax trees: layout and comments may differ, what is tested may not."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from skill.loss import Kind, Loss, Moved
from skill.verifier.python import tree

SKIPS: Final = ("skip", "xfail", "expectedFailure")
SETUPS: Final = ("setup", "teardown", "asyncsetup", "asyncteardown")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def compared(path: str, before: bytes, after: bytes, moved: Moved) -> list[Loss] | None:
    """What ``after`` lacks of ``before``; None when the source's file is nothing that this Python can read."""
    old, new = tree(before), tree(after)
    if old is None:
        return None
    if new is None:
        return [Loss(Kind.CODE, path, 0, "the source's file parses as Python, this one does not")]
    try:
        return list(_Comparison(path, moved).bodies("", old.body, new.body))
    except RecursionError:
        return [Loss(Kind.CODE, path, 0, "nested too deeply to be compared, and no longer the source's bytes")]


class _Comparison:
    """One file against another."""

    def __init__(self, path: str, moved: Moved) -> None:
        self.path = path
        self.moved = moved

    def bodies(self, owner: str, old: list[ast.stmt], new: list[ast.stmt]) -> Iterator[Loss]:
        """Definitions by name, then all other statements of a module or class in their order."""
        here, there = _definitions(old), _definitions(new)
        for name, definitions in here.items():
            for index, definition in enumerate(definitions):
                others = there.get(name, [])
                yield from self.definition(f"{owner}{name}", definition, others[index] if index < len(others) else None)
        for name, definitions in there.items():
            for definition in definitions[len(here.get(name, [])) :]:
                yield self.loss(Kind.CODE, definition, f"{owner}{name} is not in the source's file")
        rest, new_rest = _statements(old), _statements(new)
        if not self.same(rest, new_rest):
            yield from self.statements(owner.rstrip(".") or "the module", rest, new_rest)

    def definition(self, name: str, old: Definition, new: Definition | None) -> Iterator[Loss]:
        if new is None:
            kind = Kind.TEST if _is_test(old) else Kind.FIXTURE if _is_fixture(old) else Kind.CODE
            yield Loss(kind, self.path, 0, f"{name} of the source is gone")
        elif not self.same(old.decorator_list, new.decorator_list):
            yield self.decorators(name, old, new)
        elif isinstance(old, ast.ClassDef) and isinstance(new, ast.ClassDef):
            if not self.same([*old.bases, *old.keywords], [*new.bases, *new.keywords]):
                yield self.loss(Kind.CODE, new, f"{name} has other base classes")
            yield from self.bodies(f"{name}.", old.body, new.body)
        elif not self.same(old, new):
            if _is_fixture(old):
                yield self.loss(Kind.FIXTURE, new, f"{name} prepares the tests and was changed")
            else:
                yield from self.statements(name, [old], [new])

    def decorators(self, name: str, old: Definition, new: Definition) -> Loss:
        was, now = (" ".join(ast.unparse(part) for part in node.decorator_list) for node in (old, new))
        if "parametrize" in was or "parameterized" in was or "parametrize" in now:
            return self.loss(Kind.PARAMETERS, new, f"{name} is tried with other parameters than the source's")
        if any(word in now and word not in was for word in SKIPS):
            return self.loss(Kind.TEST, new, f"{name} is skipped or may fail")
        kind = Kind.FIXTURE if _is_fixture(old) else Kind.CODE
        return self.loss(kind, new, f"{name} has other decorators than the source's")

    def statements(self, name: str, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> Iterator[Loss]:
        """What differs between two pieces of code that are not the same, the gravest sense first."""
        found = False
        remaining = [node for statement in new for node in _assertions(statement)]
        for node in (node for statement in old for node in _assertions(statement)):
            twin = next((other for other in remaining if self.same(node, other)), None)
            if twin is not None:
                remaining.remove(twin)
                continue
            found = True
            near = next((other for other in remaining if _shape(other) == _shape(node)), None)
            said = f"{name}: {_short(node)}"
            if near is None:
                yield self.loss(Kind.ASSERTION, new[0] if new else None, f"{said} is gone")
            else:
                remaining.remove(near)
                yield self.loss(Kind.EXPECTED, near, f"{said} has another value here")
        if not found:
            same_shape = [_shape(node) for node in old] == [_shape(node) for node in new]
            kind = Kind.EXPECTED if same_shape else Kind.CODE
            said = "holds another value than the source's" if same_shape else "differs from the source's code"
            yield self.loss(kind, self.first_difference(old, new), f"{name} {said}")

    def first_difference(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> ast.AST | None:
        for was, now in zip(old, new, strict=False):
            if not self.same(was, now):
                below_was, below_now = getattr(was, "body", []), getattr(now, "body", [])
                inner = self.first_difference(below_was, below_now) if isinstance(below_now, list) else None
                return inner or now
        return new[len(old)] if len(new) > len(old) else None

    def same(self, old: object, new: object) -> bool:
        """Whether two trees say the same, paths at their new place aside."""
        if isinstance(old, str) and isinstance(new, str):
            return self.moved.allows(old, new)
        if isinstance(old, list) and isinstance(new, list):
            return len(old) == len(new) and all(map(self.same, old, new))
        if isinstance(old, ast.AST) and isinstance(new, ast.AST):
            return type(old) is type(new) and all(
                self.same(getattr(old, name, None), getattr(new, name, None)) for name in old._fields
            )
        return type(old) is type(new) and old == new

    def loss(self, kind: Kind, node: ast.AST | None, message: str) -> Loss:
        return Loss(kind, self.path, getattr(node, "lineno", 0), message)


def _definitions(body: list[ast.stmt]) -> dict[str, list[Definition]]:
    found: defaultdict[str, list[Definition]] = defaultdict(list)
    for node in body:
        if isinstance(node, Definition):
            found[node.name].append(node)
    return found


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    return [node for node in body if not isinstance(node, Definition)]


def _is_test(node: Definition) -> bool:
    return node.name.lower().startswith("test") or any("Test" in ast.unparse(b) for b in getattr(node, "bases", []))


def _is_fixture(node: Definition) -> bool:
    name = node.name.lower().replace("_", "")
    return name.startswith(SETUPS) or any("fixture" in ast.unparse(part) for part in node.decorator_list)


def _assertions(statement: ast.AST) -> Iterator[ast.AST]:
    """Whatever ends a test or a grader badly: assert, raise, calls that assert, fail, expect or exit."""
    if isinstance(statement, ast.Assert | ast.Raise):
        yield statement
        return
    if isinstance(statement, ast.Call):
        name = ast.unparse(statement.func).rsplit(".", 1)[-1]
        if name.startswith(("assert", "raises", "fail", "exit")) or name in ("check", "expect", "warns"):
            yield statement
            return
    for node in ast.iter_child_nodes(statement):
        yield from _assertions(node)


def _shape(node: ast.AST) -> str:
    """The tree without its constants."""
    return ast.dump(_Blank().visit(ast.parse(ast.unparse(node))))


class _Blank(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(value=None)


def _short(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 80 else text[:77] + "..."
