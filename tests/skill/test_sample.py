"""A look at a source of no known form: bounded, stable, through no link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skill.sources.sample import ALIKE, IN_FOLDER, LISTED, listing, pieces


def put(root: Path, *paths: str, text: str = "words\n") -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_one_file_is_listed_alone(tmp_path: Path) -> None:
    put(tmp_path, "rows.csv", "neighbour.csv")
    assert listing(tmp_path / "rows.csv") == ["rows.csv  6 bytes"]
    assert [piece.path for piece in pieces(tmp_path / "rows.csv")] == ["rows.csv"]


def test_folders_are_told_with_their_first_entries(tmp_path: Path) -> None:
    put(tmp_path, "README.md", *(f"tasks/t{at:03}/task.txt" for at in range(40)))
    lines = listing(tmp_path)
    assert lines[:3] == ["README.md  6 bytes", "tasks/", "tasks/ has 40 entries"]
    assert f"and {40 - IN_FOLDER} more beside them" in lines
    assert "tasks/t000/task.txt  6 bytes" in lines
    assert lines[-1] == "files by suffix: .txt 40, .md 1"


def test_a_listing_has_an_end(tmp_path: Path) -> None:
    put(tmp_path, *(f"{a}/{b}/{c}/{d}.x" for a in range(5) for b in range(5) for c in range(5) for d in range(5)))
    assert LISTED <= len(listing(tmp_path)) <= LISTED + 2


def test_few_of_what_is_alike_are_shown_and_the_readme_first(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "b.txt", "c.txt", "README.md", *(f"tasks/{at}/task.toml" for at in range(6)))
    shown = [piece.path for piece in pieces(tmp_path)]
    assert shown[0] == "README.md"
    assert [path for path in shown if path.endswith(".txt")] == ["a.txt", "b.txt"]
    assert len([path for path in shown if path.endswith(".toml")]) == ALIKE


def test_the_first_records_of_a_table_are_whole_lines(tmp_path: Path) -> None:
    put(tmp_path, "rows.jsonl", text="".join(f'{{"id": {at}}}\n' for at in range(100)))
    (piece,) = pieces(tmp_path)
    assert piece.text.splitlines() == [f'{{"id": {at}}}' for at in range(4)]


def test_what_is_no_text_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "image.bin").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    (tmp_path / "latin.txt").write_bytes("Möwe".encode("latin-1"))
    assert [piece.path for piece in pieces(tmp_path)] == ["latin.txt"]


def test_links_and_pipes_are_told_and_not_opened(tmp_path: Path) -> None:
    put(tmp_path, "outside/secret.txt", "set/a.txt")
    (tmp_path / "set/link").symlink_to(tmp_path / "outside")
    (tmp_path / "set/file-link.txt").symlink_to(tmp_path / "outside/secret.txt")
    os.mkfifo(tmp_path / "set/pipe.txt")
    assert "link  (symbolic link)" in listing(tmp_path / "set")
    assert [piece.path for piece in pieces(tmp_path / "set")] == ["a.txt"]


def test_hidden_folders_are_named_and_not_opened(tmp_path: Path) -> None:
    put(tmp_path, ".git/config", "rows.txt")
    assert ".git/" in listing(tmp_path)
    assert [piece.path for piece in pieces(tmp_path)] == ["rows.txt"]


def test_the_first_rows_of_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"id": list(range(50)), "when": ["noon"] * 50})
    parquet.write_table(table, tmp_path / "rows.parquet")
    (piece,) = pieces(tmp_path)
    assert piece.text.splitlines()[0] == '{"id": 0, "when": "noon"}'
    assert len(piece.text.splitlines()) == 3
