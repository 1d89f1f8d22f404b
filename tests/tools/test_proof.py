"""Proofs in real containers: what each state tells, what is kept, what is left."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skill.evidence import CaseProof, StateResult
from tests.support.cases import SOLVED, script, write_case
from tools.proof import prove
from tools.proof_cache import ProofCache
from tools.proof_unit import ProofEvent
from tools.runners import open_runner
from tools.runners.base import Runner, Setup
from tools.runners.docker_box import DockerBox, Executed

pytestmark = pytest.mark.docker

CHECKED = script("[ -s /tests/want.txt ] || exit 2", "grep -q want /tests/want.txt || exit 2", SOLVED)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    opened = open_runner("docker", Setup("proofs"))
    yield opened
    opened.close()


def answers(proof: CaseProof) -> dict[str, int | str | None]:
    """Exit statuses of the results, and the reasons of what tells nothing."""
    codes: dict[str, int | str | None] = {result.state: result.exit_code for result in proof.results}
    return codes | {entry.state: entry.reason for entry in proof.unproved}


def prove_one(tmp_path: Path, runner: Runner, **options: object) -> CaseProof:
    (proof,) = prove(tmp_path, ["one"], runner=runner, **options)  # type: ignore[arg-type]
    return proof


def test_a_sound_case_holds(tmp_path: Path, runner: Runner) -> None:
    write_case(tmp_path, "one", test=CHECKED, files={"tests/want.txt": "want\n"})
    proof = prove_one(tmp_path, runner)
    assert proof.holds
    assert answers(proof) == {
        "oracle": 0,
        "null": 1,
        "sabotage:asset-removed": 2,
        "sabotage:asset-garbled": 2,
        "sabotage:runner-missing": 2,
        "sabotage:library-removed": "the verifier has no tests/.verdict/lib.sh",
        "sabotage:network-cut": "the verifier uses no network",
    }


@pytest.mark.parametrize(
    ("test", "state", "code"),
    [
        (script("exit 0"), "null", 0),  # passes whatever was done
        (script("exit 1"), "oracle", 1),  # fails whatever was done
        (script("cat /tests/want.txt || exit 1", SOLVED), "sabotage:asset-removed", 1),  # blames the candidate
        (script("cat /tests/want.txt", SOLVED), "sabotage:asset-removed", 0),  # does not look
        (script("grep -q want /tests/want.txt", SOLVED), "sabotage:runner-missing", 0),
        (script("exit 5"), "oracle", 5),
    ],
)
def test_an_unsound_verifier_is_found(tmp_path: Path, runner: Runner, test: str, state: str, code: int) -> None:
    write_case(tmp_path, "one", test=test, files={"tests/want.txt": "want\n"})
    proof = prove_one(tmp_path, runner)
    assert not proof.holds
    assert answers(proof)[state] == code


def test_without_an_oracle_the_rest_is_still_proved(tmp_path: Path, runner: Runner) -> None:
    write_case(tmp_path, "one", solve=None, test=CHECKED, files={"tests/want.txt": "want\n"})
    proof = prove_one(tmp_path, runner)
    assert answers(proof)["oracle"] == "the case has no oracle/solve.sh"
    assert (answers(proof)["null"], answers(proof)["sabotage:asset-removed"]) == (1, 2)


def test_nothing_is_sabotaged_under_a_wrong_candidate(tmp_path: Path, runner: Runner) -> None:
    write_case(tmp_path, "one", solve=script("exit 0"), test=CHECKED, files={"tests/want.txt": "want\n"})
    proof = prove_one(tmp_path, runner)
    assert answers(proof)["oracle"] == 1
    assert answers(proof)["sabotage:asset-removed"] == "the known good candidate does not pass"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"dockerfile": "FROM scratch\nRUN x\n"}, "env/ does not build"),
        ({"timeout": 0}, "case.toml lacks test_timeout_seconds"),
        ({"files": {"case.toml": "= broken"}}, "case.toml is missing or cannot be read"),
    ],
)
def test_what_cannot_be_run_is_unproved(tmp_path: Path, runner: Runner, change: dict[str, object], reason: str) -> None:
    write_case(tmp_path, "one", **change)  # type: ignore[arg-type]
    proof = prove_one(tmp_path, runner)
    assert proof.results == ()
    assert reason in proof.unproved_reason


def test_a_name_that_is_not_there_is_unproved(tmp_path: Path, runner: Runner) -> None:
    write_case(tmp_path, "one")
    proofs = list(prove(tmp_path, ["other"], runner=runner))
    assert [(proof.case, proof.unproved_reason) for proof in proofs] == [("other", "the suite has no such case")]


def test_a_second_proof_starts_nothing(tmp_path: Path, runner: Runner) -> None:
    write_case(tmp_path / "suite", "one", test=CHECKED, files={"tests/want.txt": "want\n"})
    write_case(tmp_path / "suite", "two", test=script("exit 0"))
    cache, events = ProofCache(tmp_path / "kept"), list[ProofEvent]()
    first = list(prove(tmp_path / "suite", runner=runner, cache=cache))
    second = list(prove(tmp_path / "suite", runner=runner, cache=cache, on_event=events.append))
    assert second[0] == first[0]
    assert [event.state for event in events if event.case == "one" and not event.kept] == []
    assert [event.state for event in events if event.answer is None] == ["null"]  # what did not hold is asked again


def test_a_changed_case_is_run_again(tmp_path: Path, runner: Runner) -> None:
    made = write_case(tmp_path / "suite", "one")
    cache, events = ProofCache(tmp_path / "kept"), list[ProofEvent]()
    list(prove(tmp_path / "suite", runner=runner, cache=cache))
    (made.root / "prompt.md").write_text("Another prompt.\n")
    list(prove(tmp_path / "suite", runner=runner, cache=cache, on_event=events.append))
    assert all(event.kept for event in events)
    (made.root / "oracle" / "solve.sh").chmod(0o700)
    list(prove(tmp_path / "suite", runner=runner, cache=cache, on_event=events.append))
    assert {event.state for event in events if not event.kept} == {"oracle", "null"}


def test_torn_answers_are_no_answers(tmp_path: Path) -> None:
    cache = ProofCache(tmp_path)
    result = StateResult("oracle", 0, 0, "pass", 1.0)
    cache.put("a" * 64, result)
    assert cache.get("a" * 64) == result
    (path,) = tmp_path.glob("*/*.json")
    for torn in ("", "{", "[]", json.dumps({"results": [{}]}), path.read_text()[:-5]):
        path.write_text(torn)
        assert cache.get("a" * 64) is None


@pytest.mark.parametrize(
    ("solve", "runs"),
    [
        ("echo x >>/app/done", 1),  # later states start from the solved container
        ("echo x >>/app/done; sleep 300 & exit 0", 4),  # its process cannot be kept, so it is solved each time
        ("echo x >>/app/done; echo y >/dev/shm/z", 4),
        ("echo x >>/app/done; echo 127.0.0.1 far >>/etc/hosts", 4),
    ],
    ids=["files only", "leaves a process", "shared memory", "engine's own files"],
)
def test_the_oracle_runs_once_where_that_is_safe(
    tmp_path: Path, runner: Runner, monkeypatch: pytest.MonkeyPatch, solve: str, runs: int
) -> None:
    solved: list[str] = []
    started = DockerBox.script

    def counted(box: DockerBox, path: str, **options: Any) -> Executed:
        solved.extend([path] if path == "oracle/solve.sh" else [])
        return started(box, path, **options)

    monkeypatch.setattr(DockerBox, "script", counted)
    write_case(tmp_path, "one", solve=script(solve), test=CHECKED, files={"tests/want.txt": "want\n"})
    assert prove_one(tmp_path, runner).holds
    assert len(solved) == runs


def test_a_stop_between_states(tmp_path: Path, runner: Runner) -> None:
    """The state under way is finished and kept; a case of which a state is missing has no proof."""
    for name in ("a", "b", "c"):
        write_case(tmp_path / "suite", name)
    stop, seen, cache = threading.Event(), list[ProofEvent](), ProofCache(tmp_path / "kept")

    def stop_in_b(event: ProofEvent) -> None:
        seen.append(event)
        if event.case == "b":
            stop.set()

    proofs = prove(tmp_path / "suite", runner=runner, cache=cache, on_event=stop_in_b, stopped=stop.is_set)
    assert [proof.case for proof in proofs] == ["a"]
    assert [(event.case, event.state) for event in seen[-2:]] == [("b", "oracle"), ("b", "oracle")]
