"""Whether every way to a pass leads through the source's check, and depends on what it said.

The script is walked once with the set of things that may be true at each point: the check was not run, it ran,
its outcome was looked at. What cannot be known is taken for possible; dynamic proof covers the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from skill import bash
from skill.bash import Node
from skill.checks import COMPARING, FOLDER, RUNNER, acting_text, bare, is_running, mentions, reads, whole_text
from skill.shell_syntax import branch, has_default, options

UNCHECKED, RAN, LOOKED = 0, 1, 2
JUDGES: Final = frozenset(("judge_status", "judge_pytest", "judge_reward"))
ENDS: Final = frozenset(("fail", "infra"))
OWN_PROCESS: Final = ("subshell", "command_substitution", "process_substitution")
DEEPEST: Final = 12

PLAIN: Final = ("command", "redirected_statement", "pipeline", "variable_assignment", "subshell", "test_command")
TELLING: Final = re.compile(
    r"\$\??\{?(?:\?|STATUS|PIPESTATUS|RAN|BROKE|REWARD|STRIPPED|TIMED_OUT|PRIVATE)\b|\$\{?[1-9@*]|\$\?|\$\{\?|/logs/|/tmp/"
)

States = frozenset[int]
Way = Callable[[States], States]
NOWHERE: Final[States] = frozenset()


class EarlyPass(NamedTuple):
    """A place where the verdict may be a pass although the check did not run, or whatever it said."""

    line: int
    ran: bool
    text: str


@dataclass
class Flow:
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
        self.functions: dict[str, tuple[bash.Script, Node]] = {}
        self._returns: list[set[int]] = []
        self._depth = 0
        self._inner = 0  # processes of their own around the present place
        self._errexit = False
        self._ran = False  # whether the present statement ran the check
        self._variables: set[str] = set()  # that name an anchor
        self._assigned: set[str] = set()  # whose value is computed
        self._define(self.script)

    def early_passes(self) -> list[EarlyPass]:
        """Every early pass, in the order of the script."""
        end = self._sequence(self.script, bash.statements(self.script.root), frozenset((UNCHECKED,)))
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
            elif node.type in ("variable_assignment", "for_statement"):
                self._assigned |= _computed(script, node)
                name = node.child_by_field_name("name" if node.type == "variable_assignment" else "variable")
                text = script.text(node).split("\n")[0] if node.type == "for_statement" else script.text(node)
                if name is not None and any(mentions(text, anchor) for anchor in self.anchors):
                    self._variables.add(script.text(name))

    def _sequence(self, script: bash.Script, nodes: list[Node], states: States) -> States:
        for node in nodes:
            if not states:
                return NOWHERE
            self._ran = False
            aside = bash.in_background(node)
            self._inner += aside
            states = self._statement(script, node, states)
            self._inner -= aside
            if self._errexit and self._ran and node.type in PLAIN:
                states = _looked(states)
        return states

    def _statement(self, script: bash.Script, node: Node, states: States) -> States:
        kind = node.type
        if kind == "function_definition":
            return states
        if kind in ("program", "compound_statement", "do_group", "else_clause"):
            return self._sequence(script, bash.statements(node), states)
        if kind in OWN_PROCESS or kind == "pipeline":
            return self._own_process(script, node, states)
        if kind == "redirected_statement":
            body = node.child_by_field_name("body")
            after = self._statement(script, body, states) if body is not None else states
            if self.rewards and _writes_reward(script, node):
                self._pass(script, node, after)
            return after
        if kind == "negated_command":
            return self._sequence(script, bash.statements(node), states)
        branching = {
            "list": self._list,
            "if_statement": self._if,
            "case_statement": self._case,
            "while_statement": self._while,
            "for_statement": self._for,
            "c_style_for_statement": self._for,
        }
        if kind in branching:
            return branching[kind](script, node, states)
        states = self._substitutions(script, node, states)
        if kind == "test_command" and any(mentions(script.text(node), value) for value in self.values):
            return self._checked(states)
        return self._command(script, node, states) if kind == "command" else states

    def _substitutions(self, script: bash.Script, node: Node, states: States) -> States:
        """What runs inside of a word, an assignment or a test."""
        for part in bash.walk(node):
            if part.type in ("command_substitution", "process_substitution"):
                states = self._own_process(script, part, states)
        return states

    def _own_process(self, script: bash.Script, node: Node, states: States) -> States:
        self._inner += 1
        seen = set(states)
        for child in bash.statements(node):
            after = self._statement(script, child, states)
            seen |= after
            states = after or states
        self._inner -= 1
        return frozenset((max(seen),)) if node.type == "pipeline" else states

    def _command(self, script: bash.Script, node: Node, states: States) -> States:
        name, words = bash.name(script, node), bash.words(script, node)
        if name == "builtin" and len(words) > 1:
            name, words = words[1], words[1:]
        if name == "set":
            self._errexit = options(words[1:]).get("errexit", self._errexit)
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
        self._ran = True
        return frozenset(max(RAN, state) for state in states)

    def _verdict(self, script: bash.Script, node: Node, name: str, words: list[str], states: States) -> States | None:
        """The end of the script at ``node``; None when it is none."""
        value = (words[1] if len(words) > 1 else "").strip('"')
        if name == "pass" or (name in ("exit", "verdict") and value == "0"):
            self._pass(script, node, states)
        elif name in JUDGES or (name in ("exit", "verdict") and not value.isdigit()):
            self._pass(script, node, _looked(states))
        elif name == "reached":
            return _looked(states)
        elif name not in ENDS and name not in ("exit", "verdict"):
            return None
        return states if self._inner else NOWHERE

    def _pass(self, script: bash.Script, node: Node, states: States) -> None:
        if not self._inner and states and min(states) < LOOKED:
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
        return any(reads(said, name) for name in self._variables) or any(
            bare(document) in bare(text) for document in self.documents
        )

    def _call(self, name: str, states: States) -> States:
        script, body = self.functions[name]
        self._depth += 1
        self._returns.append(set())
        after = self._statement(script, body, states)
        self._depth -= 1
        return after | self._returns.pop()

    def _trap(self, code: str) -> None:
        """A handler may run before anything else did."""
        inner = bash.parse(code.encode())
        if self._depth < DEEPEST:
            self._depth += 1
            self._sequence(inner, bash.statements(inner.root), frozenset((UNCHECKED,)))
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
        after = self._sequence(inner, bash.statements(inner.root), states)
        self._depth -= 1
        return after

    def _condition(self, script: bash.Script, node: Node, states: States) -> tuple[States, States]:
        """What may be true once ``node`` has succeeded, and once it has ended at all."""
        if node.type == "list" and any(child.type == "&&" for child in node.children):
            return self._and(script, node, states)
        if node.type in ("subshell", "compound_statement") and (inner := bash.statements(node)):
            self._inner += node.type == "subshell"
            before = self._sequence(script, inner[:-1], states) or states
            ends = self._condition(script, inner[-1], before)
            self._inner -= node.type == "subshell"
            return ends
        after = self._statement(script, node, states)
        return after, after

    def _and(self, script: bash.Script, node: Node, states: States) -> tuple[States, States]:
        """A list that ends with the check has run it when it succeeds; nothing else makes a later status 0."""
        reached, before = self._condition(script, node.named_children[0], states)
        good: set[int] = set()

        def right(entered: States) -> States:
            succeeded, ended = self._condition(script, node.named_children[-1], entered)
            good.update(succeeded)
            return ended

        after = self._branches([(reached, right)], before, self._tells(script, [node.named_children[0]]))
        if good and UNCHECKED not in good:
            after = frozenset(max(state, RAN) for state in after)
        return frozenset(good), after

    def _list(self, script: bash.Script, node: Node, states: States) -> States:
        if any(child.type == "&&" for child in node.children):
            return self._and(script, node, states)[1]
        succeeded, before = self._condition(script, node.named_children[0], states)
        right = node.named_children[-1]
        tells = self._tells(script, [node.named_children[0]])
        return self._branches([(before, lambda entered: self._statement(script, right, entered))], succeeded, tells)

    def _if(self, script: bash.Script, node: Node, states: States) -> States:
        clauses = [child for child in node.named_children if child.type in ("elif_clause", "else_clause")]
        body = branch(node)
        first = body[0].start_byte if body else node.end_byte
        parts = [child for child in bash.statements(node) if child.start_byte < first and child not in clauses]
        before = self._sequence(script, parts[:-1], states)
        succeeded, before = self._condition(script, parts[-1], before) if parts else (before, before)
        ways: list[tuple[States, Way]] = [(succeeded, lambda entered: self._sequence(script, body, entered))]
        ways += [(before, self._clause(script, clause)) for clause in clauses]
        otherwise = NOWHERE if any(one.type == "else_clause" for one in clauses) else before
        return self._branches(ways, otherwise, self._tells(script, parts))

    def _clause(self, script: bash.Script, clause: Node) -> Way:
        body = branch(clause)
        first = body[0].start_byte if body else clause.end_byte
        condition = [child for child in bash.statements(clause) if child.start_byte < first]
        if clause.type == "else_clause":
            condition = []
        return lambda s: self._sequence(script, body, _looked(self._sequence(script, condition, s)))

    def _case(self, script: bash.Script, node: Node, states: States) -> States:
        items = [child for child in node.named_children if child.type == "case_item"]
        value = node.child_by_field_name("value")
        before = self._substitutions(script, value, states) if value is not None else states
        ways = [(before, self._item(script, item)) for item in items]
        tells = value is None or self._tells(script, [value])
        return self._branches(ways, NOWHERE if has_default(script, items) else before, tells)

    def _item(self, script: bash.Script, item: Node) -> Way:
        values = {value.id for value in item.children_by_field_name("value")}
        body = [child for child in bash.statements(item) if child.id not in values]
        return lambda s: self._sequence(script, body, s)

    def _while(self, script: bash.Script, node: Node, states: States) -> States:
        condition = [child for child in bash.statements(node) if child.type != "do_group"]
        body = [child for child in bash.statements(node) if child.type == "do_group"]
        before = self._sequence(script, condition, states)
        return _looked(before) | self._sequence(script, body, _looked(before))

    def _for(self, script: bash.Script, node: Node, states: States) -> States:
        body = [child for child in bash.statements(node) if child.type in ("do_group", "compound_statement")]
        after = self._sequence(script, body, states)
        return after if self._always_entered(script, node) else after | states

    def _always_entered(self, script: bash.Script, node: Node) -> bool:
        """Whether the loop has at least one word, or a pattern over the suite's own files."""
        words = node.children_by_field_name("value")
        return any(part.type in ("word", "raw_string", "number") for part in words) or any(
            mentions(script.text(part), anchor) or "TEST" in script.text(part)
            for part in words
            for anchor in self.anchors
        )

    def _branches(self, ways: list[tuple[States, Way]], otherwise: States, tells: bool) -> States:
        """What may be true after a branching; only one in which some way ends has acted on what it looked at.

        ``tells`` is whether the condition can say anything about the check.
        """
        look = _looked if tells else frozenset[int]
        results = [(state, way(look(frozenset((state,))))) for states, way in ways for state in states]
        if not all(after for _, after in results):
            return look(otherwise).union(*(after for _, after in results))
        kept = [frozenset(min(one, RAN) for one in after) if state == RAN else after for state, after in results]
        return otherwise.union(*kept)

    def _tells(self, script: bash.Script, condition: list[Node]) -> bool:
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


def _looked(states: States) -> States:
    return frozenset(LOOKED if state == RAN else state for state in states)
