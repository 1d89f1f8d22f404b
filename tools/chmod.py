"""``chmod``: make one file below a case's tests/ executable, or not."""

from __future__ import annotations

import stat
from typing import Final

from tools.errors import ToolError
from tools.landing import land
from tools.policy import case_and_path, require_writable
from tools.shadow import Change
from tools.spec import Arguments, Tool, ToolResult, arguments_schema, text
from tools.virtual import place, told
from tools.workbench import Workbench

MAX_BYTES: Final = 64 << 20


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """Afterwards the file has mode 0755 or 0644, and the same bytes."""
    where = place(arguments["path"])
    if bench.own is not None:
        raise ToolError("not_available", "the program sets the modes of what it makes; a file that ends in .sh is run")
    case, path = case_and_path(where)
    require_writable(where, path)
    with bench.roots.open(where) as reader, told(where):
        if not stat.S_ISREG(reader.status(where.parts).st_mode):
            raise ToolError("not_a_file", f"{where} is no regular file")
        data = reader.read(where.parts, MAX_BYTES)
    return ToolResult(land(bench, where, case, path, Change(data, 0o755 if arguments["executable"] else 0o644)))


TOOL: Final = Tool(
    "chmod",
    "Make a file below suite/cases/NAME/tests/ executable, or not executable. Its bytes stay as they are.",
    arguments_schema(
        ("path", "executable"),
        path=text("such as suite/cases/NAME/tests/test.sh"),
        executable={"type": "boolean", "description": "true: mode 0755; false: mode 0644"},
    ),
    run,
)
