"""Findings and the rules that produce them.

A rule is one small function with one code and one sentence, registered by the decorator of its family.
A finding is what a rule (or a source, while it is read) has to say about one place in one file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar


class Severity(StrEnum):
    """How much a finding weighs: an error keeps a case from being converted."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, order=True)
class Finding:
    """One statement about one place; prints like a compiler's line."""

    path: str  # relative to the suite (or to the source, for what a source says)
    line: int  # 1-based; 0 means the file as a whole
    code: str
    severity: Severity
    message: str  # what is wrong and why it matters
    fix: str = ""  # what would be right

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.severity.value} {self.code} {self.message}" + (
            f" (fix: {self.fix})" if self.fix else ""
        )


Subject = TypeVar("Subject")
Check = Callable[[Subject], Iterable[Finding]]


@dataclass(frozen=True)
class Rule(Generic[Subject]):
    """A registered check: its code, its name, its sentence and where the fact behind it is written down."""

    code: str
    name: str  # names the defect, reads as "allow <name>"
    severity: Severity
    basis: str  # the row of the Margin contract, or the decision, that the rule rests on
    check: Check[Subject]

    @property
    def sentence(self) -> str:
        """The first line of the check's docstring: what is wrong when the rule fires."""
        return (self.check.__doc__ or "").strip().splitlines()[0]

    @property
    def page(self) -> str:
        """The rest of the docstring: why it matters, an example, what would be right."""
        return "\n".join(line.strip() for line in (self.check.__doc__ or "").strip().splitlines()[1:]).strip()


class Registry(Generic[Subject]):
    """The rules of one family, in the order in which they were written down."""

    def __init__(self, family: str) -> None:
        self.family = family
        self.rules: list[Rule[Subject]] = []

    def rule(
        self, code: str, name: str, *, basis: str, severity: Severity = Severity.ERROR
    ) -> Callable[[Check[Subject]], Check[Subject]]:
        """Register the decorated function under ``code``."""

        def register(check: Check[Subject]) -> Check[Subject]:
            self.rules.append(Rule(code, name, severity, basis, check))
            return check

        return register

    def run(self, subject: Subject) -> Iterator[Finding]:
        """Every finding of every rule of the family about ``subject``."""
        for rule in self.rules:
            yield from rule.check(subject)
