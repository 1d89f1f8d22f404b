"""Rules about a case beside its source's own verifier: SC92x."""

from __future__ import annotations

from collections.abc import Iterator

from skill.contract import CASES_DIR
from skill.finding import Severity
from skill.rules.base import Defect, Family
from skill.source_evidence import AgainstSource, Agreement, Standing

AGAINST_SOURCE: Family[AgainstSource] = Family("against-source")


@AGAINST_SOURCE.defect("SC921", "differs-from-source", basis="D4")
def differs_from_source(found: AgainstSource) -> Iterator[Defect]:
    """The converted verifier and the source's own give different verdicts in the same state.

    The conversion then grades something else. Only the differences that docs/proof.md explains are meant.
    Right: pass where the source books a pass, fail where it books a failure.
    """
    for row in _standing(found, Standing.DIFFERS):
        path, line, why = _place(found)
        ended = f"; it ended at {row.place}" if row.place else ""
        yield Defect(path, line, f"in state {row}; {row.detail}{ended}", f"look here first: {why}")


@AGAINST_SOURCE.defect("SC922", "source-not-run", basis="D18", severity=Severity.WARNING)
def source_not_run(found: AgainstSource) -> Iterator[Defect]:
    """The source's own verifier could not be run beside the converted one.

    The conversion is then as good as its other evidence; nothing is held against it.
    Right: `prove --source` on a machine where the source runs.
    """
    if not found.is_compared:
        reasons = dict.fromkeys(row.sentence for row in found.rows if row.sentence)
        said = found.reason or "; ".join(reasons) or "no state was run"
        yield Defect(f"{CASES_DIR}/{found.case}", 0, f"not compared with the source: {said}", "run prove --source")


@AGAINST_SOURCE.defect("SC923", "explained-difference", basis="D4", severity=Severity.NOTE)
def explained_difference(found: AgainstSource) -> Iterator[Defect]:
    """The converted verifier and the source's own differ in a state, for a reason that is known and meant.

    Each reason is a code of the table in docs/proof.md.
    Right: nothing to do; read the reason once.
    """
    for row in _standing(found, Standing.EXPLAINED):
        said = f"{row.state}: the source booked {row.booked}, this verifier says {row.converted}"
        yield Defect(f"{CASES_DIR}/{found.case}", 0, f"{said} ({row.code}: {row.sentence})")


def _standing(found: AgainstSource, standing: Standing) -> Iterator[Agreement]:
    return (row for row in found.rows if row.standing is standing)


def _place(found: AgainstSource) -> tuple[str, int, str]:
    """The most suspect place, and why it is."""
    if not found.suspects:
        return f"{CASES_DIR}/{found.case}", 0, "the verifier"
    first = found.suspects[0]
    return f"{CASES_DIR}/{found.case}/{first.path}", first.line, first.why
