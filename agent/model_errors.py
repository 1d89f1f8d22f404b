"""Errors of the Messages API's client as ours, with the usage of what was thrown away.

What the client lets through as a foreign exception (a stream that is cut, one that is no JSON) is translated too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent.errors import AgentError, ModelBusy, ModelDenied, ModelError, ModelRejected, ModelUnreachable, SpendLimit
from agent.usage import NOTHING, Usage, usage_of

if TYPE_CHECKING:
    import anthropic
    from anthropic.lib.streaming import MessageStream

CHARACTERS_PER_TOKEN: Final = 3  # for figures that an endpoint does not tell
REMEDY: Final[Mapping[int, str]] = {
    401: " (check the key, or do without: --model none)",
    403: " (check what the key may do, or do without: --model none)",
    404: " (check --model and ANTHROPIC_BASE_URL)",
}
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


def used(*streams: MessageStream[Any]) -> Usage:
    """What a stream has used as far as it came; NOTHING, the very object, when it did not begin.

    The figure for the output comes last; for a stream that broke off before it is told by the length.
    """
    try:
        message = streams[0].current_message_snapshot if streams else None
        found = usage_of(message.usage.to_dict(mode="json")) if message else NOTHING
    except (AssertionError, AttributeError):
        return NOTHING
    if message is None or message.stop_reason is not None:
        return found
    written = sum(len(json.dumps(block.to_dict(mode="json"))) for block in message.content)
    return replace(found, output=max(found.output, written // CHARACTERS_PER_TOKEN), is_partial=True)


@contextmanager
def translated(opened: Sequence[MessageStream[Any]]) -> Iterator[None]:
    """Foreign errors as ours, with the usage of the stream that was opened."""
    import anthropic
    import httpx2

    try:
        yield
    except anthropic.APIError as error:
        raise _ours(error, used(*opened)) from error
    except anthropic.AnthropicError as error:
        raise ModelDenied(f"model: {one_line(error)}") from error
    except ImportError as error:  # a provider's own packages, which its client loads with the first request
        raise ModelDenied(f"model: {one_line(error)} (install suite-converter[bedrock] or [vertex])") from error
    except httpx2.TransportError as error:
        raise ModelUnreachable(
            f"the connection to the model broke ({type(error).__name__})", usage=used(*opened)
        ) from error
    except (ValueError, AttributeError) as error:  # a stream that is no JSON, or not of the expected form
        raise ModelUnreachable(f"the model's reply is garbled: {one_line(error)}", usage=used(*opened)) from error


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
        return _of_class(error)(f"model: {one_line(error)}", usage=usage)
    said = f"model: {error.status_code} {error.type or type(error).__name__}: {one_line(error.api_message or error)}"
    if "spend_limit" in (error.error_code or "") or error.type == "billing_error":
        return SpendLimit(said)
    kind = OF_TYPE.get(error.type or "") if error.status_code == 200 else _of_class(error)
    headers = error.response.headers
    if headers.get("x-should-retry") == "false" and kind is ModelBusy:
        kind = ModelRejected
    return (kind or ModelBusy)(
        said + REMEDY.get(error.status_code, ""),
        usage=usage,
        retry_after=_wait(headers),
        request_id=error.request_id or "",
    )


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


def one_line(value: object) -> str:
    """The beginning of what a foreign error says, on one line."""
    return " ".join(str(value).split())[:300]
