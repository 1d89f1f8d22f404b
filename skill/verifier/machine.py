"""The state of one imagined run of a script: variables, the last status, what went to the reward files.

Nothing is run. The machine knows what words stand for in the small part of bash that verifiers end with; at the
first thing it does not know it raises Unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from skill import bash
from skill.bash import Node

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
EXPANSION = re.compile(r"\\([\\$\"`])|(\$\{[^}]*\}|\$" + NAME + r"|\$[-!$?#@*0-9])")
PARAMETER = re.compile(rf"({NAME}|[1-9])(?:(:?)-(.*))?", re.DOTALL)
PIPE_STATUS = re.compile(r"PIPESTATUS\[(\d+)\](?::-.*)?")
MOVING = frozenset("SECONDS RANDOM SRANDOM LINENO EPOCHSECONDS EPOCHREALTIME REPLY OPTARG OPTIND IFS _".split())
SETTLED = frozenset("command test_command variable_assignment declaration_command subshell".split())
PLAIN = frozenset("word number raw_string variable_name string_content extglob_pattern regex".split())


class Unknown(Exception):
    """The script holds something whose effect is not known."""


class Exited(Exception):
    """The script came to its end early."""


class Returned(Exception):
    """A function came to its end early."""


@dataclass
class Machine:
    """One run over statements; ``status`` None means: set by something whose outcome is not known."""

    script: bash.Script
    given: int  # status of the test command
    assigned: frozenset[str] = frozenset()  # names that the script assigns somewhere; any other may come from outside
    errexit: bool = False
    pipefail: bool = False
    status: int | None = 0
    pipe: list[int | None] = field(default_factory=list)  # the statuses of the last pipeline's parts
    variables: dict[str, str | None] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    rewards: dict[str, str] = field(default_factory=dict)  # path -> text
    test: Node | None = None  # the one command whose status is given
    calls: list[dict[str, str | None]] = field(default_factory=list)  # what each running function's locals hide
    stdout: list[str] | None = None  # what goes to a reward file; None: somewhere else
    handlers: Mapping[str, Callable[[Machine, Node, bool], None]] = field(default_factory=dict, repr=False)

    def copy(self, given: int) -> Machine:
        """A machine in the same state whose test command ends with ``given``, nothing said about the last status."""
        return Machine(
            self.script, given, self.assigned, self.errexit, self.pipefail, None,
            variables=dict(self.variables), functions=dict(self.functions), handlers=self.handlers,
        )  # fmt: skip

    def run(self, nodes: Sequence[Node], guarded: bool = False) -> None:
        """Carry out ``nodes`` in order; ``guarded`` is a context in which errexit does not act."""
        for node in nodes:
            self.perform(node, guarded)

    def perform(self, node: Node, guarded: bool = False) -> None:
        """Carry out one statement; raises Unknown for any that has no handler, Exited at the script's end."""
        handler = self.handlers.get(node.type)
        if handler is None or bash.in_background(node):
            raise Unknown(node.type if handler is None else "a job in the background")
        handler(self, node, guarded)
        if node.type in SETTLED:
            self.pipe = [self.status]
        if node.type == "pipeline" or (node.type in SETTLED and node.type != "declaration_command"):
            self.settle(guarded)

    def settle(self, guarded: bool) -> None:
        """Let errexit act on the status of the command that just ended."""
        if self.errexit and not guarded and self.status != 0:
            if self.status is None:
                raise Unknown("errexit after an unknown status")
            raise Exited

    def opaque(self, node: Node) -> None:
        """Take the status of a command that only running would tell; the only such one is the test command."""
        if self.test is not None:
            raise Unknown(f"a second command of unknown outcome: {self.script.text(node)[:40]}")
        if self.stdout is not None:
            raise Unknown(f"a reward is what a command prints: {self.script.text(node)[:40]}")
        self.test = node
        self.status = self.given

    def known_status(self) -> int:
        """The last status, which must be known."""
        if self.status is None:
            raise Unknown("$? of a command whose outcome is not known")
        return self.status

    def assign(self, name: str, value: str | None) -> None:
        """Set a variable; None is a value that is not known."""
        self.variables[name] = None if name in MOVING else value

    def value(self, node: Node) -> str:
        """The text that a word stands for."""
        if node.type in PLAIN:
            return bash.plain(self.script, node)
        if node.type in ("simple_expansion", "expansion"):
            return self.expansion(self.script.text(node))
        if node.type == "string":
            return self.string(self.script.text(node)[1:-1])
        if node.type == "concatenation":
            return "".join(self.value(part) for part in node.named_children)
        raise Unknown(node.type)

    def string(self, text: str) -> str:
        """A double-quoted string with its expansions filled in."""
        if "`" in text or "$(" in text:
            raise Unknown("command substitution")
        return EXPANSION.sub(lambda m: m[1] if m[1] else self.expansion(m[2]), text)

    def expansion(self, text: str) -> str:
        """``$?``, ``$NAME``, ``$1``, ``${NAME}``, ``${NAME:-default}``, ``${PIPESTATUS[n]}``."""
        inner = text[2:-1] if text.startswith("${") else text[1:]
        if inner == "?":
            return str(self.known_status())
        if match := PIPE_STATUS.fullmatch(inner):
            return self._pipe_status(int(match[1]))
        match = PARAMETER.fullmatch(inner)
        if match is None:
            raise Unknown(text)
        name, colon, default = match.groups()
        found = self.variables.get(name, "")
        outside = name not in self.variables and (default is None or name not in self.assigned)
        if outside or found is None:
            raise Unknown(f"value of {text}")
        if default is None or found or (name in self.variables and not colon):
            return found
        if "'" in default or '"' in default:
            raise Unknown(text)
        return self.string(default)

    def _pipe_status(self, index: int) -> str:
        statuses = self.pipe or [self.status]
        if index >= len(statuses) or statuses[index] is None:
            raise Unknown("PIPESTATUS of something else")
        return str(statuses[index])
