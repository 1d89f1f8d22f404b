"""``draft``: the mechanical conversion of a case, once more, by program."""

from __future__ import annotations

from typing import Final

from tools.errors import ToolError
from tools.landing import gate_lines
from tools.plain import plain
from tools.spec import Arguments, Tool, ToolResult, arguments_schema, text
from tools.workbench import Workbench


def run(bench: Workbench, arguments: Arguments) -> ToolResult:
    """Afterwards each named case is as it was drafted, whatever was written to it since.

    Where the session has a folder of its own, the cases are made anew from that.
    """
    if bench.own is not None:
        made = bench.own.draft()
        return ToolResult(made.text, made.data, "What the source has a say in" if made.data else "", made.is_error)
    if bench.draft is None:
        raise ToolError("not_available", "nothing can be drafted in this session")
    rows, gates = [], []
    for case in chosen_cases(bench, arguments):
        rows += [plain(line) for line in bench.draft(case)]
        gates.append(gate_lines(case, bench.findings(case)))
    return ToolResult("\n".join(gates), "\n".join(rows), "What was drafted, a line for each file")


def chosen_cases(bench: Workbench, arguments: Arguments) -> tuple[str, ...]:
    """The cases that a call names, all of the session's when it names none."""
    names = tuple(arguments.get("cases", ())) or bench.cases
    if not names:
        raise ToolError("not_found", "there is no case yet; draft makes them")
    if unknown := [name for name in names if name not in bench.cases]:
        known = ", ".join(bench.cases)
        raise ToolError("not_found", f"{plain(unknown[0])!r} is no case of this session; there is {known}")
    return tuple(dict.fromkeys(names))


CASES_ARGUMENT: Final = {
    "type": "array",
    "description": "names of cases; all of this session unless told",
    "items": text("name of a case", 255),
    "maxItems": 50,
}
TOOL: Final = Tool(
    "draft",
    "Do the mechanical part of the conversion again: case.toml, prompt, environment, copies of the source's tests. "
    "Whatever was written to these cases since is lost. The draft was already made when the session began.",
    arguments_schema((), cases=CASES_ARGUMENT),
    run,
)
