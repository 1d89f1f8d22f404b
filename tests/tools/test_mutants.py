"""Wrong candidates as states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from skill.evidence import Unproved, expected_exit
from skill.mutation import mutants_of
from skill.work import Changed, Form, Work
from tests.support.cases import SOLVED, script, write_case
from tools.archive import Packed
from tools.mutants import Lay, Leave, clock_of, mutants, plants
from tools.runners.base import Edit, State
from tools.sabotage_deep import SlowTool, deep_sabotages

GENERATED = script("begin 600 30 abc", "need python3", 'candidate "$TESTS/source-test.sh"', "judge_status")
WORK = Work((Changed("/app/a.py", Form.FILE, b"print(1)\n"), Changed("/app/b.txt", Form.FILE, b"1\n")))


def states(found: list[State | Unproved]) -> dict[str, State]:
    return {entry.name: entry for entry in found if isinstance(entry, State)}


def reasons(found: list[State | Unproved]) -> dict[str, str]:
    return {entry.state: entry.reason for entry in found if isinstance(entry, Unproved)}


def test_every_mutant_is_a_solved_container_with_one_wrong_file(tmp_path: Path) -> None:
    found = states(list(mutants(write_case(tmp_path, "one"), WORK, 1.0)))
    assert {"mutant:removed /app/a.py", "mutant:number /app/b.txt", "forgery:exit /app/a.py"} <= set(found)
    for name, state in found.items():
        assert state.solved
        assert state.expected == expected_exit(name) == 1
        assert isinstance(state.meddling, Leave)
        assert name.endswith(f" {state.meddling.path}")


def test_no_more_mutants_than_asked_for(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one")
    for limit in (0, 1, 5):
        found = list(mutants(made, WORK, 1.0, limit))
        assert len([name for name in states(found) if name.startswith("mutant:")]) == limit


def test_what_is_left_at_a_place_of_the_harness_is_told_and_not_broken(tmp_path: Path) -> None:
    found = list(mutants(write_case(tmp_path, "one"), Work(WORK.files, 0, ("/solution",)), 1.0))
    assert reasons(found)["mutant:any /solution"] == "a place of the harness, no work of the candidate"
    assert not [name for name in states(found) if "/solution" in name]


def test_what_blocks_runs_under_a_shortened_clock(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", test=GENERATED, timeout=600)
    found = states(list(mutants(made, WORK, 1.0)))
    blocking = {name for name, state in found.items() if state.edits}
    assert blocking == {"mutant:hangs /app/a.py", "mutant:fifo /app/a.py"}


@dataclass
class Shell:
    """A container in which every command ends with ``status``."""

    status: int
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def shell(self, script: str, *args: str) -> tuple[int, str]:
        self.ran.append((script, *args))
        return self.status, ""

    def put(self, files: Sequence[Packed], folder: str) -> None: ...

    def cut_network(self) -> None: ...


@pytest.mark.parametrize(
    ("kind", "made"), [("fifo", "mkfifo"), ("folder", "mkdir"), ("device", "mknod"), ("removed", "rm -rf")]
)
def test_what_the_container_cannot_make_is_not_offered(kind: str, made: str) -> None:
    (mutant,) = (one for one in mutants_of(WORK.files[1]) if one.kind == kind)
    leave = Leave(mutant.path, mutant.form, mutant.mode, mutant.owner, mutant.description, mutant.digest)
    able, unable = Shell(0), Shell(127)
    assert leave(able) == f"/app/b.txt: {mutant.description}"
    assert made in able.ran[0][0]
    assert leave(unable) == ""


def test_a_solution_that_changes_no_file_is_said_so(tmp_path: Path) -> None:
    found = list(mutants(write_case(tmp_path, "one"), Work(), 1.0))
    assert reasons(found) == {"mutant:any": "the reference solution changes no file that could be broken"}
    assert len(found) == 1


def test_a_state_is_known_by_what_it_leaves_not_by_how_it_is_held(tmp_path: Path) -> None:
    """The name of a kept answer holds a digest of the content and not the content."""
    made = write_case(tmp_path, "one")
    big = Work((Changed("/app/a.txt", Form.FILE, b"x 1\n" * 9999),))
    for state in states(list(mutants(made, big, 1.0))).values():
        assert len(repr(state)) < 600
    other = Work((Changed("/app/a.txt", Form.FILE, b"x 2\n" * 9999),))
    one, two = (states(list(mutants(made, work, 1.0)))["mutant:garbled /app/a.txt"] for work in (big, other))
    assert repr(one) != repr(two)
    assert one != two


@pytest.mark.parametrize(
    ("test", "timeout", "seconds", "wanted"),
    [
        (script(SOLVED), 20, 1.0, None),  # no clock of its own, a limit that can be waited for
        (GENERATED, 600, 1.0, b"begin 38 30 abc"),
        (GENERATED, 600, 5.0, b"begin 46 30 abc"),
        (GENERATED, 600, 500.0, None),  # it needs its whole clock
    ],
)
def test_a_hang_costs_a_shortened_clock(
    tmp_path: Path, test: str, timeout: int, seconds: float, wanted: bytes | None
) -> None:
    made = write_case(tmp_path, "one", test=test, timeout=timeout)
    state = states(list(mutants(made, WORK, seconds)))["mutant:hangs /app/a.py"]
    assert [edit.path for edit in state.edits] == (["test.sh"] if wanted else [])
    if wanted:
        assert wanted in (state.edits[0].data or b"")


def test_a_hang_that_would_take_for_ever_is_left_out(tmp_path: Path) -> None:
    made = write_case(tmp_path, "one", timeout=1800)
    assert "use up its 1800 s" in reasons(list(mutants(made, WORK, 1.0)))["mutant:hangs /app/a.py"]


def test_plants_need_no_solution(tmp_path: Path) -> None:
    found = list(plants(write_case(tmp_path, "one", solve=None, agent_cwd="/srv/job")))
    assert all(not state.solved and state.expected == 1 for state in found)
    paths = {path for state in found if isinstance(state.meddling, Lay) for path, _ in state.meddling.files}
    assert {"/srv/job/conftest.py", "/logs/verifier/reward.txt"} <= paths


def test_everything_a_generated_verifier_stands_on_is_taken_away_in_turn(tmp_path: Path) -> None:
    files = {f"tests/{name}": "x" for name in ("source-test.sh", "a.py", "b.py", "c.py", "d.json", "unused.md")}
    files["tests/.verdict/lib.sh"] = "need() { :; }\n"
    files["tests/.verdict/manifest.sha256"] = "\n".join(
        f"0 {name}" for name in ("source-test.sh", "a.py", "b.py", "c.py")
    )
    found = states(list(deep_sabotages(write_case(tmp_path, "one", test=GENERATED + "# d.json\n", files=files))))
    assert all(state.expected == 2 and state.solved for state in found.values())
    assert {name for name in found if "asset-removed" in name} == {
        "sabotage:asset-removed b.py",
        "sabotage:asset-removed c.py",
        "sabotage:asset-removed d.json",
        "sabotage:asset-removed source-test.sh",
        "sabotage:asset-removed .verdict/manifest.sha256",
    }
    assert "sabotage:asset-garbled .verdict/lib.sh" in found
    assert {name for name in found if "tool" in name} == {
        "sabotage:tool-missing sha256sum",
        "sabotage:tool-missing timeout",
        "sabotage:tool-missing mktemp",
        "sabotage:tool-missing python3",
        "sabotage:tool-slow python3",
    }
    assert found["sabotage:clock-out"].edits == (
        Edit("test.sh", (GENERATED + "# d.json\n").encode().replace(b"600", b"30")),
    )
    assert isinstance(found["sabotage:tool-slow python3"].meddling, SlowTool)


def test_a_hand_written_verifier_says_what_does_not_apply(tmp_path: Path) -> None:
    assert reasons(list(deep_sabotages(write_case(tmp_path, "one")))) == {
        "sabotage:logs-a-file": "the verifier writes nothing below /logs",
        "sabotage:logs-read-only": "the verifier writes nothing below /logs",
        "sabotage:clock-out": "the verifier has no clock of its own that is known",
    }


def test_the_clock_is_read_and_set(tmp_path: Path) -> None:
    clock = clock_of(write_case(tmp_path, "one", test=GENERATED))
    assert clock is not None
    assert (clock.limit, clock.reserve) == (600, 30)
    assert clock.set_to(45).data == GENERATED.encode().replace(b"begin 600", b"begin 45")
    assert clock_of(write_case(tmp_path, "two")) is None
