"""Facts of the Python in a suite's tests, read from its syntax tree."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache

STANDARD = frozenset(sys.stdlib_module_names) | {"__future__"}
DISTRIBUTIONS = {  # import name -> distribution, where they differ
    "yaml": "pyyaml", "PIL": "pillow", "cv2": "opencv-python", "sklearn": "scikit-learn", "bs4": "beautifulsoup4",
    "fitz": "pymupdf", "dateutil": "python-dateutil", "dotenv": "python-dotenv", "docx": "python-docx",
    "jwt": "pyjwt", "serial": "pyserial", "Crypto": "pycryptodome", "git": "gitpython", "magic": "python-magic",
    "psycopg2": "psycopg2-binary", "attr": "attrs", "pptx": "python-pptx", "skimage": "scikit-image",
    "OpenSSL": "pyopenssl", "google": "google",
}  # fmt: skip


TOP_IMPORT = re.compile(rb"^(?:import[ \t]+([\w., \t]+)|from[ \t]+(\w[\w.]*)[ \t]+import\b)", re.MULTILINE)


@lru_cache(maxsize=256)
def tree(source: bytes) -> ast.Module | None:
    """The syntax tree of ``source``, None when this Python cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def top_imports(source: bytes) -> Iterator[str]:
    """Top-level names that a module imports unconditionally: an import that is not indented.

    Read by pattern: every task of a set has tests of its own, and a syntax tree costs more than all else together.
    """
    for match in TOP_IMPORT.finditer(source):
        names = match[1].split(b",") if match[1] else [match[2]]
        yield from (name.split(b" as ")[0].strip().split(b".")[0].decode("utf-8", "replace") for name in names)


def brought(names: set[str], siblings: set[str], provided: frozenset[str]) -> tuple[str, ...]:
    """Of imported ``names`` those that the suite brings: not standard, not beside the tests, not the candidate's.

    ``provided`` holds distributions that the image or the bootstrap installs; only of these it is known that their
    absence says nothing about the candidate.
    """
    known = {name.lower().replace("_", "-") for name in provided}
    return tuple(
        sorted(
            name
            for name in names - siblings - STANDARD
            if DISTRIBUTIONS.get(name, name).lower().replace("_", "-") in known
        )
    )


def strings(module: ast.Module) -> Iterator[ast.Constant]:
    """Every string constant that is no docstring."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(module)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node
