"""Facts of the Python in tests/: imports, which of them the suite brings, strings that are no documentation."""

from __future__ import annotations

import ast

import pytest

from skill.verifier import python

IMPORTS = [
    ("", []),
    ("# import os\n", []),
    ("def f():\n    import os\n", []),  # may never happen
    ("try:\n    import tides\nexcept ImportError:\n    tides = None\n", []),
    ("from . import helper\n", []),
    ("from .helper import f\n", []),
    ("import os\n", ["os"]),
    ("import os, yaml as y\n", ["os", "yaml"]),
    ("import numpy.linalg\n", ["numpy"]),
    ("from PIL.Image import open\n", ["PIL"]),
]


@pytest.mark.parametrize(("source", "names"), IMPORTS)
def test_top_imports(source: str, names: list[str]) -> None:
    assert list(python.top_imports(source.encode())) == names


BROUGHT = [
    ({"os", "json"}, set(), {"os"}, ()),
    ({"tides"}, set(), {"requests"}, ()),  # the candidate's
    ({"helper"}, {"helper"}, {"helper"}, ()),  # beside the tests
    ({"requests", "tides"}, set(), {"requests", "pytest"}, ("requests",)),
    ({"yaml", "PIL"}, set(), {"PyYAML", "pillow"}, ("PIL", "yaml")),
    ({"typing_extensions"}, set(), {"typing-extensions"}, ("typing_extensions",)),
]


@pytest.mark.parametrize(("names", "siblings", "provided", "expected"), BROUGHT)
def test_brought_by_the_suite(
    names: set[str], siblings: set[str], provided: set[str], expected: tuple[str, ...]
) -> None:
    assert python.brought(names, siblings, frozenset(provided)) == expected


@pytest.mark.parametrize("source", [b"def f(:\n", b"\0", b"x = (" + b"(" * 5000, b"print 'two'\n"])
def test_what_cannot_be_read_has_no_tree(source: bytes) -> None:
    assert python.tree(source) is None


def test_strings_without_documentation() -> None:
    source = '"""page"""\ndef f():\n    """doc"""\n    return "a"\nclass C:\n    """doc"""\n    x = "b"\n"loose"\n'
    found = python.strings(ast.parse(source))
    assert [node.value for node in found] == ["loose", "a", "b"]
