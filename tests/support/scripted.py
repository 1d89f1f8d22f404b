"""A model that follows a script, and ways to say what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agent.messages import Block, Reply, Request
from agent.usage import Usage

USED = Usage(fresh=100, cache_write=1_000, cache_read=10_000, output=200)
Step = Reply | BaseException | Callable[[Request], Reply]


class Scripted:
    """Answers request after request as the script says, and keeps every request."""

    def __init__(self, steps: Iterable[Step], name: str = "claude-opus-5-5") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._steps = list(steps)

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        assert self._steps, "the script has no further reply"
        step = self._steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Reply) else step(request)

    @property
    def left(self) -> int:
        """How many replies were not asked for."""
        return len(self._steps)


class Remembering(Scripted):
    """A script that goes by how far the conversation is, as a model does: asked again, it says the same."""

    def __init__(self, steps: Sequence[Reply], name: str = "claude-opus-5-5") -> None:
        super().__init__((), name)
        self._script = list(steps)

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        return self._script[sum(message["role"] == "assistant" for message in request.messages)]


def reply(*blocks: Block, stop: str = "", usage: Usage = USED, detail: str = "") -> Reply:
    """A reply of these blocks; it stops as a real one would unless told."""
    wants_tool = any(block["type"] == "tool_use" for block in blocks)
    return Reply(tuple(blocks), stop or ("tool_use" if wants_tool else "end_turn"), usage, "req_1", detail)


def says(text: str) -> Block:
    """A text block."""
    return {"type": "text", "text": text}


def calls(id: str, name: str, **arguments: Any) -> Block:
    """A tool call; ``from_`` stands for the argument ``from``."""
    return {"type": "tool_use", "id": id, "name": name, "input": {key.rstrip("_"): arguments[key] for key in arguments}}
