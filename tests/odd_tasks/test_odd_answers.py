"""The gates let a right verifier of every odd shape through; proofs of them need an engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.odd_tasks.answers import ANSWERS, IN_OTHER_WAYS
from tests.odd_tasks.tasks import TASKS, put
from tests.support.images import why_no_docker
from tests.support.odd import Acting, convert, ends, writes

PASS_IF = "reward>=1"


def test_every_task_has_one() -> None:
    assert ANSWERS.keys() == TASKS.keys()


@pytest.mark.parametrize("name", TASKS)
def test_the_gates_accept_a_right_verifier(name: str, tmp_path: Path) -> None:
    put(tmp_path / "set", name)
    convert(tmp_path, Acting([writes(ANSWERS[name]), ends()]), pass_if=PASS_IF)
    report = json.loads((tmp_path / "out.run/report.json").read_bytes())
    assert report["books"]["converted"] == 1, report["sessions"]


@pytest.mark.parametrize(
    ("name", "body"), IN_OTHER_WAYS, ids=[f"{name}-{at}" for at, (name, _) in enumerate(IN_OTHER_WAYS)]
)
def test_the_gates_accept_it_in_another_style(name: str, body: str, tmp_path: Path) -> None:
    put(tmp_path / "set", name)
    convert(tmp_path, Acting([writes(body), ends()]), pass_if=PASS_IF)
    report = json.loads((tmp_path / "out.run/report.json").read_bytes())
    assert report["books"]["converted"] == 1, report["sessions"]


@pytest.mark.docker
@pytest.mark.skipif(bool(why_no_docker()), reason=why_no_docker())
@pytest.mark.parametrize("name", ["helper-reward", "exit-trap"])
def test_the_proof_accepts_it_too(name: str, tmp_path: Path) -> None:
    put(tmp_path / "set", name)
    model = Acting([writes(ANSWERS[name]), ends()])
    convert(tmp_path, model, proof="states", runner="docker", pass_if=PASS_IF)
    report = json.loads((tmp_path / "out.run/report.json").read_bytes())
    assert report["books"]["converted"] == 1, report["sessions"]
    assert len(model.requests) == 2
