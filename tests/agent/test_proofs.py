"""What a proof amounts to, and what it does to its case."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.cli import main
from agent.weight import CONTRARY, PARTLY, PROVED, UNPROVED, weight, why
from skill.evidence import CaseProof, StateResult, Unproved, expected_exit, verdict_of
from tests.support.harbor import make_dataset, make_task


def proof(**codes: int) -> CaseProof:
    """A proof with these exit statuses; ``s`` stands for a sabotage."""
    names = {"oracle": "oracle", "null": "null", "s": "sabotage:asset-removed"}
    results = tuple(
        StateResult(names[key], expected_exit(names[key]), code, verdict_of(code), 0.1) for key, code in codes.items()
    )
    return CaseProof("tern", "docker", results, "", (Unproved("sabotage:network-cut", "uses no network"),))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (None, UNPROVED),
        (CaseProof("tern", "docker", (), "the image does not build"), UNPROVED),
        (proof(oracle=2, null=2), UNPROVED),
        (proof(oracle=2, null=2, s=2), UNPROVED),
        (proof(null=1, s=2), PARTLY),
        (proof(oracle=0, null=1), PARTLY),
        (proof(oracle=0, null=1, s=2), PROVED),
        (proof(oracle=1, null=1, s=2), CONTRARY),
        (proof(oracle=0, null=0, s=2), CONTRARY),
        (proof(oracle=0, null=2, s=2), CONTRARY),
        (proof(oracle=0, null=1, s=1), CONTRARY),
        (proof(oracle=2, null=1, s=2), CONTRARY),
    ],
)
def test_what_a_proof_amounts_to(found: CaseProof | None, expected: str) -> None:
    assert weight(found) == expected


def test_why_names_what_is_wrong_before_what_is_missing() -> None:
    assert why(proof(oracle=0, null=0, s=2)) == "null ended with 0, not 1"
    assert why(proof(oracle=0, null=1)) == "sabotage:network-cut: uses no network"
    assert why(CaseProof("tern", "docker", (), "no image")) == "no image"


def test_without_an_engine_a_case_is_unproved_and_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    make_dataset(tmp_path / "set", ("tern",))
    words = ["convert", str(tmp_path / "set"), "-o", str(tmp_path / "out"), "--runner", "docker", "--quiet"]
    assert main([*words, "--require-proof"]) == 5
    assert not (tmp_path / "out").exists()
    assert main(words) == 0
    found = json.loads((tmp_path / "out.run/report.json").read_bytes())["proof"]
    assert (found["proved"], found["unproved"]) == (0, 1)
    assert found["reason"]


@pytest.mark.docker
def test_contrary_evidence_leaves_the_case_out_and_the_others_in(tmp_path: Path) -> None:
    make_dataset(tmp_path / "set", ("tern",))
    make_task(tmp_path / "set/liar", {"solution/solve.sh": "#!/bin/bash\necho no > /app/greeting.txt\n"})
    words = ["convert", str(tmp_path / "set"), "-o", str(tmp_path / "out"), "--runner", "docker"]
    assert main(words) == 1
    found = json.loads((tmp_path / "out.run/report.json").read_bytes())
    assert found["books"] == {"in": 2, "converted": 1, "refused": 0, "failed": 1}
    (left,) = found["left"]
    assert left["code"] == "contrary-evidence"
    assert "oracle ended with 1, not 0" in left["sample"]
    assert [path.name for path in (tmp_path / "out/cases").iterdir()] == ["tern"]
    assert main(["check", str(tmp_path / "out"), "--source", str(tmp_path / "set"), "--quiet"]) == 0
    assert main(["prove", str(tmp_path / "out"), "--runner", "docker", "--require-proof"]) == 0
