"""How much of a task Margin will have to pack, told before anything is copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from skill.contract import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES
from skill.dockerfile_ignore import IGNORE_FILE, ignored
from skill.sources.base import SourceFile
from skill.sources.files import Part, read_bytes

SHOWN: Final = 3


def weigh(part: Part) -> None:
    """Say when a folder is, or may be, larger than Margin packs, with its largest files.

    What ``.dockerignore`` excludes never gets into an image, yet Margin packs it: where that alone makes the
    folder too large, it is left out.
    """
    if _size(part.files) > MAX_UNPACKED_BYTES and part.name == "environment":
        _leave_out(part)
    total = _size(part.files)
    if total > MAX_UNPACKED_BYTES:
        said = f"holds {total} bytes; Margin packs at most {MAX_UNPACKED_BYTES}; the largest: {_largest(part)}"
        part.cannot("too-large", "", said)
    elif total > MAX_PACKED_BYTES:
        part.note("S308", f"{part.name}/", f"{total} bytes; the largest: {_largest(part)}")


def _leave_out(part: Part) -> None:
    file = part.find(IGNORE_FILE)
    text = read_bytes(file, part) if file else None
    out = ignored(text or b"", (file.path for file in part.files))
    kept = [file for file in part.files if file.path not in out]
    if out and _size(kept) <= MAX_UNPACKED_BYTES:
        part.note("S309", f"{part.name}/", ", ".join(sorted(out)[:SHOWN]))
        part.files = kept


def _size(files: Iterable[SourceFile]) -> int:
    return sum(file.size for file in files)


def _largest(part: Part) -> str:
    """The names and sizes of the largest files."""
    files = sorted(part.files, key=lambda file: (-file.size, file.path))[:SHOWN]
    return ", ".join(f"{part.place(file.path)} ({file.size})" for file in files)
