"""A case as it would be after a change, made of hard links beside the suite, to be judged before anything lands."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skill.contract import CASES_DIR, SUITE_FILE
from skill.toml import TomlTable, dump


@dataclass(frozen=True)
class Change:
    """The bytes and mode that a file would have."""

    data: bytes
    mode: int


@contextlib.contextmanager
def shadow(suite_root: Path, case: str, changes: Mapping[str, Change]) -> Iterator[Path]:
    """The root of a suite that holds nothing but ``case`` with ``changes``; it is gone after the block.

    ``changes`` are keyed by path below the case folder. No file of the suite is touched; while the block runs
    they have a second name.
    """
    root = suite_root.with_name(f"{suite_root.name}.gate") / case
    shutil.rmtree(root, ignore_errors=True)
    try:
        place = root / CASES_DIR / case
        place.mkdir(parents=True)
        head: TomlTable = {"kind": "test_suite", "name": "session", "description": "one case", "cases": [case]}
        (root / SUITE_FILE).write_text(dump(head))
        _link(suite_root / CASES_DIR / case, place, changes.keys())
        for path, change in changes.items():
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(change.data)
            file.chmod(change.mode)
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)
        with contextlib.suppress(OSError):
            root.parent.rmdir()


def _link(origin: Path, target: Path, left_out: Collection[str]) -> None:
    """Give everything below ``origin`` a second name below ``target``, links as links."""
    for folder, folders, files in os.walk(origin):
        below = Path(folder).relative_to(origin)
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in folders:
            if name not in links:
                (target / below / name).mkdir()
        for name in (*files, *links):
            if (below / name).as_posix() not in left_out:
                os.link(Path(folder) / name, target / below / name, follow_symlinks=False)
