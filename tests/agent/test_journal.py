"""The journal: what is in it survives a cut anywhere, and nothing else is taken for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import JournalError
from agent.journal import Journal

RECORDS = [{"event": "start"}, {"event": "task", "task": {"id": "a\udcff\n"}}, {"event": "done"}]


def written(path: Path) -> list[int]:
    journal = Journal(path)
    offsets = [journal.append(record) for record in RECORDS]
    journal.close()
    return offsets


def test_records_come_back_in_order_and_by_offset(tmp_path: Path) -> None:
    offsets = written(tmp_path / "j")
    journal = Journal(tmp_path / "j")
    assert list(journal.records()) == list(zip(offsets, RECORDS, strict=True))
    assert journal.record(offsets[1]) == RECORDS[1]
    journal.close()


def test_a_record_larger_than_a_block_comes_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.append({"a": 1})
    offset = journal.append({"text": "x" * 100_000})
    assert len(journal.record(offset)["text"]) == 100_000
    journal.close()


def test_every_cut_leaves_the_whole_records_before_it(tmp_path: Path) -> None:
    offsets = [*written(tmp_path / "whole"), (tmp_path / "whole").stat().st_size]
    data = (tmp_path / "whole").read_bytes()
    for cut in range(len(data) + 1):
        (tmp_path / "j").write_bytes(data[:cut])
        journal = Journal(tmp_path / "j")
        expected = sum(offset <= cut for offset in offsets[1:])
        assert [record for _, record in journal.records()] == RECORDS[:expected]
        assert journal.torn == cut - max(offset for offset in [0, *offsets] if offset <= cut)
        journal.append({"event": "after"})
        assert [record for _, record in journal.records()] == [*RECORDS[:expected], {"event": "after"}]
        journal.close()
        (tmp_path / "j").unlink()


@pytest.mark.parametrize("line", [b"not json\n", b"[1]\n", b"\xff\n", b"\n"])
def test_a_foreign_line_is_told_not_skipped(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b'{"event":"start"}\n' + line + b'{"event":"done"}\n')
    journal = Journal(tmp_path / "j")
    with pytest.raises(JournalError, match="byte 18"):
        list(journal.records())


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "j").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"):
        Journal(tmp_path / "j")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error_at_once() -> None:
    journal = Journal(Path("/dev/full"))
    with pytest.raises(OSError, match="No space left"):
        journal.append({"event": "start"})
