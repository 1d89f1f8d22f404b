"""What goes to a model and what comes back, as the Messages API has it but owing nothing to a client library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agent.usage import NOTHING, Usage

Block = Mapping[str, Any]
Message = Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """One request; ``system`` and ``tools`` are the same in every request of a run."""

    system: Sequence[Block]
    tools: Sequence[Block]
    messages: Sequence[Message]
    max_tokens: int


@dataclass(frozen=True)
class Call:
    """A tool that the model asks for."""

    id: str
    name: str
    input: Any


@dataclass(frozen=True)
class Reply:
    """One whole reply; what of it may be acted on is for the loop."""

    content: tuple[Block, ...]
    stop_reason: str
    usage: Usage = NOTHING
    request_id: str = ""
    detail: str = ""  # a refusal's category and explanation

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every tool call in it, in order, one for each id; those of a reply that was cut are incomplete."""
        used = [block for block in self.content if block.get("type") == "tool_use"]
        found = {str(b.get("id")): Call(str(b.get("id")), str(b.get("name")), b.get("input")) for b in reversed(used)}
        return tuple(reversed(found.values()))

    @property
    def text(self) -> str:
        """What the model says in words."""
        return "\n".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")


class Model(Protocol):
    """Something that answers requests, one try each."""

    @property
    def name(self) -> str:
        """The model's id, which prices and limits are looked up by."""
        ...

    def reply(self, request: Request) -> Reply:
        """The model's reply; raises ModelError, with the usage of what is thrown away."""
        ...


def text_block(text: str) -> Block:
    """Words of a turn."""
    return {"type": "text", "text": text}


def result_block(call_id: str, text: str, is_error: bool) -> Block:
    """The result of one call."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return {**block, "is_error": True} if is_error else block
