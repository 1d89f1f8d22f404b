"""How one case, and a whole suite, stand against the catalogue: closed by test, escaping, or open, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from skill.contract import FAIL, PASS
from skill.evidence import FORGERY, PLANTED, CaseProof
from skill.forgeries.not_plantable import NOT_PLANTABLE

CODE: Final = re.compile(r"\bFG\d\d\b")
BY_RUNNER: Final = tuple(row.code for row in NOT_PLANTABLE if row.standing == "runner")


@dataclass(frozen=True)
class Standing:
    """Codes of forgeries by what their plants came to in one case."""

    closed: tuple[str, ...] = ()  # judged 1
    infra: tuple[str, ...] = ()  # no verdict: no pass, but no fail either
    open_by_source: tuple[str, ...] = ()  # judged 0, by tests that a conversion keeps
    passing: tuple[str, ...] = ()  # judged 0, which speaks against the conversion
    open_by_runner: tuple[str, ...] = BY_RUNNER

    def to_dict(self) -> dict[str, list[str]]:
        """The standing as JSON-able values."""
        return {name: list(codes) for name, codes in asdict(self).items()}


def standing(proof: CaseProof) -> Standing | None:
    """How a case stands; what a forgery did by itself counts more than what its bundle did. None without a plant."""
    ends: dict[str, tuple[int, str, int | None]] = {}
    for result in proof.results:
        codes = CODE.findall(result.state) if result.state.startswith((PLANTED, FORGERY)) else []
        for code in codes:
            if code not in ends or len(codes) < ends[code][0]:
                ends[code] = (len(codes), result.state, result.exit_code)
    if not ends:
        return None
    closed = [code for code, (_, _, end) in ends.items() if end == FAIL]
    passed = {code: state for code, (_, state, end) in ends.items() if end == PASS}
    return Standing(
        closed=tuple(sorted(closed)),
        infra=tuple(sorted(ends.keys() - set(closed) - passed.keys())),
        open_by_source=tuple(sorted(code for code, state in passed.items() if state.startswith(FORGERY))),
        passing=tuple(sorted(code for code, state in passed.items() if state.startswith(PLANTED))),
    )


def summary(proofs: Iterable[CaseProof]) -> list[dict[str, object]]:
    """One row for each forgery that was planted: in how many cases it was closed, escaped or passed."""
    counts: Counter[tuple[str, str]] = Counter()
    for proof in proofs:
        found = standing(proof)
        for kind in ("closed", "infra", "open_by_source", "passing") if found else ():
            counts.update((code, kind) for code in getattr(found, kind))
    return [
        {"code": code, **{kind: counts[code, kind] for kind in ("closed", "infra", "open_by_source", "passing")}}
        for code in sorted({code for code, _ in counts})
    ]
