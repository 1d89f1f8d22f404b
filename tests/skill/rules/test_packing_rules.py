"""What Margin packs: near misses first, then the hit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skill import packing
from skill.packing import packed_path, read_folder, tar_size
from tests.support.suites import (
    CASE,
    CASE_TOML,
    TEST_SH,
    Edit,
    chmod,
    fifo,
    findings,
    folder,
    lines,
    link,
    move,
    put,
    remove,
    sparse,
    swap,
    write_suite,
)

PINNED = swap(CASE_TOML, "[metadata]", f'image = "repo@sha256:{"a" * 64}"\n[metadata]')
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
MIB = 1 << 20

CASES: list[tuple[str, list[Edit], list[int]]] = [
    ("SC301", [PINNED, link(f"{CASE}/env/more", "Dockerfile")], []),
    ("SC301", [link(f"{CASE}/env/more", "Dockerfile")], [0]),
    ("SC301", [link(f"{CASE}/tests/data", "nowhere")], [0]),
    ("SC301", [move(f"{CASE}/tests", f"{CASE}/t"), link(f"{CASE}/tests", "t")], [0]),
    ("SC301", [link(f"{CASE}/oracle/data", "solve.sh")], [0]),
    ("SC302", [put(f"{CASE}/tests/pipe", "")], []),
    ("SC302", [fifo(f"{CASE}/tests/pipe")], [0]),
    ("SC303", [put(f"{CASE}/tests/a b", "")], []),
    ("SC303", [put(f"{CASE}/tests/ ", "")], [0]),
    ("SC303", [put(f"{CASE}/tests/..\\x", "")], [0]),
    ("SC304", [put(f"{CASE}/tests/a\\b", ""), put(f"{CASE}/tests/a/c", "")], []),
    ("SC304", [put(f"{CASE}/tests/a\\b", ""), put(f"{CASE}/tests/a/b", "")], [0]),
    ("SC304", [put(f"{CASE}/tests/b", ""), put(f"{CASE}/tests/b ", "")], [0]),
    ("SC305", [sparse(f"{CASE}/tests/zeros", 500 * MIB)], []),
    ("SC305", [sparse(f"{CASE}/tests/zeros", 513 * MIB)], [0]),
    ("SC308", [remove(f"{CASE}/tests/grade.py"), swap(TEST_SH, "grade", "g")], []),
    ("SC308", [folder(f"{CASE}/tests/sub"), remove(TEST_SH), remove(f"{CASE}/tests/grade.py")], [0]),
    ("SC308", [folder(f"{CASE}/env")], [0]),
    ("SC310", [put(f"{CASE}/tests/full/.keep", "")], []),
    ("SC310", [folder(f"{CASE}/tests/empty/inner")], [0]),
    ("SC311", [chmod(f"{CASE}/tests/grade.py", 0o640)], []),
    ("SC311", [chmod(f"{CASE}/tests/grade.py", 0o4755)], [0]),
    ("SC312", [put(f"{CASE}/env/secret", "", 0o600)], []),
    ("SC312", [chmod(f"{CASE}/tests/grade.py", 0o600)], [0]),
    ("SC313", [put(f"{CASE}/tests/.github/x", "")], []),
    ("SC313", [put(f"{CASE}/tests/__pycache__/x.pyc", "")], [0]),
    ("SC314", [put(f"{CASE}/tests/data.bin", POINTER.replace("git-lfs", "my-site"))], []),
    ("SC314", [put(f"{CASE}/tests/data.bin", POINTER)], [1]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "edits", "expected"), CASES)
def test_rule_fires_where_it_should(tmp_path: Path, code: str, edits: list[Edit], expected: list[int]) -> None:
    assert lines(write_suite(tmp_path, *edits), code) == expected


SIZES = [(4, []), (7, ["SC307"]), (10, ["SC307"]), (20, ["SC306"])]


@pytest.mark.parametrize(("kib", "expected"), SIZES)
def test_packed_size_is_judged_by_compressing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kib: int, expected: list[str]
) -> None:
    for module in ("skill.rules.packing", "skill.packing"):
        monkeypatch.setattr(f"{module}.MAX_PACKED_BYTES", 10 << 10)
        monkeypatch.setattr(f"{module}.MARGIN_OF_ERROR", 4 << 10)
    monkeypatch.setattr(packing, "BLOCK", 1)
    root = write_suite(tmp_path, put(f"{CASE}/tests/noise", os.urandom(kib << 10)))
    assert [finding.code for finding in findings(root) if finding.code in ("SC306", "SC307")] == expected


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file_is_told(tmp_path: Path) -> None:
    assert lines(write_suite(tmp_path, chmod(f"{CASE}/tests/grade.py", 0o000)), "SC309") == [0]


PATHS = [
    ("a/./b", "a/b"),
    (" a", "a"),
    ("a\\b", "a/b"),
    ("a/../b", "b"),
    ("..", None),
    ("", None),
    ("\\x", None),
    ("\x1cx", "\x1cx"),
]


@pytest.mark.parametrize(("path", "packed"), PATHS)
def test_paths_are_cleaned_as_go_does(path: str, packed: str | None) -> None:
    assert packed_path(path) == packed


def test_the_tar_is_never_larger_than_its_bound(tmp_path: Path) -> None:
    import io
    import tarfile

    for name, size in (("a", 0), ("b" * 120, 513), ("sub/\u00e4" + "c" * 90, 1)):
        put(name, b"x" * size)(tmp_path)
    with tarfile.open(fileobj=io.BytesIO(), mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry in read_folder(tmp_path).files:
            tar.add(tmp_path / entry.path, entry.path)
        assert tar.offset <= tar_size(read_folder(tmp_path))
