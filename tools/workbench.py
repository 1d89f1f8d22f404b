"""All that the tools of one session work on and with; what they may not have is not here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skill.evidence import CaseProof
from skill.finding import Finding, Severity
from skill.source_evidence import Agreement
from tools.virtual import Roots

Gate = Callable[[Path, str], Sequence[Finding]]  # suite root, case name -> all that the gates say about it
Drafter = Callable[[str], Sequence[str]]  # case name -> one line for each thing that was made
Prover = Callable[[Path, str], "Proved"]  # suite root, case name; raises RunnerError where nothing can be run
Sealer = Callable[[Mapping[str, bytes]], Mapping[str, bytes]]  # files of tests/ -> those that change along with them


@dataclass(frozen=True)
class Proved:
    """What containers said about a case."""

    proof: CaseProof
    differs: tuple[Agreement, ...] = ()  # where the source's own verifier says something else


@dataclass(frozen=True)
class Drafted:
    """What came of drafting from a folder of the session's own."""

    text: str  # in words of ours
    data: str = ""  # what the source had a say in
    is_error: bool = False


@dataclass(frozen=True)
class Own:
    """A folder below suite/ that a session writes, and from which a program makes the cases."""

    folder: str
    draft: Callable[[], Drafted]  # afterwards the cases are those of the folder as it stands; raises ToolError
    errors: Callable[[], Sequence[Finding]]  # what keeps the folder from counting, a draft that is out of date too


@dataclass(frozen=True)
class Workbench:
    """One session's roots, cases, gates and proof."""

    roots: Roots
    suite_root: Path
    cases: tuple[str, ...]
    gate: Gate
    answers: Mapping[str, str] = field(default_factory=dict)
    draft: Drafter | None = None
    prover: Prover | None = None  # None: nothing is proved
    seal: Sealer | None = None
    own: Own | None = None  # None: the cases were drafted when the session began, and their tests are written
    resumed_from: str | None = None  # for a call that was cut off: the state of its target before it

    def findings(self, case: str, root: Path | None = None) -> list[Finding]:
        """What the gates say about ``case`` as it stands in ``root`` (default: the suite), worst first."""
        order = list(Severity)
        found = self.gate(root or self.suite_root, case)
        return sorted(found, key=lambda finding: (order.index(finding.severity), finding))

    def errors(self, case: str, root: Path | None = None) -> list[Finding]:
        """Those findings that keep ``case`` from being converted."""
        return [finding for finding in self.findings(case, root) if finding.severity is Severity.ERROR]
