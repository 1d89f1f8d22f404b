"""Rules about verdicts that a candidate could forge, seen without running anything: SC66x.

Only scripts written by hand are looked at; a generated one may not be edited at all (SC651 to SC656).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from skill import bash
from skill.bash import Node
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.rules.surroundings import RUNNERS
from skill.rules.verifier import Verifier
from skill.shell_syntax import branch
from skill.verifier.runner import pytest_call

FORGEABLE: Family[Verifier] = Family("verifier")

OWN_PLACE: Final = re.compile(
    r"(?:/tests/|\$\{?\w*(?:TEST|DIR|HERE|SELF|ROOT|LIB|BASH_SOURCE|0\b)\w*|\$\(dirname|\.verdict/)"
)
RESULT: Final = re.compile(r"/[\w./-]*(?:reward|result|report|junit|ctrf|score|status|verdict)[\w.-]*\.\w+\b")
READERS: Final = frozenset(("cat", "grep", "jq", "awk", "sed", "head", "tail", "python3", "python"))
DECIDERS: Final = frozenset(
    ("grep", "diff", "cmp", "jq", "awk", "sed", "sha256sum", "md5sum", "find", "wc", "curl", "git")
)
SETTINGS: Final = ("-c", "--confcutdir", "--rootdir", "--config-file", "--noconftest")
INI_FILES: Final = ("pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", ".pytest.ini")
LENIENT: Final = ("--passWithNoTests", "--pass-with-no-tests", "--if-present", "--no-tests=ignore")


@FORGEABLE.defect("SC661", "script-read-as-it-goes", basis="D17", severity=Severity.WARNING)
def script_read_as_it_goes(verifier: Verifier) -> Iterator[Defect]:
    """The script goes on reading itself after the candidate ran (forgery FG37).

    bash reads a script line by line, so what the candidate writes over the rest of it is run.
    Example: `pytest /tests/test_a.py` on one line, `exit $?` on the next.
    Right: the whole body in a function or in braces, and the call with the exit on the last line.
    """
    statements = verifier.view.statements if verifier.is_readable else []
    for before, after in pairwise(statements):
        if before.type == "function_definition" or before.end_point[0] == after.start_point[0]:
            continue
        found = [node for node in bash.commands(before) if _runs_candidate(verifier, node)]
        if found:
            said = "what the candidate writes over the following lines is run"
            yield verifier.at(bash.line(found[0]), said, "put the body into a function, the exit on its last line")
            return


@FORGEABLE.defect("SC662", "sources-foreign-file", basis="D17", severity=Severity.WARNING)
def sources_foreign_file(verifier: Verifier) -> Iterator[Defect]:
    """The script sources a file that the candidate may write (forgery FG03).

    A trap or a function in it decides the verdict.
    Example: `source "$HOME/.local/bin/env"`
    Right: `PATH="$HOME/.local/bin:$PATH"`, or the file sourced in a shell whose status is not the verdict.
    """
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        foreign = name in ("source", ".") and len(words) > 1 and not OWN_PLACE.match(words[1].lstrip("\"'"))
        if foreign and not _in_subshell(node):
            yield verifier.at(
                bash.line(node), f"{words[1]} may hold a trap that ends with 0", "set the variables instead"
            )


@FORGEABLE.defect("SC663", "stale-result-decides", basis="D17", severity=Severity.WARNING)
def stale_result_decides(verifier: Verifier) -> Iterator[Defect]:
    """A result is read from a fixed place that is not cleared first (forgery FG36).

    What the candidate planted there counts when the run writes nothing.
    Example: `grep -q passed /tmp/report.xml`
    Right: `rm -f` before the run, or a report in `$(mktemp -d)`.
    """
    text = verifier.data.decode("utf-8", "replace") if verifier.is_readable else ""
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        for path in (found[0] for word in words[1:] if name in READERS and (found := RESULT.search(word))):
            made = re.search(rf"(?:>\s*|rm\s[^\n]*|--\S+=\s*|--\S+\s+)[\"']?{re.escape(path)}", text)
            folder = re.search(
                rf"rm\s+-r\w*\s[^\n]*{re.escape(path.rsplit('/', 1)[0])}(?:\s|/?[\"']|$)", text, re.MULTILINE
            )
            if not made and not folder:
                yield verifier.at(bash.line(node), f"{path} may have been there before", "remove it before the run")
                return


@FORGEABLE.defect("SC664", "tool-decides-alone", basis="D17", severity=Severity.WARNING)
def tool_decides_alone(verifier: Verifier) -> Iterator[Defect]:
    """The pass hangs on the status of a tool found through PATH (forgery FG01).

    A script named like it that only succeeds, in the first folder of PATH, passes everybody.
    Example: `if grep -q done /app/out; then exit 0; fi`
    Right: first see that the tool refuses what it has to refuse: `grep -q x /dev/null && exit 2`
    """
    if not verifier.is_readable:
        return
    view = verifier.view
    for node in bash.walk(view.script.root):
        if node.type == "if_statement" and _passes(verifier, node):
            condition = node.named_children[0]
            names = [bash.name(view.script, command) for command in bash.commands(condition)]
            if names and names[-1] in DECIDERS and not _is_tried(verifier, names[-1]):
                said = f"a false {names[-1]} in PATH passes everybody"
                yield verifier.at(bash.line(node), said, f"try first that {names[-1]} can say no")
                return


@FORGEABLE.defect("SC665", "settings-reachable-above", basis="D17", severity=Severity.WARNING)
def settings_reachable_above(verifier: Verifier) -> Iterator[Defect]:
    """The tests are steered by settings and a conftest.py above them (forgeries FG10, FG11).

    Those folders are the candidate's: `addopts = --collect-only` runs nothing, a hook calls every test passed.
    Example: `pytest /tests/test_a.py` without an ini in tests/
    Right: an empty `tests/pytest.ini`, or an ini named by `-c`.
    """
    if any(verifier.case.tests.find(name) is not None for name in INI_FILES):
        return
    for _, words, node in verifier.view.commands if verifier.is_readable else ():
        call = pytest_call(verifier.view.script, node)
        steered = any(word.startswith(SETTINGS) for word in words)
        if call is not None and not steered and any(OWN_PLACE.match(word.lstrip("\"'")) for word in words):
            yield verifier.at(
                bash.line(node), "an ini or conftest.py above the tests steers it", "add tests/pytest.ini"
            )
            return


@FORGEABLE.defect("SC666", "no-test-passes", basis="D17", severity=Severity.WARNING)
def no_test_passes(verifier: Verifier) -> Iterator[Defect]:
    """A run without any test counts as a pass (forgeries FG10, FG28).

    Example: `jest --passWithNoTests`, or `case $rc in 0|5) exit 0 ;; esac` after pytest
    Right: at least one test that passed in this run.
    """
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        if lenient := next((word for word in words if word in LENIENT), ""):
            yield verifier.at(bash.line(node), f"{name} succeeds without a test because of {lenient}", "leave it out")
    if not verifier.is_readable or b"pytest" not in verifier.data:
        return
    script = verifier.view.script
    for node in bash.walk(script.root):
        values = {script.text(v) for v in node.children_by_field_name("value")} if node.type == "case_item" else set()
        if "5" in values and any(bash.words(script, command) == ["exit", "0"] for command in bash.commands(node)):
            yield verifier.at(bash.line(node), "5 means that pytest found no test", "map it to exit 2")


def _runs_candidate(verifier: Verifier, node: Node) -> bool:
    """Whether a command runs a test runner or a program of the workspace."""
    words = bash.words(verifier.view.script, node)
    names = {word.rsplit("/", 1)[-1] for word in words}
    looks = words[:1] and words[0] in ("command", "which", "type", "hash", "echo", "printf")
    return bool(names & RUNNERS) and not looks and not {"--version", "install"} & set(words)


def _in_subshell(node: Node) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.type in ("subshell", "command_substitution"):
            return True
        parent = parent.parent
    return False


def _passes(verifier: Verifier, node: Node) -> bool:
    """Whether the branch that is taken on success exits with 0."""
    script = verifier.view.script
    return any(bash.words(script, command) == ["exit", "0"] for part in branch(node) for command in bash.commands(part))


def _is_tried(verifier: Verifier, tool: str) -> bool:
    """Whether the script sees somewhere that the tool can refuse."""
    return (
        re.search(rf"\b{re.escape(tool)}\b[^\n]*(?:/dev/null|<<<)[^\n]*&&\s*exit 2".encode(), verifier.data) is not None
    )
