"""Which commands of a script run a source's check: by the files, runners, here-documents and values that they name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from skill import bash
from skill.bash import Node
from skill.running import RUNNER, acting_text, is_running, mentions, reads, unwrapped, whole_text
from skill.verifier.split import split

SOURCE_SCRIPT: Final = "source-test.sh"  # the source's test.sh beside a case's own
COMPARING: Final = frozenset("[ [[ test grep egrep fgrep diff cmp jq expr comm".split())
NARROWING: Final = re.compile(
    r"(?<![\w-])(--deselect|--ignore(?:-glob)?|-k|--lf|--last-failed|--sw|--exitfirst-never|--test-name-pattern"
    r"|--test-skip-pattern|--testNamePattern|--testPathPattern|--grep|--fgrep|-skip|--skip|--exclude(?:-regex|-dir)?"
    r"|--passWithNoTests|--pass-with-no-tests|--if-present|--exit-zero|--no-run|-DskipTests|-Dtest)(?![\w-])|(\.py::)"
)
FOLDER: Final = re.compile(r"(?<![\w./-])/tests/?(?=[\s\"'*;)]|$)|\$\{?TESTS?(?:_DIR)?\}?/?(?=[\s\"'*;)]|$)")
COLLECTED: Final = re.compile(r"(?:test_.*|.*_test)\.\w+$|.*\.(?:test|spec)\.\w+$|.*\.bats$")
SCRATCH: Final = re.compile(r"/(?:tmp|logs|dev|proc|run|var/tmp)(?:/|$)")
OUTCOME: Final = re.compile(
    r"[\W\d]*(?:tests?|pass(?:ed)?|fail(?:ed|ures)?|errors?|ok|skipped|result)\b", re.IGNORECASE
)
VALUE: Final = re.compile(r"[^\s\"'\\]*[^\W_][^\s\"'\\]*")


@dataclass(frozen=True)
class Checks:
    """What the source's own script runs to come to its verdict."""

    files: frozenset[str]  # base names below tests/ that a running command names
    given: frozenset[str]  # those of them that are only handed to a program
    brought: frozenset[str]  # those that are only copied or read by the script, and run by a runner that names none
    runners: frozenset[str]  # runners called without a file
    documents: tuple[str, ...]  # here-documents that an interpreter reads
    values: tuple[str, ...]  # what inline comparisons compare with


def checks_of(data: bytes, names: Iterable[str]) -> Checks:
    """The checks in the source's script ``data``, whose folder holds the files ``names``."""
    return _checks_of(data, frozenset(posixpath.basename(name) for name in names) - {"test.sh"})


@lru_cache(maxsize=256)  # a session's case is looked at after every write, and few of its scripts have changed
def _checks_of(data: bytes, held: frozenset[str]) -> Checks:
    script = bash.parse(data)
    ran, direct, mentioned, runners = set[str](), set[str](), set[str](), set[str]()
    taken = _variables(script, held)
    for command in bash.commands(script.root):
        text = whole_text(script, command)
        found = {name for name in held if mentions(text, name)}
        found |= {name for variable, names_ in taken.items() if reads(text, variable) for name in names_}
        mentioned |= found
        if is_running(script, command):
            ran |= found
            said = acting_text(script, command)
            direct |= {name for name in found if mentions(said, name)}
            direct |= {name for variable, names_ in taken.items() if reads(said, variable) for name in names_}
            if not found and (runner := RUNNER.search(_outside_strings(text))):
                folder = FOLDER.search(text)
                ran |= {name for name in held if folder and COLLECTED.match(name)}
                runners |= set() if folder else {runner[1]}
    return Checks(
        frozenset(ran),
        frozenset(ran - direct),
        frozenset(mentioned - ran) if runners else frozenset(),
        frozenset(runners),
        tuple(_documents(script)),
        tuple(dict.fromkeys(_values(script))),
    )


@lru_cache(maxsize=256)
def narrowing(data: bytes) -> frozenset[str]:
    """Options in a script's running commands that leave tests out."""
    script = bash.parse(data)
    running = (command for command in bash.commands(script.root) if is_running(script, command))
    texts = (" ".join(unwrapped(bash.words(script, command))) for command in running)
    return frozenset(match[0] for text in texts if RUNNER.search(text) for match in NARROWING.finditer(text))


def _variables(script: bash.Script, held: frozenset[str]) -> dict[str, set[str]]:
    """Variables, loops' among them, whose value names files of the tests."""
    found: dict[str, set[str]] = {}
    for node in bash.walk(script.root):
        name = None
        if node.type == "variable_assignment":
            name = node.child_by_field_name("name")
        elif node.type == "for_statement":
            name = node.child_by_field_name("variable")
        if name is not None:
            text = script.text(node).split("\ndo")[0].split("; do")[0]
            if names := {file for file in held if mentions(text, file)}:
                found[script.text(name)] = names
    return found


def _documents(script: bash.Script) -> Iterator[str]:
    """Bodies of here-documents that a program reads as code: not those that a file or a message is made of."""
    for node in bash.walk(script.root):
        if node.type == "heredoc_body" and len(script.text(node).split()) > 3:
            yield script.text(node)


def _values(script: bash.Script) -> Iterator[str]:
    """Words that comparisons outside of the bootstrap compare with; statuses, options and scratch files aside."""
    skipped = OUTCOME if RUNNER.search(script.data.decode("utf-8", "replace")) else SCRATCH
    written = {
        target
        for node in bash.walk(script.root)
        if node.type == "redirected_statement"
        for operator, target in bash.redirects(script, node)
        if ">" in operator
    }
    for statement in bash.statements(script.root)[len(split(script).prefix) :]:
        for node in bash.walk(statement):
            if node.type == "test_command" or (node.type == "command" and bash.name(script, node) in COMPARING):
                words = (word for word in _words(script, node) if word not in written and not SCRATCH.match(word))
                yield from (word for word in words if not skipped.match(word))


def _words(script: bash.Script, node: Node) -> Iterator[str]:
    for part in node.named_children if node.type == "command" else bash.walk(node):
        if part.type in ("string", "raw_string", "word", "number", "ansi_c_string"):
            text = bash.plain(script, part)
            if len(text) > 1 and not text.startswith("-") and "$" not in text and VALUE.search(text):
                yield text


def _outside_strings(text: str) -> str:
    return re.sub(r"<<-?\s*['\"]?(\w+)['\"]?.*?\n\1|'[^']*'", " ", text, flags=re.DOTALL)


def bare(text: str) -> str:
    """``text`` with every stretch of blanks as one."""
    return " ".join(text.split())
