"""A look at a source of no known form: which files it has, and how the first of each kind begin.

What is told is bounded and in a stable order, whatever the source holds; links are told, not followed.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from skill.recipe.errors import BadRecord
from skill.recipe.tables import first_of_parquet

LISTED: Final = 90  # lines of a listing
IN_FOLDER: Final = 12  # entries named of one folder
OPENED: Final = 3  # folders that are looked into, of those in one folder
VISITED: Final = 50_000  # entries that are counted
KINDS: Final = 12  # suffixes told
LINES: Final = 3  # of a file that holds a record a line
LINE: Final = 3_000  # characters of one of them
TEXT: Final = 3_000  # characters of any other file
FILES: Final = 16
ALIKE: Final = 2  # files of the same suffix in one folder, and of the same name in all
BY_LINE: Final = frozenset({".jsonl", ".ndjson", ".csv", ".tsv"})


@dataclass(frozen=True)
class Piece:
    """How one file begins."""

    path: str  # below the source
    size: int
    text: str


def listing(root: Path) -> list[str]:
    """The first entries of the first folders, and how many files of each kind there are."""
    if root.is_file():
        return [_row(root.parent, root)]
    lines = [line for line, _ in _shown(root)]
    if len(lines) > LISTED:
        lines = [*lines[:LISTED], "and more"]
    return [*lines, *_kinds(root)]


def pieces(root: Path) -> Iterator[Piece]:
    """How the files of the listing begin, as far as they are texts; few of those that are alike."""
    alike: Counter[tuple[str, str]] = Counter()
    told = 0
    files = [root] if root.is_file() else [path for _, path in _shown(root) if path and path.is_file()]
    for path in sorted(files, key=lambda path: not path.name.lower().startswith("readme")):
        keys = ((path.parent.as_posix(), path.suffix), ("", path.name))
        if told >= FILES or path.is_symlink() or any(alike[key] >= ALIKE for key in keys):
            continue
        if text := _begin(path):
            alike.update(keys)
            told += 1
            yield Piece(_below(root, path), path.stat().st_size, text)


def _shown(root: Path) -> Iterator[tuple[str, Path | None]]:
    """The lines of a listing, breadth first, each with the file or folder that it names."""
    pending, lines = deque([root]), 0
    while pending and lines <= LISTED:
        folder = pending.popleft()
        try:
            entries = sorted(folder.iterdir(), key=lambda path: path.name)
        except OSError as error:
            yield f"{_below(root, folder)}/ cannot be listed: {error.strerror}", None
            continue
        if folder != root:
            yield f"{_below(root, folder)}/ has {len(entries):,} entries", None
        for path in entries[:IN_FOLDER]:
            lines += 1
            yield _row(root, path), path
        if len(entries) > IN_FOLDER:
            yield f"and {len(entries) - IN_FOLDER:,} more beside them", None
        folders = (path for path in entries if path.is_dir() and not path.is_symlink())
        pending += [path for path in folders if not path.name.startswith(".")][:OPENED]


def _row(root: Path, path: Path) -> str:
    name = _below(root, path)
    if path.is_symlink():
        return f"{name}  (symbolic link)"
    return f"{name}/" if path.is_dir() else f"{name}  {path.lstat().st_size:,} bytes"


def _kinds(root: Path) -> Iterator[str]:
    """How many files there are of each suffix."""
    counts: Counter[str] = Counter()
    visited = 0
    for _, folders, files in os.walk(root):
        counts.update(Path(name).suffix.lower() or "no suffix" for name in files)
        visited += len(folders) + len(files)
        if visited > VISITED:
            yield f"more than {VISITED:,} files and folders, among the first of them:"
            break
    rows = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:KINDS]
    yield "files by suffix: " + ", ".join(f"{name} {number:,}" for name, number in rows)


def _begin(path: Path) -> str:
    """The first lines or characters of a text; empty for what is none."""
    if path.suffix == ".parquet":
        try:
            return first_of_parquet(path, LINES)[: LINES * LINE]
        except (BadRecord, OSError):
            return ""
    by_line = path.suffix in BY_LINE
    try:
        with path.open("rb") as stream:
            parts = [stream.readline(LINE * 4) for _ in range(LINES + 1)] if by_line else [stream.read(TEXT * 4)]
    except OSError:
        return ""
    if b"\0" in b"".join(parts):
        return ""
    return "\n".join(_cut(part.decode("utf-8", "replace").rstrip("\n"), LINE if by_line else TEXT) for part in parts)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}[... more ...]"


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path != root else path.name
