"""What a tool is, and what its results are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tools.fence import CAP, capped, fenced
from tools.schema import Schema
from tools.workbench import Workbench

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What a tool found: words of ours, and separately words of others, which dispatch caps and fences."""

    text: str
    data: str = ""
    label: str = ""  # what ``data`` is, in words of ours
    is_error: bool = False

    def rendered(self) -> str:
        """The result as the model gets it; its length is bounded whatever the tool did."""
        own = capped(self.text, CAP)
        if not self.label:
            return own
        return f"{own}\n{fenced(capped(self.data), self.label)}".lstrip("\n")


@dataclass(frozen=True)
class Tool:
    """One thing that the model may ask for.

    Every tool here does the same when it is run twice as when it is run once; that is what lets a call which
    a crash cut off be run again.
    """

    name: str
    description: str
    schema: Schema
    run: Callable[[Workbench, Arguments], ToolResult]
    target: Callable[[Workbench, Arguments], str] = lambda bench, arguments: ""  # state of what a call will change


def arguments_schema(required: tuple[str, ...], **properties: Schema) -> Schema:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(description: str, most: int = 4096) -> Schema:
    """A string of at most ``most`` characters."""
    return {"type": "string", "description": description, "maxLength": most}


def natural(description: str, most: int) -> Schema:
    """An integer from 1 to ``most``."""
    return {"type": "integer", "description": description, "minimum": 1, "maximum": most}
