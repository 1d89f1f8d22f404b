"""What a session's verifier is held against: the source is asked about all that passes without being right."""

from __future__ import annotations

import pytest

from agent.odd_proof import objection, worth_asking
from skill.agreement import agreements
from skill.evidence import CaseProof, StateResult, expected_exit, verdict_of
from skill.pass_rule import pass_rule
from skill.source_evidence import Booking, SourceRun, Standing
from tools.forging import Cheat
from tools.runners.base import KNOWN_GOOD, UNTOUCHED, State
from tools.workbench import Proved

ANYTHING, MUTANT, SHIMS = "forgery:FG30 equals-anything", "mutant:number /app/a.py", "planted:FG01 tool-shims"


def proof(**ends: int) -> CaseProof:
    names = {"anything": ANYTHING, "mutant": MUTANT, "shims": SHIMS}
    told = {"oracle": 0, "null": 1} | {names[name]: end for name, end in ends.items()}
    results = [StateResult(name, expected_exit(name), end, verdict_of(end), 0.1) for name, end in told.items()]
    return CaseProof("tern", "docker", tuple(results))


def state(name: str) -> State:
    return State(name, 1, False, meddling=Cheat(name, "true"))


STATES = [KNOWN_GOOD, UNTOUCHED, state("sabotage:emptied"), state(ANYTHING), state(MUTANT), state(SHIMS)]
COMMON = ["oracle", "null", "sabotage:emptied"]


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        (proof(), COMMON),
        (proof(anything=1, mutant=1, shims=1), COMMON),
        (proof(anything=0), [*COMMON, ANYTHING]),
        (proof(mutant=0), [*COMMON, MUTANT]),
    ],
)
def test_the_states_in_which_the_source_is_asked(found: CaseProof, asked: list[str]) -> None:
    assert [entry.name for entry in worth_asking(found, STATES)] == asked


@pytest.mark.parametrize(
    ("reward", "objects"),
    [
        (1.0, False),  # the source falls to it as well: told, not held against the session
        (0.0, True),  # the session opened what the source withstands
    ],
)
def test_what_opens_a_forgery_that_the_source_withstands_is_refused(reward: float, objects: bool) -> None:
    found = proof(anything=0)
    runs = [
        SourceRun("oracle", Booking((("reward", 1.0),))),
        SourceRun("null", Booking((("reward", 0.0),))),
        SourceRun(ANYTHING, Booking((("reward", reward),))),
    ]
    rows = agreements(runs, found.results, pass_rule(None), {})
    differs = tuple(row for row in rows if row.standing is Standing.DIFFERS)
    said, words = objection(Proved(found, differs))
    assert bool(said) == objects
    assert not objects or (ANYTHING in said and words)
