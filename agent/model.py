"""The door to the Messages API: one request, one streamed reply, one try; foreign errors become ours.

What the client library lets through as a reply although it is none (a stream that ends early and cleanly) is an
error here, and so is what it lets through as a foreign exception (a stream that is cut).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent.errors import AgentError, ModelBusy, ModelDenied, ModelError, ModelRejected, ModelUnreachable, SpendLimit
from agent.messages import Reply, Request
from agent.usage import NOTHING, Usage, usage_of

if TYPE_CHECKING:
    import anthropic
    from anthropic.lib.streaming import MessageStream

CHARACTERS_PER_TOKEN: Final = 3  # for endpoints that leave figures out
BYTE_TIMEOUT: Final = 300.0  # seconds without a byte; the API pings well within that
CONNECT_TIMEOUT: Final = 15.0
OF_TYPE: Final[Mapping[str, type[ModelError]]] = {  # errors inside a stream that had begun well
    "overloaded_error": ModelBusy,
    "rate_limit_error": ModelBusy,
    "api_error": ModelBusy,
    "timeout_error": ModelBusy,
    "authentication_error": ModelDenied,
    "permission_error": ModelDenied,
    "billing_error": ModelDenied,
    "invalid_request_error": ModelRejected,
    "not_found_error": ModelRejected,
    "request_too_large": ModelRejected,
}


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
        with _translated(opened), self._client.messages.stream(**self._arguments(request)) as stream:
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
    if _used(stream) is NOTHING:
        raise ModelUnreachable("the model's reply was empty", request_id=request_id)
    message = stream.get_final_message()
    if message.stop_reason is None:
        raise ModelUnreachable("the model's reply broke off", usage=_used(stream), request_id=request_id)
    content = tuple(block.to_dict(mode="json") for block in message.content)
    usage = _used(stream)
    return Reply(
        content,
        str(message.stop_reason),
        _estimated(usage, request, content) if usage.is_partial else usage,
        request_id,
        _refusal(message.to_dict(mode="json").get("stop_details")),
    )


def _refusal(details: object) -> str:
    """The category and explanation of a refusal on one line; empty when there is none."""
    if not isinstance(details, dict):
        return ""
    return ": ".join(str(details[key]) for key in ("category", "explanation") if details.get(key))


def _used(*streams: MessageStream[Any]) -> Usage:
    """What a stream has used as far as it came; NOTHING, the very object, when it did not begin."""
    try:
        return usage_of(streams[0].current_message_snapshot.usage.to_dict(mode="json")) if streams else NOTHING
    except (AssertionError, AttributeError):
        return NOTHING


def _estimated(usage: Usage, request: Request, content: object) -> Usage:
    """``usage`` with what the endpoint did not tell filled in by length."""
    prompt = len(json.dumps([request.system, request.tools, request.messages])) // CHARACTERS_PER_TOKEN
    output = len(json.dumps(content)) // CHARACTERS_PER_TOKEN
    return replace(usage, fresh=usage.fresh if usage.prompt else prompt, output=usage.output or output)


@contextmanager
def _translated(opened: Sequence[MessageStream[Any]]) -> Iterator[None]:
    """Foreign errors as ours, with the usage of the stream that was opened."""
    import anthropic
    import httpx2

    try:
        yield
    except anthropic.APIError as error:
        raise _ours(error, _used(*opened)) from error
    except anthropic.AnthropicError as error:
        raise ModelDenied(f"model: {_line(error)}") from error
    except ImportError as error:  # a provider's own packages, which its client loads with the first request
        raise ModelDenied(f"model: {_line(error)} (install suite-converter[bedrock] or [vertex])") from error
    except httpx2.TransportError as error:
        raise ModelUnreachable(
            f"the connection to the model broke ({type(error).__name__})", usage=_used(*opened)
        ) from error
    except (ValueError, AttributeError) as error:  # a stream that is no JSON, or not of the expected form
        raise ModelUnreachable(f"the model's reply is garbled: {_line(error)}", usage=_used(*opened)) from error


@cache
def table() -> Mapping[type[Exception], type[ModelError]]:
    """Which of our errors each of the client's stands for; the nearest class counts."""
    import anthropic

    return {
        anthropic.APIError: ModelUnreachable,
        anthropic.APIConnectionError: ModelUnreachable,
        anthropic.APIResponseValidationError: ModelUnreachable,
        anthropic.APIStatusError: ModelRejected,
        anthropic.AuthenticationError: ModelDenied,
        anthropic.PaymentRequiredError: ModelDenied,
        anthropic.PermissionDeniedError: ModelDenied,
        anthropic.RateLimitError: ModelBusy,
        anthropic.InternalServerError: ModelBusy,
        anthropic._exceptions.RequestTimeoutError: ModelBusy,
        anthropic.ConflictError: ModelBusy,
    }


def _ours(error: anthropic.APIError, usage: Usage) -> AgentError:
    """``error`` as one of ours: by its stable code first, then by its type inside a stream, then by its class."""
    import anthropic

    if not isinstance(error, anthropic.APIStatusError):
        return _of_class(error)(f"model: {_line(error)}", usage=usage)
    said = f"model: {error.status_code} {error.type or type(error).__name__}: {_line(error.api_message or error)}"
    if "spend_limit" in (error.error_code or "") or error.type == "billing_error":
        return SpendLimit(said)
    kind = OF_TYPE.get(error.type or "") if error.status_code == 200 else _of_class(error)
    headers = error.response.headers
    if headers.get("x-should-retry") == "false" and kind is ModelBusy:
        kind = ModelRejected
    return (kind or ModelBusy)(said, usage=usage, retry_after=_wait(headers), request_id=error.request_id or "")


def _of_class(error: Exception) -> type[ModelError]:
    return next(table()[kind] for kind in type(error).__mro__ if kind in table())


def _wait(headers: Mapping[str, str]) -> float:
    """The seconds that the endpoint asks us to wait; 0 when it does not say so in seconds."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    return 0.0


def _line(value: object) -> str:
    return " ".join(str(value).split())[:300]


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
        raise ModelDenied(f"--provider {provider}: {_line(error)}") from error
    return client
