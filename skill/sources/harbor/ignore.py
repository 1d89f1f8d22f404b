"""``.harborignore``: which files of tests/ and solution/ Harbor leaves out of uploads (gitignore syntax)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from skill.sources.files import Entries, Part, read_bytes, single_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".harborignore"


def apply_ignore(task: str, entries: Entries, *parts: Part) -> None:
    """Drop from ``parts`` what the task's ignore files exclude; a nested file adds to those above it."""
    nested = any(file.path.endswith(IGNORE_FILE) for part in parts for file in part.files)
    if IGNORE_FILE not in entries and not nested:
        return
    top, remarks = single_file(task, entries, IGNORE_FILE)
    for part in parts:
        part.refusals += remarks.refusals
        texts = {"": read_bytes(top, part)} if top else {}
        for file in part.files:
            folder, _, name = file.path.rpartition("/")
            if name == IGNORE_FILE:
                texts[f"{part.name}/{folder}".rstrip("/")] = read_bytes(file, part)
        _filter(part, {folder: _compile(part, text or b"") for folder, text in sorted(texts.items())})


def _compile(part: Part, text: bytes) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(text.decode("utf-8", "replace").splitlines())
    except ValueError as error:
        part.refuse("bad-ignore", f"{IGNORE_FILE} holds a pattern that cannot be read: {error}")
        return GitIgnoreSpec([])


def _filter(part: Part, specs: dict[str, GitIgnoreSpec]) -> None:
    left_out = {file.path for file in part.files if _excluded(f"{part.name}/{file.path}", specs)}
    if left_out:
        part.files = [file for file in part.files if file.path not in left_out]
        part.note("S304", f"{part.name}/", ", ".join(sorted(left_out)[:5]))


def _excluded(path: str, specs: dict[str, GitIgnoreSpec]) -> bool:
    """The verdict of the deepest ignore file that has one."""
    verdict = False
    for folder, spec in specs.items():
        below = path.removeprefix(f"{folder}/") if folder else path
        if folder and below == path:
            continue
        stated = spec.check_file(below).include
        verdict = verdict if stated is None else stated
    return verdict
