from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from tools.archive import Packed, digest, files_below, tar
from tools.errors import CaseUnreadable


def tree(root: Path) -> Path:
    (root / "deep" / "empty").mkdir(parents=True)
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o4755)
    (root / "deep" / "data").write_bytes(b"x" * 10)
    (root / "deep" / "data").chmod(0o640)
    return root


def test_files_have_margins_modes_and_owner(tmp_path: Path) -> None:
    with tarfile.open(fileobj=tar(files_below(tree(tmp_path)))) as archive:
        found = [(m.name, m.isdir(), oct(m.mode), m.uid, m.gid, m.size) for m in archive.getmembers()]
    assert found == [
        ("deep", True, "0o755", 0, 0, 0),
        ("deep/data", False, "0o640", 0, 0, 10),
        ("run.sh", False, "0o755", 0, 0, 10),
    ]


def test_mode_zero_becomes_readable(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "a").chmod(0)
    if not os.access(tmp_path / "a", os.R_OK):
        pytest.skip("only root can read such a file")
    assert [file.mode for file in files_below(tmp_path)] == [0o644]


def test_digest_knows_names_modes_and_bytes_but_no_times(tmp_path: Path) -> None:
    before = digest(files_below(tree(tmp_path)))
    os.utime(tmp_path / "run.sh", (1, 1))
    assert digest(files_below(tmp_path)) == before
    (tmp_path / "run.sh").chmod(0o644)
    changed = {before, digest(files_below(tmp_path))}
    (tmp_path / "run.sh").write_text("#!/bin/bash\n")
    changed.add(digest(files_below(tmp_path)))
    (tmp_path / "run.sh").rename(tmp_path / "go.sh")
    changed.add(digest(files_below(tmp_path)))
    assert len(changed) == 4


def test_digest_separates_name_from_content() -> None:
    assert digest([Packed("a", 0o644, b"b")]) != digest([Packed("ab", 0o644, b"")])


@pytest.mark.parametrize("kind", ["link", "fifo", "link-to-folder"])
def test_what_margin_refuses_is_unreadable(tmp_path: Path, kind: str) -> None:
    tree(tmp_path)
    if kind == "fifo":
        os.mkfifo(tmp_path / "odd")
    else:
        (tmp_path / "odd").symlink_to("run.sh" if kind == "link" else "deep")
    with pytest.raises(CaseUnreadable, match=r"/odd: is a link, special or unreadable"):
        files_below(tmp_path)
