"""The only door to tree-sitter: bash scripts as syntax trees, and the few questions asked of them.

The tree recovers from errors, so ``Script.broken`` has to be asked before anything is concluded; an unrendered
template or a conflict marker shows there although ``bash -n`` may accept the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise

from tree_sitter import Language, Parser, Tree
from tree_sitter import Node as Node  # the one name of the parser that its users need

REDIRECTS = ("file_redirect", "heredoc_redirect", "herestring_redirect")
WORDS = (
    "word",
    "string",
    "raw_string",
    "ansi_c_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "number",
    "command_substitution",
    "translated_string",
    "arithmetic_expansion",
    "process_substitution",
)


# For a function of a script (and of its nodes) alone: equal scripts are one `Script` where they were parsed by
# skill/verifier/split.py, so that a dataset with few distinct verifiers is analysed in little time.
once_a_script = lru_cache(maxsize=512)


@cache
def _parser() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


@dataclass(frozen=True, eq=False)
class Script:
    """A parsed script; nodes refer to byte offsets in ``data``."""

    data: bytes
    tree: Tree = field(repr=False)

    @property
    def root(self) -> Node:
        """The program node."""
        return self.tree.root_node

    @property
    def broken(self) -> int:
        """The 1-based line of the first syntax error, 0 when there is none."""
        if not self.root.has_error:
            return 0
        return next((line(node) for node in walk(self.root) if node.is_error or node.is_missing), 1)

    def text(self, node: Node) -> str:
        """The source text of ``node``."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def parse(data: bytes) -> Script:
    """The syntax tree of ``data``; never raises, see ``Script.broken``."""
    return Script(data, _parser().parse(data))


def walk(node: Node) -> Iterator[Node]:
    """``node`` and everything below it, in document order."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(top.children))


def line(node: Node) -> int:
    """The 1-based line on which ``node`` starts."""
    return node.start_point[0] + 1


def statements(node: Node) -> list[Node]:
    """The statements directly inside a program, group, branch or function body, comments left out."""
    return [
        child
        for child in node.named_children
        if child.type not in ("comment", "heredoc_body", "heredoc_start", "heredoc_end")
    ]


def commands(node: Node) -> Iterator[Node]:
    """Every simple command at or below ``node``, those inside substitutions and functions included."""
    return (child for child in walk(node) if child.type == "command")


def words(script: Script, command: Node) -> list[str]:
    """The words of a simple command as written, quotes removed where the word is one quoted string."""
    found: list[str] = []
    for child in command.named_children:
        if child.type == "command_name":
            found.append(plain(script, child.named_children[0] if child.named_children else child))
        elif child.type in WORDS:
            found.append(plain(script, child))
    return found


@once_a_script
def without_comments(script: Script) -> bytes:
    """The script with spaces in the place of its comments."""
    data = bytearray(script.data)
    for node in walk(script.root):
        if node.type == "comment":
            data[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return bytes(data)


def plain(script: Script, node: Node) -> str:
    """The text of a word without its outer quotes and escapes; expansions stay as written."""
    text = script.text(node)
    if node.type == "raw_string":
        return text[1:-1]
    if node.type == "string":
        return text[1:-1].replace('\\"', '"').replace("\\$", "$")
    if node.type == "concatenation":
        return "".join(plain(script, part) for part in node.named_children) if _gapless(node) else text
    return text.replace("\\\n", "").replace("\\", "") if node.type == "word" else text


def _gapless(node: Node) -> bool:
    parts = node.named_children
    inner = sum(part.end_byte - part.start_byte for part in parts)
    return bool(parts) and inner == node.end_byte - node.start_byte


def name(script: Script, command: Node) -> str:
    """The name of a simple command, without its folder; '' when it is an expansion."""
    first = command.child_by_field_name("name")
    if first is None:
        return ""
    text = plain(script, first.named_children[0] if first.named_children else first)
    return "" if "$" in text or "`" in text else text.rsplit("/", 1)[-1]


def is_torn(script: Script, command: Node) -> bool:
    """Whether the parser took two lines for one command, as it does after ``""`` at the end of a line."""
    parts = command.children
    gaps = (script.data[a.end_byte : b.start_byte] for a, b in pairwise(parts))
    return any(part.type == "comment" for part in parts) or any(b"\n" in gap.replace(b"\\\n", b"") for gap in gaps)


def in_background(node: Node) -> bool:
    """Whether the statement ends with ``&``, so that nobody waits for it."""
    after = node.next_sibling
    return after is not None and after.type == "&"


def redirects(script: Script, node: Node) -> Iterator[tuple[str, str]]:
    """(operator, target as written) of a statement's redirections, such as ``2>``; here-documents left out."""
    for child in node.named_children:
        if child.type == "heredoc_redirect":
            yield from redirects(script, child)
        elif child.type == "file_redirect":
            target = child.child_by_field_name("destination")
            operator = next((c.type for c in child.children if not c.is_named), "")
            number = child.child_by_field_name("descriptor")
            yield (script.text(number) if number else "") + operator, plain(script, target) if target else ""
