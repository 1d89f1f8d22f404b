"""The six tools and the one way to call them: validate, gate, call, translate errors, cap, clean.

Only a ToolError is told to the model; anything else that is raised is a failure of this machine or of ours
and ends the session, to be resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from skill.finding import Finding
from skill.manifest import Manifest
from tools import ask, chmod, draft, margin_run, read, write
from tools.errors import ToolError
from tools.plain import plain
from tools.schema import check
from tools.spec import Tool
from tools.virtual import Roots
from tools.workbench import Drafter, Gate, Own, Prover, Sealer, Workbench

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool for tool in (ask.TOOL, chmod.TOOL, draft.TOOL, margin_run.TOOL, read.TOOL, write.TOOL)
}


@dataclass(frozen=True)
class Answer:
    """What the model is told about one call."""

    text: str
    is_error: bool = False


class Toolbox:
    """What one session may do: the tools over its own roots and cases.

    ``gate(root, case)`` says all that is wrong with the case in a suite's root (the real one, or a shadow of it
    with a change that has not landed). ``seal`` tells what of tests/ a program changes along with a file that is
    written, such as a list of hashes. ``source_root`` is the folder, or the only file of it, that the model sees as
    ``source/``. With ``own`` the cases come into being in the session, and ``case_names`` tells which there are;
    ``shelf`` is the folder whose ``recipes`` may be read.
    """

    def __init__(
        self,
        manifest: Manifest,
        source_root: Path,
        suite_root: Path,
        case_names: tuple[str, ...] | Callable[[], tuple[str, ...]],
        gate: Gate,
        answers: Mapping[str, str] | None = None,
        *,
        draft: Drafter | None = None,
        prover: Prover | None = None,
        seal: Sealer | None = None,
        own: Own | None = None,
        shelf: Path | None = None,
        clean: Callable[[str], str] = lambda text: text,
    ) -> None:
        self.manifest = manifest
        self._clean = clean

        def bench() -> Workbench:
            names = case_names() if callable(case_names) else case_names
            folder = own.folder if own else ""
            roots = Roots(source_root, suite_root, manifest.root, manifest.files, names, own=folder, shelf=shelf)
            return Workbench(
                roots, suite_root, names, gate, answers or {}, draft=draft, prover=prover, seal=seal, own=own
            )

        self._bench = bench  # as it is now: a draft may have made other cases

    def errors(self) -> list[Finding]:
        """All that keeps the session's cases from being converted, as they stand."""
        bench = self._bench()
        if bench.own is not None and (wrong := list(bench.own.errors())):
            return wrong
        return [finding for case in bench.cases for finding in bench.errors(case)]

    def target(self, name: str, arguments: object) -> str:
        """The state of what a call would change; empty for a call that changes nothing or is wrong."""
        try:
            tool = self._tool(name)
            return tool.target(self._bench(), check(tool.schema, arguments))
        except ToolError:
            return ""

    def dispatch(self, name: str, arguments: object, *, resumed_from: str | None = None) -> Answer:
        """The answer to one call, whatever the model made of it.

        ``resumed_from`` is what `target` said before a call that was cut off: a change that has landed is not
        made twice. Raises AnswerMissing for an open question, and whatever is not the model's doing.
        """
        try:
            tool = self._tool(name)
            bench = replace(self._bench(), resumed_from=resumed_from or None)
            result = tool.run(bench, check(tool.schema, arguments))
        except ToolError as error:
            return Answer(self._clean(f"{error.code}: {error.sentence}"), is_error=True)
        return Answer(self._clean(result.rendered()), result.is_error)

    def _tool(self, name: str) -> Tool:
        if name not in TOOLS:
            known = ", ".join(sorted(TOOLS))
            raise ToolError("unknown_tool", f"there is no tool {plain(name)[:40]!r}; there are {known}")
        return TOOLS[name]


def definitions() -> list[dict[str, Any]]:
    """The tools as the Messages API takes them, in an order that never changes."""
    return [
        {"name": t.name, "description": t.description, "input_schema": dict(t.schema)} for _, t in sorted(TOOLS.items())
    ]
