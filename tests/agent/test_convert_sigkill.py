"""A conversion with sessions, killed for real at each record: the next one ends the same and pays no reply twice."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.journal import Journal
from tests.support.harbor import snapshot
from tests.support.odd import WRAPPED, Act, Acting, convert, ends, proves, put_odd, writes
from tests.support.scripted import calls

ACTS: list[Act] = [
    lambda case: [calls("r", "read", path="source/tests/test.sh")],
    writes(WRAPPED),
    writes("  # once\n  candidate", old="  candidate"),
    proves(),
    ends(),
]
REPLIES = 2 * len(ACTS)
RECORDS = 39


def dataset(root: Path) -> None:
    """Two cases of one shape, one of another."""
    for at, shape in enumerate((0, 0, 1)):
        put_odd(root / "set", f"lamp-{at:02}", shape, 20 + at)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Any, Any]:
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
