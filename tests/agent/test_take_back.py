"""Hardening is taken back where the right work needs it, one pattern if one is enough, and only then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.outcome import Outcome, TaskResult
from agent.take_back import TakeBack
from skill.case import Case
from skill.evidence import CaseProof, StateResult, verdict_of
from skill.verifier.patterns import HEADING
from tests.support.cases import write_case

ALL = frozenset(("alone", "intact"))


def proof(oracle: int | None, twin: int = 0) -> CaseProof:
    ends: dict[str, tuple[int, int | None]] = {"oracle": (0, oracle), "null": (1, 1), "inert:every-plant": (0, twin)}
    results = [StateResult(name, want, code, verdict_of(code), 0.1) for name, (want, code) in ends.items()]
    return CaseProof("one", "docker", tuple(results))


class Bench:
    """A case whose right work passes only without some of its patterns."""

    def __init__(self, root: Path, heading: str, passes: Callable[[frozenset[str]], bool]) -> None:
        self.case = write_case(root, "one", test=f"#!/bin/bash\n{heading}\nexit 1\n")
        self.passes, self.without = passes, frozenset[str]()
        self.booked: list[TaskResult] = []

    def redraft(self, name: str, without: frozenset[str]) -> TaskResult:
        self.without = without
        return TaskResult("task", name, Outcome.CONVERTED)

    def prove(self, name: str) -> CaseProof:
        return proof(0 if self.passes(self.without) else 1)

    def find(self, name: str) -> Case:
        return self.case

    def taken_back(self, first: CaseProof) -> CaseProof:
        return TakeBack(self.redraft, self.find, self.prove, self.prove, self.booked.append)(first)


@pytest.mark.parametrize(
    ("first", "heading", "passes", "without"),
    [
        (proof(0), HEADING + "alone, intact", lambda without: True, None),  # nobody pays
        (proof(None), HEADING + "alone, intact", lambda without: True, None),  # it could not be run
        (proof(1), "# by hand", lambda without: True, None),  # nothing to take back
        (proof(1), HEADING + "alone, intact", lambda without: False, None),  # not the hardening's doing
        (proof(1), HEADING + "alone, intact", lambda without: "alone" in without, {"alone"}),
        (proof(0, twin=1), HEADING + "alone, intact", lambda without: "intact" in without, {"intact"}),
        (proof(1), HEADING + "alone, intact", lambda without: without == ALL, ALL),
    ],
)
def test_what_is_taken_back(
    first: CaseProof, heading: str, passes: Callable[[frozenset[str]], bool], without: set[str] | None, tmp_path: Path
) -> None:
    bench = Bench(tmp_path, heading, passes)
    found = bench.taken_back(first)
    assert bench.without == (without or frozenset())
    if without is None:
        assert (found, bench.booked) == (first, [])
    else:
        assert found.results[0].exit_code == 0
        ((note,),) = (result.findings for result in bench.booked)
        assert note.code == "S406" and ", ".join(sorted(without)) in note.message


def test_nothing_is_taken_back_for_an_answer_that_does_not_come_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, HEADING + "alone, intact", lambda without: True)
    assert bench.taken_back(proof(1)) == proof(0)
    assert (bench.without, bench.booked) == (frozenset(), [])
