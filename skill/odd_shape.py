"""The shape of an odd verifier: its script with everything that only names things taken out.

Two tasks have one shape when their scripts, and the scripts beside them that have a say in the verdict, differ in
paths, file names, compared values and here-documents alone. The shape's digest depends on nothing but that, and the
holes of one task line up with those of every other.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from skill import bash
from skill.bash import Node
from skill.checks import COMPARING
from skill.sources.base import SourceTask
from skill.verifier.python import tree

SCRIPT: Final = "test.sh"
SHORTEST: Final = 4  # letters of a name that is taken for one wherever it stands
PATH: Final = (
    r"(?<![\w.}-])/(?!(?:logs|usr|bin|dev|tmp|etc|root|var|proc|lib|sbin|opt)(?![\w-]))[\w@%+=:,.-][\w@%+=:,./-]*"
)
FILE: Final = (
    r"(?<![\w-])(?!reward\.|ctrf\.)[\w-]*[A-Za-z][\w-]*"
    r"\.(?:py|sh|js|mjs|ts|json|txt|csv|go|rs|c|cpp|java|toml|ya?ml|md|xml|sql|log|out)(?![\w-])"
)
NUMBER: Final = r"(?<![\w.-])(?:\d{2,}(?:\.\d+)?|\d\.\d+)(?![\w.-])"
DOCUMENT: Final = "here-document"


@dataclass(frozen=True)
class OddShape:
    """What many tasks have in common (``digest``), and what fills its holes in one of them."""

    digest: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """The shape's name in reports."""
        return f"odd-{self.digest[:8]}"


def shape_of_task(task: SourceTask) -> OddShape:
    """The shape of a task's verifier; OSError when a file of its tests cannot be read."""
    names = (task.ref.name, posixpath.basename(task.ref.id))
    return shape_of({file.path: file.read() for file in task.tests}, names)


def shape_of(files: Mapping[str, bytes], words: Iterable[str] = ()) -> OddShape:
    """The shape of the verifier in ``files`` (tests/ by path); ``words`` are names of the task itself."""
    script = files[SCRIPT].decode("utf-8", "replace")
    holes = _Holes(files, words)
    tokens = [*_tokens(files[SCRIPT], holes)]
    beside = sorted(
        (path for path in files if path != SCRIPT and _position(script, path) >= 0),
        key=lambda path: _order(script, path),
    )
    for path in beside:
        tokens += ["\n", posixpath.splitext(path)[1], *_beside(path, files[path], holes)]
    return OddShape(hashlib.sha256("\0".join(tokens).encode("utf-8", "replace")).hexdigest(), tuple(holes.values))


class _Holes:
    """Takes out what names something, in order."""

    def __init__(self, files: Mapping[str, bytes], words: Iterable[str]) -> None:
        self.values: list[str] = []
        names = {posixpath.basename(path) for path in files} - {SCRIPT}
        stems = {name.split(".")[0] for name in names}
        own = {form for word in words for form in (word, word.replace("-", "_"))}
        known = sorted(
            {name for name in names | stems | own if len(name) >= SHORTEST}, key=lambda name: (-len(name), name)
        )
        parts = [rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in known]
        self._pattern = re.compile("|".join([PATH, *parts, FILE, NUMBER]))

    def taken(self, text: str) -> str:
        """``text`` with a mark for each hole."""
        return self._pattern.sub(self._take, text)

    def whole(self, text: str) -> str:
        """A mark for all of ``text``."""
        self.values.append(text)
        return "\1"

    def _take(self, match: re.Match[str]) -> str:
        return self.whole(match[0])


def _tokens(data: bytes, holes: _Holes) -> Iterator[str]:
    """The script's tokens; one in another language is taken by its structure where that can be read."""
    first = data.split(b"\n", 1)[0]
    if b"python" in first and first.startswith(b"#!"):
        yield from ("python", _structure(data) or _whole(data))
    elif first.startswith(b"#!") and not re.search(rb"\b(?:ba|da|)sh\b", first):
        yield _whole(data)
    else:
        script = bash.parse(data)
        yield from _shell(script, script.root, holes)


def _beside(path: str, data: bytes, holes: _Holes) -> Iterator[str]:
    """A file that the script names: shell by its tokens, Python by its structure if it writes the reward."""
    if path.endswith((".sh", ".bash")):
        yield from _tokens(data, holes)
    elif path.endswith(".py") and b"reward" in data:
        yield _structure(data) or _whole(data)


def _shell(script: bash.Script, node: Node, holes: _Holes) -> Iterator[str]:
    if node.type == "comment" or _is_message(script, node):
        return
    if node.type == "heredoc_body":
        text = script.text(node)
        holes.whole(text)
        yield DOCUMENT + (_structure(text.encode()) or "")
    elif node.type in ("raw_string", "ansi_c_string", "string_content") and _is_compared(script, node):
        yield holes.whole(script.text(node).strip("'"))
    elif not node.children:
        yield holes.taken(script.text(node))
    else:
        if not node.is_named or node.type in ("program", "do_group", "compound_statement"):
            yield ";"
        for child in node.children:
            yield from _shell(script, child, holes)


def _is_message(script: bash.Script, node: Node) -> bool:
    """Whether a statement only tells something: its text is nobody's verdict."""
    if node.type != "command" or bash.name(script, node) not in ("echo", "printf") or node.parent is None:
        return False
    return node.parent.type in ("program", "compound_statement", "do_group", "if_statement", "else_clause", "case_item")


def _is_compared(script: bash.Script, node: Node) -> bool:
    """Whether the text is an operand of a comparison."""
    parent = node.parent
    while parent is not None and parent.type not in ("command", "command_substitution"):
        if parent.type == "test_command":
            return True
        parent = parent.parent
    return parent is not None and parent.type == "command" and bash.name(script, parent) in COMPARING


def _structure(data: bytes) -> str | None:
    """Python without its constants but those that name the place of a verdict; None when it is no Python."""
    module = copy.deepcopy(tree(data))
    if module is None or not module.body:
        return None
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and not (isinstance(node.value, str) and "reward" in node.value):
            node.value = None
    return hashlib.sha256(ast.dump(module).encode("utf-8", "replace")).hexdigest()


def _whole(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _position(script: str, path: str) -> int:
    return script.find(posixpath.basename(path))


def _order(script: str, path: str) -> tuple[int, str]:
    return _position(script, path), path
