"""The door to the Messages API: one request, one streamed reply, one try; foreign errors become ours.

What the client library lets through as a reply although it is none (a stream that ends early and cleanly) is an
error here, and so is what it lets through as a foreign exception (a stream that is cut).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent.errors import ModelDenied, ModelUnreachable
from agent.messages import Reply, Request
from agent.model_errors import CHARACTERS_PER_TOKEN, one_line, translated, used
from agent.usage import NOTHING, Usage

if TYPE_CHECKING:
    import anthropic
    from anthropic.lib.streaming import MessageStream

BYTE_TIMEOUT: Final = 300.0  # seconds without a byte; the API pings well within that
CONNECT_TIMEOUT: Final = 15.0


class AnthropicModel:
    """A model behind an Anthropic client, or any client with the same ``messages.stream``."""

    def __init__(self, client: anthropic.Anthropic, name: str, effort: str = "") -> None:
        self._client = client
        self._name = name
        self._effort = effort

    @property
    def name(self) -> str:
        """The model's id."""
        return self._name

    def reply(self, request: Request) -> Reply:
        """The reply, read to its end; raises ModelError or SpendLimit with the usage of what was thrown away."""
        opened: list[MessageStream[Any]] = []
        with translated(opened), self._client.messages.stream(**self._arguments(request)) as stream:
            opened.append(stream)
            stream.until_done()
            return _reply(stream, request)

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._name,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "tools": request.tools,
            "messages": request.messages,
        }
        return arguments | ({"output_config": {"effort": self._effort}} if self._effort else {})


def _reply(stream: MessageStream[Any], request: Request) -> Reply:
    request_id = stream.request_id or ""
    if used(stream) is NOTHING:
        raise ModelUnreachable("the model's reply was empty", request_id=request_id)
    message = stream.get_final_message()
    if message.stop_reason is None:
        raise ModelUnreachable("the model's reply broke off", usage=used(stream), request_id=request_id)
    content = tuple(block.to_dict(mode="json") for block in message.content)
    usage = used(stream)
    return Reply(
        content,
        str(message.stop_reason),
        _estimated(usage, request, content) if usage.is_partial else usage,
        request_id,
        _refusal(message),
    )


def _refusal(message: Any) -> str:
    """The category and explanation of a refusal on one line; empty when there is none."""
    details = getattr(message, "stop_details", None)
    told = (getattr(details, name, None) for name in ("category", "explanation"))
    return one_line(": ".join(str(part) for part in told if part))


def _estimated(usage: Usage, request: Request, content: object) -> Usage:
    """``usage`` with what the endpoint did not tell filled in by length."""
    prompt = len(json.dumps([request.system, request.tools, request.messages])) // CHARACTERS_PER_TOKEN
    output = len(json.dumps(content)) // CHARACTERS_PER_TOKEN
    return replace(usage, fresh=usage.fresh if usage.prompt else prompt, output=usage.output or output)


def open_client(provider: str, environ: Mapping[str, str]) -> anthropic.Anthropic:
    """A client that tries once; waiting and trying again is ours. Raises ModelDenied when it cannot be made."""
    import anthropic
    import httpx2

    clients: dict[str, Any] = {
        "anthropic": anthropic.Anthropic,
        "bedrock": anthropic.AnthropicBedrock,
        "vertex": anthropic.AnthropicVertex,
    }
    options: dict[str, Any] = {"max_retries": 0, "timeout": httpx2.Timeout(BYTE_TIMEOUT, connect=CONNECT_TIMEOUT)}
    key = environ.get("ANTHROPIC_API_KEY", "")
    if provider == "anthropic" and key and environ.get("ANTHROPIC_BASE_URL"):
        options["default_headers"] = {"x-api-key": key}  # gateways of before October 2026 read only this one
    try:
        client: anthropic.Anthropic = clients[provider](**options)
    except (ImportError, ValueError, anthropic.AnthropicError) as error:
        raise ModelDenied(f"--provider {provider}: {one_line(error)}") from error
    return client
