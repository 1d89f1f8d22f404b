"""The tests as Terminal-Bench lays them out in the container: run-tests.sh and what tests/ holds, in one folder."""

from __future__ import annotations

import re
from typing import Final

from skill.sources.base import SourceFile
from skill.sources.files import Entries, Part, read_bytes, read_part, single_file

SCRIPT: Final = "run-tests.sh"
ENTRY: Final = "test.sh"  # what a source task calls the script that is started
SHARED: Final = re.compile(rb"(?:\$\{?TEST_DIR\}?|/tests)/((?:setup|run)-[\w-]*(?:pytest|uv|pip)[\w-]*\.sh)")


def read_tests(root: str, entries: Entries) -> Part:
    """The flattened folder; a file of tests/ called run-tests.sh wins over the task's own, as in the framework."""
    part = read_part(root, entries, "tests")
    own, single = single_file(root, entries, SCRIPT)
    part.refusals += single.refusals
    inner = part.find(SCRIPT)
    others = [file for file in part.files if file is not inner]
    script = inner or own
    if inner and own:
        part.note("S611", f"tests/{SCRIPT}")
    if script is None:
        if not single.refusals:
            part.refuse("no-verifier", f"there is no {SCRIPT}")
        return part
    if any(file.path == ENTRY for file in others):
        part.refuse("reserved-name", f"tests/{ENTRY} has the name of the converted verifier", allowable=False)
    origin = f"tests/{SCRIPT}" if inner else SCRIPT
    entry = SourceFile(ENTRY, script.host, script.size, script.mode, script.link, origin=origin)
    _look_for_shared(part, script, {file.path for file in others})
    part.files = sorted([*others, entry], key=lambda file: file.path)
    return part


def _look_for_shared(part: Part, script: SourceFile, held: set[str]) -> None:
    """Refuse scripts that the first generation of the framework brought along itself."""
    text = read_bytes(script, part) or b""
    if missing := sorted({name.decode() for name in SHARED.findall(text)} - held):
        said = (
            f"{SCRIPT} starts {', '.join(missing)}, which the framework once brought along and the task does not hold"
        )
        part.refuse("missing-test-script", said)
