"""Whether every way to a pass leads through the source's check, and depends on what it said.

What cannot be known is taken for possible; dynamic proof covers the rest.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from skill import bash
from skill.bash import Node
from skill.checks import COMPARING, FOLDER, bare
from skill.flow_walk import LOOKED, NOWHERE, RAN, UNCHECKED, States, TooInvolved, Walk, looked
from skill.running import RUNNER, acting_text, is_running, mentions, reads, whole_text
from skill.shell_syntax import options

ENDS: Final = frozenset(("fail", "infra"))
ENDS_WHEN_BAD: Final = frozenset(("reached", "genuine", "completed"))  # functions of the library
DEEPEST: Final = 12
TELLING: Final = re.compile(
    r"\$\??\{?(?:\?|STATUS|PIPESTATUS|RAN|BROKE|REWARD|STRIPPED|TIMED_OUT|PRIVATE)\b|\$\{?[1-9@*]|\$\?|\$\{\?|/logs/|/tmp/"
)


class EarlyPass(NamedTuple):
    """A place where the verdict may be a pass although the check did not run, or whatever it said."""

    line: int
    ran: bool
    text: str


@dataclass
class Flow(Walk):
    """One script with the staged files that it may source."""

    script: bash.Script
    anchors: frozenset[str]  # what a command names that runs the check
    documents: tuple[str, ...] = ()  # what it reads
    values: tuple[str, ...] = ()  # what it compares with
    staged: Mapping[str, bytes] = field(default_factory=dict)
    given: frozenset[str] = frozenset()  # anchors that a program is only given
    rewards: bool = False  # whether a reward that is written counts as a pass
    found: list[EarlyPass] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.functions: dict[str, tuple[bash.Script, Node]] = {}
        self._returns: list[set[int]] = []
        self._depth = 0
        self._variables: set[str] = set()  # that name an anchor
        self._assigned: set[str] = set()  # whose value is computed
        self._define(self.script)

    def early_passes(self) -> list[EarlyPass]:
        """Every early pass, in the order of the script."""
        try:
            end = self.sequence(self.script, bash.statements(self.script.root), frozenset((UNCHECKED,)))
        except (TooInvolved, RecursionError):
            return [EarlyPass(0, False, "a script with so many ways through it that they cannot be followed")]
        if UNCHECKED in end or RAN in end:
            last = bash.statements(self.script.root)[-1:]
            if last and bash.name(self.script, last[0]) in ("true", ":", "echo", "printf"):
                self._pass(self.script, last[0], end)
        return sorted(set(self.found))

    def _define(self, script: bash.Script) -> None:
        for node in bash.walk(script.root):
            if node.type == "function_definition":
                name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
                if name is not None and body is not None:
                    self.functions[script.text(name)] = (script, body)
            elif node.type == "redirected_statement" and self._holds_document(script.text(node)):
                written = (to for operator, to in bash.redirects(script, node) if ">" in operator)
                self.anchors |= {posixpath.basename(to) for to in written if not to.startswith("/dev/")}
            elif node.type in ("variable_assignment", "for_statement"):
                self._assigned |= _computed(script, node)
                name = node.child_by_field_name("name" if node.type == "variable_assignment" else "variable")
                text = script.text(node).split("\n")[0] if node.type == "for_statement" else script.text(node)
                if name is not None and any(mentions(text, anchor) for anchor in self.anchors):
                    self._variables.add(script.text(name))

    def test(self, script: bash.Script, node: Node, states: States) -> States:
        """A comparison with one of the source's values is a part of the check."""
        return self._checked(states) if any(mentions(script.text(node), value) for value in self.values) else states

    def redirected(self, script: bash.Script, node: Node, states: States) -> None:
        """A reward that is written is a pass where it counts as one."""
        if self.rewards and _writes_reward(script, node):
            self._pass(script, node, states)

    def command(self, script: bash.Script, node: Node, states: States) -> States:
        """Verdicts, the check itself, functions, and what changes the rest of the script."""
        name, words = bash.name(script, node), bash.words(script, node)
        if name == "builtin" and len(words) > 1:
            name, words = words[1], words[1:]
        if name == "set":
            self.errexit = options(words[1:]).get("errexit", self.errexit)
        elif name == "trap" and len(words) > 2:
            self._trap(words[1])
        elif name in ("source", ".") and len(words) > 1:
            return self._source(words[1], states)
        elif name == "return":
            if self._returns:
                self._returns[-1] |= states
            return NOWHERE if self._returns else states
        elif (known := self._verdict(script, node, name, words, states)) is not None:
            return known
        elif name in self.functions and self._depth < DEEPEST:
            return self._call(name, states)
        return self._checked(states) if self._runs(script, node) else states

    def _checked(self, states: States) -> States:
        self.ran = True
        return frozenset(max(RAN, state) for state in states)

    def _verdict(self, script: bash.Script, node: Node, name: str, words: list[str], states: States) -> States | None:
        """The end of the script at ``node``; None when it is none."""
        value = (words[1] if len(words) > 1 else "").strip('"')
        if name == "pass" or (name in ("exit", "verdict") and value == "0"):
            self._pass(script, node, states)
        elif name.startswith("judge_") or (name in ("exit", "verdict") and not value.isdigit()):
            self._pass(script, node, looked(states))
        elif name in ENDS_WHEN_BAD:
            return looked(states)
        elif name not in ENDS and name not in ("exit", "verdict"):
            return None
        return states if self.inner else NOWHERE

    def _pass(self, script: bash.Script, node: Node, states: States) -> None:
        if not self.inner and states and min(states) < LOOKED:
            text = " ".join(script.text(node).split())[:80]
            self.found.append(EarlyPass(bash.line(node), UNCHECKED not in states, text))

    def _runs(self, script: bash.Script, node: Node) -> bool:
        if not is_running(script, node):
            return False
        text, said = whole_text(script, node), acting_text(script, node)
        if any(mentions(text if anchor in self.given else said, anchor) for anchor in self.anchors):
            return True
        if RUNNER.search(text) and FOLDER.search(text):
            return True
        if bash.name(script, node) in COMPARING and any(mentions(text, value) for value in self.values):
            return True
        return any(reads(said, name) for name in self._variables) or self._holds_document(text)

    def _holds_document(self, text: str) -> bool:
        """Whether the text holds a here-document of the source."""
        return any(bare(document) in bare(text) for document in self.documents)

    def _call(self, name: str, states: States) -> States:
        script, body = self.functions[name]
        self._depth += 1
        self._returns.append(set())
        after = self.statement(script, body, states)
        self._depth -= 1
        return after | self._returns.pop()

    def _trap(self, code: str) -> None:
        """A handler may run before anything else did."""
        inner = bash.parse(code.encode())
        if self._depth < DEEPEST:
            self._depth += 1
            self.sequence(inner, bash.statements(inner.root), frozenset((UNCHECKED,)))
            self._depth -= 1

    def _source(self, word: str, states: States) -> States:
        """A staged file that is sourced is a part of the script."""
        path = next(
            (path for path in self.staged if word.endswith("/" + path) and not path.startswith(".verdict/")), ""
        )
        if not path or self._depth >= DEEPEST:
            return states
        inner = bash.parse(self.staged[path])
        self._define(inner)
        self._depth += 1
        after = self.sequence(inner, bash.statements(inner.root), states)
        self._depth -= 1
        return after

    def always_entered(self, script: bash.Script, node: Node) -> bool:
        """Whether the loop has at least one word, or a pattern over the suite's own files."""
        words = node.children_by_field_name("value")
        return any(part.type in ("word", "raw_string", "number") for part in words) or any(
            mentions(script.text(part), anchor) or "TEST" in script.text(part)
            for part in words
            for anchor in self.anchors
        )

    def tells(self, script: bash.Script, condition: list[Node]) -> bool:
        """Whether a condition looks at something that the check may have left: a status, a variable, a file."""
        for node in condition:
            if TELLING.search(script.text(node)) or any(reads(script.text(node), name) for name in self._assigned):
                return True
            for command in bash.commands(node):
                if bash.name(script, command) in self.functions or is_running(script, command):
                    return True
            if any(mentions(script.text(node), value) for value in self.values):
                return True
        return False


def _computed(script: bash.Script, node: Node) -> set[str]:
    """The variable of an assignment whose value is no literal, or that stands in a branch of its own."""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or node.type != "variable_assignment":
        return set()
    is_literal = value is not None and "$" not in script.text(value) and "`" not in script.text(value)
    parent = node.parent.type if node.parent is not None else ""
    return set() if is_literal and parent in ("program", "compound_statement") else {script.text(name)}


def _writes_reward(script: bash.Script, node: Node) -> bool:
    """Whether a statement writes a reward above 0."""
    targets = [target for operator, target in bash.redirects(script, node) if ">" in operator]
    body = node.child_by_field_name("body")
    return body is not None and any("reward." in to for to in targets) and bool(re.search(r"[1-9]", script.text(body)))
