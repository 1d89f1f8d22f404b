"""The table of all rules, and what runs them over a suite, a case, a conversion or a proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from skill.case import Case
from skill.comparison import Comparison, comparisons
from skill.evidence import CaseProof
from skill.finding import Finding, Registry, Rule
from skill.rules.against_source import AGAINST_SOURCE
from skill.rules.case import CASE
from skill.rules.cwd import CWD
from skill.rules.evidence import EVIDENCE
from skill.rules.fidelity import FIDELITY
from skill.rules.folder import FOLDER, PLACE
from skill.rules.forgeable import FORGEABLE
from skill.rules.generated import GENERATED
from skill.rules.image import IMAGE
from skill.rules.listing import LISTING
from skill.rules.looked_into import LOOKED_INTO, LookedInto
from skill.rules.masking import MASKING
from skill.rules.oracle import ORACLE
from skill.rules.packing import PACKING
from skill.rules.prompt import PROMPT
from skill.rules.staged_paths import STAGED_PATHS
from skill.rules.suite import SUITE
from skill.rules.surroundings import SURROUNDINGS
from skill.rules.verdict import VERDICT
from skill.rules.verifier import VERIFIER, Verifier
from skill.rules.weakening import WEAKENING
from skill.source_evidence import AgainstSource
from skill.suite import Suite

OF_CASE: tuple[Registry[Case], ...] = (CASE, FOLDER, PACKING, IMAGE, CWD, PROMPT, ORACLE)
_OF_SCRIPT: tuple[Registry[Verifier], ...] = (VERIFIER, VERDICT, MASKING, STAGED_PATHS, SURROUNDINGS)
OF_VERIFIER: tuple[Registry[Verifier], ...] = (*_OF_SCRIPT, GENERATED, FORGEABLE)
_OF_EVIDENCE: tuple[Registry[Any], ...] = (EVIDENCE, AGAINST_SOURCE)
OF_PAIR: tuple[Registry[Comparison], ...] = (FIDELITY, WEAKENING)
FAMILIES: tuple[Registry[Any], ...] = (
    SUITE,
    LISTING,
    PLACE,
    *OF_CASE,
    *OF_VERIFIER,
    *OF_PAIR,
    LOOKED_INTO,
    *_OF_EVIDENCE,
)


def all_rules() -> tuple[Rule[Any], ...]:
    """Every rule of every family, by code."""
    return tuple(sorted(chain.from_iterable(family.rules for family in FAMILIES), key=lambda rule: rule.code))


def check_case(case: Case) -> list[Finding]:
    """All that the rules have to say about one case by itself."""
    if not case.is_folder:
        return list(PLACE.run(case))
    verifier = Verifier(case)
    found = chain.from_iterable(family.run(case) for family in OF_CASE)
    return sorted(chain(found, *(family.run(verifier) for family in OF_VERIFIER)))


def check_suite(suite: Suite) -> Iterator[Finding]:
    """All findings about a suite: its own first, then case by case, holding one case at a time."""
    yield from sorted((*SUITE.run(suite), *LISTING.run(suite)))
    for case in suite.cases():
        yield from check_case(case)


def check_fidelity(suite_root: Path, ledger: Iterable[Mapping[str, Any]], source_root: Path) -> Iterator[Finding]:
    """What the ledger and the source have against a converted suite; SourceError when there is no source.

    ``ledger`` are the lines of ledger.jsonl, the rows of one case together; a case without rows is a finding.
    """
    seen = set[str]()
    for pair in comparisons(suite_root, ledger, source_root):
        seen.add(pair.case.name)
        yield from check_pair(pair)
    for case in Suite(suite_root).cases():
        if case.name not in seen:
            yield from check_pair(Comparison(case, (), None))


def check_pair(pair: Comparison) -> list[Finding]:
    """What a case beside its source has against it."""
    return sorted(chain.from_iterable(family.run(pair) for family in OF_PAIR))


def check_image(seen: LookedInto) -> list[Finding]:
    """What the image has against the case that names it."""
    return sorted(LOOKED_INTO.run(seen))


def check_evidence(proof: CaseProof) -> list[Finding]:
    """What a proof has against its case."""
    return sorted(EVIDENCE.run(proof))


def check_against_source(found: AgainstSource) -> list[Finding]:
    """What the source's own verifier has against a case."""
    return sorted(AGAINST_SOURCE.run(found))
