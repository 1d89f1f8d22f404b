"""The battery: every forgery of the catalogue that applies to a case, planted into its container as states.

Four runs make a finding sound: untouched 1, solved 0, untouched with the plant 1, solved with its inert twin 0.
Forgeries that do not disturb each other are planted together; one by one only where a bundle is not judged as it
has to be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from skill.case import Case
from skill.contract import FAIL, PASS, SOLVE_SCRIPT
from skill.evidence import FORGERY, INERT, PLANTED, CaseProof, Unproved
from skill.forgeries import Forgery, ForgeryFacts, all_forgeries, facts_of, script_of
from skill.ledger import digest
from tools.mutants import LONGEST_HANG, clock_of
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, Box, Edit, State, timeout_of

HANGS: Final = "hangs"  # the bundle whose plants only end with the verifier's own clock
CLOCK_SECONDS: Final = 12  # of that clock, beside its reserve
FETCHING_SECONDS: Final = 45  # of it where the verifier fetches its runner first
ALTERED: Final = "altered"  # what one container with root leaves open anyway is not tried on every case


@dataclass(frozen=True)
class Cheat:
    """Run a plant in the container, as the candidate would; the script is known by its digest."""

    digest: str
    script: str = field(repr=False, compare=False)

    def __call__(self, box: Box) -> str:
        """That it was planted."""
        status, _ = box.shell(self.script)
        return "planted" if status == 0 else ""


def battery(case: Case) -> Iterator[State | Unproved]:
    """The bundles that apply to ``case``, each with its single forgeries behind it, and the inert twin of all."""
    facts = facts_of(case)
    bundles: defaultdict[str, list[Forgery]] = defaultdict(list)
    for forgery in sorted(all_forgeries(), key=lambda row: (row.rank, row.code)):
        if forgery.bundle != ALTERED and forgery.applies(facts):
            bundles[forgery.bundle].append(forgery)
    for name, rows in bundles.items():
        yield _bundle(case, facts, name, rows)
    gates = [row for rows in bundles.values() for row in rows if row.is_gate]
    if case.read(SOLVE_SCRIPT) is not None:
        yield _state(INERT + "every-plant", PASS, script_of(gates, facts, inert=True), solved=True)


def honest_states(case: Case) -> Iterator[State | Unproved]:
    """What an honest candidate and an idle one get, with and without harmless files beside them."""
    yield KNOWN_GOOD
    yield UNTOUCHED
    yield from (entry for entry in battery(case) if isinstance(entry, State) and entry.name.startswith(INERT))


def is_paid_for(proof: CaseProof) -> bool:
    """Whether the right work is not judged 0, by itself or with harmless files beside it."""
    return any(result.is_paid_for for result in proof.results)


def _bundle(case: Case, facts: ForgeryFacts, name: str, rows: Sequence[Forgery]) -> State | Unproved:
    """One state for ``rows``; several of them are looked at one by one when it does not hold."""
    prefix = PLANTED if all(row.counts(facts) for row in rows) else FORGERY
    right = tuple(set.intersection(*(set(row.verdicts) for row in rows)))
    called = f"{prefix}{rows[0].code} {rows[0].name}" if len(rows) == 1 else f"{prefix}{name} {'+'.join(_codes(rows))}"
    edits: tuple[Edit, ...] = ()
    if name == HANGS:
        clock = clock_of(case)
        if clock is None and timeout_of(case) > LONGEST_HANG:
            return Unproved(called, f"the verifier would use up its {timeout_of(case)} s, and has no clock to shorten")
        seconds = FETCHING_SECONDS if "uv" in facts.runners else CLOCK_SECONDS
        if clock and clock.limit > clock.reserve + seconds:
            edits = (clock.set_to(clock.reserve + seconds),)
    closer = tuple(
        _state(f"{prefix}{row.code} {row.name}", FAIL, row.script(facts), right=row.verdicts, edits=edits)
        for row in (rows if len(rows) > 1 else ())
    )
    return _state(called, FAIL, script_of(rows, facts), right=right, edits=edits, closer=closer)


def _codes(rows: Sequence[Forgery]) -> list[str]:
    return [row.code for row in rows]


def _state(
    name: str,
    expected: int,
    script: str,
    *,
    solved: bool = False,
    right: tuple[int, ...] = (),
    edits: tuple[Edit, ...] = (),
    closer: tuple[State, ...] = (),
) -> State:
    cheat = Cheat(digest(script.encode()), script)
    absent = "it could not be planted"
    return State(name, expected, solved, edits, cheat, absent, right=right, closer=closer)
