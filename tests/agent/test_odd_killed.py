"""A conversion with sessions, killed at any record of its journal or of a transcript, goes on to the same suite."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.journal import Journal
from tests.support.harbor import snapshot
from tests.support.odd import WRAPPED, Acting, convert, ends, put_odd, writes

SOUND = [writes(WRAPPED), ends()]


class Killed(BaseException):
    """Nothing in the program handles this."""


class Counting:
    """Lets a number of records through, the last one cut in the middle of its line where that is wanted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen = 0
        self.last: int | None = None
        append = Journal.append

        def counted(journal: Journal, record: Mapping[str, Any]) -> int:
            if self.last is not None and self.seen >= self.last:
                raise Killed
            self.seen += 1
            return append(journal, record)

        monkeypatch.setattr(Journal, "append", counted)


def dataset(root: Path) -> None:
    for at, shape in enumerate((0, 1, 0)):
        put_odd(root / "set", f"lamp-{at}", shape, 40 + at)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[str, str]], int]:
    """The suite of a run that nobody disturbed, and how many records it made."""
    root = tmp_path_factory.mktemp("whole")
    dataset(root)
    with pytest.MonkeyPatch.context() as patched:
        counting = Counting(patched)
        convert(root, Acting(SOUND))
        return snapshot(root / "out"), counting.seen


@pytest.mark.parametrize("share", [index / 12 for index in range(12)])
def test_a_kill_at_any_record_changes_neither_suite_nor_cost(
    share: float, whole: tuple[dict[str, tuple[str, str]], int], tmp_path: Path
) -> None:
    dataset(tmp_path)
    first, second = Acting(SOUND), Acting(SOUND)
    with pytest.MonkeyPatch.context() as patched:
        Counting(patched).last = int(share * whole[1])
        with pytest.raises(Killed):
            convert(tmp_path, first)
    convert(tmp_path, second)
    assert snapshot(tmp_path / "out") == whole[0]
    assert len(first.requests) + len(second.requests) - 4 in (0, 1)  # a reply that was not yet recorded is asked again
