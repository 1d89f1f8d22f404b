"""``read``: lines of one file, a folder's listing, or a search below a path."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from tools.errors import ToolError
from tools.fence import CAP
from tools.plain import plain
from tools.spec import Arguments, Tool, ToolResult, arguments_schema, natural, text
from tools.virtual import Entry, Place, Reader, Roots, place, told
from tools.workbench import Workbench

MAX_FILE: Final = 8 << 20  # bytes of a text that are looked at
MAX_LINE: Final = 2_000  # characters shown of one line
LINES: Final = 400  # shown unless told
MAX_ENTRIES: Final = 400  # of a listing
MAX_HITS: Final = 100  # of a search
MAX_VISITED: Final = 5_000  # files and folders that a search looks at
MAX_SEARCHED: Final = 64 << 20  # bytes that a search looks at


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """What stands at the path; nothing is changed."""
    where = place(arguments["path"])
    with bench.roots.open(where) as reader, told(where):
        mode = reader.status(where.parts).st_mode
        if stat.S_ISLNK(mode):
            target = plain(reader.link_target(where.parts))
            raise ToolError("is_link", f"{where} is a symbolic link to {target!r}, and links are not followed")
        if "search" in arguments:
            return _search(bench.roots, reader, where, stat.S_ISDIR(mode), arguments["search"])
        if stat.S_ISDIR(mode):
            return _listing(bench.roots, reader, where)
        return _lines(reader, where, arguments.get("offset", 1), arguments.get("limit", LINES))


def _lines(reader: Reader, where: Place, offset: int, limit: int) -> ToolResult:
    data = reader.read(where.parts, MAX_FILE + 1)
    size = f"{len(data):,} bytes" if len(data) <= MAX_FILE else f"more than {MAX_FILE:,} bytes"
    if b"\0" in data:
        return ToolResult(f"{where}: no text, {size}, sha256 {hashlib.sha256(data).hexdigest()}")
    lines = _decoded(data[:MAX_FILE]).split("\n")
    if lines[-1] == "":
        lines.pop()
    if offset > max(1, len(lines)):
        raise ToolError("past_the_end", f"{where} has {len(lines)} lines")
    shown = list(_fitting(_short(line) for line in lines[offset - 1 : offset - 1 + limit]))
    last = offset - 1 + len(shown)
    more = f"; more from offset {last + 1}" if last < len(lines) else ""
    head = f"{where}: lines {offset if shown else 0} to {last} of {len(lines)}, {size}{more}"
    return ToolResult("", "\n".join(shown), head)


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    """As many whole lines as one result has room for: what is left out then has a line to go on from."""
    room = CAP
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line


def _decoded(data: bytes) -> str:
    """Text as it is; bytes that are no UTF-8, and a carriage return at a line's end, are shown as escapes."""
    return data.decode("utf-8", "backslashreplace").replace("\r\n", "\\r\n")


def _short(line: str) -> str:
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}[... {len(line) - MAX_LINE} characters left out ...]"


def _listing(roots: Roots, reader: Reader, where: Place) -> ToolResult:
    rows = []
    for entry in reader.entries(where.parts):
        if roots.sees(Place(where.root, (*where.parts, entry.name))):
            rows.append(_row(entry))
    left = f", the first {MAX_ENTRIES} of them" if len(rows) > MAX_ENTRIES else ""
    count = f"{len(rows)} entries" if len(rows) != 1 else "1 entry"
    return ToolResult("", "\n".join(rows[:MAX_ENTRIES]), f"{where}/: {count}{left}")


def _row(entry: Entry) -> str:
    name = plain(entry.name)
    if stat.S_ISDIR(entry.mode):
        return f"{name}/"
    if stat.S_ISLNK(entry.mode):
        return f"{name}  (symbolic link)"
    if not stat.S_ISREG(entry.mode):
        return f"{name}  (no regular file)"
    return f"{name}  {entry.size:,} bytes{', executable' if entry.mode & 0o111 else ''}"


def _search(roots: Roots, reader: Reader, where: Place, is_folder: bool, wanted: str) -> ToolResult:
    if not wanted or "\n" in wanted:
        raise ToolError("bad_arguments", "search must be a part of one line")
    files = _files(roots, reader, where) if is_folder else iter([where])
    hits: list[str] = []
    searched = 0
    for file in files:
        data = reader.read(file.parts, MAX_FILE)
        searched += len(data)
        if b"\0" in data:
            continue
        for number, line in enumerate(_decoded(data).split("\n"), start=1):
            if wanted in line:
                hits.append(f"{file}:{number}: {_short(line)[:300]}")
        if len(hits) > MAX_HITS or searched > MAX_SEARCHED:
            break
    left = f", the first {MAX_HITS} of them" if len(hits) > MAX_HITS else ""
    head = f"{where}: {min(len(hits), MAX_HITS + 1)} lines hold {plain(wanted)[:100]!r}{left}"
    return ToolResult("", "\n".join(hits[:MAX_HITS]), head)


def _files(roots: Roots, reader: Reader, where: Place) -> Iterator[Place]:
    """The regular files below ``where`` that the session may see, in a stable order, depth first."""
    pending, visited = [where], 0
    while pending and visited < MAX_VISITED:
        folder = pending.pop()
        below = []
        for entry in reader.entries(folder.parts):
            visited += 1
            child = Place(folder.root, (*folder.parts, entry.name))
            if not roots.sees(child):
                continue
            if stat.S_ISREG(entry.mode):
                yield child
            elif stat.S_ISDIR(entry.mode):
                below.append(child)
        pending += reversed(below)


TOOL: Final = Tool(
    "read",
    "Read lines of a text file, list a folder, or search for a piece of text in a file or in all files below a "
    "folder. Paths begin with source/ (the source task, read only), suite/ (the case that is being made) or "
    "skill/ (SKILL.md and its pages). Long files come in parts of whole lines: the first line says where to go on "
    "with offset.",
    arguments_schema(
        ("path",),
        path=text("such as source/tests/test.sh, suite/cases/NAME/tests, skill/references/gates.md"),
        offset=natural("first line to show, counted from 1", 10_000_000),
        limit=natural(f"most lines to show; {LINES} unless told", 2_000),
        search=text("text to look for, as it is, within one line", 200),
    ),
    run,
)
