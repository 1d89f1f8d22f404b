"""A source's script cut into bootstrap, candidate and interpretation, where the cut can be justified."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from skill import bash
from skill.bash import Node
from skill.verifier.placement import misplaced, top_level, widened
from skill.verifier.prefix import SETTINGS, Kind, kind
from skill.verifier.status import SHEBANG_ERREXIT, STOPPING, meanings

# What makes another script of all that follows.
LEAVING = frozenset(("exit", "trap", "exec", "return", "source", ".", "eval"))


@dataclass(frozen=True, eq=False)
class Split:
    """``prefix`` is the bootstrap; for a direct verifier ``body`` ends with the ``test`` command and a tail follows."""

    prefix: tuple[tuple[Kind, Node], ...]
    body: tuple[Node, ...]  # candidate statements before the test command
    test: Node | None  # the command whose status decides; None: no plain tail, the verifier is not direct
    reason: str  # why there is no test command
    options: tuple[str, ...]  # set commands in force at the test command


@lru_cache(maxsize=512)
def understood(data: bytes) -> tuple[bash.Script, Split | None]:
    """The script with its cut (None when it is broken); equal bytes are analysed once."""
    script = bash.parse(data)
    return script, None if script.broken else split(script)


def split(script: bash.Script) -> Split:
    """Cut ``script``; ``test`` is set only when the tail provably maps 0 to reward 1 and all else to 0 or none."""
    nodes = bash.statements(script.root)
    prefix = bootstrap_of(script, nodes)
    rest = nodes[len(prefix) :]
    unknown, problem = "the script runs no test", ""
    for index, found in enumerate(meanings(script, nodes, len(prefix))):
        if found.test is None:
            unknown = found.unknown
            continue
        test = widened(found.test)
        against = unfit_body(script, rest[:index], test) or _misfit(
            found.rewards, _may_stop(script, prefix, rest[:index])
        )
        if not against:
            body = tuple(node for node in rest if node.start_byte < top_level(test).start_byte)
            return Split(prefix, body, test, "", _options(script, [node for _, node in prefix] + list(body)))
        problem = problem or against
    return Split(prefix, (), None, problem or unknown, ())


def bootstrap_of(script: bash.Script, nodes: list[Node]) -> tuple[tuple[Kind, Node], ...]:
    """The statements before the first that may have to do with the candidate."""
    found: list[tuple[Kind, Node]] = []
    for node in nodes:
        part = kind(script, node)
        if part is None or bash.in_background(node) or _writes_reward(script, node):
            break
        found.append((part, node))
    return tuple(found)


def _misfit(rewards: dict[int, float | None], may_stop: bool) -> str:
    """Why the reward is no plain function of the status, '' when 0 alone gives 1."""
    if len(set(rewards.values())) == 1:
        constant = "the reward does not depend on the test command's status"
        return constant if may_stop else f"verdict-masked: {constant}"
    if rewards[0] != 1.0 or any(value not in (0.0, None) for status, value in rewards.items() if status):
        return "the reward is not 1 for status 0 and 0 for all others"
    return ""


def _may_stop(script: bash.Script, prefix: tuple[tuple[Kind, Node], ...], body: list[Node]) -> bool:
    """Whether a failure before the tail may end the script, so that the reward depends on more than the tail."""
    nodes = [node for _, node in prefix] + body
    stops = STOPPING.search("\n".join(_options(script, nodes))) or SHEBANG_ERREXIT.match(script.data)
    looks = any(
        part.type == "test_command" for kind, node in prefix if kind is Kind.DIAGNOSTIC for part in bash.walk(node)
    )
    return bool(stops) and (bool(body) or looks)


def unfit_body(script: bash.Script, body: list[Node], test: Node) -> str:
    """Why the script cannot simply end with its test command."""
    for node in body:
        for part in bash.walk(node):
            name = bash.name(script, part) if part.type == "command" else ""
            if name in ("source", ".") and SETTINGS.search(bash.words(script, part)[-1]):
                continue
            if part.type == "command" and bash.is_torn(script, part):
                return f"line {bash.line(part)}: where this command ends cannot be told"
            if name in LEAVING:
                return f"line {bash.line(part)}: {name} before the test command"
            if bash.in_background(part):
                return f"line {bash.line(part)}: a job in the background before the test command"
        if _writes_reward(script, node):
            return f"line {bash.line(node)}: a reward is written before the test command"
    if "reward." in script.text(test):
        return f"line {bash.line(test)}: the test command knows of the reward"
    return misplaced(script, test)


def _writes_reward(script: bash.Script, node: Node) -> bool:
    parts = [part for part in bash.walk(node) if part.type == "redirected_statement"]
    outputs = [path for part in parts for operator, path in bash.redirects(script, part) if ">" in operator]
    return "reward." in script.text(node) or any("reward" in path.lower() for path in outputs)


def _options(script: bash.Script, nodes: list[Node]) -> tuple[str, ...]:
    return tuple(script.text(node) for node in nodes if node.type == "command" and bash.name(script, node) == "set")
