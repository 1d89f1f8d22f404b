"""Rules about the exits of tests/test.sh: SC611 to SC614 and SC619."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skill import bash
from skill.bash import Node
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.rules.masking import may_fail
from skill.rules.shell_view import ShellView
from skill.rules.verifier import Verifier

VERDICT: Family[Verifier] = Family("verifier")

REWARD: Final = re.compile(r"reward\.(?:txt|json)$")
GIVES_STATUS: Final = re.compile(r"^\"?\$(?:\?|\{\?\}|\{?([A-Za-z_]\w*)(?:\[\w+\])?(?::?-[^}]*)?\}?)\"?$")


@VERDICT.defect("SC611", "can-only-pass", basis="contract 2.7")
def can_only_pass(verifier: Verifier) -> Iterator[Defect]:
    """No way through tests/test.sh ends with anything but 0.

    Every candidate passes, whatever the tests say. A reward file does not count: only the exit status does.
    Example: `pytest; echo $? > /logs/verifier/reward.txt; exit 0`
    Right: `case $? in 0) exit 0 ;; 1) exit 1 ;; *) exit 2 ;; esac`
    """
    if _can_only_pass(verifier) and verifier.view.statements:
        line = bash.line(verifier.view.statements[-1])
        said = "writes a reward file but " if _reward_line(verifier) else ""
        yield verifier.at(line, f"{said}always ends with 0, so every candidate passes", "exit 0, 1 or 2 by the result")


@VERDICT.defect("SC612", "no-explicit-verdict", basis="W13")
def no_explicit_verdict(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh runs off its end, and the last command's status becomes the verdict.

    Runners end with codes of their own; whatever is not 0, 1 or 2 is an infrastructure failure, and 1 and 2
    do not mean the same everywhere.
    Example: a script that ends with `pytest tests/`
    Right: capture the status and map it to exactly one of three exits.
    """
    if verifier.is_readable and not _can_only_pass(verifier):
        view = verifier.view
        if view.statements and not view.ends(view.script.root):
            line = bash.line(view.statements[-1])
            said = "the script may run off its end without a verdict"
            yield verifier.at(line, said, "map the status to exit 0, 1 or 2")


@VERDICT.defect("SC613", "foreign-exit-code", basis="W13")
def foreign_exit_code(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh exits with a literal status other than 0, 1 or 2.

    Margin takes it for an infrastructure failure and runs the case again.
    Example: `exit 3`
    Right: 1 when the candidate is to blame, 2 when nobody can tell.
    """
    for exit in verifier.view.exits if verifier.is_readable else ():
        if exit.code is not None and exit.code > 2:
            yield verifier.at(exit.line, f"exit {exit.code} is no verdict", "exit 0, 1 or 2")


@VERDICT.defect("SC614", "raw-exit-status", basis="W13")
def raw_exit_status(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh hands on a status that may be anything.

    pytest ends with up to 5, cargo with 101, a missing tool with 127; only 0, 1 and 2 are verdicts.
    Example: `pytest; exit $?`
    Right: `case $rc in 0) exit 0 ;; 1) exit 1 ;; *) exit 2 ;; esac`
    """
    for exit in verifier.view.exits if verifier.is_readable else ():
        if exit.code is None and not _is_limited(verifier.view, exit.node, exit.value):
            said = f"exit {exit.value} may be any status" if exit.value else "a bare exit hands on any status"
            yield verifier.at(exit.line, said, "map it to exit 0, 1 or 2")
    for name, words, node in verifier.view.commands if verifier.is_readable else ():
        if name == "exec" and len(words) > 1 and not words[1].startswith(("<", ">", "&")):
            yield verifier.at(
                bash.line(node), "exec hands on whatever status the program has", "run it and map its status"
            )


@VERDICT.defect("SC619", "writes-reward-file", basis="contract 2.7", severity=Severity.WARNING)
def writes_reward_file(verifier: Verifier) -> Iterator[Defect]:
    """tests/test.sh writes a reward file, which Margin never reads.

    The exit status alone is the verdict; two statements of it can differ.
    Right: leave the file out.
    """
    if line := _reward_line(verifier):
        yield verifier.at(line, "Margin never reads a reward file", "leave it out; the exit status is the verdict")


def _can_only_pass(verifier: Verifier) -> bool:
    """Whether every way out of a readable script has status 0."""
    if not verifier.is_readable or not verifier.view.statements:
        return False
    view = verifier.view
    values = {exit.value for exit in view.exits} | set(view.library_exits)
    if values - {"0"} or any(_may_end_otherwise(name, words) for name, words, _ in view.commands):
        return False
    if any(step.errexit and may_fail(view, step.node) for step in view.steps):
        return False
    return view.ends(view.script.root) or view.is_zero(view.statements[-1])


def _may_end_otherwise(name: str, words: list[str]) -> bool:
    """Whether a command may end the script with another status: a program in its place, a trap that exits."""
    return name == "exec" or (name == "trap" and "exit" in " ".join(words))


def _reward_line(verifier: Verifier) -> int:
    """The line of the first redirection into a reward file, 0 when there is none."""
    if not verifier.is_readable or b"reward." not in verifier.data:
        return 0
    script = verifier.view.script
    for node in bash.walk(script.root):
        if node.type == "redirected_statement" and any(REWARD.search(to) for _, to in bash.redirects(script, node)):
            return bash.line(node)
    return 0


def _is_limited(view: ShellView, node: Node, value: str) -> bool:
    """Whether ``value`` can only be 0, 1 or 2: by its assignments, or by a test around ``node``."""
    found = GIVES_STATUS.match(value)
    name = found[1] if found else None
    if name is None:
        return False
    if _is_tested(view, node, name):
        return True
    assigned = re.findall(
        rf"(?m)(?:^|[\s;({{|&])(?:local\s+|declare\s+)?{name}=([^\s;|&)]*)",
        view.script.text(view.script.root),
    )
    return bool(assigned) and all(value.strip("\"'") in ("0", "1", "2") for value in assigned)


def _is_tested(view: ShellView, node: Node, name: str) -> bool:
    """Whether an enclosing branch has looked at ``name`` and left 0, 1 and 2 only."""
    parent = node.parent
    while parent is not None:
        if parent.type == "case_item":
            values = {view.script.text(value).strip("\"'") for value in parent.children_by_field_name("value")}
            subject = view.script.text(parent.parent.named_children[0]) if parent.parent else ""
            if name in subject and values <= {"0", "1", "2", "[0-2]", "[01]", "[012]"}:
                return True
        if parent.type in ("if_statement", "list"):
            head = view.script.text(parent.named_children[0])
            if name in head and re.search(r"(?:-le|<=|-eq|==?)\s*\"?[012]\b|-lt\s*\"?[123]\b", head):
                return True
        parent = parent.parent
    return False
