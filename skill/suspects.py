"""Where a difference between a converted verifier and its source may come from: files, most suspect first."""

from __future__ import annotations

from collections.abc import Iterator

from skill.comparison import Comparison
from skill.contract import TEST_SCRIPT
from skill.ledger import Action, Row
from skill.source_evidence import Suspect


def suspects(pair: Comparison) -> tuple[Suspect, ...]:
    """Files of the case: what was changed since the conversion, what the conversion rewrote, then the verifier."""
    found: dict[str, Suspect] = {}
    for suspect in (*_changed(pair), *_rewritten(pair), Suspect(TEST_SCRIPT, 0, "the verifier")):
        found.setdefault(suspect.path, suspect)
    return tuple(found.values())


def _changed(pair: Comparison) -> Iterator[Suspect]:
    """Files that are not as the conversion left them, missing ones included."""
    for row in sorted(pair.rows, key=lambda row: (not row.path.startswith("tests/"), row.path)):
        if pair.output_hash(row.path) != row.sha256:
            yield Suspect(row.path, _first_difference(pair, row), "changed since it was converted")
    known = pair.by_path
    yield from (Suspect(path, 0, "added since it was converted") for path in pair.outputs if path not in known)


def _rewritten(pair: Comparison) -> Iterator[Suspect]:
    """Parts of the verifier that the conversion wrote anew from a file of the source."""
    for row in pair.rows:
        if row.action is Action.REWRITTEN and row.path.startswith("tests/"):
            yield Suspect(row.path, _first_difference(pair, row), f"rewritten from the source's {row.source}")


def _first_difference(pair: Comparison, row: Row) -> int:
    """The first line of an output file that is not that of its source, 0 when that cannot be told."""
    file = pair.sources.get(row.source)
    if file is None or pair.output_hash(row.path) == "":
        return 0
    try:
        ours = (pair.case.root / row.path).read_bytes().splitlines()
        theirs = file.read().splitlines()
    except OSError:
        return 0
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != other:
            return number
    return min(len(ours), len(theirs)) + 1 if len(ours) != len(theirs) else 0
