"""What a cassette's answers were, read through the real client, and a model that gives them again, come what may.

Where `cassettes.cassette` is strict about what is asked, this is not: the answers are put to the program as it is
today, and its gates and proofs say what becomes of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import yaml

from agent.messages import Reply, Request, text_block
from agent.model import AnthropicModel
from agent.usage import NOTHING

ANY: Final = Request((), (), [{"role": "user", "content": [text_block("?")]}], 1_000)
OVER: Final = "REFUSE: this is a recording, and it has no answer to this"
CASE: Final = re.compile(r"suite/cases/([\w.-]+)/tests")


def metadata(path: Path) -> Mapping[str, str]:
    """Where the answers are from (``origin``) and what they were given to (``answered``, ``fingerprint``)."""
    table: Mapping[str, str] = _loaded(path)["metadata"]
    return table


def replies(path: Path) -> list[Reply]:
    """Every whole answer of a cassette, in order."""
    import anthropic
    import httpx2

    bodies = [row["response"]["body"]["string"] for row in _loaded(path)["interactions"]]

    def answer(_: httpx2.Request) -> httpx2.Response:
        body = bodies.pop(0)
        data = body.encode() if isinstance(body, str) else body
        return httpx2.Response(200, content=data, headers={"content-type": "text/event-stream; charset=utf-8"})

    client = httpx2.Client(transport=httpx2.MockTransport(answer))
    model = AnthropicModel(anthropic.Anthropic(api_key="none", max_retries=0, http_client=client), "taped")
    return [model.reply(ANY) for _ in range(len(bodies))]


def _loaded(path: Path) -> Mapping[str, Any]:
    table: Mapping[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return table


class Taped:
    """Gives each session the recorded answers of its case, by how far the session has come."""

    def __init__(self, name: str, tapes: Mapping[str, Sequence[Reply]]) -> None:
        self.name = name
        self.requests: list[Request] = []
        self._tapes = tapes

    def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        found = CASE.search(request.messages[0]["content"][0]["text"])
        tape = self._tapes.get(found[1] if found else "", ())
        turn = sum(message["role"] == "assistant" for message in request.messages)
        answer = tape[turn] if turn < len(tape) else Reply((text_block(OVER),), "end_turn")
        return replace(answer, usage=NOTHING)  # nobody was asked


def taped(name: str, folder: Path, cases: Iterable[str]) -> Taped:
    """The model ``name`` that plays the cassettes of ``cases`` in ``folder``, as far as there are any."""
    paths = {case: folder / f"{case}.yaml" for case in cases}
    return Taped(name, {case: replies(path) for case, path in paths.items() if path.is_file()})
