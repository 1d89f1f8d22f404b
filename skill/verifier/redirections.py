"""Redirections in an imagined run: those into a reward file matter, the others travel with their command."""

from __future__ import annotations

from skill import bash
from skill.bash import Node
from skill.verifier.compounds import second_runs
from skill.verifier.machine import Machine, Unknown
from skill.verifier.reward_file import target
from skill.verifier.simple_commands import is_opaque

DOCUMENT = frozenset(("heredoc_start", "heredoc_body", "heredoc_end", "file_redirect", "file_descriptor"))
OUTPUT = (">", ">>", ">|", "&>", "&>>", "1>", "1>>")


def redirected(machine: Machine, node: Node, guarded: bool) -> None:
    """A statement with redirections; in a list they are the last command's."""
    body = node.child_by_field_name("body")
    if body is None:
        raise Unknown("redirection without a command")
    for child in node.named_children:
        if child.type == "heredoc_redirect" and any(part.type not in DOCUMENT for part in child.named_children):
            raise Unknown("a command that goes on after a here-document's mark")
    _into(machine, body, node, guarded)


def _into(machine: Machine, body: Node, whole: Node, guarded: bool) -> None:
    if body.type == "list":
        if second_runs(machine, body):
            _into(machine, body.named_children[-1], whole, guarded)
        return
    outputs = [(operator, target(machine.string(path))) for operator, path in bash.redirects(machine.script, whole)]
    rewards = [(operator, path) for operator, path in outputs if path]
    if not rewards:
        _elsewhere(machine, body, whole, guarded)
    elif len(outputs) > 1 or rewards[0][0] not in (">", ">>", ">|"):
        raise Unknown("a reward among other redirections")
    else:
        _written(machine, body, whole, rewards[0][1] or "", rewards[0][0] == ">>", guarded)


def _written(machine: Machine, body: Node, whole: Node, path: str, appended: bool, guarded: bool) -> None:
    """Carry out ``body`` and keep what it prints as the reward, even when it leaves the script."""
    before = [machine.rewards[path]] if appended and path in machine.rewards else []
    printed = [*before, *_document(machine, body, whole)]
    machine.stdout, saved = printed, machine.stdout
    try:
        if len(printed) == len(before):
            machine.perform(body, guarded)
    finally:
        machine.rewards[path] = "\n".join(printed).strip()
        machine.stdout = saved


def _document(machine: Machine, body: Node, whole: Node) -> list[str]:
    """The text that ``cat <<END`` prints, as a list of none or one."""
    document = next((child for child in whole.named_children if child.type == "heredoc_redirect"), None)
    if document is None or machine.script.text(body) != "cat":
        return []
    parts = {child.type: machine.script.text(child) for child in document.named_children}
    text, start = parts.get("heredoc_body", ""), parts.get("heredoc_start", "")
    if "\\" in text:
        raise Unknown("escapes in a here-document")
    machine.status = 0
    return [text if start[:1] in ("'", '"') else machine.string(text)]


def _elsewhere(machine: Machine, body: Node, whole: Node, guarded: bool) -> None:
    """Carry out ``body`` with its redirections; one of unknown outcome is the test command together with them."""
    stdout = machine.stdout
    if any(operator in OUTPUT for operator, _ in bash.redirects(machine.script, whole)):
        machine.stdout = None
    opaque = body.type == "subshell" or (body.type == "command" and is_opaque(machine, body))
    if opaque and whole.child_by_field_name("body") == body:
        machine.opaque(whole)
        machine.pipe = [machine.status]
        machine.settle(guarded)
    else:
        machine.perform(body, guarded)
    machine.stdout = stdout
