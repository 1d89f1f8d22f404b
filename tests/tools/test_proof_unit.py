"""What a unit makes of the answers of a runner, told by a runner that answers by a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest

from agent.weight import PARTLY, PROVED, UNPROVED, ran, weight, why
from skill.case import Case
from skill.evidence import CaseProof, StateResult, Unproved, proof_from_dict
from skill.rules import check_evidence
from skill.work import Changed, Form, Work
from tests.support.cases import script, write_case
from tools.depth import Depth
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.proof_unit import ProofEvent
from tools.runners.base import EXECUTOR_ERROR, State, StateRun

WORK = Work((Changed("/app/a.txt", Form.FILE, b"one 1\n"),))
DEEP = Depth(deep=True, limit=3)
PYTHON = {"tests/check.py": "import work\nassert work.done()\n"}


@dataclass
class Table:
    """A runner and its prepared case: exit statuses by state, the first that fits the turn."""

    codes: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    traced: Mapping[str, int] = field(default_factory=dict)
    broken: dict[str, int] = field(default_factory=dict)  # how often the engine breaks a state off
    seen: Work | str = WORK
    asked: list[str] = field(default_factory=list)
    name = "table"
    version = "1"

    def prepare(self, case: Case, states: Sequence[State], more: bool = False) -> Table:
        return self

    def announce(self, cases: Sequence[Case], states: Sequence[State]) -> None: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def expect(self, states: Sequence[State]) -> None: ...

    def run(self, state: State) -> StateRun:
        self.asked.append(state.name)
        if self.broken.get(state.name, 0):
            self.broken[state.name] -= 1
            return StateRun(None, EXECUTOR_ERROR, "No such image", broken=True)
        codes = self.codes.get(state.name, (state.expected,))
        code = codes[state.turn % len(codes)]
        return StateRun(code, EXECUTOR_ERROR if code is None else "", "gone" if code is None else "said")

    def trace(self, state: State) -> StateRun:
        self.asked.append(f"trace {state.name}")
        code = self.traced.get(state.name, self.run(state).exit_code)
        return StateRun(code, detail="again", place="tests/test.sh:9: exit 0")

    def work(self) -> Work | str:
        self.asked.append("work")
        return self.seen


def proof_by(table: Table, root: Path, depth: Depth, cache: ProofCache | None = None) -> CaseProof:
    write_case(root / "suite", "one", test=script("grep 1 tests/data"), files={"tests/data": "1"})
    (proof,) = prove(root / "suite", runner=table, states=depth.states, follow=depth.follow, cache=cache)
    return proof


def result(proof: CaseProof, state: str) -> StateResult:
    return next(one for one in proof.results if one.state == state)


def reasons(proof: CaseProof) -> dict[str, str]:
    return {entry.state: entry.reason for entry in proof.unproved}


def test_what_is_as_it_has_to_be_is_asked_once(tmp_path: Path) -> None:
    table = Table()
    assert proof_by(table, tmp_path, DEEP).holds
    assert len(table.asked) == len(set(table.asked))
    assert not [name for name in table.asked if name.startswith("trace")]


def test_plain_states_are_repeated_and_kept_apart(tmp_path: Path) -> None:
    table, cache = Table({"oracle": (0, 0, 1), "null": (1,)}), ProofCache(tmp_path / "kept")
    proof = proof_by(table, tmp_path, Depth(repeat=3), cache)
    assert [one.exit_code for one in proof.results if one.state == "oracle"] == [0, 0, 1]
    assert [one.exit_code for one in proof.results if one.state == "null"] == [1, 1, 1]
    table.asked.clear()
    proof_by(table, tmp_path, Depth(repeat=3), cache)
    assert "null" not in table.asked


def test_an_answer_against_the_case_is_asked_again_from_the_image(tmp_path: Path) -> None:
    proof = proof_by(Table({"mutant:removed /app/a.txt": (2,)}), tmp_path, DEEP)
    assert result(proof, "mutant:removed /app/a.txt").place == "tests/test.sh:9: exit 0"
    assert not proof.holds


def test_what_only_the_kept_container_shows_is_not_held_against_the_case(tmp_path: Path) -> None:
    state = "mutant:removed /app/a.txt"
    proof = proof_by(Table({state: (2,)}, traced={state: 1}), tmp_path, DEEP)
    assert proof.holds
    assert result(proof, state).detail == "again; from the kept container it ended with 2"


def test_harmless_files_that_cost_the_right_work_its_pass_only_once_are_no_evidence(tmp_path: Path) -> None:
    twin, once = "inert:every-plant", Table({"inert:every-plant": [1]}, traced={"inert:every-plant": 0})
    assert result(proof_by(once, tmp_path, Depth(forge=True)), twin).holds


def test_harmless_files_that_cost_the_right_work_its_pass_twice_are_looked_at_each_time(tmp_path: Path) -> None:
    twin, cache = "inert:every-plant", ProofCache(tmp_path / "kept")
    always = Table({twin: [1]})
    for _ in range(2):
        assert result(proof_by(always, tmp_path, Depth(forge=True), cache), twin).is_paid_for
    assert always.asked.count(f"trace {twin}") == 2


def test_a_plain_state_stays_as_it_was_first_seen(tmp_path: Path) -> None:
    proof = proof_by(Table({"null": (0,)}, traced={"null": 1}), tmp_path, DEEP)
    assert result(proof, "null").exit_code == 0


def test_a_survivor_is_kept_and_a_forgery_leads_to_its_line(tmp_path: Path) -> None:
    table, cache = Table({"mutant:removed /app/a.txt": (0,), "forgery:reward": (0,)}), ProofCache(tmp_path / "kept")
    proof = proof_by(table, tmp_path, DEEP, cache)
    assert proof.holds
    assert result(proof, "forgery:reward").place
    table.asked.clear()
    assert proof_by(table, tmp_path, DEEP, cache) == proof
    assert table.asked == []


def test_an_engine_that_goes_away_is_no_evidence_and_is_asked_again(tmp_path: Path) -> None:
    state = "mutant:removed /app/a.txt"
    table, cache = Table({state: (None,), "forgery:reward": (None,)}), ProofCache(tmp_path / "kept")
    proof = proof_by(table, tmp_path, DEEP, cache)
    assert proof.holds
    assert reasons(proof)[state] == "could not run: gone"
    table.asked.clear()
    proof_by(table, tmp_path, DEEP, cache)
    assert table.asked == ["forgery:reward", state]


@pytest.mark.parametrize("state", ["oracle", "null", "sabotage:asset-removed", "mutant:removed /app/a.txt"])
def test_what_the_engine_broke_off_once_is_run_again_and_nothing_is_missing(tmp_path: Path, state: str) -> None:
    table = Table(broken={state: 1})
    proof = proof_by(table, tmp_path, DEEP)
    assert table.asked.count(state) == 2
    assert result(proof, state).holds
    assert weight(proof) == PROVED


@pytest.mark.parametrize("state", ["oracle", "null", "sabotage:asset-removed", "mutant:removed /app/a.txt"])
def test_what_the_engine_breaks_off_twice_is_no_evidence_and_the_case_is_not_proved(tmp_path: Path, state: str) -> None:
    table, cache = Table(broken={state: 2}), ProofCache(tmp_path / "kept")
    proof = proof_by(table, tmp_path, DEEP, cache)
    assert table.asked.count(state) == 2
    assert proof.gaps[0] == Unproved(state, "could not run: No such image", could_not_run=True)
    assert weight(proof) == PARTLY
    assert "1 could not run" in ran(proof) or state == "oracle"  # without it there are no mutants either
    assert why(proof).startswith(f"{state}: could not run: No such image")
    assert [found.code for found in check_evidence(proof)] == ["SC906"]
    assert weight(proof_by(table, tmp_path, DEEP, cache)) == PROVED  # nothing of it was kept


def test_a_state_that_does_not_apply_is_no_gap(tmp_path: Path) -> None:
    proof = proof_by(Table(), tmp_path, DEEP)
    assert proof.unproved
    assert not proof.gaps
    assert weight(proof) == PROVED


def test_an_engine_that_is_gone_leaves_a_case_unproved_and_not_contrary(tmp_path: Path) -> None:
    table = Table(broken={"oracle": 9, "null": 9})
    proof = proof_by(table, tmp_path, DEEP)
    assert (proof.results, proof.unproved_reason) == ((), "could not run: No such image")
    assert weight(proof) == UNPROVED
    assert set(table.asked) == {"oracle", "null"}
    assert proof_from_dict(proof.to_dict()) == proof


def test_no_mutants_of_a_wrong_candidate(tmp_path: Path) -> None:
    table = Table({"oracle": (1,)})
    assert reasons(proof_by(table, tmp_path, DEEP))["mutant:any"] == "the known good candidate does not pass"
    assert "work" not in table.asked


def test_no_forgeries_where_doing_nothing_passes(tmp_path: Path) -> None:
    assert reasons(proof_by(Table({"null": (0,)}), tmp_path, DEEP))["forgery:reward"] == (
        "the untouched workspace is not judged 1"
    )


def test_unknown_work_says_why(tmp_path: Path) -> None:
    assert reasons(proof_by(Table(seen="no engine"), tmp_path, DEEP))["mutant:any"] == "could not run: no engine"


def test_states_of_one_case_run_side_by_side_give_the_same_proof(tmp_path: Path) -> None:
    write_case(tmp_path, "one")
    one, four = (
        list(prove(tmp_path, runner=Table(), jobs=jobs, states=DEEP.states, follow=DEEP.follow)) for jobs in (1, 4)
    )
    assert one == four


def test_events_come_in_pairs(tmp_path: Path) -> None:
    write_case(tmp_path, "one")
    events: list[ProofEvent] = []
    list(prove(tmp_path, runner=Table(), jobs=4, states=DEEP.states, follow=DEEP.follow, on_event=events.append))
    begun = [event.state for event in events if event.answer is None]
    assert sorted(begun) == sorted(event.state for event in events if event.answer is not None)


def test_the_states_of_a_proof_can_be_run_by_somebody_else(tmp_path: Path) -> None:
    cache, made = ProofCache(tmp_path / "kept"), write_case(tmp_path / "suite", "one")
    proof = proof_by(Table(), tmp_path, DEEP, cache)
    names = [state.name for state in DEEP.proved(made, proof, cache, "1")]
    assert names == [one.state for one in proof.results]


def test_so_can_those_that_were_looked_at_one_by_one(tmp_path: Path) -> None:
    made = write_case(tmp_path / "suite", "one", test=script("python3 tests/check.py"), files=PYTHON)
    bundles = [state for state in Depth(forge=True).states(made) if isinstance(state, State) and state.closer]
    table, cache = Table({bundles[0].name: [0]}), ProofCache(tmp_path / "kept")
    (proof,) = prove(tmp_path / "suite", runner=table, states=Depth(forge=True).states, cache=cache)
    asked = {state.name for state in Depth(forge=True).proved(made, proof, cache, "1")}
    assert asked == {one.state for one in proof.results} >= {state.name for state in bundles[0].closer}
