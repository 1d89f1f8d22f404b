"""What stands before the tests in a source's script, statement by statement.

``kind`` answers for one top-level statement; None means that it belongs to the candidate phase.
"""

from __future__ import annotations

import re
from enum import StrEnum

from skill import bash
from skill.bash import Node
from skill.verifier.commands import DIAGNOSTIC, FETCHERS, INSTALLERS


class Kind(StrEnum):
    """The part that a statement before the tests plays."""

    OPTION = "option"  # set -e
    ASSIGN = "assign"  # variables and exports
    DIAGNOSTIC = "diagnostic"  # echo, ls
    LOGS = "logs"  # makes the log folders
    GUARD = "guard"  # stops when the working directory is /
    ENTER = "enter"  # cd
    INSTALL = "install"  # brings what the tests need; its failure is the suite's


PLAIN_SUBSTITUTION = re.compile(
    r"\$\((?:cd \"?\$\(dirname [^()]*\)\"?(?:/\.\.)? && pwd|dirname [^()]*|pwd|mktemp[^()|]*"
    r"|date[^()|]*|command -v [\w.-]+|which [\w.-]+|nproc)\)"
)
LOCAL = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|\$")
SETTINGS = re.compile(r"(?:^|/)(?:env|activate|nvm\.sh|conda\.sh|\.bashrc|\.profile|\.bash_profile)\"?$")
FILTERS = frozenset(("head", "tail", "grep", "tee", "cat", "sed"))


def kind(script: bash.Script, node: Node) -> Kind | None:
    """The part that ``node`` plays before the tests, None when it is not of the bootstrap."""
    if node.type in ("variable_assignment", "declaration_command", "variable_assignments"):
        return Kind.ASSIGN if _plain_value(script.text(node)) else None
    if node.type == "command" and bash.name(script, node) == "set":
        return Kind.OPTION
    if node.type == "if_statement" and _working_directory_guard(script, node):
        return Kind.GUARD
    parts = _leaves(script, node)
    if parts is None:
        return None
    kinds = {_leaf(script, part) for part in parts}
    if None in kinds:
        return None
    for wanted in (Kind.INSTALL, Kind.ENTER, Kind.LOGS):
        if wanted in kinds:
            return wanted if wanted is not Kind.ENTER or node.type == "command" else None
    return Kind.DIAGNOSTIC


def _plain_value(text: str) -> bool:
    rest = PLAIN_SUBSTITUTION.sub("", text)
    return "$(" not in rest and "`" not in rest and "<(" not in rest


def _working_directory_guard(script: bash.Script, node: Node) -> bool:
    text = script.text(node)
    head = text.split("then", 1)[0]
    names = {bash.name(script, command) for command in bash.commands(node)}
    return (
        bool(re.search(r"\$\{?PWD|\$\(pwd\)", head))
        and names <= {"echo", "exit", "printf", "pwd", ""}
        and '"/"' in head
    )


def _leaves(script: bash.Script, node: Node) -> list[Node] | None:
    """The simple commands and tests that ``node`` is made of; None for loops, functions, heredocs and the like."""
    if node.type in ("command", "test_command"):
        return [node]
    if node.type == "file_redirect":
        target = node.child_by_field_name("destination")
        return (
            []
            if target is None or re.match(r"(?:/dev/|/tmp/|/logs/|/etc/apt|\d|&)", bash.plain(script, target))
            else None
        )
    inner = (
        "list",
        "pipeline",
        "redirected_statement",
        "compound_statement",
        "if_statement",
        "else_clause",
        "elif_clause",
        "negated_command",
        "subshell",
    )
    if node.type in ("variable_assignment", "declaration_command"):
        return [] if _plain_value(script.text(node)) else None
    if node.type not in inner or (node.children and node.children[0].type == "(("):
        return None
    found: list[Node] = []
    for child in bash.statements(node):
        below = _leaves(script, child)
        if below is None:
            return None
        found += below
    return found


def _leaf(script: bash.Script, node: Node) -> Kind | None:
    if node.type == "test_command":
        return Kind.DIAGNOSTIC
    name, words = bash.name(script, node), bash.words(script, node)
    rest = words[1:]
    if name == "sudo":
        name, rest = (rest or [""])[0], rest[1:]
    if name == "env" and rest:
        return None  # starts another program
    if name in DIAGNOSTIC or name == "which" or (name == "command" and rest[:1] in (["-v"], ["-V"])):
        return Kind.DIAGNOSTIC
    if name in FILTERS and node.parent is not None and node.parent.type in ("pipeline", "redirected_statement"):
        return Kind.DIAGNOSTIC
    if name == "mkdir":
        return Kind.LOGS if all(word.startswith(("-", "/logs")) for word in rest) else None
    if name == "cd":
        return Kind.ENTER if len(rest) == 1 else None
    if name in ("export", "unset", "alias", "sleep"):
        return Kind.DIAGNOSTIC
    if name == "rm":
        return (
            Kind.DIAGNOSTIC
            if all(word.startswith(("-", "/var/lib/apt", "/var/cache/apt", "/logs/verifier")) for word in rest)
            else None
        )
    return Kind.INSTALL if _installs(name, [_at_tests(script, word) for word in rest]) else None


def _at_tests(script: bash.Script, word: str) -> str:
    """``$HERE/x`` as /tests/x when the script sets HERE to its own folder, or to /tests."""
    match = re.match(r"\$\{?([A-Za-z_]\w*)\}?/", word)
    if match is None:
        return word
    own = (
        rb"^\s*(?:export )?"
        + match[1].encode()
        + rb"=\"?(?:/tests/?\"?\s*$|\$\{[A-Z_]+:-/tests\}|\$\(cd .*dirname|\$\(dirname)"
    )
    return f"/tests/{word[match.end() :]}" if re.search(own, script.data, re.MULTILINE) else word


def _installs(name: str, rest: list[str]) -> bool:
    if name in ("python", "python3") and rest[:1] == ["-m"]:
        name, rest = (rest[1:2] or [""])[0], rest[2:]
        if name in ("venv", "ensurepip"):
            return True
    if name in ("source", "."):
        return (
            len(rest) == 1
            and bool(SETTINGS.search(rest[0]))
            and not rest[0].startswith(("/tests", "/app", "/workspace"))
        )
    if name in FETCHERS:
        urls = [word for word in rest if "://" in word]
        return bool(urls) and not any(LOCAL.search(url.split("/")[2]) for url in urls)
    if name in ("sh", "bash"):
        return all(word.startswith("-") for word in rest)
    if name in ("npm", "pnpm", "yarn"):
        return rest[:1] in (["install"], ["i"], ["add"]) and ("-g" in rest or "--global" in rest)
    subcommands = INSTALLERS.get(name)
    if subcommands is None:
        return False
    return (not subcommands or (bool(rest) and rest[0] in subcommands)) and not _of_the_workspace(rest)


def _of_the_workspace(rest: list[str]) -> bool:
    """Installing the candidate's own project is the candidate's doing, not the suite's."""
    for index, word in enumerate(rest):
        before = rest[index - 1] if index else ""
        if before in ("-r", "-e", "--requirement", "--editable") and not word.startswith("/tests"):
            return True
        if word == "." or (
            word.startswith(("./", ".[", "/app", "/workspace", "/testbed", "/task", "/repo"))
            and not before.startswith("-")
        ):
            return True
    return rest[:1] == ["sync"]
