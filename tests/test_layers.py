"""Imports point one way, skill <- tools <- agent, and each third-party package has its door."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = {"skill": {"skill"}, "tools": {"skill", "tools"}, "agent": {"skill", "tools", "agent"}}
DOORS = {
    "anthropic": ("agent/model.py", "agent/model_*.py"),
    "httpx2": ("agent/model.py", "agent/model_*.py"),  # what anthropic lets through
    "docker": ("tools/runners/docker.py", "tools/runners/docker_*.py"),
    "urllib3": ("tools/runners/docker.py", "tools/runners/docker_*.py"),  # what docker lets through
    "rich": ("agent/console.py",),
    "tomlkit": ("skill/toml.py",),
    "tomli": ("skill/toml.py",),
    "jinja2": ("skill/recipe/template.py",),
    "pyarrow": ("skill/recipe/tables.py",),
    "tree_sitter": ("skill/bash.py",),
    "tree_sitter_bash": ("skill/bash.py",),
    "pathspec": ("skill/*.py",),
    "yaml": ("skill/*.py",),
    "e2b_dockerfile_utils": ("skill/dockerfile*.py",),
}
LAZY = {"anthropic", "docker", "httpx2", "rich", "urllib3"}
BARRED_FROM_SKILL = {"asyncio", "ftplib", "http", "multiprocessing", "socket", "ssl", "subprocess", "urllib"}


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield ("" if node.level else (node.module or "")).partition(".")[0], node.lineno


def at_import_time(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Imports that run when the module is imported: outside functions and `if TYPE_CHECKING`."""
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        pending += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def complaints(path: str, source: str) -> list[str]:
    layer = path.partition("/")[0]
    tree = ast.parse(source)
    found = []
    for name, line in imports(tree):
        if not name:
            found.append(f"{path}:{line} relative import")
        elif name in LAYERS and name not in LAYERS[layer]:
            found.append(f"{path}:{line} {layer} imports {name}")
        elif layer == "skill" and name in BARRED_FROM_SKILL:
            found.append(f"{path}:{line} skill imports {name}")
        elif name in DOORS and not any(fnmatch(path, door) for door in DOORS[name]):
            found.append(f"{path}:{line} {name} has its door in {DOORS[name][0]}")
        elif name not in LAYERS and name not in DOORS and name not in sys.stdlib_module_names:
            found.append(f"{path}:{line} {name} has no door")
    found += [f"{path}:{line} {name} is imported early" for name, line in at_import_time(tree) if name in LAZY]
    return found


CASES = [
    ("tools/proof.py", "from skill.finding import Finding", []),
    ("agent/cli.py", "import tools.proof, skill.toml", []),
    ("skill/toml.py", "import tomlkit", []),
    ("skill/sources/compose.py", "import yaml", []),
    ("tools/process.py", "import subprocess", []),
    ("tools/runners/docker.py", "def f():\n    import docker", []),
    ("tools/runners/docker.py", "if TYPE_CHECKING:\n    import docker", []),
    ("skill/suite.py", "import toolshed", ["skill/suite.py:1 toolshed has no door"]),
    ("skill/suite.py", "from tools import proof", ["skill/suite.py:1 skill imports tools"]),
    ("tools/proof.py", "\nimport agent.cli", ["tools/proof.py:2 tools imports agent"]),
    ("skill/suite.py", "import subprocess", ["skill/suite.py:1 skill imports subprocess"]),
    ("skill/suite.py", "def f():\n    import socket", ["skill/suite.py:2 skill imports socket"]),
    (
        "agent/report.py",
        "def f():\n    import rich.table",
        ["agent/report.py:2 rich has its door in agent/console.py"],
    ),
    ("agent/console.py", "import rich", ["agent/console.py:1 rich is imported early"]),
    (
        "agent/console.py",
        "try:\n    import rich\nfinally: pass",
        ["agent/console.py:2 rich is imported early"],
    ),
    ("skill/suite.py", "from . import toml", ["skill/suite.py:1 relative import"]),
]


@pytest.mark.parametrize(("path", "source", "expected"), CASES)
def test_what_counts_as_a_breach(path: str, source: str, expected: list[str]) -> None:
    assert complaints(path, source) == expected


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_and_doors_hold(layer: str) -> None:
    modules = sorted((ROOT / layer).rglob("*.py"))
    assert modules
    found = [line for path in modules for line in complaints(path.relative_to(ROOT).as_posix(), path.read_text())]
    assert found == []


def test_starting_up_loads_no_heavy_package() -> None:
    heavy = {"anthropic", "docker", "httpx2", "pydantic", "requests", "rich"}
    script = f"import agent.cli, agent.endpoint, sys; print(sorted({heavy!r} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("[]\n", "")
