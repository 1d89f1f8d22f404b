"""A conversion with sessions, killed for real at each record: the next one ends the same and pays no reply twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from agent import odd_sessions
from agent.journal import Journal
from agent.odd_desk import Desk
from skill.case import Case
from skill.evidence import CaseProof, StateResult, verdict_of
from skill.skeleton import body_of
from tests.support.harbor import snapshot
from tests.support.odd import WRAPPED, Act, Acting, convert, ends, proves, put_odd, writes
from tests.support.scripted import calls
from tools.workbench import Proved

ONCE = "  # once\n  candidate"
ACTS: list[Act] = [
    lambda case: [
        calls("r", "read", path="source/tests/test.sh"),
        calls("s", "read", path=f"suite/cases/{case}/tests", search="candidate"),
    ],
    writes("pass done"),  # the gates refuse it
    writes(WRAPPED),
    proves(),  # the proof speaks against it
    ends(),  # and is told
    writes(ONCE, old="  candidate"),
    lambda case: [
        calls("c", "chmod", path=f"suite/cases/{case}/tests/test.sh", executable=True),
        calls("m", "margin_run", cases=[case]),
    ],
    ends(),
]
REPLIES = 2 * len(ACTS)
RECORDS = 65


class Strict:
    """Containers in which a verifier holds once it says so."""

    def hindrance(self, desk: Desk) -> str:
        return ""

    def proved(self, desk: Desk, root: Path) -> Proved:
        body = body_of(Case(root, desk.case.name, 0).script or b"") or b""
        null = 1 if ONCE.encode() in body else 2
        results = (StateResult("oracle", 0, 0, "pass", 1.0), StateResult("null", 1, null, verdict_of(null), 1.0))
        return Proved(CaseProof(desk.case.name, "fake", results))


@pytest.fixture(autouse=True, scope="module")
def strict() -> Iterator[None]:
    """Sessions are proved, by nobody who takes long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odd_sessions, "open_prover", lambda options, run, runner: Strict())
        yield


def dataset(root: Path) -> None:
    """Two cases of one shape, one of another."""
    for at, shape in enumerate((0, 0, 1)):
        put_odd(root / "set", f"lamp-{at:02}", shape, 20 + at)


@pytest.fixture(scope="module")
def whole(strict: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Any, Any]:
    """The undisturbed conversion: how many records it makes, what it publishes, what it tells of its sessions."""
    root = tmp_path_factory.mktemp("whole")
    dataset(root)
    made: list[Mapping[str, Any]] = []
    append = Journal.append
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "append", lambda self, record: made.append(record) or append(self, record))
        convert(root, Acting(ACTS))
    return len(made), snapshot(root / "out"), sessions(root)


def sessions(root: Path) -> Any:
    return json.loads((root / "out.run/report.json").read_bytes())["sessions"]


def killed(root: Path, last: int, *, torn: bool) -> None:
    """Convert in a child that gets SIGKILL at its record number ``last``: half way through it, or right after."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        return
    append, count = Journal.append, 0

    def dying(self: Journal, record: Mapping[str, Any]) -> int:
        nonlocal count
        offset = 0
        count += 1
        if count == last and torn:
            os.write(self._fd, json.dumps(record).encode()[:30])
        else:
            offset = append(self, record)
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return offset

    Journal.append = dying  # type: ignore[method-assign, assignment]
    try:
        convert(root, Acting(ACTS))
    finally:
        os._exit(1)


def test_the_sessions_were_told_of_proofs_and_repaired(whole: Any) -> None:
    assert [(row["turns"], row["repairs"], row["ended"]) for row in whole[2]] == [(len(ACTS), 1, "proposed")] * 2


def test_as_many_records_are_tried_as_there_are(whole: Any) -> None:
    assert whole[0] == RECORDS


@pytest.mark.parametrize("torn", [False, True], ids=["after", "within"])
@pytest.mark.parametrize("last", range(1, RECORDS + 1))
def test_killed_at_a_record(last: int, torn: bool, whole: Any, tmp_path: Path) -> None:
    dataset(tmp_path)
    killed(tmp_path, last, torn=torn)
    kept = sum(path.read_bytes().count(b'"event":"reply"') for path in tmp_path.glob("out.run/sessions/*.jsonl"))
    model = Acting(ACTS)
    if last < RECORDS or torn:  # after the last record it was over
        convert(tmp_path, model)
    assert snapshot(tmp_path / "out") == whole[1]
    assert sessions(tmp_path) == whole[2]
    assert len(model.requests) == REPLIES - kept
