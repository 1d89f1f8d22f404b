"""Rules about statuses that are lost on the way to the verdict: SC615 to SC618."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from skill import bash
from skill.bash import Node
from skill.rules.base import Defect, Family
from skill.rules.shell_view import ShellView, Step
from skill.rules.verifier import Verifier
from skill.shell_syntax import reads_status

MASKING: Family[Verifier] = Family("verifier")

HARMLESS: Final = frozenset(  # their failure is not the bootstrap's: builtins, and folders being made or entered
    "echo printf true : set shopt export unset umask declare local readonly typeset trap exit return test [ [[ cd mkdir"
    " ulimit shift break continue read let exec".split()
)
PASS_THROUGH: Final = frozenset(("tee", "cat", "tail", "head", "sed", "sort", "ts", "awk", "grep", "tr", "cut"))


@MASKING.defect("SC615", "errexit-during-bootstrap", basis="W14")
def errexit_during_bootstrap(verifier: Verifier) -> Iterator[Defect]:
    """A preparing command may end the script under `set -e`, which the candidate is blamed for.

    The script then ends with that command's status, mostly 1, and Margin counts a failed test.
    Example: `set -e; apt-get install -y jq`
    Right: `apt-get install -y jq || exit 2`, or a trap that ends in 2.
    """
    if not verifier.is_readable or any(name == "trap" for name, _, _ in verifier.view.commands):
        return
    for step in verifier.view.steps[:-1]:
        if step.errexit and may_fail(verifier.view, step.node):
            said = f"under set -e a failing {_label(verifier.view, step.node)} counts as the candidate's failure"
            yield verifier.at(step.line, said, "append || exit 2, or set a trap that exits 2")
            return


@MASKING.defect("SC616", "status-never-read", basis="W14")
def status_never_read(verifier: Verifier) -> Iterator[Defect]:
    """Under `set -e` a status is read that can only be 0.

    When the command fails, the script is over before the next line.
    Example: `set -e; pytest; rc=$?`
    Right: `rc=0; pytest || rc=$?`
    """
    for before, after in _neighbours(verifier):
        if before.errexit and may_fail(verifier.view, before.node) and reads_status(verifier.view.script, after.node):
            yield verifier.at(
                after.line,
                "never reached when the command before it fails, because of set -e",
                "use || rc=$?",
            )


@MASKING.defect("SC617", "masked-status", basis="D17")
def masked_status(verifier: Verifier) -> Iterator[Defect]:
    """A status is read after something that always succeeds.

    Example: `pytest || true; rc=$?`, or `echo "done: $?"; exit $?`
    Right: `rc=$?` directly after the command it is about.
    """
    for before, after in _neighbours(verifier):
        if reads_status(verifier.view.script, after.node) and _hides_status(verifier.view, before.node):
            yield verifier.at(
                after.line,
                "reads the status of something that always succeeds",
                "read $? directly after the run",
            )


@MASKING.defect("SC618", "masked-pipe", basis="D17")
def masked_pipe(verifier: Verifier) -> Iterator[Defect]:
    """The status of a pipeline is that of its last command.

    Example: `pytest | tee log; rc=$?` without pipefail.
    Right: `set -o pipefail`, or `rc=${PIPESTATUS[0]}`
    """
    for before, after in _neighbours(verifier):
        if before.pipefail or not reads_status(verifier.view.script, after.node) or before.node.type != "pipeline":
            continue
        last = before.node.named_children[-1]
        if any(bash.name(verifier.view.script, command) in PASS_THROUGH for command in bash.commands(last)):
            yield verifier.at(after.line, "reads the status of the last command in the pipe", "set -o pipefail")


def _neighbours(verifier: Verifier) -> Iterator[tuple[Step, Step]]:
    """Each pair of steps that follow each other in one block."""
    for before, after in pairwise(verifier.view.steps if verifier.is_readable else ()):
        if before.node.parent == after.node.parent:
            yield before, after


def may_fail(view: ShellView, node: Node) -> bool:
    """Whether ``node`` runs a program whose failure errexit acts on."""
    if node.type == "list":
        return not any(child.type == "||" for child in node.children) and may_fail(view, node.named_children[-1])
    if node.type in ("redirected_statement", "compound_statement", "subshell"):
        return any(may_fail(view, child) for child in bash.statements(node) if "redirect" not in child.type)
    if node.type == "pipeline":
        return may_fail(view, node.named_children[-1])
    if node.type == "command":
        name = bash.name(view.script, node)
        return name not in HARMLESS and name not in view.functions
    return node.type == "variable_assignment" and "$(" in view.script.text(node)


def _hides_status(view: ShellView, node: Node) -> bool:
    """Whether ``node`` always ends with 0 and so hides what ran before or in it."""
    if node.type == "command" and bash.name(view.script, node) in ("echo", "printf", "true", ":"):
        return True
    return node.type in ("list", "redirected_statement") and view.is_zero(node)


def _label(view: ShellView, node: Node) -> str:
    """The name of the first program in ``node``."""
    return next((name for command in bash.commands(node) if (name := bash.name(view.script, command))), "command")
