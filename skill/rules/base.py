"""What the rule families share: a rule says where and what, its family adds code and severity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import NamedTuple

from skill.finding import Check, Finding, Registry, Rule, Severity, Subject


class Defect(NamedTuple):
    """A finding without the code and severity, which belong to the rule."""

    path: str  # relative to the suite
    line: int  # 1-based; 0 means the file as a whole
    message: str  # what is wrong and why it matters
    fix: str = ""  # what would be right


class Family(Registry[Subject]):
    """The rules of one range of codes, in the order in which they were written down."""

    def defect(
        self, code: str, name: str, *, basis: str, severity: Severity = Severity.ERROR
    ) -> Callable[[Callable[[Subject], Iterable[Defect]]], Check[Subject]]:
        """Register the decorated generator of defects as the rule ``code``."""

        def register(look: Callable[[Subject], Iterable[Defect]]) -> Check[Subject]:
            @wraps(look)
            def check(subject: Subject) -> list[Finding]:
                return [Finding(path, line, code, severity, said, fix) for path, line, said, fix in look(subject)]

            self.rules.append(Rule(code, name, severity, basis, check))
            return check

        return register


def is_compile_error(basis: str, severity: Severity) -> bool:
    """Whether Margin's compiler itself rejects what the rule finds: an error whose basis is a bare M row."""
    return severity is Severity.ERROR and basis[:1] == "M" and basis[1:].isdigit()
