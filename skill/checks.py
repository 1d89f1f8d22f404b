"""Which commands of a script run a source's check: by the files, runners, here-documents and values that they name."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from skill import bash
from skill.bash import Node
from skill.verifier.split import split

SOURCE_SCRIPT: Final = "source-test.sh"  # the source's test.sh beside a case's own
# Commands that name a test file without running it.
HANDLING: Final = frozenset(
    "[ [[ test echo printf true : cd mkdir rm cp mv ln ls cat chmod chown touch stat head tail wc sha256sum md5sum need"
    " reached infra fail pass export local declare readonly set unset dirname basename realpath readlink find trap sed"
    " awk install rsync tar type which command source . runner_works tool_starts works modules same_hash exit"
    " return".split()
)
IDLE: Final = frozenset(("--version", "-V", "--help", "-h", "py_compile"))
LISTING: Final = frozenset(("--collect-only", "--co", "--fixtures", "--markers", "--list", "--listTests", "-N", "-n"))
SHELLS: Final = ("bash", "sh", "dash")
# What starts another command, with the number of words that it takes for itself.
WRAPPERS: Final = {
    **dict.fromkeys("candidate env nice setsid stdbuf sudo time nohup command builtin exec runuser".split(), 0),
    **dict.fromkeys(("counted", "timeout", "chroot"), 1),
}
TAKING: Final = frozenset(("-k", "-s", "-u", "-n", "-g", "--signal", "--kill-after"))
INTERPRETER: Final = re.compile(r"(?:python[\d.]*|node|ruby|perl|php|bash|sh|dash)$")
MASKED: Final = re.compile(r"\|\|\s*(?:true|:|echo|printf|exit 0)|[;\n&]\s*(?:true|:|exit 0)\b")
COMPARING: Final = frozenset("[ [[ test grep egrep fgrep diff cmp jq expr comm".split())
RUNNERS: Final = (
    "pytest", "py.test", "unittest", "node --test", "jest", "vitest", "mocha", "npm test", "npm run", "yarn test",
    "pnpm test", "npx", "go test", "cargo test", "cargo nextest", "ctest", "bats", "mvn", "gradle", "gradlew", "make",
    "dotnet test", "rspec", "phpunit", "Rscript", "deno test", "bun test", "swift test", "sbt", "mix test", "tox",
)  # fmt: skip
RUNNER: Final = re.compile(r"(?<![\w/.-])(?:[\w./-]*/)?(" + "|".join(map(re.escape, RUNNERS)) + r")(?![\w./-])")
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
    script = bash.parse(data)
    held = {posixpath.basename(name) for name in names} - {"test.sh"}
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


def is_running(script: bash.Script, command: Node) -> bool:
    """Whether a simple command starts a program, other than one that moves or looks at files."""
    words = unwrapped(bash.words(script, command))
    if not words or posixpath.basename(words[0]) in HANDLING:
        return False
    syntax = posixpath.basename(words[0]) in SHELLS
    listed = LISTING & set(words[1:]) and (RUNNER.search(script.text(command)) or syntax)
    return not (IDLE & set(words[1:]) or listed)


def unwrapped(words: list[str]) -> list[str]:
    """The command that ``timeout``, ``env``, ``candidate`` and their like start in the end."""
    rest = list(words)
    while rest and (name := posixpath.basename(rest[0])) in WRAPPERS:
        rest = rest[1 + WRAPPERS[name] :] if name == "counted" else rest[1:]
        while rest and (rest[0].startswith("-") or re.match(r"\w+=", rest[0])):
            rest = rest[2:] if rest[0] in TAKING else rest[1:]
        rest = rest[WRAPPERS[name] :] if name != "counted" else rest
    return rest


def acting_text(script: bash.Script, command: Node) -> str:
    """The part of a command that says what is run: an interpreter's program, not what that program is given.

    Empty for code that ends well whatever it runs.
    """
    words = unwrapped(bash.words(script, command))
    whole = whole_text(script, command)
    if not words or not INTERPRETER.match(posixpath.basename(words[0])):
        return whole
    for at, word in enumerate(words[1:], start=1):
        if word in ("-c", "-e", "-lc", "--eval", "-r"):
            code = words[at + 1] if at + 1 < len(words) else ""
            return "" if MASKED.search(code) else code
        if word in ("-m", "-", "--test") or "<<" in whole:
            return whole
        if not word.startswith("-"):
            return word
    return whole


def whole_text(script: bash.Script, command: Node) -> str:
    """The command with its redirections and here-document, as they stand in the script."""
    parent = command.parent
    if parent is not None and parent.type == "redirected_statement":
        return script.text(parent)
    return script.text(command)


def mentions(text: str, name: str) -> bool:
    """Whether ``text`` names the file, alone or at the end of a path."""
    start = text.find(name)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(name) : start + len(name) + 1]
        if not re.match(r"[\w.-]", before or " ") and not re.match(r"[\w-]", after or " "):
            return True
        start = text.find(name, start + 1)
    return False


def reads(text: str, variable: str) -> bool:
    """Whether ``text`` expands the variable."""
    return re.search(r"\$(?:\{" + variable + r"\b|" + variable + r"\b)", text) is not None


def narrowing(data: bytes) -> frozenset[str]:
    """Options in a script's running commands that leave tests out."""
    script = bash.parse(data)
    texts = (whole_text(script, command) for command in bash.commands(script.root) if is_running(script, command))
    return frozenset(match[0] for text in texts if RUNNER.search(text) for match in NARROWING.finditer(text))


def _variables(script: bash.Script, held: set[str]) -> dict[str, set[str]]:
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
