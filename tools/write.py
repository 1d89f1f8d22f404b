"""``write``: a whole file, an exact-match edit, or a byte copy of a source file; gated before it lands."""

from __future__ import annotations

import hashlib
import stat
from typing import Final

from skill.contract import CASE_FILE
from tools.errors import ToolError
from tools.landing import described, gate_lines, land, land_own
from tools.policy import (
    case_and_path,
    require_case_file,
    require_copy_or_code,
    require_no_twin,
    require_own,
    require_writable,
)
from tools.shadow import Change
from tools.spec import Arguments, Tool, ToolResult, arguments_schema, text
from tools.virtual import SOURCE, Place, is_shipped, place, told
from tools.workbench import Workbench

MAX_TEXT: Final = 200_000  # characters that a model may type
MAX_COPY: Final = 64 << 20
WAYS: Final = ("content", "old", "from")
USAGE: Final = "give exactly one of: content; old with new; from"


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """Afterwards the file is as asked for; raises ToolError with nothing changed when it may not be."""
    where = place(arguments["path"])
    how = _way(arguments)
    if bench.own is not None:
        return ToolResult(_into_own(bench, where, bench.own.folder, how, arguments))
    case, path = case_and_path(where)
    require_writable(where, path)
    require_copy_or_code(bench.roots, where, how)
    require_no_twin(bench.roots, where)
    before = _current(bench, where)
    if before is not None and _has_landed(bench, how, before):
        return ToolResult(f"{where}: {described(before)}\n{gate_lines(case, bench.findings(case))}")
    change = _change(bench, where, how, arguments, before)
    if path == CASE_FILE:
        require_case_file(before.data if before else b"", change.data)
    return ToolResult(land(bench, where, case, path, change))


def _into_own(bench: Workbench, where: Place, folder: str, how: str, arguments: Arguments) -> str:
    require_own(where, folder)
    require_no_twin(bench.roots, where, first=1)
    before = _current(bench, where)
    if before is not None and _has_landed(bench, how, before):
        return f"{where}: {described(before)}"
    return land_own(bench, where, _change(bench, where, how, arguments, before))


def _has_landed(bench: Workbench, how: str, now: Change) -> bool:
    """Whether an edit that was cut off changed the file before it was."""
    return how == "old" and bench.resumed_from not in (None, _digest(now))


def target(bench: Workbench, arguments: Arguments) -> str:
    """The state of the file that a call would change, to tell later whether it did."""
    return _digest(_current(bench, place(arguments["path"])))


def _way(arguments: Arguments) -> str:
    ways = [way for way in WAYS if way in arguments]
    if len(ways) != 1 or ("new" in arguments) != (ways == ["old"]):
        raise ToolError("bad_arguments", USAGE)
    return ways[0]


def _current(bench: Workbench, where: Place) -> Change | None:
    """The file as it stands; None when there is none."""
    try:
        return _read(bench, where)
    except ToolError as error:
        if error.code != "not_found":
            raise
        return None


def _read(bench: Workbench, where: Place) -> Change:
    with bench.roots.open(where) as reader, told(where):
        status = reader.status(where.parts)
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_COPY:
            raise ToolError("too_large", f"{where} is larger than {MAX_COPY >> 20} MiB")
        return Change(reader.read(where.parts, MAX_COPY), 0o755 if status.st_mode & 0o111 else 0o644)


def _digest(change: Change | None) -> str:
    return hashlib.sha256(change.data).hexdigest() if change else "absent"


def _change(bench: Workbench, where: Place, how: str, arguments: Arguments, before: Change | None) -> Change:
    if how == "from":
        origin = place(arguments["from"])
        if origin.root != SOURCE and not is_shipped(origin):
            raise ToolError("bad_arguments", f"{origin} is no file below source/; only those are copied")
        return _read(bench, origin)
    if how == "content":
        data = _encoded(arguments["content"])
        is_script = data.startswith(b"#!")
        return Change(data, before.mode if before else 0o755 if is_script else 0o644)
    if before is None:
        raise ToolError("not_found", f"{where} is not there; nothing can be replaced in it")
    return Change(_edited(where, before.data, arguments["old"], arguments["new"]), before.mode)


def _edited(where: Place, data: bytes, old: str, new: str) -> bytes:
    found = data.count(_encoded(old)) if old else 0
    if found != 1:
        raise ToolError(
            "no_unique_match", f"old occurs {found} times in {where}; it must occur exactly once, byte for byte"
        )
    return data.replace(_encoded(old), _encoded(new))


def _encoded(value: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ToolError("bad_arguments", "the text has half a character (a lone surrogate)") from None


TOOL: Final = Tool(
    "write",
    "Write one file of the case: its whole content; or an edit that replaces old, which must occur exactly once, "
    "by new; or a byte copy of a source file (from). Only below suite/cases/NAME/tests/, and agent_cwd, test_cwd "
    "and test_timeout_seconds in suite/cases/NAME/case.toml. Files that the source has are copied with from, never "
    "typed again; after that the smallest edit. The gates judge the file before it lands: one with a new error is "
    "not written, and the answer says why. A new file that begins with #! is executable.",
    arguments_schema(
        ("path",),
        **{
            "path": text("such as suite/cases/NAME/tests/test.sh"),
            "content": text("the whole file", MAX_TEXT),
            "old": text("the text to replace, byte for byte as it stands", MAX_TEXT),
            "new": text("what takes its place", MAX_TEXT),
            "from": text("the file to copy, such as source/tests/check.py"),
        },
    ),
    run,
    target,
)
