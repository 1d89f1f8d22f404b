"""The tests that a file defines by name: those that every sound run of it has to pass, read from its syntax."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from skill.verifier import python

SKIPPABLE: Final = "?"  # before the name of a test that may be left out by what stands in its file
_UNFIT: Final = re.compile(rb"__test__|load_tests|pytest_plugins|pytest_collection|pytest_generate_tests")
_CASE: Final = re.compile(r"(?:unittest\.)?TestCase")
_MARK: Final = re.compile(r"pytest\.mark\.(\w+)")
_JS_TEST: Final = re.compile(r"(?:test|it)\(\s*(\"|')([\w ,.:;=()/<>!?&*+-]+)\1\s*,")
_JS_GROUP: Final = re.compile(r"(?:describe|suite)\(")
_JS_UNFIT: Final = re.compile(r"\b(?:skip|todo|only)\b")


def names(source: bytes, may_skip: bool = False) -> tuple[str, ...]:
    """``test_a`` and ``TestB::test_c`` of a pytest file; a test that may be skipped carries a mark in front.

    What something else than its own definition decides about (a decorator, a parameter, a branch) is left out.
    """
    module = python.tree(source)
    if module is None or _UNFIT.search(source):
        return ()
    mark = SKIPPABLE if may_skip or b"skip" in source.lower() else ""
    return tuple(mark + name for name in _defined(module))


def _defined(module: ast.Module) -> Iterator[str]:
    bound = [name for node in module.body for name in _binds(node)]
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and bound.count(node.name) == 1 and _is_test(node):
            yield node.name
        elif isinstance(node, ast.ClassDef) and bound.count(node.name) == 1 and _is_collected(node):
            yield from (
                f"{node.name}::{part.name}"
                for part in node.body
                if isinstance(part, ast.FunctionDef) and _is_test(part)
            )


def _binds(node: ast.stmt) -> Iterator[str]:
    """Names that a statement at the top of a module may give or take away."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            yield part.id
        elif isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield part.name
        elif isinstance(part, ast.alias):
            yield (part.asname or part.name).split(".")[0]


def _is_test(node: ast.FunctionDef) -> bool:
    """Whether a function is run as it stands, once: no generator, no decorator but plain marks."""
    marks = [_MARK.match(ast.unparse(decorator)) for decorator in node.decorator_list]
    plain = all(mark is not None and mark[1] not in ("parametrize", "usefixtures", "skip", "skipif") for mark in marks)
    yields = any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))
    return node.name.startswith("test") and plain and not yields


def _is_collected(node: ast.ClassDef) -> bool:
    """Whether pytest collects a class as it stands."""
    own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    bases = [ast.unparse(base) for base in node.bases]
    if node.decorator_list or node.keywords or own & {"__init__", "__new__"}:
        return False
    if bases and all(_CASE.fullmatch(base) for base in bases):
        return True
    return node.name.startswith("Test") and all(base == "object" for base in bases)


def node_names(source: bytes) -> tuple[str, ...]:
    """The tests of a file for node's own runner: literal names at the top, or right inside a group at the top."""
    text = source.decode("utf-8", "replace")
    if _JS_UNFIT.search(text) or "/*" in text:
        return ()
    found: list[str] = []
    inner: int | None = None  # how deep what stands in the group is, -1 before its first line
    for line in text.splitlines():
        stripped = line.lstrip()
        depth = len(line) - len(stripped)
        if depth == 0 and stripped and not stripped.startswith(("}", ")")):
            inner = -1 if _JS_GROUP.match(stripped) else None
        elif inner == -1 and stripped:
            inner = depth
        match = _JS_TEST.match(stripped) if depth in (0, inner) else None
        found += [match[2]] if match else []
    return tuple(dict.fromkeys(found))
