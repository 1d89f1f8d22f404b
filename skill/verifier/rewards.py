"""Where a verifier's reward is written, and whether it can be anything but 0 or 1."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from skill import bash
from skill.verifier import rewards_python
from skill.verifier.base import Asset

REWARD = re.compile(rb"reward\.(?:txt|json)")
ODD_REWARD = re.compile(rb"(?:rewards\.(?:txt|json)|/logs/reward\.)")
TARGET = re.compile(r"reward\.(?:txt|json)\"?$|^\"?\$\{?[A-Z_]*REWARD[A-Z_]*\}?\"?$")
ERREXIT = re.compile(r"-[a-zA-Z]*e|errexit$")
TOOLKIT = "rewardkit"  # Harbor's own grader: writes reward.json unasked, one fraction for each folder of checks
PLAIN = re.compile(r"^[01](?:\.0*)?$")


@dataclass(frozen=True)
class Rewards:
    """``writers`` are the files that mention a reward file; ``open`` says why the value may be neither 0 nor 1."""

    writers: tuple[str, ...]
    open: str = ""


def rewards(script: bash.Script, assets: tuple[Asset, ...]) -> Rewards:
    """Who writes the reward, and whether 0 and 1 are all that can be written."""
    writers, reasons = [], []
    started = toolkit(script)
    if started or REWARD.search(bash.without_comments(script)):
        writers.append("test.sh")
        reasons.append(f"test.sh:{started} leaves the reward to {TOOLKIT}" if started else _shell(script))
    for asset in assets:
        if REWARD.search(asset.data) and not asset.path.endswith((".md", ".rst")):
            writers.append(asset.path)
            reasons.append(_asset(asset))
    return Rewards(tuple(writers), next((reason for reason in reasons if reason), ""))


@bash.once_a_script
def toolkit(script: bash.Script) -> int:
    """The line on which the script starts Harbor's toolkit, 0 when it does not."""
    starts = (command for command in bash.commands(script.root) if TOOLKIT in bash.words(script, command))
    return next((bash.line(command) for command in starts), 0)


@bash.once_a_script
def constant(script: bash.Script) -> int:
    """The line of a write that gives the same reward on every way through the script, 0 when there is none.

    Such a write stands at top level, prints a literal, is the last one, and nothing before it can end the script.
    """
    nodes = bash.statements(script.root)
    writing = [node for node in nodes if any(_to_reward(script, part) for part in bash.walk(node))]
    body = writing[-1].child_by_field_name("body") if writing and _to_reward(script, writing[-1]) else None
    if body is None or body.type != "command" or not all(map(PLAIN.match, _printed(script, writing[-1]))):
        return 0
    for command in (command for node in nodes for command in bash.commands(node)):
        name, words = bash.name(script, command), bash.words(script, command)
        ends = name in ("exit", "exec", "return", "trap", "source", ".", "eval", "kill")
        if command.start_byte < writing[-1].start_byte and (
            ends or (name == "set" and any(ERREXIT.match(w) for w in words))
        ):
            return 0
    return bash.line(writing[-1])


def _to_reward(script: bash.Script, node: bash.Node) -> bool:
    """Whether a statement's output is redirected to a reward file."""
    return node.type == "redirected_statement" and any(
        TARGET.search(to) for op, to in bash.redirects(script, node) if ">" in op
    )


def _asset(asset: Asset) -> str:
    if asset.path.endswith(".py"):
        found = rewards_python.is_binary(asset.data)
        return f"{asset.path} may write a reward other than 0 or 1" if found is False else ""
    if asset.path.endswith(".sh"):
        return _shell(bash.parse(asset.data), asset.path)
    return f"{asset.path} writes a reward in a way that is not understood"


@bash.once_a_script
def _shell(script: bash.Script, path: str = "test.sh") -> str:
    """Why what the script writes may be neither 0 nor 1; '' when every write was understood."""
    understood = False
    for node in bash.walk(script.root):
        if _to_reward(script, node):
            understood = True
            if not all(_binary(script, value) for value in _printed(script, node)):
                return f"{path}:{bash.line(node)} may write a reward other than 0 or 1"
        if node.type == "heredoc_body" and REWARD.search(script.data[node.start_byte : node.end_byte]):
            understood = True
            if not rewards_python.is_binary(script.data[node.start_byte : node.end_byte]):
                return f"{path}:{bash.line(node)} may write a reward other than 0 or 1"
    mentioned = any(
        REWARD.search(script.data[node.start_byte : node.end_byte])
        for node in bash.walk(script.root)
        if node.type in ("word", "string_content", "raw_string")
    )
    return "" if understood or not mentioned else f"{path} hands the reward file to a command"


def _printed(script: bash.Script, node: bash.Node) -> list[str]:
    """What each echo or printf under a redirection prints; a command that prints something unknown gives '?'."""
    found: list[str] = []
    body = node.child_by_field_name("body")
    while body is not None and body.type == "list":
        body = body.named_children[-1]  # a list's redirection is its last command's
    for command in bash.commands(body or node):
        name, words = bash.name(script, command), bash.words(script, command)[1:]
        if name == "echo":
            found.append(" ".join(word for word in words if word not in ("-n", "-e")))
        elif name == "printf":
            found.append(words[-1] if len(words) > 1 else (words or ["?"])[0].replace("\\n", ""))
        else:
            found.append("?")
    return found or ["?"]


def _binary(script: bash.Script, text: str, depth: int = 0) -> bool:
    text = text.strip()
    if PLAIN.match(text):
        return True
    if text.startswith("{"):
        text = re.sub(r"\$\{?\w+\}?", lambda m: "1" if _binary(script, m[0], depth) else '"open"', text)
        try:
            table = json.loads(text)
        except ValueError:
            return False
        return isinstance(table, dict) and len(table) == 1 and next(iter(table.values())) in (0, 1, True, False)
    match = re.fullmatch(r"\$\{?([A-Za-z_]\w*)\}?", text)
    return bool(match) and depth < 5 and _variable(script, match[1], depth) if match else False


def _variable(script: bash.Script, name: str, depth: int) -> bool:
    """Every assignment to ``name`` anywhere in the script is binary."""
    values = []
    for node in bash.walk(script.root):
        if node.type == "variable_assignment":
            target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if target is not None and script.text(target) == name:
                values.append(bash.plain(script, value) if value is not None else "")
    return bool(values) and all(_binary(script, value, depth + 1) for value in values)
