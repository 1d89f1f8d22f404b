"""A walk over a bash script with the set of things that may be true at each point of it.

Three things: the check was not run, it ran, its outcome was looked at. What commands and conditions mean is for the
subclass; here is what statements do to the set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skill import bash
from skill.bash import Node
from skill.shell_syntax import branch, has_default

UNCHECKED, RAN, LOOKED = 0, 1, 2
OWN_PROCESS: Final = ("subshell", "command_substitution", "process_substitution")
PLAIN: Final = ("command", "redirected_statement", "pipeline", "variable_assignment", "subshell", "test_command")

MOST_STEPS: Final = 50_000

States = frozenset[int]
Way = Callable[[States], States]
NOWHERE: Final[States] = frozenset()


class TooInvolved(Exception):
    """So many ways lead through the script that they are not followed."""


class Walk:
    """What statements do to what may be true; ``command`` and the others below it are the subclass's."""

    def __init__(self) -> None:
        self.inner = 0  # processes of their own around the present place
        self.errexit = False
        self.ran = False  # whether the present statement ran the check
        self.steps = 0

    def command(self, script: bash.Script, node: Node, states: States) -> States:
        """What may be true after a simple command."""
        raise NotImplementedError

    def test(self, script: bash.Script, node: Node, states: States) -> States:
        """What may be true after ``[ ... ]``."""
        raise NotImplementedError

    def redirected(self, script: bash.Script, node: Node, states: States) -> None:
        """A statement with redirections has ended."""
        raise NotImplementedError

    def tells(self, script: bash.Script, condition: list[Node]) -> bool:
        """Whether a condition can say anything about the check."""
        raise NotImplementedError

    def always_entered(self, script: bash.Script, node: Node) -> bool:
        """Whether a loop runs at least once."""
        raise NotImplementedError

    def sequence(self, script: bash.Script, nodes: list[Node], states: States) -> States:
        """What may be true after statements that follow each other; nothing when one of them ends the script."""
        for node in nodes:
            if not states:
                return NOWHERE
            self.ran = False
            aside = bash.in_background(node)
            self.inner += aside
            states = self.statement(script, node, states)
            self.inner -= aside
            if self.errexit and self.ran and node.type in PLAIN:
                states = looked(states)
        return states

    def statement(self, script: bash.Script, node: Node, states: States) -> States:
        """What may be true after one statement; raises TooInvolved for a script that nobody could follow."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooInvolved
        kind = node.type
        if kind == "function_definition":
            return states
        if kind in ("program", "compound_statement", "do_group", "else_clause"):
            return self.sequence(script, bash.statements(node), states)
        if kind in OWN_PROCESS or kind == "pipeline":
            return self._own_process(script, node, states)
        if kind == "redirected_statement":
            body = node.child_by_field_name("body")
            after = self.statement(script, body, states) if body is not None else states
            self.redirected(script, node, after)
            return after
        if kind == "negated_command":
            return self.sequence(script, bash.statements(node), states)
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
        if kind == "test_command":
            return self.test(script, node, states)
        return self.command(script, node, states) if kind == "command" else states

    def _substitutions(self, script: bash.Script, node: Node, states: States) -> States:
        """What runs inside of a word, an assignment or a test."""
        for part in bash.walk(node):
            if part.type in ("command_substitution", "process_substitution"):
                states = self._own_process(script, part, states)
        return states

    def _own_process(self, script: bash.Script, node: Node, states: States) -> States:
        self.inner += 1
        seen = set(states)
        for child in bash.statements(node):
            after = self.statement(script, child, states)
            seen |= after
            states = after or states
        self.inner -= 1
        return frozenset((max(seen),)) if node.type == "pipeline" else states

    def _condition(self, script: bash.Script, node: Node, states: States) -> tuple[States, States]:
        """What may be true once ``node`` has succeeded, and once it has ended at all."""
        if node.type == "list" and any(child.type == "&&" for child in node.children):
            return self._and(script, node, states)
        if node.type in ("subshell", "compound_statement") and (inner := bash.statements(node)):
            self.inner += node.type == "subshell"
            before = self.sequence(script, inner[:-1], states) or states
            ends = self._condition(script, inner[-1], before)
            self.inner -= node.type == "subshell"
            return ends
        after = self.statement(script, node, states)
        return after, after

    def _and(self, script: bash.Script, node: Node, states: States) -> tuple[States, States]:
        """A list that ends with the check has run it when it succeeds; nothing else makes a later status 0."""
        reached, before = self._condition(script, node.named_children[0], states)
        good: set[int] = set()

        def right(entered: States) -> States:
            succeeded, ended = self._condition(script, node.named_children[-1], entered)
            good.update(succeeded)
            return ended

        after = self._branches([(reached, right)], before, self.tells(script, [node.named_children[0]]))
        if good and UNCHECKED not in good:
            after = frozenset(max(state, RAN) for state in after)
        return frozenset(good), after

    def _list(self, script: bash.Script, node: Node, states: States) -> States:
        if any(child.type == "&&" for child in node.children):
            return self._and(script, node, states)[1]
        succeeded, before = self._condition(script, node.named_children[0], states)
        right = node.named_children[-1]
        tells = self.tells(script, [node.named_children[0]])
        return self._branches([(before, lambda entered: self.statement(script, right, entered))], succeeded, tells)

    def _if(self, script: bash.Script, node: Node, states: States) -> States:
        clauses = [child for child in node.named_children if child.type in ("elif_clause", "else_clause")]
        body = branch(node)
        first = body[0].start_byte if body else node.end_byte
        parts = [child for child in bash.statements(node) if child.start_byte < first and child not in clauses]
        before = self.sequence(script, parts[:-1], states)
        succeeded, before = self._condition(script, parts[-1], before) if parts else (before, before)
        ways: list[tuple[States, Way]] = [(succeeded, lambda entered: self.sequence(script, body, entered))]
        ways += [(before, self._clause(script, clause)) for clause in clauses]
        otherwise = NOWHERE if any(one.type == "else_clause" for one in clauses) else before
        return self._branches(ways, otherwise, self.tells(script, parts))

    def _clause(self, script: bash.Script, clause: Node) -> Way:
        body = branch(clause)
        first = body[0].start_byte if body else clause.end_byte
        condition = [child for child in bash.statements(clause) if child.start_byte < first]
        if clause.type == "else_clause":
            condition = []
        return lambda s: self.sequence(script, body, looked(self.sequence(script, condition, s)))

    def _case(self, script: bash.Script, node: Node, states: States) -> States:
        items = [child for child in node.named_children if child.type == "case_item"]
        value = node.child_by_field_name("value")
        before = self._substitutions(script, value, states) if value is not None else states
        ways = [(before, self._item(script, item)) for item in items]
        tells = value is None or self.tells(script, [value])
        return self._branches(ways, NOWHERE if has_default(script, items) else before, tells)

    def _item(self, script: bash.Script, item: Node) -> Way:
        values = {value.id for value in item.children_by_field_name("value")}
        body = [child for child in bash.statements(item) if child.id not in values]
        return lambda s: self.sequence(script, body, s)

    def _while(self, script: bash.Script, node: Node, states: States) -> States:
        condition = [child for child in bash.statements(node) if child.type != "do_group"]
        body = [child for child in bash.statements(node) if child.type == "do_group"]
        before = self.sequence(script, condition, states)
        return looked(before) | self.sequence(script, body, looked(before))

    def _for(self, script: bash.Script, node: Node, states: States) -> States:
        body = [child for child in bash.statements(node) if child.type in ("do_group", "compound_statement")]
        after = self.sequence(script, body, states)
        return after if self.always_entered(script, node) else after | states

    def _branches(self, ways: list[tuple[States, Way]], otherwise: States, tells: bool) -> States:
        """What may be true after a branching; only one in which some way ends has acted on what it looked at.

        ``tells`` is whether the condition can say anything about the check.
        """
        look = looked if tells else frozenset[int]
        results = [(state, way(look(frozenset((state,))))) for states, way in ways for state in states]
        if not all(after for _, after in results):
            return look(otherwise).union(*(after for _, after in results))
        kept = [frozenset(min(one, RAN) for one in after) if state == RAN else after for state, after in results]
        return otherwise.union(*kept)


def looked(states: States) -> States:
    """What may be true once the outcome of a check that ran was looked at."""
    return frozenset(LOOKED if state == RAN else state for state in states)
